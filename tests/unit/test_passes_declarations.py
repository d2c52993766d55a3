"""Declarations that nothing names go, whatever a statement or the architecture names stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hlir_builder import AT, Builder, any_, apply, const, emit, extract, goto, state, true, valid

from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits
from transpiler.passes import keep_controllable
from transpiler.passes.remove_unused_declarations import run

INDEX = const(1, 32)


def builder() -> Builder:
    """Headers h, g, x of a type each and a stack s; variables a, b, yes; registers r and q, a digest d; a value set."""
    b = Builder()
    for name in "hgx":
        b.header(name, f"{name}_t", f=8)
    b.stack("s", "s_t", 2, f=8)
    for name in "abi":
        b.variable(name, 8)
    b.variable("yes", true().type)
    for name in "rq":
        b.extern(name, "register", size=4, width=8)
    b.value_sets.append(pr.ValueSet("vs", (Bits(8),), (pr.MatchKind.EXACT,), 4, AT))
    return b


def left(program: pr.Program) -> str:
    """What is left, but for standard metadata and NoAction."""
    found = (program.headers, program.stacks, program.variables, program.externs, program.value_sets)
    return " ".join(d.name for declared in found for d in declared if not d.name.startswith("sm."))


def built(b: Builder, body: tuple[st.Statement, ...] = (), start: pr.ParserState | None = None) -> pr.Program:
    return b.build([start or state("start", [], goto("accept"))], body)


def element(b: Builder) -> ex.ElementRef:
    return ex.ElementRef("s", b.get("i"), AT)


SELECTED = pr.Select((const(1, 8),), (pr.SelectCase((any_(),), "accept", AT),), AT)
STACK = "s[0] s[1] s"


def cases() -> list[tuple[st.Statement, str]]:
    b = builder()
    field = ex.FieldRef(element(b), "f", AT)
    return [
        (b.set("a", 1), "a"),
        (b.set("a", b.get("b")), "a b"),
        (b.set("h.f", 1), "h"),
        (b.set("a", b.get("g.f")), "g a"),
        (b.set("s[1].f", 1), STACK),
        (st.Assign(field, const(1, 8), AT), f"{STACK} i"),
        (st.Assign(ex.VariableRef("a", AT), ex.Read(field, Bits(8), AT), AT), f"{STACK} a i"),
        (st.SetValid(ex.HeaderRef("x", AT), True, AT), "x"),
        (st.CopyHeader(ex.HeaderRef("s[0]", AT), ex.HeaderRef("s[1]", AT), AT), STACK),
        (st.If(valid("g"), (), (), AT), "g"),
        (st.If(b.get("yes"), (b.set("a", 1),), (b.set("b", 1),), AT), "a b yes"),
        (st.Switch(b.get("a"), (), (b.set("b", 1),), AT), "a b"),
        (st.While(b.get("yes"), (b.set("a", 1),), AT), "a yes"),
        (b.call("register.read", "r", INDEX, out="a"), "a r"),
        (b.call("register.write", "q", INDEX, b.get("b")), "b q"),
        (b.call("truncate.request", None, INDEX), ""),
        (b.call("recirculate.request", None, fields=["a", "h.f"]), "h a"),
    ]


@pytest.mark.parametrize(("statement", "names"), cases(), ids=lambda value: type(value).__name__)
def test_what_a_statement_names_stays(statement: st.Statement, names: str) -> None:
    made = run(built(builder(), (statement,)))
    assert sorted(left(made).split()) == sorted(names.split())
    assert {t.name for t in made.header_types} == {f"{name[0]}_t" for name in names.split() if name[0] in "hgxs"}


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        (extract("h"), "h"),
        (st.Extract(ex.HeaderRef("x", AT), None, AT), "x"),
        (st.Lookahead(ex.VariableRef("a", AT), Bits(8), AT), "a"),
        (st.Verify(valid("g"), ex.Const(0, built(builder()).errors, AT), AT), "g"),
    ],
)
def test_what_parsers_name_stays(statement: st.Statement, names: str) -> None:
    start = state("start", [statement], goto("accept"))
    assert left(run(built(builder(), (), start))) == names


def test_what_tables_and_actions_and_transitions_name_stays() -> None:
    b = builder()
    b.extern("c", "direct_counter", unit="packets", automatic=1)
    b.extern("p", "action_profile", size=4)
    b.action("act", p=8)
    b.variable("did", pr.Table("t", (), (pr.ActionUse("act", AT), pr.ActionUse("NoAction", AT)),
               pr.ActionCall("NoAction", (), AT), False, (), False, 0, None, (), AT).action_enum)  # fmt: skip
    b.table("t", [("g.f", "exact")], ["act"], direct=["c"])
    b.table("u", [("b", "exact")], ["act"], implementation="p")
    cases = (pr.SelectCase((ex.ValueSetRef("vs", AT),), "accept", AT),)
    start = state("start", [], pr.Select((b.get("a"),), cases, AT))
    made = run(built(b, (apply("t", "yes", "did"),), start))
    assert set(left(made).split()) == {"g", "a", "b", "yes", "did", "act.p", "c", "p", "vs"}


def test_what_bridges_carry_stays() -> None:
    program = replace(built(builder()), bridges=(pr.Bridge("normal", ("sm.mcast_grp",), ("x",), AT),), intrinsics=())
    made = run(program)
    assert [h.name for h in made.headers] == ["x"] and [v.name for v in made.variables] == ["sm.mcast_grp"]


def test_what_a_deparser_emits_stays() -> None:
    b = builder()
    program = b.build([state("start", [], goto("accept"))], deparser=[emit("h"), emit("s[0]")])
    assert left(run(program)) == f"h {STACK}"


def test_what_the_control_plane_may_name_comes_back() -> None:
    """In the order of the declared program: with what passes have made of it, else so that it does nothing."""
    b = builder()
    given = {name: ex.Read(ex.VariableRef(f"{name}.p", AT), Bits(8), AT) for name in ("dead", "used")}
    b.action("dead", b.set("a", given["dead"]), p=8)
    b.action("used", b.set("h.f", given["used"]), b.set("b", 1), p=8)
    b.action("alone", b.set("h.f", 3))
    b.table("t", [("g.f", "exact"), ("b", "ternary")], ["dead"])
    b.table("u", [("h.f", "exact")], ["used"])
    declared = built(b, (apply("u"),))
    b.variable("made", 8)
    used = replace(declared.action["used"], body=(b.set("h.f", given["used"]),))
    program = replace(
        declared,
        headers=(declared.header["h"],),
        header_types=tuple(t for t in declared.header_types if t.name == "h_t"),
        stacks=(),
        tables=(declared.table["u"],),
        actions=(used, declared.action["alone"], declared.action["NoAction"]),
        variables=(b.variables["made"], b.variables["used.p"], *declared.variables[-1:]),
        externs=(declared.extern["q"],),
        value_sets=(),
    )
    now = keep_controllable.run(declared, program)
    assert [t.name for t in now.tables] == ["t", "u"] and now.table["u"] == declared.table["u"]
    assert [(key.name, key.expression) for key in now.table["t"].keys] == [("g.f", const(0, 8)), ("b", const(0, 8))]
    assert replace(now.table["t"], keys=declared.table["t"].keys) == declared.table["t"]
    bodies = {"NoAction": (), "dead": (), "used": used.body, "alone": declared.action["alone"].body}
    assert {action.name: action.body for action in now.actions} == bodies
    assert [action.name for action in now.actions] == [a.name for a in declared.actions]
    assert {v.name for v in now.variables} == {"dead.p", "used.p", "made", declared.variables[-1].name}
    assert (now.externs, now.value_sets) == (declared.externs, declared.value_sets)
    assert (now.headers, now.stacks, now.pipes) == (program.headers, (), program.pipes)
