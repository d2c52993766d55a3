"""Constant entries as code: statements that find an entry by comparing the key with each.

Exact keys become a `switch`, of which the C compiler makes a balanced tree or a table of jumps; others a chain of conditions in
the order in which entries win: by priority where a key has masks, then the longer prefix, then the order of the program.
"""

from __future__ import annotations

from functools import reduce

from transpiler.codegen.c.build import NULL, address, all_of, infix, operand, packed as listed
from transpiler.codegen.c.nodes import Assign, Body, Case, Conditional, Declare, Expression, Index, Name, Switch
from transpiler.codegen.ctypes import literal
from transpiler.codegen.expressions import Expressions, as_word, joined
from transpiler.codegen.tables import PackedKey, packed_keys, ternary_of
from transpiler.codegen.words import WORD_BITS, word_layout
from transpiler.hlir.expressions import ExactSet
from transpiler.hlir.program import MatchKind, Program, Table, TableEntry
from transpiler.hlir.types import Bits

WORD = Bits(WORD_BITS)
ENTRY = Name("entry")
BY_PRIORITY = {MatchKind.TERNARY, MatchKind.RANGE, MatchKind.OPTIONAL}


def comparisons(program: Program, table: Table, render: Expressions, values: str) -> Body:
    """Statements that leave in `entry` the address of the entry in the C array `values` that wins, or let it be NULL."""
    packed = packed_keys(table.keys)
    exact = all(isinstance(keyset, ExactSet) for entry in table.entries for keyset in entry.keys)
    if exact and sum(p.bits for p in packed) <= WORD_BITS:
        return _switch(program, table, render, values)
    chain: list[tuple[Expression, Expression]] = []
    found: Expression = NULL
    for number in _in_order(table):
        conditions = _conditions(table.entries[number], packed)
        if not conditions:
            found = _entry(values, number)
            break
        chain.append((all_of("&&", conditions), _entry(values, number)))
    for condition, entry in reversed(chain):
        found = Conditional(condition, entry, found)
    keys = [as_word("uint64_t", p.key.expression, render(p.key.expression)) for p in packed]
    return (Declare("uint64_t", "key", listed(keys), len(keys), constant=True), Assign(ENTRY, found))


def _entry(values: str, number: int) -> Expression:
    return address(Index(Name(values), operand(number)))


def _switch(program: Program, table: Table, render: Expressions, values: str) -> Body:
    places = word_layout(program, table).key_at
    subject = joined("uint64_t", render, zip((key.expression for key in table.keys), places, strict=True))
    cases = []
    for number, entry in enumerate(table.entries):
        found = [ternary_of(entry.keys[p.index], p)[0] << places[p.index] for p in packed_keys(table.keys)]
        label = literal(reduce(int.__or__, found), WORD)
        cases.append(Case((label,), (Assign(ENTRY, _entry(values, number)),)))
    return (Switch(subject, (*cases, Case((), (), default=True))),)


def _in_order(table: Table) -> list[int]:
    """The numbers of the entries, those that win first."""
    masked = any(key.match_kind in BY_PRIORITY for key in table.keys)
    packed = [p for p in packed_keys(table.keys) if p.key.match_kind is MatchKind.LPM]

    def order(number: int) -> tuple[int, int, int]:
        entry = table.entries[number]
        prefix = sum(ternary_of(entry.keys[p.index], p)[1].bit_count() for p in packed)
        return (-entry.priority if masked else 0, -prefix, number)

    return sorted(range(len(table.entries)), key=order)


def _conditions(entry: TableEntry, packed: tuple[PackedKey, ...]) -> list[Expression]:
    """Those under which an entry matches; none where it matches every key."""
    terms: list[Expression] = []
    for at, p in enumerate(packed):
        low, mask, high = ternary_of(entry.keys[p.index], p)
        full = (1 << p.bits) - 1
        key = Index(Name("key"), operand(at))
        if p.key.match_kind is MatchKind.RANGE and low != high:
            terms += [infix(key, ">=", literal(low, WORD))] if low else []
            terms += [infix(key, "<=", literal(high, WORD))] if high != full else []
        elif mask == full:
            terms.append(infix(key, "==", literal(low, WORD)))
        elif mask:
            terms.append(infix(infix(key, "&", literal(mask, WORD)), "==", literal(low, WORD)))
    return terms
