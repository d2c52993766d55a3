"""What an architecture's pipes are made of, and what may have been written when a stage of one begins."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, apply, const, emit, exact, extract, goto, h, if_, select, state, true

from transpiler.analysis.locations import Location
from transpiler.hlir import statements as st
from transpiler.hlir.expressions import Text
from transpiler.hlir.printer import print_body
from transpiler.hlir.program import Control, Parser, Program, Role
from transpiler.schedule.only_added import only_added
from transpiler.schedule.pipeline import (
    DROP,
    DROPPED_AT,
    PASS,
    Deparse,
    Parse,
    Restart,
    Source,
    Step,
    calls,
    control,
    deparse,
    parse,
    preserved_fields,
    steps,
)
from transpiler.schedule.reaching import reaching_definitions
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import (
    Code,
    Dispatch,
    End,
    Finish,
    Fork,
    Jump,
    PipeSchedule,
    Plain,
    Stage,
    Submit,
    begins_anew,
    restart_of,
)
from transpiler.schedule.successors import fed_by, targets, whole
from transpiler.schedule.transfer import _in_order


def builder() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8)
    for name in ("x", "y", "z"):
        b.variable(name, 8)
    b.action("put", b.set("z", 1))
    b.table("t", [("x", "exact")], ["put"])
    return b


B = builder()
ONE, TWO, BEGIN = (
    Step("one", (("egress_port", Source.ZERO),)),
    Step("two", (("instance_type", "egress_spec"),)),
    Step("b"),
)


def built(*ingress: st.Statement) -> tuple[Program, Parser, Control]:
    program = builder().build([state("start", [extract("h"), B.set("y", 1)], goto("accept"))], ingress, [], [emit("h")])
    parser, deparser = program.pipe(Role.PARSER), program.pipe(Role.DEPARSER)
    assert isinstance(parser, Parser) and isinstance(deparser, Control)
    return program, parser, deparser


def test_steps_are_found_wherever_they_stand() -> None:
    _, parser, deparser = built()
    items = (ONE, Parse(parser, "parser_error"), (B.set("x", 1),), Deparse(deparser, TWO), Deparse(deparser))
    assert list(steps(items)) == [ONE, TWO]
    assert list(steps((Restart(None, BEGIN, ONE), PASS))) == [BEGIN, ONE, PASS]
    assert DROP.ends and DROP.reads == (DROPPED_AT,) and not PASS.ends and not PASS.reads


def test_items_of_a_program() -> None:
    """A control that does nothing is none; labels are told apart by the control that they are in."""
    loop = st.While(true(), (st.Leave("b", AT),), AT)
    program, parser, deparser = built(st.Block("b", (if_(true(), [st.Block("c", (st.Leave("c", AT),), AT)]), loop), AT))
    assert parse(program, Role.PARSER, "parser_error") == (Parse(parser, "parser_error"),)
    assert deparse(program, Role.DEPARSER, ONE) == (Deparse(deparser, ONE),)
    assert (
        control(program, Role.EGRESS) == () and parse(program, Role.INGRESS, "") == deparse(program, Role.PARSER) == ()
    )
    (body,) = control(program, Role.INGRESS)
    assert isinstance(body, tuple)
    assert " ".join(print_body(body).split()) == (
        "ingress_b: { if (true) { ingress_c: { leave ingress_c; } } while (true) { leave ingress_b; } }"
    )


def test_what_is_called_and_what_is_kept() -> None:
    again = B.call("recirculate.request", None, fields=["x", "h.a"])
    assert preserved_fields(again) == (("x", ""), ("h", "a"))
    program = built(if_(true(), [again]))[0]
    assert calls(program, frozenset({"recirculate.request"})) and not calls(program, frozenset({"resubmit.request"}))


def test_where_packets_begin_anew() -> None:
    """In a pipe that renews their state, or that begins with clones of received packets alone."""
    clones = Plain(Restart(None, BEGIN, BEGIN, keeps_headers=False))
    both = Plain(Restart(None, BEGIN, BEGIN))

    def pipe(*codes: Code, renews: bool = False) -> PipeSchedule:
        return PipeSchedule("p", tuple(Stage("s", (), code) for code in codes), (), {}, renews)

    for made, restart, anew in (
        (pipe((clones, Submit(1)), (End(),)), clones.what, True),
        (pipe((both, Submit(1)), (End(),)), both.what, False),
        (pipe((both, End()), renews=True), both.what, True),
        (pipe((Plain(ONE), clones, End())), None, False),
        (pipe((End(),), (clones, End())), None, False),
        (pipe((End(),), renews=True), None, True),
        (pipe(()), None, False),
        (pipe(), None, False),
    ):
        assert restart_of(made) == restart and begins_anew(made) == anew


def test_where_code_goes() -> None:
    """By itself, and by way of joins."""
    leaves = Plain(if_(true(), [st.Leave("out", AT), st.Leave("inside", AT)]))
    fork = Fork(if_(true(), []), ((Submit(1),), (leaves, Jump(0))))
    pipe = PipeSchedule("p", (), ((Jump(1),), (Submit(3),)), {"out": Submit(2)})
    assert set(targets((fork,), pipe)) == {Submit(1), Jump(0), Submit(2)}
    assert set(targets((Dispatch((4, 5)),), pipe)) == {Submit(4), Submit(5)}
    assert targets((End(),), pipe) == [] and fed_by(pipe, (End(),)) == frozenset()
    assert fed_by(pipe, (fork,)) == {1, 2, 3} and fed_by(pipe, (Dispatch((4, 5)),)) == {4, 5}
    assert whole(pipe, (fork,)) == (fork, Jump(1), Submit(3))


def test_headers_that_a_deparser_changes_are_not_known_to_be_valid_in_it() -> None:
    b = builder()
    b.header("g", "h_t")
    start = state("start", [], goto("accept"))
    made = [st.SetValid(h("h"), True, AT), st.SetValid(h("g"), True, AT)]
    for changed, valid in (((), {"h", "g"}), ((st.SetValid(h("h"), False, AT),), {"g"})):
        program = b.build([start], made, [], [*changed, emit("h"), emit("g")])
        (pipe,) = schedule(program, Options(constant_propagation=True)).pipes
        (deparsed,) = (p.what for p in pipe.stages[0].code if isinstance(p, Plain) and isinstance(p.what, Deparse))
        assert deparsed.valid == valid


@pytest.mark.parametrize(
    ("ways", "order"),
    [
        ({"start": "b a", "a": "accept", "b": "a"}, ["start", "b", "a"]),
        ({"start": "a b", "a": "accept", "b": "a"}, ["start", "b", "a"]),
        ({"start": "accept", "alone": "start"}, ["start"]),
        ({"start": "start accept"}, None),
        ({"start": "a", "a": "b", "b": "a accept"}, None),
    ],
    ids=str,
)
def test_states_each_behind_all_that_lead_to_it(ways: dict[str, str], order: list[str] | None) -> None:
    b = builder()
    states = []
    for name, targets_ in ways.items():
        cases = [(exact(number, 8), to) for number, to in enumerate(targets_.split())]
        states.append(state(name, [], select(b.get("x"), *cases)))
    parser = b.build(states).pipes[0]
    assert isinstance(parser, Parser) and _in_order(parser) == order


def test_registers_that_packets_only_add_to() -> None:
    """Nobody reads them, or what they held."""

    def update(register: str, how: str, into: str = "x") -> st.CallExtern:
        inputs = (const(0, 32), const(1, 8), Text(how, AT))
        return st.CallExtern("register.update", register, inputs, (B.place(into),), AT)

    for body, added in (
        ([update("r", "add"), update("q", "add")], {"r", "q"}),
        ([update("r", "add"), update("q", "or")], {"r"}),
        ([update("r", "add"), B.call("register.read", "r", const(0, 32), out="x")], set()),
        ([update("r", "add"), B.call("register.write", "r", const(0, 32), const(1, 8))], set()),
        ([update("r", "add", "y"), B.set("h.a", B.get("y")), update("q", "add")], {"q"}),
        ([], set()),
    ):
        b = builder()
        for name in "rq":
            b.extern(name, "register", size=4, width=8)
        program = b.build([state("start", [extract("h")], goto("accept"))], body, [], [emit("h")])
        assert only_added(program) == added


X, Z = B.set("x", 1), B.set("z", 1)
ON: Code = (Submit(2),)


@pytest.mark.parametrize(
    ("codes", "joins", "written"),
    [
        ([(Plain(X), Submit(1)), (Plain(Z), *ON), ()], [], ["", "x", "x z"]),
        ([(Plain(X), Submit(1)), (End(),), ()], [], ["", "x", ""]),  # nothing comes to the last one
        ([(Fork(if_(true(), []), ((Plain(X), Submit(1)), (Plain(Z), *ON))),), ON, ()], [], ["", "x z", "x z"]),
        ([(Submit(1),), (Finish(apply("t"), 0), *ON), ()], [], ["", "", "z"]),
        ([(Submit(1),), (Plain(if_(true(), [apply("t")])), *ON), ()], [], ["", "", "z"]),
        ([(Plain(X), Jump(0)), (), ()], [(Plain(Z), Submit(1))], ["", "x z", ""]),
        (
            [(Plain(ONE), Submit(1)), (Plain(TWO), *ON), ()],
            [],
            ["", "sm.egress_port", "sm.egress_port sm.instance_type"],
        ),
        ([(Fork(if_(true(), []), ((End(),), (Plain(ONE), *ON))),), (), ()], [], ["", "", "sm.egress_port"]),
        ([(Plain(st.SetValid(h("h"), True, AT)), Submit(1)), (), ()], [], ["", "h.$valid", ""]),
        ([(Plain(if_(true(), [st.Leave("out", AT)])), Plain(X), Submit(1)), (), ()], [], ["", "x", "x"]),
    ],
)
def test_what_may_have_been_written(codes: list[Code], joins: list[Code], written: list[str]) -> None:
    program = built()[0]
    stages = tuple(Stage(str(number), (), code) for number, code in enumerate(codes))
    pipe = PipeSchedule("p", stages, tuple(joins), {"out": Submit(2)})
    assert [told(found) for found in reaching_definitions(program, pipe)] == written


def told(locations: frozenset[Location]) -> str:
    return " ".join(sorted(f"{at.owner}.{at.field}" if at.field else at.owner for at in locations))


def test_what_a_parser_and_a_deparsers_step_write() -> None:
    program, parser, deparser = built()
    codes: list[Code] = [(Plain(Parse(parser, "parser_error")), Submit(1)), (Plain(Deparse(deparser, ONE)), *ON), ()]
    pipe = PipeSchedule("p", tuple(Stage("s", (), code) for code in codes), (), {})
    parsed = "h.$valid h.a sm.parser_error y"
    assert [told(found) for found in reaching_definitions(program, pipe)] == [
        "", parsed, " ".join(sorted([*parsed.split(), "sm.egress_port"]))
    ]  # fmt: skip
