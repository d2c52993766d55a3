"""Path states: what is known on each of the ways to a place, by what conditions imply, and where ways meet."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, binary, const, h, true, valid

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.hlir import expressions as ex
from transpiler.hlir.printer import expression as text
from transpiler.hlir.types import Bits, Bool, Enum
from transpiler.schedule.paths import (
    LIMIT,
    PathState,
    PathStates,
    agreed,
    common,
    copied,
    forget,
    known,
    met,
    split_by,
    validity_of,
    values_of,
)

B = Builder()
B.header("h", "h_t", f=8)
B.header("g", "h_t")
for name in ("x", "y"):
    B.variable(name, 8)
B.variable("b", Bool())
B.variable("e", Enum("kinds", ("one", "two")))
X, Y, T = B.get("x"), B.get("y"), B.get("b")
ELEMENT = ex.ElementRef("s", ex.Cast(X, Bits(32), AT), AT)


def at(**known_here: int) -> PathState:
    """By variables; `h` and `g` are the validity of headers, `f` is a field."""
    places = {"h": Location("h", VALIDITY), "g": Location("g", VALIDITY), "f": Location("h", "f")}
    return {places.get(name, Location(name)): value for name, value in known_here.items()}


def no(condition: ex.Expression) -> ex.Expression:
    return ex.Unary(ex.UnaryOp.NOT, condition, Bool(), AT)


def eight(value: int) -> ex.Const:
    return const(value, 8)


@pytest.mark.parametrize(
    ("condition", "before", "then", "otherwise"),
    [
        (valid("h"), [at()], [at(h=1)], [at(h=0)]),
        (valid("h"), [at(h=1), at(h=0), at(x=3)], [at(h=1), at(h=1, x=3)], [at(h=0), at(h=0, x=3)]),
        (no(valid("h")), [at()], [at(h=0)], [at(h=1)]),
        (ex.IsValid(ELEMENT, AT), [at(x=1)], [at(x=1)], [at(x=1)]),
        (T, [at()], [at(b=1)], [at(b=0)]),
        (T, [at(b=1)], [at(b=1)], []),
        (binary("==", X, eight(3)), [at()], [at(x=3)], [at()]),
        (binary("==", X, eight(3)), [at(x=3), at(x=4)], [at(x=3)], [at(x=4)]),
        (binary("!=", X, eight(3)), [at()], [at()], [at(x=3)]),
        (binary("==", X, Y), [at(y=2)], [at(y=2)], [at(y=2)]),
        (binary("==", X, Y), [at(x=2, y=2)], [at(x=2, y=2)], []),
        (binary("<", X, eight(3)), [at(), at(x=2), at(x=3)], [at(), at(x=2)], [at(), at(x=3)]),
        (binary("&&", valid("h"), T), [at()], [at(h=1, b=1)], [at()]),
        (binary("&&", valid("h"), no(valid("h"))), [at()], [], [at()]),
        (binary("&&", binary("==", X, eight(1)), binary("==", X, eight(2))), [at()], [], [at()]),
        (binary("||", valid("h"), T), [at()], [at()], [at(h=0, b=0)]),
        (no(binary("||", valid("h"), T)), [at()], [at(h=0, b=0)], [at()]),
        (no(binary("&&", valid("h"), T)), [at()], [at()], [at(h=1, b=1)]),
        (binary("||", valid("h"), no(valid("h"))), [at()], [at()], []),
        (binary("&&", T, valid("h")), [at(h=0)], [], [at(h=0)]),
        (true(), [at(), at(x=1)], [at(), at(x=1)], []),
        (T, [], [], []),
    ],
    ids=lambda value: text(value) if not isinstance(value, list) else None,
)
def test_what_a_condition_implies_on_both_of_its_ways(
    condition: ex.Expression, before: PathStates, then: PathStates, otherwise: PathStates
) -> None:
    kept = copied(before)
    assert split_by(condition, before) == (then, otherwise)
    assert before == kept, "the ways have path states of their own"


@pytest.mark.parametrize(
    ("value", "states", "values"),
    [
        (X, [at(x=5), at(), at(x=0)], [5, None, 0]),
        (binary("+", X, Y), [at(x=250, y=7), at(x=1), at(x=1, y=2)], [1, None, 3]),
        (binary("&", X, eight(0)), [at()], [0]),
        (ex.Cast(valid("h"), Bits(8), AT), [at(h=1), at(h=0), at()], [1, 0, None]),
        (ex.Read(ex.FieldRef(h("h"), "f", AT), Bits(8), AT), [at(f=9)], [9]),
        (ex.Read(ex.FieldRef(ELEMENT, "f", AT), Bits(8), AT), [at(x=0)], [None]),
    ],
)
def test_the_value_of_an_expression_on_each_way(
    value: ex.Expression, states: PathStates, values: list[int | None]
) -> None:
    assert values_of(value, states) == values


@pytest.mark.parametrize(
    ("value", "states", "wanted"),
    [
        (binary("+", X, Y), [at(x=3, y=1), at(x=3, y=2)], "y + 8w3"),
        (binary("+", X, Y), [at(x=3, y=1), at(x=3, y=1)], "8w4"),
        (binary("+", X, Y), [at(x=3), at()], "x + y"),
        (binary("&&", valid("h"), T), [at(h=1, b=0), at(h=1)], "b"),
        (B.get("e"), [at(e=1)], "e"),
    ],
)
def test_an_expression_has_the_values_that_all_ways_agree_on(
    value: ex.Expression, states: PathStates, wanted: str
) -> None:
    assert text(known(value, states)) == wanted


def test_where_ways_meet_each_path_state_is_there_once() -> None:
    assert met([at(x=1), at(x=2), at(x=1), at()]) == [at(x=1), at(x=2), at()]
    assert met([]) == []


@pytest.mark.parametrize("more", [0, 1])
def test_of_too_many_path_states_those_with_the_same_headers_are_one(more: int) -> None:
    """With what they agree on."""
    assert LIMIT == 24, "of a place: more cost time, and fewer forget what a usual parser has found out"
    half = LIMIT // 2
    states = [at(h=1, x=n, y=3) for n in range(half)] + [at(h=0, x=n, y=4) for n in range(LIMIT - half + more)]
    assert met(states) == (states if not more else [at(h=1, y=3), at(h=0, y=4)])


def test_of_too_many_sets_of_headers_one_path_state_is_left() -> None:
    states = [at(h=h, g=g, x=1) for h in (0, 1) for g in (0, 1)]
    assert met(states, 4) == states
    assert met([*states, at(x=1, h=1)], 4) == [at(x=1)]
    assert met([*states, at(h=1, g=1, x=1, y=2)], 4) == states


def test_what_all_agree_on() -> None:
    assert common([at(x=1, y=2, h=0), at(x=1, y=3)]) == at(x=1)
    assert common([at(x=1)]) == at(x=1)
    states = [at(x=1, y=2), at(x=1)]
    assert [agreed(states, Location(name)) for name in "xyz"] == [1, None, None]
    forget(states, [Location("x"), Location("z")])
    assert states == [at(y=2), at()]
    assert validity_of(h("h")) == Location("h", VALIDITY) and validity_of(ELEMENT) is None
