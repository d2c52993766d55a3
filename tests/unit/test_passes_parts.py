"""What passes are made of: rewriting reaches all that packets meet; what a select or a block comes to."""

from __future__ import annotations

from dataclasses import replace
from itertools import product, starmap
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import AT, Builder, any_, apply, const, emit, exact, extract, goto, if_, state, true

from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.interface import Annotation
from transpiler.hlir.printer import print_body
from transpiler.hlir.traverse import program_expressions, walk_expression
from transpiler.hlir.types import Bits, Bool
from transpiler.interpreter.evaluate import evaluate
from transpiler.interpreter.parse import _in_set
from transpiler.interpreter.state import State
from transpiler.passes.fold_branches import _goes_on
from transpiler.passes.fold_selects import _select, _simple
from transpiler.passes.inline_empty_tables import run as inline_empty_tables
from transpiler.passes.mapping import map_expressions
from transpiler.passes.propagate_copies import run as propagate_copies
from transpiler.passes.remove_unused_actions import run as remove_unused_actions


def test_expressions_of_statements_transitions_and_keys_are_rewritten() -> None:
    b = Builder()
    b.header("h", "h_t", a=8, b=8)
    b.action("I.copy", st.Assign(b.place("h.b"), b.get("h.a"), AT))
    b.table("I.t", [("h.a", "exact")], ["I.copy"])
    cases = (pr.SelectCase((exact(1, 8),), pr.ACCEPT, AT), pr.SelectCase((any_(),), "more", AT))
    start = state("start", [extract("h")], pr.Select((b.get("h.a"),), cases, AT))
    more = state("more", [st.Assign(b.place("h.b"), b.get("h.a"), AT)], goto("accept"))
    copied = st.Assign(b.place("h.b"), b.get("h.a"), AT)
    nested = st.Block("b", (if_(true(), [copied], [st.Switch(b.get("h.a"), (), (copied,), AT)]),), AT)
    program = b.build([start, more], [apply("I.t"), copied, nested], deparser=[emit("h")])

    def reads(of: pr.Program) -> int:
        inner = (part for expression in program_expressions(of) for part in walk_expression(expression))
        return sum(isinstance(part, ex.Read) and part.place == b.place("h.a") for part in inner)

    assert reads(program) == 8
    assert reads(map_expressions(program, lambda e: const(7, 8) if e == b.get("h.a") else e)) == 0


def ranged(low: int, high: int, signed: bool = False) -> ex.RangeSet:
    return ex.RangeSet(const(low, 8, signed), const(high, 8, signed), AT)


@pytest.mark.parametrize(
    ("keys", "simple"),
    [
        (ranged(5, 5), exact(5, 8)),
        (ranged(0, 255), any_()),
        (ranged(0, 254), ranged(0, 254)),
        (ranged(1, 255), ranged(1, 255)),
        (ranged(0x80, 0x7F, True), any_()),
        (ranged(0, 255, True), ranged(0, 255, True)),
        (ex.MaskSet(const(5, 8), const(0, 8), AT), any_()),
        (ex.MaskSet(const(5, 8), const(255, 8), AT), exact(5, 8)),
        (ex.MaskSet(const(5, 8), const(127, 8), AT), ex.MaskSet(const(5, 8), const(127, 8), AT)),
    ],
)
def test_key_sets_are_what_they_come_to(keys: ex.KeySet, simple: ex.KeySet) -> None:
    assert _simple(keys) == simple


def test_control_gets_behind_a_block_that_is_left_for_its_end() -> None:
    ends, leaves = st.Block("b", (st.Leave("b", AT),), AT), st.Block("b", (st.Leave("around", AT),), AT)
    assert _goes_on(ends) and not _goes_on(leaves)
    assert _goes_on(st.If(const(1, 1), (leaves,), (), AT)) and not _goes_on(
        st.If(const(1, 1), (leaves,), (leaves,), AT)
    )


def test_locals_of_a_control_are_zero_where_it_begins() -> None:
    b = Builder()
    b.header("h", "h_t", a=8, b=8, c=8)
    b.variable("x", 8, pr.Storage.LOCAL)
    body = [b.set("h.a", b.get("x")), b.set("x", b.get("h.c")), b.set("h.b", b.get("x"))]
    made = propagate_copies(b.build([state("start", [extract("h")], goto("accept"))], body, deparser=[emit("h")]))
    ingress = made.pipe(pr.Role.INGRESS)
    assert isinstance(ingress, pr.Control)
    assert ingress.body == (b.set("h.a", 0), body[1], b.set("h.b", b.get("h.c")))


def emptied(**changes: Any) -> tuple[pr.Program, pr.Program]:
    """A program that applies a table that stays empty, but for these changes of it; and what the pass makes of it."""
    b = Builder()
    b.header("h", "h_t", a=8, b=8)
    b.variable("hit", Bool())
    b.extern("p", "action_profile", size=4)
    b.extern("c", "direct_counter", unit="packets", automatic=1)
    b.action("other", p=8)
    b.action("act", st.Block("out", (st.Leave("out", AT),), AT), p=8)
    body = (*b.actions[-1].body, b.set("h.a", b.get("act.p")))
    more = (b.set("act.p", 2),) if changes.pop("writes", False) else ()
    b.actions[-1] = replace(b.actions[-1], body=(*body, *more))
    b.table("t", [("h.a", "exact")], ["other", "act"], "act")
    entries = tuple(b.entry([exact(1, 8)], "act", (1,)) for _ in range(changes.pop("count", 0)))
    table = replace(
        b.tables[0], default_action=pr.ActionCall("act", (const(5, 8),), AT), const_entries=True, const_default=True,
        entries=entries,
    )  # fmt: skip
    b.tables[0] = replace(table, **changes)
    b.variable("did", table.action_enum)
    applied = [apply("t", "hit", "did")] * 2
    program = b.build([state("start", [extract("h")], goto("accept"))], applied, deparser=[emit("h")])
    return program, inline_empty_tables(program)


def test_a_table_that_stays_empty_is_its_default_action() -> None:
    """It tells of a miss, and which action that is; labels stay apart."""
    made = emptied()[1].pipe(pr.Role.INGRESS)
    assert isinstance(made, pr.Control)
    once = "hit = false; did = t.action.act; out_t_{0}: {{ leave out_t_{0}; }} h.a = 8w5;"
    assert " ".join(print_body(made.body).split()) == f"{once.format(0)} {once.format(1)}"


@pytest.mark.parametrize(
    "changes",
    [
        {"const_entries": False},
        {"const_default": False},
        {"count": 1},
        {"implementation": "p"},
        {"direct": ("c",)},
        {"annotations": (Annotation("add_on_miss", "true", AT),)},
        {"annotations": (Annotation("support_timeout", "true", AT),)},
        {"writes": True},
    ],
    ids=str,
)
def test_tables_that_are_looked_up(changes: dict[str, Any]) -> None:
    """They may have entries, or the default action does more than it says."""
    program, made = emptied(**changes)
    assert made is program


@pytest.mark.parametrize(
    ("changes", "asked", "left"),
    [
        ({}, False, ["act", "entered"]),
        ({}, True, ["other", "act", "entered"]),
        ({"const_entries": False}, False, ["other", "act", "entered"]),
        ({"const_default": False}, False, ["other", "act", "entered"]),
        ({"implementation": "p"}, False, ["other", "act", "entered"]),
        ({"annotations": (Annotation("add_on_miss", "true", AT),)}, False, ["other", "act", "entered"]),
    ],
    ids=str,
)
def test_actions_that_a_table_never_runs(changes: dict[str, Any], asked: bool, left: list[str]) -> None:
    """They go where entries and default action are those of the program for ever; not where they are told apart by number."""
    b = Builder()
    b.header("h", "h_t", a=8)
    b.extern("p", "action_profile", size=4)
    for name in ("other", "act", "entered"):
        b.action(name, b.set("h.a", 1))
    b.table("t", [("h.a", "exact")], ["other", "act", "entered"], "act", [b.entry([exact(1, 8)], "entered")])
    b.tables[0] = replace(b.tables[0], **{"const_entries": True, "const_default": True} | changes)
    b.variable("did", b.tables[0].action_enum)
    program = b.build([state("start", [extract("h")], goto("accept"))], [apply("t", None, "did" if asked else None)])
    made = remove_unused_actions(program)
    assert [use.action for use in made.table["t"].actions] == left
    assert (made is program) == (len(left) == 3)


THREE = {False: Bits(3), True: Bits(3, True)}


def random_select(random: Random, b: Builder) -> pr.Select:
    """Over one or two values, some of them constant, by sets of every form."""

    def constant(type_: Bits) -> ex.Const:
        return ex.Const(random.randrange(8), type_, AT)

    def keys(type_: Bits) -> ex.KeySet:
        match random.randrange(6):
            case 0:
                return ex.AnySet(AT)
            case 1 | 2:
                return ex.MaskSet(constant(type_), ex.Const(random.choice((0, 1, 2, 3, 5, 6, 7)), type_, AT), AT)
            case 3:
                ends = (
                    (constant(type_), constant(type_))
                    if random.random() < 0.6
                    else (ex.Const(4, type_, AT), ex.Const(3, type_, AT))
                )
                return ex.RangeSet(*ends, AT)
        return ex.ExactSet(constant(type_), AT)

    types = [THREE[random.random() < 0.3] for _ in range(random.randrange(1, 3))]
    subjects = [
        constant(t) if random.random() < 0.3 else b.get(f"{'s' if t.signed else 'u'}{n}") for n, t in enumerate(types)
    ]
    cases = tuple(pr.SelectCase(tuple(map(keys, types)), f"to{n}", AT) for n in range(random.randrange(1, 5)))
    return pr.Select(tuple(subjects), cases, AT)


def test_selects_lead_where_they_led() -> None:
    """For all values of what they are over."""
    random, b = Random(7), Builder()
    for name in ("u0", "u1", "s0", "s1"):
        b.variable(name, THREE[name[0] == "s"])
    at = State(b.build([state("start", [], goto("accept"))]))
    run: Any = SimpleNamespace(state=at)

    def target(way: pr.Select | pr.Goto) -> str | None:
        if isinstance(way, pr.Goto):
            return way.state
        values = [(evaluate(subject, at), subject.type) for subject in way.subjects]
        fitting = (
            case.state
            for case in way.cases
            if all(starmap(lambda k, v: _in_set(run, k, *v), zip(case.keys, values, strict=True)))
        )
        return next(fitting, None)

    for _ in range(600):
        select = random_select(random, b)
        simpler = _select(select)
        for at.variables["u0"], at.variables["u1"] in product(range(8), range(8)):
            at.variables["s0"], at.variables["s1"] = at.variables["u0"], at.variables["u1"]
            assert target(simpler) == target(select), (select, simpler)
