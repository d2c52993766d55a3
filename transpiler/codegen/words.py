"""Entries as words: where the key's fields, the action's number and its data lie, for kernels that pack them.

A packed entry is one 64-bit word in a hash bucket. Three bits are the kernel's; and of the key only what the bucket's
number does not tell need be there, which saves log2(buckets) bits (aux-backend/tables/exact_packed.h).
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.analysis.locations import actions_of
from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.hlir.types import width_of

KEY_BITS = range(4, 65)
ENTRY_BITS = 61  # of key and data together in the smallest table
DATA_BITS = 57
WAYS_BITS = 3  # log2 of the entries in a bucket


@dataclass(frozen=True, slots=True)
class WordLayout:
    """`key_at`: the lowest bit of each key field, in the order of the table's keys. `data_at`: of each parameter of
    each action that has any; the action's number stands below."""

    key_at: tuple[int, ...]
    key_bits: int
    action_bits: int
    data_at: dict[str, tuple[int, ...]]
    data_bits: int


def word_layout(program: Program, table: Table) -> WordLayout | None:
    """The layout of a table's entries as words, or None where they cannot be: direct externs need an entry's index,
    profiles its members' handles, and the bits must be few enough for a table of that size."""
    kinds = {key.match_kind for key in table.keys}
    if not table.keys or kinds - {MatchKind.EXACT, MatchKind.VALID} or table.direct or table.implementation:
        return None
    key_at, key_bits = _from_the_lowest(0, [width_of(key.expression.type) for key in reversed(table.keys)])
    actions = actions_of(program, table.name)
    action_bits = (len(actions) - 1).bit_length()
    data_at, data_bits = {}, action_bits
    for action in actions:
        widths = [width_of(program.variable[name].type) for name in action.parameters]
        data_at[action.name], used = _from_the_lowest(action_bits, widths)
        data_bits = max(data_bits, used)
    least_bucket_bits = max(key_bits + data_bits - ENTRY_BITS, 1)
    most_bucket_bits = max(table.size.bit_length() - 1 - WAYS_BITS, 1)
    if key_bits not in KEY_BITS or data_bits > DATA_BITS or least_bucket_bits > min(most_bucket_bits, key_bits - 3):
        return None
    return WordLayout(tuple(reversed(key_at)), key_bits, action_bits, data_at, data_bits)


def _from_the_lowest(at: int, widths: list[int]) -> tuple[tuple[int, ...], int]:
    """The lowest bits of fields of those widths, one above the other from bit `at`, and the first bit above them."""
    places = []
    for width in widths:
        places.append(at)
        at += width
    return tuple(places), at
