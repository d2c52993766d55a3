"""Entries as words: where the key's fields, the action's number and its data lie, for kernels that pack them
(aux-backend/tables/common/packing.h). How many bits a kernel has room for, its description says.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.analysis.locations import actions_of
from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.hlir.types import width_of

WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class WordLayout:
    """`key_at`: the lowest bit of each key field, in the order of the table's keys. `data_at`: of each parameter of
    each action that has any; the action's number stands below."""

    key_at: tuple[int, ...]
    key_bits: int
    action_bits: int
    data_at: dict[str, tuple[int, ...]]
    data_bits: int


def no_words(table: Table) -> str:
    """Why a table's entries cannot be words; empty where they can."""
    kinds = {key.match_kind for key in table.keys}
    bits = sum(width_of(key.expression.type) for key in table.keys)
    if table.implementation:
        return f"the entries of this table are those of '{table.implementation}'"
    if not table.keys or kinds - {MatchKind.EXACT, MatchKind.VALID}:
        return "the key of this table is not exact"
    return "" if bits <= WORD_BITS else f"the key of this table has {bits} bits"


def word_layout(program: Program, table: Table) -> WordLayout:
    """The layout of the entries of a table, for which there is no reason against it."""
    key_at, key_bits = _from_the_lowest(0, [width_of(key.expression.type) for key in reversed(table.keys)])
    actions = actions_of(program, table.name)
    action_bits = (len(actions) - 1).bit_length()
    data_at, data_bits = {}, action_bits
    for action in actions:
        widths = [width_of(program.variable[name].type) for name in action.parameters]
        data_at[action.name], used = _from_the_lowest(action_bits, widths)
        data_bits = max(data_bits, used)
    return WordLayout(tuple(reversed(key_at)), key_bits, action_bits, data_at, data_bits)


def _from_the_lowest(at: int, widths: list[int]) -> tuple[tuple[int, ...], int]:
    """The lowest bits of fields of those widths, one above the other from bit `at`, and the first bit above them."""
    places = []
    for width in widths:
        places.append(at)
        at += width
    return tuple(places), at
