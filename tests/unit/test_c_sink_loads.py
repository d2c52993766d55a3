"""Loads that a function begins with stand before the first statement that has to do with them."""

from __future__ import annotations

import pytest

from transpiler.codegen.c.build import call, infix, live, packet
from transpiler.codegen.c.nodes import Assign, Block, Body, Do, Goto, If, Label, Literal, Name, Return, Statement, Unary
from transpiler.codegen.c.sink_loads import with_loads_sunk

PLACE, TTL, OTHER = live("ip_at"), Name("ttl"), Name("other")
LOAD = If(infix(PLACE, "!=", "MACS_NOWHERE"), (Assign(TTL, call("macs_load_bytes", packet("data"), 1)),))
USE = Assign(OTHER, TTL)
AWAY = If(Name("skip"), (Assign(live("to"), Literal("1")), Return()))


def sunk(*body: Statement, loads: Body = (LOAD,)) -> Body:
    return with_loads_sunk(loads, body, frozenset({"macs_layout_resize"}))


def test_a_way_that_ends_before_does_without() -> None:
    assert sunk(AWAY, USE) == (AWAY, LOAD, USE)
    assert sunk(AWAY) == (AWAY, LOAD)


@pytest.mark.parametrize(
    "first",
    [
        If(Name("skip"), (USE,)),
        If(TTL, ()),
        Goto("end"),
        Block((Label("end"),)),
        Assign(PLACE, Literal("0")),
        Assign(Unary("*", Name("live")), Name("macs_fresh")),
        Do(call("macs_layout_resize", "packet", 1, 2)),
    ],
)
def test_it_passes_nothing_that_has_to_do_with_it(first: Statement) -> None:
    assert sunk(first, USE) == (LOAD, first, USE)


def test_the_arm_that_has_to_do_with_it_has_it() -> None:
    sets = Assign(OTHER, Literal("1"))
    assert sunk(If(Name("skip"), (sets,), (sets, USE))) == (If(Name("skip"), (sets,), (sets, LOAD, USE)),)
    assert sunk(If(Name("skip"), (USE, Goto("end")), (sets,))) == (If(Name("skip"), (LOAD, USE, Goto("end")), (sets,)),)
    for rest in ((USE,), (Label("end"),)):
        assert sunk(If(Name("skip"), (USE,)), *rest) == (LOAD, If(Name("skip"), (USE,)), *rest)
    both = If(Name("skip"), (USE,), (USE,))
    assert sunk(both) == (LOAD, both)


@pytest.mark.parametrize("arms", [((USE,), ()), ((), (USE,)), ((USE,), (Return(),))])
def test_a_condition_that_has_to_do_with_it_has_it_in_front(arms: tuple[Body, Body]) -> None:
    asked = If(infix(TTL, "==", 0), *arms)
    assert sunk(AWAY, asked) == (AWAY, LOAD, asked)


def test_what_packets_take_along_is_loaded_first() -> None:
    kept = Assign(live("ttl"), Literal("1"))
    assert sunk(AWAY, USE, loads=(If(PLACE, (kept, *LOAD.then)),)) == (
        If(PLACE, (kept,)),
        AWAY,
        If(PLACE, LOAD.then),
        USE,
    )


def test_several_loads_keep_their_order_where_one_needs_the_other() -> None:
    """Those that have nothing to do with each other stand each where it is needed."""
    other = Assign(OTHER, infix(TTL, "+", 1))
    use_both = Assign(Name("sum"), infix(OTHER, "+", TTL))
    use_other = Assign(Name("sum"), OTHER)
    for use in (use_both, use_other):
        assert sunk(AWAY, use, loads=(LOAD, other)) == (AWAY, LOAD, other, use)
    again = Assign(TTL, Literal("7"))
    assert sunk(AWAY, USE, loads=(LOAD, again)) == (AWAY, LOAD, again, USE)
    apart = Assign(Name("third"), Literal("3"))
    use_third = Assign(Name("sum"), Name("third"))
    assert sunk(USE, use_third, loads=(apart, LOAD)) == (LOAD, USE, apart, use_third)
