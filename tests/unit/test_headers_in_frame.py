"""Headers that lie in the frame where they are valid, where that is known, and who is copied to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hlir_builder import AT, Builder, apply, binary, emit, extract, goto, h, if_, state, valid

from transpiler.codegen import in_frame
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bool
from transpiler.schedule.live_values import spread_headers
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import PipeSchedule


def builder() -> Builder:
    b = Builder()
    for name in "abcd":
        b.header(name, "h_t", **({"x": 8} if name == "a" else {}))
    b.header("own", "h_t", local=True)
    b.stack("s", "h_t", 2)
    b.action("copies", if_(valid("a"), [copy("b", "c")]))
    b.action("sets", set_valid("b"))
    b.table("t", [("a.x", "exact")], ["copies"])
    b.table("u", [("a.x", "exact")], ["sets"])
    return b


def copy(target: str, source: str) -> st.CopyHeader:
    return st.CopyHeader(h(target), h(source), AT)


def set_valid(name: str, value: bool = True) -> st.SetValid:
    return st.SetValid(h(name), value, AT)


ELEMENT = ex.ElementRef("s", builder().get("a.x"), AT)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ([], "abcd"),
        ([set_valid("b")], "acd"),
        ([set_valid("b", False)], "abcd"),
        ([if_(valid("a"), [set_valid("b")])], "acd"),
        ([copy("a", "b")], "abcd"),
        ([copy("a", "b"), set_valid("b")], "cd"),
        ([copy("a", "b"), copy("b", "c"), set_valid("c")], "d"),
        ([copy("b", "c"), copy("a", "b"), set_valid("c")], "d"),
        ([copy("a", "own")], "bcd"),
        ([copy("own", "a")], "abcd"),
        ([copy("a", "s[0]")], "bcd"),
        ([st.CopyHeader(h("a"), ELEMENT, AT)], "bcd"),
        ([st.CopyHeader(ELEMENT, h("a"), AT)], "abcd"),
        ([st.CopyHeader(ELEMENT, h("own"), AT)], "abcd"),
        ([apply("u")], "acd"),
    ],
)
def test_headers_that_nothing_but_extracts_make_valid(body: Sequence[st.Statement], found: str) -> None:
    """And copies of such headers: no elements of stacks, nothing of the program's own."""
    b = builder()
    if apply("u") not in body:
        b.tables, b.actions = b.tables[:1], [action for action in b.actions if action.name != "sets"]
    start = state("start", [extract("a"), extract("b")], goto("accept"))
    assert in_frame.in_frame_where_valid(b.build([start], body, deparser=[emit("a")])) == set(found)


A, B_VALID = valid("a"), valid("b")
LESS = binary("<", builder().get("a.x"), builder().get("b.x"))


@pytest.mark.parametrize(
    ("condition", "headers"),
    [
        (A, "a"),
        (binary("&&", A, B_VALID), "ab"),
        (binary("&&", binary("&&", LESS, A), B_VALID), "ab"),
        (binary("||", A, B_VALID), ""),
        (ex.Unary(ex.UnaryOp.NOT, A, Bool(), AT), ""),
        (ex.IsValid(ELEMENT, AT), ""),
        (LESS, ""),
    ],
)
def test_headers_that_a_condition_tells_to_be_valid(condition: ex.Expression, headers: str) -> None:
    assert in_frame.tested(condition) == set(headers)


@pytest.mark.parametrize(
    ("statements", "headers"),
    [
        ([copy("a", "b"), copy("d", "b")], "ad"),
        ([st.CopyHeader(ELEMENT, h("a"), AT)], ""),
        ([apply("t")], "b"),
        ([apply("u")], ""),
        ([apply("u"), copy("a", "b"), apply("t")], "ab"),
    ],
)
def test_headers_that_are_copied_to(statements: Sequence[st.Statement], headers: str) -> None:
    """In actions, too."""
    program = builder().build([state("start", [extract("a")], goto("accept"))], deparser=[emit("a")])
    assert in_frame.copied_to(program, statements) == set(headers)


def copies_in_egress(*ingress: st.Statement) -> tuple[Program, tuple[PipeSchedule, ...]]:
    b = builder()
    b.tables, b.actions = b.tables[:1], [action for action in b.actions if action.name != "sets"]
    start = state("start", [extract("a"), extract("b")], goto("accept"))
    program = b.build([start], ingress, [copy("c", "d")], [emit("a")])
    return program, schedule(program, Options(merge=False)).pipes


def test_headers_that_are_seen_where_several_stages_share_the_state_of_a_packet() -> None:
    """Of whatever pipe, until one begins with a state of its own; also in actions."""
    program, pipes = copies_in_egress()
    assert [len(pipe.stages) for pipe in pipes] == [1, 1]
    assert spread_headers(program, pipes) == set("abcd")
    renewed = (pipes[0], replace(pipes[1], renews=True))
    assert spread_headers(program, renewed) == set()
    assert spread_headers(program, pipes[:1]) == spread_headers(program, pipes[1:]) == set()
    program, pipes = copies_in_egress(apply("t"))
    assert [len(pipe.stages) for pipe in pipes] == [2, 1]
    assert spread_headers(program, (pipes[0], replace(pipes[1], renews=True))) == set("abc")
    assert spread_headers(program, (pipes[1], replace(pipes[0], renews=True))) == set("abc")
