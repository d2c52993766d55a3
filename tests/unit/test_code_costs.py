"""What the model thinks that a stage does, and which share of packets come to it, where nothing was measured."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import Builder, apply, binary, const, goto, state, true

from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.model.code import CALL, LOOKUP, arrivals, work_of
from transpiler.schedule.pipeline import Deparse, Parse
from transpiler.schedule.stages import Code, Dispatch, End, Finish, Fork, Jump, Plain, Submit


def at(line: int) -> Span:
    return Span("t.p4", line, 1)


def on(line: int, statement: Any) -> Any:
    return replace(statement, span=at(line))


@pytest.fixture
def b() -> Builder:
    made = Builder()
    made.header("h", "h_t", a=8, rest=152)
    made.stack("s", "s_t", 2, f=64)
    for name in "kx":
        made.variable(name, 8)
    made.extern("r", "register", size=4, width=8)
    made.action("one", on(50, made.set("x", 1)))
    made.action("two", on(51, made.set("x", 2)), on(52, made.set("k", 2)))
    made.table("t", [("k", "exact")], ["one", "two"], default="one")
    made.table("keyless", [], ["one"], default="one")
    return made


def told(b: Builder, *code: Any, joins: tuple[Code, ...] = ()) -> dict[int, tuple[float, float, str]]:
    """Operations, share and memory by line."""
    program = b.build([state("start", [], goto("accept"))])
    pipe = SimpleNamespace(joins=joins, exits={}, stages=())
    found = work_of(program, pipe, SimpleNamespace(code=code))  # type: ignore[arg-type]
    return {work.span.line: (work.operations, work.likely, work.memory) for work in found}


def test_operations_of_statements(b: Builder) -> None:
    """One, and those of what it computes; of a header what a copy of its words takes."""
    k, x = b.get("k"), b.get("x")
    element = ex.ElementRef("s", k, at(9))
    for statement, operations, memory in (
        (b.set("x", 1), 2, ""),
        (b.set("x", binary("+", k, x)), 4, ""),
        (b.call("register.read", "r", const(0, 32), out="x"), 2 + CALL, "r"),
        (b.call("truncate.request", None, const(0, 32)), 2 + CALL, ""),
        (st.Extract(ex.HeaderRef("h", at(9)), None, at(9)), 1 + 160 // 64, ""),
        (st.Emit(element, at(9)), 2 + 64 // 64, ""),
        (st.CopyHeader(element, ex.HeaderRef("s[0]", at(9)), at(9)), 2 + 64 // 64, ""),
        (st.SetValid(ex.HeaderRef("h", at(9)), True, at(9)), 1, ""),
        (st.If(binary("==", k, x), (), (), at(9)), 4, ""),
    ):
        assert told(b, Plain(on(1, statement))) == {1: (operations, 1.0, memory)}, statement


def test_tables_take_a_lookup_and_their_actions_a_share(b: Builder) -> None:
    both = {50: (2, 0.5, ""), 51: (2, 0.5, ""), 52: (2, 0.5, "")}
    assert told(b, Plain(on(1, apply("t")))) == {1: (2 + LOOKUP, 1.0, "t"), **both}
    assert told(b, Finish(on(1, apply("t")), 0)) == {1: (2 + LOOKUP, 1.0, "t"), **both}
    assert told(b, Plain(on(1, apply("keyless")))) == {1: (1, 1.0, "keyless"), 50: (2, 1.0, "")}


def test_whose_a_statement_is(b: Builder) -> None:
    """Of an action or a parser state, also inside of what is in it; a table's application is its own; others are nobody's."""
    b.action("deep", st.If(true(), (on(61, b.set("x", 1)),), (), at(60)))
    b.actions[-1] = replace(b.actions[-1], span=at(59))
    b.table("u", [("k", "exact")], ["deep"], default="deep")
    inner = st.If(true(), (on(3, b.set("x", 1)),), (), at(2))
    first = pr.ParserState("start", (inner,), pr.Goto("accept", at(4)), at(1))
    program = b.build([state("start", [], goto("accept"))])
    parser = pr.Parser("P", pr.Role.PARSER, (first,), at(12))
    code = (Plain(Parse(parser, "parser_error")), Plain(on(5, apply("u"))), Plain(on(6, b.set("x", 1))))
    pipe = SimpleNamespace(joins=(), exits={}, stages=())
    found = work_of(program, pipe, SimpleNamespace(code=code))  # type: ignore[arg-type]
    assert {work.span.line: work.owner and work.owner.line for work in found} == {
        2: 1, 3: 1, 4: 1, 5: 5, 60: 59, 61: 59, 6: None,
    }  # fmt: skip


def test_ways_are_taken_alike(b: Builder) -> None:
    one, two, three = (on(line, b.set("x", 1)) for line in (1, 2, 3))
    nested = st.If(true(), (st.If(true(), (one,), (), at(8)), two), (three,), at(9))
    assert told(b, Plain(nested)) == {
        9: (2, 1.0, ""), 8: (2, 0.5, ""), 1: (2, 0.25, ""), 2: (2, 0.5, ""), 3: (2, 0.5, ""),
    }  # fmt: skip
    cases = tuple(st.SwitchCase((n,), (s,), at(7)) for n, s in ((1, one), (2, two)))
    switch = st.Switch(b.get("k"), cases, (three,), at(9))
    third = pytest.approx(1 / 3)
    assert told(b, Plain(switch)) == {9: (2, 1.0, ""), 1: (2, third, ""), 2: (2, third, ""), 3: (2, third, "")}
    around = st.Block("out", (one, st.While(true(), (two,), at(8)), st.Leave("out", at(6))), at(7))
    assert told(b, Plain(around)) == {1: (2, 1.0, ""), 8: (2, 1.0, ""), 2: (2, 1.0, "")}
    fork = Fork(on(9, st.If(true(), (), (), at(9))), ((Plain(one), End()), (Plain(two), Plain(one))))
    assert told(b, fork) == {9: (2, 1.0, ""), 1: (2, 1.0, ""), 2: (2, 0.5, "")}  # both ways come to line 1


def test_parsers_and_deparsers(b: Builder) -> None:
    """Of states what their extracts and choices take; a loop's way back is left out."""
    cases = tuple(pr.SelectCase((ex.ExactSet(const(n, 8), at(9)),), to, at(9)) for n, to in ((1, "b"), (2, "start")))
    select = pr.Select((b.get("k"),), cases, at(2))
    states = (
        pr.ParserState("start", (on(1, b.set("x", 1)),), select, at(10)),
        pr.ParserState("b", (on(3, b.set("x", 1)),), pr.Goto("accept", at(4)), at(11)),
    )
    parser = pr.Parser("P", pr.Role.PARSER, states, at(12))
    work = told(b, Plain(Parse(parser, "parser_error")))
    assert work[1] == (2, 1.0, "") and work[3][1] == pytest.approx(work[2][1] / 2) and work[4][:2] == (1, work[3][1])
    assert work[2][0] == 4
    control = pr.Control("D", pr.Role.DEPARSER, (on(5, b.set("x", 1)),), at(13))
    assert told(b, Plain(Deparse(control))) == {5: (2, 1.0, "")}


def test_what_stands_at_a_place_takes_what_the_longest_does(b: Builder) -> None:
    """A frontend may make several statements of one; the first that reads says what is read."""
    short, long = on(1, b.set("x", 1)), on(1, b.set("x", binary("+", b.get("k"), b.get("x"))))
    for order in ((short, long), (long, short)):
        assert told(b, *map(Plain, order)) == {1: (4, 1.0, "")}
    reads = on(1, b.call("register.read", "r", const(0, 32), out="x"))
    assert told(b, Plain(short), Plain(reads), Plain(long))[1] == (2 + CALL, 1.0, "r")
    assert told(b, Plain(reads), Plain(on(1, apply("t"))))[1] == (2 + LOOKUP, 1.0, "r")


@pytest.mark.parametrize(
    ("codes", "joins", "shares"),
    [
        ([(Submit(1),), (Submit(2),), ()], [], (1, 1, 1)),
        ([(Fork(st.If(true(), (), (), at(1)), ((Submit(1),), (Submit(2),))),), (Submit(2),), ()], [], (1, 0.5, 1)),
        ([(Fork(st.If(true(), (), (), at(1)), ((Submit(1),), (End(),))),), (Submit(2),), ()], [], (1, 0.5, 0.5)),
        ([(Fork(st.If(true(), (), (), at(1)), ((Jump(0),), (End(),))),), (), ()], [(Submit(2),)], (1, 0, 0.5)),
        ([(Dispatch((1, 2)),), (), ()], [], (1, 0.5, 0.5)),
        ([(Submit(1), Submit(1)), (), ()], [], (1, 1, 0)),  # no more than all
        (
            [(Fork(st.If(true(), (), (), at(1)), ((Submit(1),), (End(),))),), (Submit(1), Submit(0))],
            [],
            (1, 0.5),
        ),  # ways back
    ],
)
def test_shares_of_packets_that_come_to_stages(codes: list[Code], joins: list[Code], shares: tuple[float, ...]) -> None:
    pipe = SimpleNamespace(stages=[SimpleNamespace(code=code) for code in codes], joins=joins)
    assert arrivals(pipe) == shares  # type: ignore[arg-type]
