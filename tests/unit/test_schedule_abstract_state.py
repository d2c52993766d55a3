"""What is known at the places of a schedule, and what becomes of the program's code by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import switches
from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, if_, state, true, valid

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.architectures.v1model.pipes import (
    DECIDE,
    DIVERT,
    DROP,
    EGRESS_SPEC,
    FINISH,
    FORWARD,
    MULTICAST_GROUP,
    PASS,
    TO_PORT,
    specialise,
)
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.printer import print_body
from transpiler.hlir.types import Bool
from transpiler.schedule.paths import LIMIT, agreed, known, met, split_by, values_of
from transpiler.schedule.pipeline import Deparse, Step
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import Code, Fork, Plain, Schedule

PACKETS = Path(__file__).parents[1] / "packets"
APPS = Path(__file__).parents[2] / "apps"
A, B = Location("a"), Location("b")


def planned(facts: bool, name: str = "known_facts") -> Schedule:
    return schedule(switches.load(PACKETS / f"{name}.p4"), Options(constant_propagation=facts))


def whats(code: Code) -> Iterator[object]:
    """The statements and steps of a code and of its forks."""
    for piece in code:
        match piece:
            case Plain(what=what):
                yield what
            case Fork(arms=arms):
                for arm in arms:
                    yield from whats(arm)


def steps(plan: Schedule) -> set[Step]:
    pipe = plan.pipes[0]
    codes = (*(stage.code for stage in pipe.stages), *pipe.joins)
    found = {what for code in codes for what in whats(code) if isinstance(what, Step)}
    return found & {FORWARD, DIVERT, FINISH, DROP, TO_PORT, PASS}


def test_less_is_kept() -> None:
    first = Location("hdr.first", VALIDITY)
    assert first in planned(False).live
    assert first not in planned(True).live


def test_drops_that_are_known() -> None:
    program = switches.load(APPS / "ipv4fwd" / "ipv4fwd.p4")
    assert steps(schedule(program, Options())) == {FORWARD}
    assert steps(schedule(program, Options(constant_propagation=True))) == {DROP, FORWARD}


def test_what_is_dropped_does_not_part() -> None:
    program = switches.load(APPS / "l2fwd" / "l2fwd.p4")
    assert steps(schedule(program, Options(run_to_completion=True))) == {DIVERT, FINISH}
    assert steps(schedule(program, Options(run_to_completion=True, constant_propagation=True))) == {
        DIVERT,
        FINISH,
        DROP,
    }


@pytest.mark.parametrize(
    ("step", "group", "spec", "left"),
    [
        (DIVERT, 0, 511, DROP),
        (DIVERT, 0, 5, TO_PORT),
        (DIVERT, 0, None, FORWARD),
        (DIVERT, None, 511, DIVERT),
        (DIVERT, 7, 511, DIVERT),
        (DECIDE, 0, 511, DROP),
        (DECIDE, 0, 5, DECIDE),
        (DECIDE, 7, 511, DECIDE),
        (FORWARD, None, 511, DROP),
        (FINISH, None, 511, DROP),
        (FINISH, None, 5, PASS),
        (FINISH, 0, None, FINISH),
    ],
)
def test_what_is_left_of_decisions(step: Step, group: int | None, spec: int | None, left: Step) -> None:
    program = switches.load(APPS / "l2fwd" / "l2fwd.p4")
    assert specialise(program, step, {MULTICAST_GROUP: group, EGRESS_SPEC: spec}.get) == left


def test_the_deparser_of_the_last_stage_knows_what_is_valid() -> None:
    *_, last = planned(True).pipes[0].stages
    pipe = planned(True).pipes[0]
    found = [w for code in (last.code, *pipe.joins) for w in whats(code) if isinstance(w, Deparse)]
    assert found and {"hdr.first"} <= frozenset.union(*(w.valid for w in found))


@pytest.mark.parametrize("name", ["second_passes", "parsers", "stacks", "statements"])
def test_other_programs_keep_no_more(name: str) -> None:
    assert planned(True, name).live <= planned(False, name).live


def test_stages_that_are_not_reached_are_gone() -> None:
    b = Builder()
    b.header("h", "h_t", v=8)
    for name in ("t0", "t1", "t2"):
        b.action(f"{name}.act")
        b.table(name, [("h.v", "exact")], [f"{name}.act"])
    made = st.SetValid(ex.HeaderRef("h", AT), True, AT)
    body = [made, if_(valid("h"), [apply("t1")], [apply("t0")]), apply("t2")]
    program = b.build([state("start", [], goto("accept"))], body, (), [emit("h")])
    plans = [
        schedule(program, Options(constant_propagation=facts, concurrent_lookups=False)).pipes[0]
        for facts in (False, True)
    ]
    assert [[stage.name for stage in pipe.stages] for pipe in plans] == [
        ["entry", "t1", "t0", "t2"],
        ["entry", "t1", "t2"],
    ]


@pytest.mark.parametrize("there", [True, False])
def test_a_branch_that_is_known_is_taken(there: bool) -> None:
    """Within a stage too: no question, and what stands in the other arm is gone."""
    b = Builder()
    b.header("h", "h_t", v=8)
    b.variable("a", 8)
    first, second = ([b.set("a", value), b.set("h.v", value)] for value in (1, 2))
    made = st.SetValid(ex.HeaderRef("h", AT), there, AT)
    choice = st.Switch(b.get("a"), (st.SwitchCase((1,), (b.set("h.v", 3),), AT),), (b.set("h.v", 4),), AT)
    program = b.build(
        [state("start", [], goto("accept"))], [made, if_(valid("h"), first, second), choice], (), [emit("h")]
    )
    left = list(whats(schedule(program, Options(constant_propagation=True)).pipes[0].stages[0].code))
    assert not any(isinstance(what, st.If | st.Switch) for what in left)
    assert (b.set("h.v", 3) in left, b.set("h.v", 4) in left) == (there, not there)


@pytest.mark.parametrize(
    ("values", "tables", "cases"),
    [
        ((1,), "t1 behind", []),
        ((5,), "other behind", []),
        ((1, 2), "t1 t2 behind", [(1,), (2, 3)]),
        ((2, 3), "t2 behind", []),  # of the same case
        ((1, 5), "t1 other behind", [(1,)]),
        ((1, None), "t1 t2 other behind", [(1,), (2, 3)]),
    ],
)
def test_cases_that_are_not_reached_are_gone(values: tuple[int | None, ...], tables: str, cases: list[object]) -> None:
    """Of a switch whose subject has these values, None one that nobody knows; the pipe is cut in each of its cases."""
    b = Builder()
    b.header("h", "h_t", v=8)
    b.variable("a", 8)
    for name in ("t1", "t2", "other", "behind"):
        b.table(name, [("h.v", "exact")], [])
    gives = [b.set("a", b.get("h.v") if value is None else value) for value in values]
    choice = st.Switch(
        b.get("a"),
        (st.SwitchCase((1,), (apply("t1"),), AT), st.SwitchCase((2, 3), (apply("t2"),), AT)), (apply("other"),), AT,
    )  # fmt: skip
    given = if_(binary("==", b.get("h.v"), const(9, 8)), gives[:1], gives[1:]) if gives[1:] else gives[0]
    program = b.build(
        [state("start", [extract("h")], goto("accept"))], [given, choice, apply("behind")], (), [emit("h")]
    )
    pipe = schedule(program, Options(constant_propagation=True, concurrent_lookups=False)).pipes[0]
    assert [stage.name for stage in pipe.stages] == ["entry", *tables.split()]
    forks = [p.statement for p in pipe.stages[0].code if isinstance(p, Fork) and isinstance(p.statement, st.Switch)]
    assert [case.values for fork in forks for case in fork.cases] == cases


def test_what_is_known_is_put_in() -> None:
    """Also where one part of an expression is known alone. A condition tells of what is behind it, a call takes that away."""
    b = Builder()
    b.header("h", "h_t", v=8, w=8)
    b.extern("r", "register", size=4, width=8)
    for name in ("a", "b"):
        b.variable(name, 8)
    asked = b.set("h.w", binary("+", b.get("h.v"), b.get("a")))
    body = [
        b.set("a", 3),
        if_(binary("==", b.get("h.w"), const(9, 8)), [b.set("b", 4)], [b.set("b", 5)]),
        if_(binary("==", b.get("a"), const(3, 8)), [asked]),
        if_(binary("==", b.get("b"), const(4, 8)), [b.set("h.v", b.get("b"))]),
        b.call("register.read", "r", const(0, 32), out="a"),
        asked,
        if_(binary("==", b.get("a"), const(3, 8)), [asked]),
    ]
    program = b.build([state("start", [extract("h")], goto("accept"))], body, (), [emit("h")])
    left = whats(schedule(program, Options(constant_propagation=True)).pipes[0].stages[0].code)
    text = print_body(tuple(what for what in left if isinstance(what, st.Assign | st.If | st.CallExtern)))
    assert " ".join(text.split()) == (
        "if (h.w == 8w9) { b = 8w4; } else { b = 8w5; } h.w = h.v + 8w3; if (b == 8w4) { h.v = 8w4; } "
        "a = r: register.read(32w0); h.w = h.v + a; if (a == 8w3) { h.w = h.v + 8w3; }"
    )


# --- path states ---------------------------------------------------------------------------------------------------------


def test_what_all_worlds_know() -> None:
    assert agreed([{A: 1}, {A: 1, B: 2}], A) == 1
    assert agreed([{A: 1}, {A: 2}], A) is None
    assert agreed([{A: 1}, {}], A) is None


def test_too_many_worlds_become_one_for_each_set_of_valid_headers() -> None:
    one, two = Location("h", VALIDITY), Location("g", VALIDITY)
    path_states = [{one: i % 2, two: i % 2, A: i, B: 3} for i in range(LIMIT + 1)]
    assert met(path_states) == [{one: 0, two: 0, B: 3}, {one: 1, two: 1, B: 3}]
    assert met([{A: i, B: 3, Location("h", VALIDITY): i} for i in range(LIMIT + 1)]) == [{B: 3}]
    assert met([{A: 1}, {A: 1}]) == [{A: 1}]


def test_conditions_part_worlds_and_are_known_behind() -> None:
    b = Builder()
    b.header("h", "h_t", v=8)
    b.variable("a", 8)
    both = binary("&&", valid("h"), binary("==", b.get("a"), const(5, 8), Bool()), Bool())
    at = Location("h", VALIDITY)
    then, otherwise = split_by(both, [{at: 0}, {at: 1}, {}])
    assert then == [{at: 1, A: 5}, {at: 1, A: 5}]
    assert otherwise == [{at: 0}, {at: 1}, {}]
    assert known(both, then) == true()


def test_what_other_conditions_tell() -> None:
    b = Builder()
    b.header("h", "h_t", v=8)
    b.variable("a", 8)
    b.variable("flag", Bool())
    at, flag = Location("h", VALIDITY), Location("flag")
    absent = ex.Unary(ex.UnaryOp.NOT, valid("h"), Bool(), AT)
    other = binary("!=", b.get("a"), const(5, 8), Bool())
    assert split_by(absent, [{}]) == ([{at: 0}], [{at: 1}])
    assert split_by(other, [{}]) == ([{}], [{A: 5}])
    assert split_by(b.get("flag"), [{}]) == ([{flag: 1}], [{flag: 0}])
    assert split_by(binary("||", other, absent, Bool()), [{}]) == ([{}], [{A: 5, at: 1}])
    assert split_by(binary("&&", absent, b.get("flag"), Bool()), [{}]) == ([{at: 0, flag: 1}], [{}])
    assert split_by(valid("h"), [{at: 1}]) == ([{at: 1}], [])


def test_what_a_condition_is_in_each_world() -> None:
    b = Builder()
    for name in ("a", "b"):
        b.variable(name, 8)
    either = binary("||", binary("==", b.get("a"), const(5, 8), Bool()), binary("==", b.get("b"), const(7, 8), Bool()))
    path_states = [{A: 5}, {B: 7}, {A: 1}, {A: 1, B: 1}, {}, {A: 1, B: 7}, {A: 1, B: 1}]
    assert values_of(either, path_states) == [1, 1, None, 0, None, 1, 0]
    assert values_of(b.get("a"), path_states) == [5, None, 1, 1, None, 1, 1]
