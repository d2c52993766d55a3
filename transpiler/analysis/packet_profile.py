"""The profile of a program's packets: what they did at its tables and branches, as `macsad trace --profile` counts it.

It says what is likely, never what is so: code made by it does the same with other packets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from transpiler.diagnostics import Span

VERSION = 1


class BadProfile(Exception):
    """A file that is no such profile: what is wrong with it."""


@dataclass(frozen=True, slots=True)
class TableCounts:
    """Of the packets that came to a table: how many hit, how many ran which action; `clocks` a packet of the stage that begins
    with its result, None where nobody knows."""

    hits: int
    misses: int
    actions: Mapping[str, int]
    clocks: float | None = None

    @property
    def packets(self) -> int:
        return self.hits + self.misses

    def share(self, action: str) -> float:
        """Of the packets that came to the table: those that ran the action."""
        return self.actions.get(action, 0) / self.packets if self.packets else 0.0


NOBODY = TableCounts(0, 0, {})


@dataclass(frozen=True, slots=True)
class PacketProfile:
    """`packets` in all; `tables` by name; `branches`: of conditions by their place in the program, how many packets found them
    true, and how many false."""

    packets: int
    tables: Mapping[str, TableCounts] = field(default_factory=dict)
    branches: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def table(self, name: str) -> TableCounts:
        return self.tables.get(name, NOBODY)

    def branch(self, span: Span) -> tuple[int, int]:
        return self.branches.get(place_of(span), (0, 0))


NOTHING = PacketProfile(0)


def place_of(span: Span) -> str:
    """A place in the program, in whichever folder that lies."""
    return f"{span.file.rpartition('/')[2]}:{span.line}:{span.column}"


def packet_profile(data: Any) -> PacketProfile:
    """That of a file's JSON. Raises: BadProfile."""
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise BadProfile(
            f"it is no profile of packets of version {VERSION}: 'macsad trace P.p4 --profile FILE' makes them"
        )
    tables, branches = data.get("tables"), data.get("branches")
    if not isinstance(tables, dict) or not isinstance(branches, dict):
        raise BadProfile("it has no 'tables' and 'branches'")
    return PacketProfile(
        _count(data.get("packets"), "packets"),
        {name: _table(name, one) for name, one in tables.items()},
        {place: _pair(place, one) for place, one in branches.items()},
    )


def _table(name: str, data: Any) -> TableCounts:
    if not isinstance(data, dict) or not isinstance(data.get("actions"), dict):
        raise BadProfile(f"table {name} has no 'actions'")
    actions = {action: _count(number, f"{name}, {action}") for action, number in data["actions"].items()}
    clocks = data.get("clocks")
    if clocks is not None and (not isinstance(clocks, int | float) or not 0 <= clocks < float("inf")):
        raise BadProfile(f"table {name}: 'clocks' are a number")
    return TableCounts(
        _count(data.get("hits"), f"{name}, hits"), _count(data.get("misses"), f"{name}, misses"), actions, clocks
    )


def _pair(place: str, data: Any) -> tuple[int, int]:
    if not isinstance(data, list) or len(data) != 2:
        raise BadProfile(f"branch {place} is no pair of numbers")
    return _count(data[0], place), _count(data[1], place)


def _count(number: Any, what: str) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise BadProfile(f"{what}: not a number of packets")
    return number
