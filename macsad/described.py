"""What a switch has, as DESCRIBE tells it (docs/control.md), and entries of its tables as READ gives them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from macsad.protocol import GROUP, MEMBER

_WITH_PRIORITY = ("ternary", "range", "optional")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a key, or a parameter. `kind`: of match; "" of parameters."""

    name: str
    bits: int
    kind: str = ""

    @property
    def bytes(self) -> int:
        return (self.bits + 7) // 8


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    params: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table or a parser value set; `number` among both, as messages name it. `profile`: its name, or None."""

    number: int
    name: str
    size: int
    key: tuple[Field, ...]
    actions: tuple[Action, ...]
    profile: str | None
    support_timeout: bool
    is_value_set: bool = False

    @property
    def has_priority(self) -> bool:
        return not self.is_value_set and any(field.kind in _WITH_PRIORITY for field in self.key)


@dataclass(frozen=True, slots=True)
class Extern:
    """`number` among the externs; `table`: of a direct one, or one of a profile's."""

    number: int
    name: str
    kind: str
    size: int
    bits: int
    unit: str
    table: str | None


def tables_of(told: dict[str, Any]) -> tuple[Table, ...]:
    """Tables, and behind them value sets."""
    sets = len(told["tables"])
    return tuple(
        _table(number, one, number >= sets) for number, one in enumerate((*told["tables"], *told["value_sets"]))
    )


def _table(number: int, told: dict[str, Any], is_value_set: bool) -> Table:
    key = tuple(Field(one["name"], one["bits"], one["match"]) for one in told["key"])
    actions = tuple(
        Action(one["name"], tuple(Field(param["name"], param["bits"]) for param in one["params"]))
        for one in told.get("actions", ())
    )
    return Table(
        number, told["name"], told["size"], key, actions, told.get("profile"), bool(told.get("ages")), is_value_set
    )


def externs_of(told: dict[str, Any]) -> tuple[Extern, ...]:
    return tuple(
        Extern(number, one["name"], one["kind"], one["size"], one["bits"], one["unit"], one.get("table"))
        for number, one in enumerate(told["externs"])
    )


@dataclass(frozen=True, slots=True)
class Match:
    """What an entry says of a field of the key: `second` is a mask, the end of a range, or the length of a prefix (2 bytes)."""

    field: Field
    value: bytes
    second: bytes = b""


@dataclass(frozen=True, slots=True)
class Call:
    """An action with its data; `named`: instead, the id of the member or group (`number` tells which). A number that is neither
    an action's nor one of these runs nothing."""

    number: int
    data: tuple[bytes, ...] = ()
    named: int = 0


class Reader:
    """Reads entries of a table one part after the other."""

    def __init__(self, table: Table, data: bytes) -> None:
        self.table, self._data, self._at = table, data, 0

    @property
    def more(self) -> bool:
        return self._at < len(self._data)

    def _take(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self, count: int) -> int:
        """A handle (8 bytes) or an index (4)."""
        return int.from_bytes(self._take(count), "big")

    def key(self) -> tuple[tuple[Match, ...], int | None, bytes]:
        """The key, the priority behind it (None: such a table has none), and both as they stand there."""
        first = self._at
        matches = tuple(self._matches())
        priority = int.from_bytes(self._take(4), "big", signed=True) if self.table.has_priority else None
        return matches, priority, self._data[first : self._at]

    def _matches(self) -> Iterator[Match]:
        for field in self.table.key:
            second = 0 if field.kind == "exact" else 2 if field.kind == "lpm" else field.bytes
            yield Match(field, self._take(field.bytes), self._take(second))

    def call(self) -> Call:
        number = self.number(4)
        if number in (MEMBER, GROUP):
            return Call(number, named=self.number(8))
        if number >= len(self.table.actions):
            return Call(number)
        return Call(number, tuple(self._take(param.bytes) for param in self.table.actions[number].params))
