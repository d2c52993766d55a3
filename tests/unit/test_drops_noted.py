"""Where a packet may be dropped it notes the place, by a number for each line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hlir_builder import Builder, emit, extract, goto, if_, state, true

from transpiler.diagnostics import Span
from transpiler.hlir import statements as st
from transpiler.hlir.printer import print_body
from transpiler.hlir.program import Control, Parser, Program, Role
from transpiler.schedule import dropped_at
from transpiler.schedule.dropped_at import FIRST, places, with_dropped_at

DROP = 511  # as egress_spec


def on(line: int, statement: Any, file: str = "t.p4") -> Any:
    return replace(statement, span=Span(file, line, 1))


@pytest.fixture
def b() -> Builder:
    made = Builder()
    made.header("h", "h_t", port=9, rest=7)
    made.variable("other", 9)
    return made


def noted(b: Builder, *ingress: st.Statement, start: tuple[st.Statement, ...] = ()) -> Program:
    program = b.build([state("start", [extract("h"), *start], goto("accept"))], ingress, deparser=[emit("h")])
    return with_dropped_at(program)


def text(program: Program, role: Role = Role.INGRESS) -> str:
    pipe = program.pipe(role)
    assert isinstance(pipe, Control)
    return " ".join(print_body(pipe.body).split()).replace("sm.egress_spec", "spec").replace("9w0x1ff", "DROP")


def test_assignments_that_may_drop(b: Builder) -> None:
    drop, send = b.set("sm.egress_spec", DROP), b.set("sm.egress_spec", 3)
    body = (
        on(1, send),
        on(2, drop),
        on(3, b.set("sm.egress_spec", b.get("h.port"))),
        on(4, b.set("other", DROP)),
        on(5, if_(true(), [on(6, drop)], [on(2, drop)])),
    )
    program = noted(b, *body)
    assert text(program) == (
        "spec = 9w3; spec = DROP; dropped_at = 8w0x10; spec = h.port; dropped_at = 8w0x11; other = DROP; "
        "if (true) { spec = DROP; dropped_at = 8w0x12; } else { spec = DROP; dropped_at = 8w0x10; }"
    )
    assert [span and span.line for span in places(program)] == [2, 3, 6] and FIRST == 16
    assert program.intrinsic["dropped_at"] == "dropped_at" and "dropped_at" in program.variable


def test_actions_and_parsers_note_theirs(b: Builder) -> None:
    b.action("drop", on(7, b.set("sm.egress_spec", DROP)))
    program = noted(b, start=(on(8, b.set("sm.egress_spec", DROP)),))
    assert len(program.action["drop"].body) == 2
    parser = program.pipe(Role.PARSER)
    assert isinstance(parser, Parser) and len(parser.states[0].body) == 3
    assert {span.line for span in places(program) if span is not None} == {7, 8}


def test_lines_of_several_files(b: Builder) -> None:
    drop = b.set("sm.egress_spec", DROP)
    assert len(places(noted(b, on(1, drop), on(1, drop, "other.p4"), on(1, drop)))) == 2


def test_a_program_that_drops_nothing_is_left_as_it_is(b: Builder) -> None:
    program = b.build([state("start", [], goto("accept"))], [b.set("sm.egress_spec", 3)])
    assert with_dropped_at(program) is program and places(program) == ()


def test_names_of_the_program_are_not_met(b: Builder) -> None:
    for name in ("dropped_at", "dropped_at_"):
        b.variable(name, 8)
    program = noted(b, b.set("sm.egress_spec", DROP))
    assert program.intrinsic["dropped_at"] == "dropped_at__"


def test_lines_beyond_those_that_have_numbers(b: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those no more is known than that the program drops; a line that has a number keeps it."""
    monkeypatch.setattr(dropped_at, "PLACES", 2)
    program = noted(b, *(on(line, b.set("sm.egress_spec", DROP)) for line in (1, 2, 3, 1)))
    numbers = [word for word in text(program).replace(";", "").split() if word.startswith("8w")]
    assert numbers == ["8w0x10", "8w0x11", "8w0", "8w0x10"]
    assert [span and span.line for span in places(program)] == [1, 2]


def test_a_note_that_is_gone_leaves_its_number_without_a_place(b: Builder) -> None:
    program = noted(b, *(on(line, b.set("sm.egress_spec", DROP)) for line in (1, 2)))
    ingress = program.pipe(Role.INGRESS)
    assert isinstance(ingress, Control)
    less = replace(ingress, body=ingress.body[2:])
    without = replace(program, pipes=tuple(less if pipe is ingress else pipe for pipe in program.pipes))
    assert [span and span.line for span in places(without)] == [None, 2]
