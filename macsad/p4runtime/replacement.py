"""Another program for a running switch. P4Runtime spec 1.4.1 section 14.

The program is made ready beside the one that runs: compiled, loaded, its tables filled with the entries of tables that both have.
Then it takes the other one's place. Ports stay open; the workers end a burst with the one and begin the next with the other.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macsad.control import Client
from macsad.p4runtime import notes
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message
from macsad.p4runtime.program import NotOfSwitch, Program, join
from macsad.protocol import Reading, Update

_HEAD = struct.Struct(">BH")
_ID_COUNT = struct.Struct(">QI")
_NAMED = (0xFFFFFFFE, 0xFFFFFFFD)
_STEP = 10_000  # changes in a message


@dataclass(frozen=True, slots=True)
class Replacement:
    """A program that is compiled: `library` for the switch to load, bits of the fields of its controller headers."""

    library: Path
    widths: dict[str, tuple[int, ...]]


Builder = Callable[[bytes], Replacement]  # from a device config. Raises: Refused


def load(client: Client, info: Message, made: Replacement) -> Program:
    """The switch makes it ready. Raises: Refused."""
    reply = client.command(f"load_program {made.library}")
    if not reply.ok:
        raise Refused(Code.INVALID_ARGUMENT, reply.text.strip())
    try:
        return join(info, client.describe(next_program=True), made.widths)
    except NotOfSwitch as error:
        raise Refused(Code.INVALID_ARGUMENT, f"P4Info and device config do not agree: {error}") from None


def swap(client: Client) -> None:
    """Raises: Refused."""
    reply = client.command("swap_programs")
    if not reply.ok:
        raise Refused(Code.INTERNAL, reply.text.strip())


def keep(client: Client) -> None:
    """The program that is ready gets what the one that runs has in tables, value sets and action profiles of both. Notes
    follow them."""
    old, new = client.describe(), client.describe(next_program=True)
    renamed = [(notes.change(name, b""), b"") for name, _ in client.read_notes() if name[:1] in b"eg"]
    moved: list[bytes] = []
    for at, to, extern in _pairs(old["externs"], new["externs"], _same_profile(old, new)):
        _keep_profile(client, at, to, extern["kind"] == "action_selector")
        moved += _moved(client, notes.Names.GROUP, at, to)
    tables = [*old["tables"], *old["value_sets"]], [*new["tables"], *new["value_sets"]]
    for at, to, table in _pairs(*tables, _same_table):
        _keep_entries(client, at, to, table)
        moved += _moved(client, notes.Names.METADATA, at, to)
    client.update([change for change, _ in renamed] + moved)


def _pairs(
    old: list[dict[str, Any]], new: list[dict[str, Any]], same: Callable[[dict[str, Any], dict[str, Any]], bool]
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """(old number, new number, what it is) of what is the same in both."""
    before = {one["name"]: (number, one) for number, one in enumerate(old)}
    for number, one in enumerate(new):
        at, other = before.get(one["name"], (0, None))
        if other is not None and same(other, one):
            yield at, number, one


def _same_table(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Entries of the one are entries of the other: same keys, same actions in the same order."""
    names = ("key", "actions", "const_entries", "const_default")
    return all(one.get(name) == other.get(name) for name in names)


def _same_profile(old: dict[str, Any], new: dict[str, Any]) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    tables_before = {table["name"]: table for table in old["tables"]}
    tables = {table["name"]: table for table in new["tables"]}

    def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
        if one["kind"] != other["kind"] or one["kind"] not in ("action_profile", "action_selector"):
            return False
        return bool(tables_before[one["table"]]["actions"] == tables[other["table"]]["actions"])

    return same


def _moved(client: Client, kind: bytes, at: int, to: int) -> list[bytes]:
    """The notes of a table or a profile under the number that it has now."""
    before, after = kind + at.to_bytes(2, "big"), kind + to.to_bytes(2, "big")
    return [notes.change(after + name[len(before) :], note) for name, note in client.read_notes(before)]


def _keep_entries(client: Client, at: int, to: int, table: dict[str, Any]) -> None:
    sizes = _Sizes(table)
    for part in client.read_entries(at) if not table.get("const_entries") and table["key"] else ():
        changes = [_HEAD.pack(Update.ADD, to) + key + action for key, action in sizes.entries(part)]
        client.update(changes, next_program=True)
    if "actions" in table and not table["const_default"]:
        client.update([_HEAD.pack(Update.SET_DEFAULT, to) + client.read_default(at)[4:]], next_program=True)


class _Sizes:
    """Where entries of a table end in what READ gives."""

    def __init__(self, table: dict[str, Any]) -> None:
        self._key = 0
        for field in table["key"]:
            size = (field["bits"] + 7) // 8
            self._key += {"exact": size, "lpm": size + 2}.get(field["match"], 2 * size)
        self._has_actions = "actions" in table
        kinds = {field["match"] for field in table["key"]}
        if self._has_actions and kinds & {"ternary", "range", "optional"}:
            self._key += 4
        self._params = [
            4 + sum((param["bits"] + 7) // 8 for param in action["params"]) for action in table.get("actions", ())
        ]

    def entries(self, part: bytes) -> Iterator[tuple[bytes, bytes]]:
        at = 0
        while at < len(part):
            key = part[at : at + self._key]
            at += self._key + 4
            end = at
            if self._has_actions:
                (number,) = struct.unpack_from(">I", part, at)
                end += 12 if number in _NAMED else self._params[number]
            yield key, part[at:end]
            at = end

    def actions(self, part: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(id, action) of members."""
        at = 0
        while at < len(part):
            (number,) = struct.unpack_from(">I", part, at + 8)
            end = at + 8 + self._params[number]
            yield part[at : at + 8], part[at + 8 : end]
            at = end


def _keep_profile(client: Client, at: int, to: int, has_groups: bool) -> None:
    """Its members and groups, but those of commands: entries that name these are not kept."""
    extern = client.describe()["externs"][at]
    table = next(one for one in client.describe()["tables"] if one["name"] == extern["table"])
    sizes = _Sizes(table)
    for part in client.read_profile(Reading.MEMBERS, at):
        changes = [_HEAD.pack(Update.ADD_MEMBER, to) + number + action for number, action in sizes.actions(part)]
        client.update(changes, next_program=True)
    for part in client.read_profile(Reading.GROUPS, at) if has_groups else ():
        start, changes = 0, []
        while start < len(part):
            _, count = _ID_COUNT.unpack_from(part, start)
            end = start + _ID_COUNT.size + count * 12
            members = part[start + _ID_COUNT.size : end]
            changes.append(_HEAD.pack(Update.ADD_GROUP, to) + part[start : start + 8] + members)
            start = end
        client.update(changes, next_program=True)
