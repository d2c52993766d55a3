"""What @entry_restriction says of a table, and which of its entries it allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import MatchKind, Table
from transpiler.hlir.types import width_of
from transpiler.p4info.annotations import find
from transpiler.traffic.constraints import PRIORITY, Restriction, RestrictionError, read

Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
Degrees = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
WORD = 64  # bits: wider numbers are Python's


@dataclass(frozen=True)
class Field:
    """A key that entries match."""

    name: str
    kind: MatchKind
    width: int

    @property
    def full(self) -> int:
        """The mask that matches all of it."""
        return (1 << self.width) - 1


@dataclass(frozen=True)
class Rule:
    """A table's restriction, and its fields."""

    restriction: Restriction
    fields: tuple[Field, ...]

    def names(self, field: Field) -> bool:
        """Whether the restriction says something of a field."""
        return field.name in self.restriction.named

    def judged(self, shape: tuple[int, ...], values: Sequence[Any], masks: Sequence[Any], priority: Any = 1) -> Degrees:
        """For each clause how near it is to hold for entries that match the `values` of fields in the bits of `masks`: numbers,
        or arrays that `array` made, of that shape when they are taken together."""
        entry = {
            field.name: _parts(field, value & mask, mask)
            for field, value, mask in zip(self.fields, values, masks, strict=True)
            if self.names(field)
        }
        entry[PRIORITY] = (priority,)
        return np.stack([np.broadcast_to(clause(entry), shape) for clause in self.restriction.clauses]).astype(
            np.float64
        )


def array(width: int, values: Any) -> Any:
    """Numbers of so many bits."""
    return np.array(values, dtype=np.uint64 if width <= WORD else object)


def rule_of(table: Table, diagnostics: Diagnostics | None = None) -> Rule | None:
    """None where nothing is said, or what cannot be read: a warning says so."""
    note = find(table.annotations, "entry_restriction")
    if note is None:
        return None
    text = note.body if note.structured is None else "\n".join(str(value) for _, value in note.structured)
    keys = [key for key in table.keys if key.match_kind is not MatchKind.SELECTOR]
    fields = tuple(Field(k.name, k.match_kind, width_of(k.expression.type)) for k in keys)
    try:
        return _read(text, fields)
    except RestrictionError as error:
        if diagnostics is not None:
            said = f"the @entry_restriction of table {table.name} is left out: {error}"
            diagnostics.warning(note.span, "traffic", said)
        return None


@lru_cache
def _read(text: str, fields: tuple[Field, ...]) -> Rule:
    return Rule(read(text, {field.name: (field.kind, field.width) for field in fields}), fields)


def _parts(field: Field, value: Any, mask: Any) -> tuple[Any, ...]:
    """The parts of a key that matches `value` in the bits of `mask`."""
    match field.kind:
        case MatchKind.LPM:
            return value, mask.bit_count()
        case MatchKind.TERNARY | MatchKind.OPTIONAL:
            return value, mask
        case MatchKind.RANGE:
            return value, value | (field.full ^ mask)
    return (value,)
