"""Following an entry in C: what the lookup of one packet has found, and the prefetches of what that leads to. See
schedule/leads.py.

    entry = finish(lookup)  or  entries[at]
    prefetch the entry's direct meters and the time of its last hit
    selected = hash of the flow, if the entry names a group
    macs_profile_follow(profile, entry, selected, &choice)
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.apply import OWN_INDEX, SELECTED
from transpiler.codegen.c.build import NULL, address, call, choose, infix, operand
from transpiler.codegen.c.nodes import Assign, Block, Body, Declare, Do, Expression, If, Index, Member, Name, Statement
from transpiler.codegen.pipeline_views import TableRef

ENTRY = Name("entry")


@dataclass(frozen=True, slots=True)
class Led:
    """What is prefetched of what an entry leads to: `cells`: calls that prefetch by the entry's `own_index`; `profile`: the
    state of the action profile, `selection` leaves in `selected` what chooses a group's member."""

    cells: tuple[Expression, ...] = ()
    profile: Expression | None = None
    selection: Body = ()


def follow(table: TableRef, led: Led, lookup: Expression, bulk: bool) -> Body:
    """The statements for one packet. `lookup`: its own, or those of the burst with packet number `at`."""
    made = _of_word(table, led, lookup, bulk) if table.words else _of_entry(table, led, lookup, bulk)
    return (Block(made, cite=table.name),)


def choice_of(lookup: Expression, bulk: bool) -> Expression:
    """The choice in flight of a lookup."""
    assert isinstance(lookup, Member)
    if not bulk:
        return Member(lookup, "choice")
    return Index(Member(lookup.of, f"{lookup.name}_choices", arrow=lookup.arrow), Name("at"))


def _of_word(table: TableRef, led: Led, lookup: Expression, bulk: bool) -> Body:
    """The lookup is finished once more at its work: what it found stands in its cursor."""
    function = f"macs_{table.kernel}_{'bulk_' if bulk else ''}finish_indexed"
    results = (address(Name("word")), address(OWN_INDEX))
    if bulk:
        found = call(function, address(lookup), "at", table.data_bits, *results)
    else:
        found = call(function, table.key_bits, table.data_bits, address(Member(lookup, "cursor")), *results)
    cells = tuple(Do(cell) for cell in led.cells)
    return (
        Declare("uint64_t", "word"),
        Declare("uint32_t", OWN_INDEX.name),
        If(_filled(table, lookup, bulk, found), cells),
    )


def _filled(table: TableRef, lookup: Expression, bulk: bool, found: Expression) -> Expression:
    if not table.may_be_empty:
        return found
    assert isinstance(lookup, Member)
    filled = Member(lookup.of, f"{lookup.name}_filled", arrow=lookup.arrow) if bulk else Member(lookup, "filled")
    return infix(filled, "&&", found)


def _of_entry(table: TableRef, led: Led, lookup: Expression, bulk: bool) -> Body:
    made: list[Statement] = []
    default = call("macs_table_default", address(Index(Name("tables"), Name(f"TABLE_{table.name}"))))
    if bulk:
        entry: Expression = Index(Member(lookup, "entries"), Name("at"))
    else:
        state = Member(Index(Name("tables"), Name(f"TABLE_{table.name}")), "state")
        cursor = (state, Member(lookup, "key"), table.key_bytes, address(Member(lookup, "cursor")))
        found: Expression = call(f"macs_{table.kernel}_finish", *cursor)
        if table.may_be_empty:
            found = choose(Member(lookup, "filled"), found, NULL)
        made.append(Assign(Member(lookup, "entry"), found))
        entry = choose(infix(Member(lookup, "entry"), "!=", NULL), Member(lookup, "entry"), default)
    made.append(Declare("const struct macs_entry *", "entry", entry, constant=True))
    if led.cells:
        made.append(Declare("uint32_t", OWN_INDEX.name, Member(ENTRY, "index", arrow=True), constant=True))
    made += [Do(cell) for cell in led.cells]
    if led.profile is not None:
        if led.selection:
            made.append(Declare("uint64_t", SELECTED.name, operand(0)))
            made.append(If(infix(Member(ENTRY, "action", arrow=True), "==", "MACS_INDIRECT_GROUP"), led.selection))
        selected = SELECTED if led.selection else 0
        made.append(Do(call("macs_profile_follow", led.profile, ENTRY, selected, address(choice_of(lookup, bulk)))))
    return tuple(made)
