"""What testgen hopes of another try: of an outcome of a table, and of a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hlir_builder import Builder, apply, binary, const, exact, extract, if_, select, state, valid

pytest.importorskip("z3")

from transpiler.diagnostics import Span
from transpiler.hlir import statements as st
from transpiler.hlir.program import Program
from transpiler.testgen.choices import Outcome
from transpiler.testgen.cover import Coverage
from transpiler.testgen.interest import Interest


def on(line: int, statement: Any) -> Any:
    return replace(statement, span=Span("t.p4", line, 1))


@pytest.fixture
def program() -> Program:
    """One that asks for x, which is what y was, and for the validity of g."""
    b = Builder()
    b.header("h", "h_t", a=8)
    b.header("g", "g_t", a=8)
    for name in ("x", "y", "z"):
        b.variable(name, 8)
    b.action("to_x", on(10, b.set("x", 1)))
    b.action("to_y", on(11, b.set("y", 1)), on(12, b.set("z", 1)))
    b.action("to_z", on(13, b.set("z", 1)))
    b.action("to_g", on(14, st.SetValid(b.place("g.a").header, True, Span("t.p4", 14, 1))))  # type: ignore[union-attr]
    b.table("t", [("h.a", "exact")], ["to_x", "to_y", "to_z", "to_g"], "to_z")
    inner = if_(binary("==", b.get("z"), const(2, 8)), [on(7, b.set("z", 2))])
    body = (
        on(1, apply("t")), on(2, b.set("x", b.get("y"))),
        on(3, if_(binary("==", b.get("x"), const(1, 8)), [on(4, inner)])),
        on(5, if_(valid("g"), [on(6, b.set("z", 3))])),
    )  # fmt: skip
    start = state("start", [extract("h")], select(b.get("h.a"), (exact(1, 8), "accept")))
    return b.build([start], ingress=body)


def test_what_is_hoped_of_outcomes(program: Program) -> None:
    """Four for each thing that conditions of what is missing read, or that it is computed of; one for each item in an action."""
    coverage = Coverage(program)
    interest = Interest(program, coverage)

    def hoped() -> list[int]:
        actions = [Outcome(True, name) for name in ("to_x", "to_y", "to_z", "to_g")]
        return [interest.of_outcome("t", outcome) for outcome in (*actions, Outcome(False, ""))]

    assert hoped() == [5, 10, 5, 5, 5]  # of the program's own default what it does
    assert interest.of_outcome("multicast group", Outcome(True, "")) == 0
    number = {(item.span.line, item.what): at for at, item in enumerate(coverage.items)}
    done = {at for (line, _), at in number.items() if line in (3, 4, 7)}
    interest.update(done)
    assert hoped() == [1, 2, 1, 5, 1]  # nobody asks for x now
    interest.update(done | {number[10, ""], number[12, ""], number[13, ""]})
    assert hoped() == [0, 1, 0, 5, 0]
    interest.update(set(range(len(coverage.items))) - {number[7, ""]})
    assert hoped() == [4, 8, 4, 0, 4]  # it is behind both conditions
    interest.update(set(range(len(coverage.items))))
    assert hoped() == [0] * 5


def test_what_is_hoped_of_decisions(program: Program) -> None:
    """As many as there are missing items in the arms of what decides, that is known by its place."""
    coverage = Coverage(program)
    interest = Interest(program, coverage)
    control = next(pipe for pipe in program.pipes if pipe.name == "Ingress")
    first, second = (one for one in control.body if isinstance(one, st.If))  # type: ignore[union-attr]
    parser: Any = program.pipes[0]
    start = parser.states[0]
    places: list[Any] = [
        (id(first), 7, 1, True), id(second), (("select", start.name, id(start)), 0, 1, True), ("send", 1, 1, True),
    ]  # fmt: skip
    assert [interest.of_place(place) for place in places] == [7, 4, 2, 0]  # an If, its arms, and what is in one of them
    interest.update({at for at, item in enumerate(coverage.items) if item.span.line == 7 or item.what == "no case"})
    assert [interest.of_place(place) for place in places] == [6, 4, 1, 0]
