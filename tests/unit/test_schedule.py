"""Schedules of small constructed programs: where they are cut, what is joined, what is kept, which order is legal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import cast

import pytest
from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, if_, state, valid

from transpiler.analysis.locations import Location
from transpiler.architectures.v1model import pipes as v1model
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program, Storage
from transpiler.hlir.types import Bits, Bool, Varbit
from transpiler.schedule.feeders import in_order
from transpiler.schedule.pipeline import Step
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import Code, Fork, Jump, PipeSchedule, Plain, Schedule, Submit
from transpiler.schedule.successors import fed_by, whole

TABLES = ("t0", "t1", "t2", "t3")


class Case(Builder):
    """A header h, metadata m0 … m3, tables t0 … t3 keyed by h.k0 … h.k3, t4 by m0; what their actions do is for the test."""

    def __init__(self, **actions: Sequence[st.Statement]) -> None:
        super().__init__()
        self.header("h", "h_t", **{f"k{i}": 8 for i in range(4)}, v=8)
        for i in range(4):
            self.variable(f"m{i}", 8)
        self.variable("hit", Bool(), Storage.LOCAL)
        self.extern("r", "register", size=4, width=8)
        self.extern("c", "counter", size=4, unit="packets")
        self.extern("d", "digest")

    def tables_with(self, **bodies: Sequence[st.Statement]) -> Case:
        """Declare the tables; `t0=[…]` is what the action of t0 does."""
        for i, name in enumerate((*TABLES, "t4")):
            self.action(f"{name}.act", *bodies.get(name, ()))
            self.table(name, [("m0" if name == "t4" else f"h.k{i}", "exact")], [f"{name}.act"])
        return self

    def plan(self, *ingress: st.Statement, egress: Sequence[st.Statement] = (), **options: object) -> Schedule:
        return schedule(self.whole(*ingress, egress=egress), Options(**options))  # type: ignore[arg-type]

    def whole(self, *ingress: st.Statement, egress: Sequence[st.Statement] = ()) -> Program:
        start = state("start", [extract("h")], goto("accept"))
        return self.build([start], ingress, egress, [emit("h")])

    def read(self, into: str = "m1") -> st.CallExtern:
        return self.call("register.read", "r", const(0, 32), out=into)

    def write(self, what: str = "m1") -> st.CallExtern:
        return self.call("register.write", "r", const(0, 32), self.get(what))


def names(plan: Schedule, pipe: int = 0) -> list[str]:
    """The stages of a pipe, the lookups of each joined by +."""
    return ["+".join(s.table for s in stage.lookups) or stage.name for stage in plan.pipes[pipe].stages]


def pieces(code: Code) -> Iterator[object]:
    for piece in code:
        yield piece
        if isinstance(piece, Fork):
            for arm in piece.arms:
                yield from pieces(arm)


def submits(pipe: PipeSchedule, stage: int) -> list[int]:
    """The stages that a stage submits to, its joins' included."""
    found, todo = [], list(pieces(pipe.stages[stage].code))
    while todo:
        match todo.pop(0):
            case Submit(stage=to):
                found.append(to)
            case Jump(join=join):
                todo += pieces(pipe.joins[join])
    return found


def live(plan: Schedule) -> set[str]:
    return {f"{at.owner}{'.' if at.field else ''}{at.field}" for at in plan.live}


def condition(b: Builder, name: str = "h.v") -> ex.Expression:
    return binary("==", b.get(name), const(1, 8))


def test_what_is_read_where_a_block_is_left_for_is_kept() -> None:
    """One way overwrites it, the other leaves, and reads it."""
    for kind in ("block", "loop"):
        b = Case()
        b.tables_with(t0=[b.set("h.k1", 1)])
        away: st.Statement = if_(condition(b), [st.Leave("x", AT)])
        inner = st.Block("y", (away,), AT) if kind == "block" else st.While(condition(b, "h.k2"), (away,), AT)
        outer = st.Block("x", (inner, b.set("m1", 5), apply("t1")), AT)
        plan = b.plan(b.set("m1", b.get("h.v")), apply("t0"), outer, b.set("h.v", b.get("m1")))
        assert "m1" in live(plan)


def test_what_is_changed_on_the_way_out_of_a_block_is_not_received_behind_it() -> None:
    """Only a loop within the block leaves for its end."""
    b = Case()
    b.tables_with(t0=[b.set("h.k1", 1)])
    change = (b.set("h.v", 7), if_(condition(b, "h.k3"), [st.Leave("x", AT)]))
    loop = st.While(condition(b, "h.k2"), change, AT)
    left = st.Block("x", (loop, apply("t0"), st.Leave("z", AT)), AT)
    outer = st.Block("z", (left, apply("t1"), b.set("m1", b.get("h.v"))), AT)
    plan = b.plan(b.set("m1", 1), outer, b.set("h.k3", b.get("m1")), few=0)
    behind = next(stage for stage in plan.pipes[0].stages if [s.table for s in stage.lookups] == ["t1"])
    assert {field.field for field in behind.received} == {"k0", "k1", "k2", "k3"}


# --- cuts ------------------------------------------------------------------------------------------------------------


def test_without_tables_one_stage() -> None:
    assert names(Case().tables_with().plan()) == ["entry"]


def test_dependent_lookups_are_stages_in_order() -> None:
    b = Case()
    plan = b.tables_with(t0=[b.set("h.k1", 1)], t1=[b.set("h.k2", 1)]).plan(apply("t0"), apply("t1"), apply("t2"))
    assert names(plan) == ["entry", "t0", "t1", "t2"]
    assert [submits(plan.pipes[0], i) for i in range(4)] == [[1], [2], [3], []]


def test_independent_lookups_start_together() -> None:
    b = Case()
    plan = b.tables_with(t0=[b.set("m3", 1)]).plan(apply("t0"), b.set("m2", 5), apply("t1"), apply("t2"))
    assert names(plan) == ["entry", "t0+t1+t2"]


def test_lookups_in_flight_are_bounded() -> None:
    b = Case().tables_with()
    for i in range(20):
        b.table(f"more{i}", [("h.k0", "exact")], ["NoAction"])
    plan = b.plan(*(apply(f"more{i}") for i in range(20)))
    assert [len(stage.lookups) for stage in plan.pipes[0].stages] == [0, 8, 8, 4]


@pytest.mark.parametrize("between", ["assignment", "result", "condition"])
def test_what_stands_between_may_make_lookups_dependent(between: str) -> None:
    b = Case()
    b.tables_with()
    match between:
        case "assignment":
            plan = b.plan(apply("t0"), b.set("h.k1", 5), apply("t1"))
        case "result":
            b.table("by_hit", [("hit", "exact")], ["NoAction"])
            plan = b.plan(apply("t0", "hit"), apply("by_hit"))
        case _:
            plan = b.plan(apply("t0"), if_(condition(b, "h.k0"), [b.set("m0", 1)]), apply("t4"))
    assert len(names(plan)) == 3


def test_if_and_switch_are_cut_in_their_arms() -> None:
    b = Case().tables_with()
    cases = (st.SwitchCase((1,), (apply("t1"),), AT), st.SwitchCase((2, 3), (), AT))
    plan = b.plan(if_(condition(b), [apply("t0")], [b.set("m1", 1)]), st.Switch(b.get("m1"), cases, (apply("t2"),), AT))
    assert names(plan) == ["entry", "t0", "t1", "t2"]
    assert submits(plan.pipes[0], 0) == [1, 2, 3]
    assert submits(plan.pipes[0], 1) == [2, 3]


def test_nested_branches_join_once() -> None:
    b = Case().tables_with()
    inner = if_(condition(b, "h.k0"), [apply("t0")], [apply("t1")])
    plan = b.plan(if_(condition(b), [inner], [apply("t2")]), b.set("m1", 1), apply("t3"), join_limit=1000)
    assert names(plan) == ["entry", "t0", "t1", "t2", "t3"]
    assert len(plan.pipes[0].joins) == 1
    for stage in (1, 2, 3):
        assert submits(plan.pipes[0], stage) == [4]


def test_blocks_that_are_left() -> None:
    b = Case().tables_with()
    block = st.Block("b", (apply("t0"), if_(condition(b), [st.Leave("b", AT)]), apply("t1")), AT)
    plan = b.plan(block, apply("t2"))
    assert names(plan) == ["entry", "t0+t1", "t2"] or names(plan) == ["entry", "t0", "t1", "t2"]
    assert plan.pipes[0].exits == {"ingress_b": Submit(len(plan.pipes[0].stages) - 1)}


def test_a_place_that_one_leave_alone_leads_to_is_a_join() -> None:
    """A leave names its place, so that the code there cannot be put where the leave stands."""
    b = Case().tables_with()
    away = if_(condition(b), [apply("t0"), st.Leave("x", AT)], [st.Leave("y", AT)])
    after = (b.set("m1", 5), b.set("h.v", b.get("m1")))
    plan = b.plan(st.Block("y", (st.Block("x", (away,), AT), *after), AT), b.set("h.k1", 1), apply("t1"))
    (pipe,) = plan.pipes
    assert names(plan) == ["entry", "t0", "t1"]
    assert pipe.exits == {"ingress_x": Jump(0), "ingress_y": Jump(1)}
    assert pipe.joins == (
        (*map(Plain, after), Jump(1)),
        (Plain(b.set("h.k1", 1)), Submit(2)),
    )


def test_a_table_in_a_loop_is_not_cut_and_said_so() -> None:
    b = Case().tables_with()
    loop = st.While(condition(b), (apply("t0"), b.set("h.v", 0)), AT)
    plan = b.plan(loop, apply("t1"))
    assert names(plan) == ["entry", "t1"]
    assert plan.synchronous == {"t0"}


def test_several_apply_sites_are_several_stages() -> None:
    b = Case()
    plan = b.tables_with(t0=[b.set("h.k0", 1)]).plan(apply("t0"), apply("t0"), egress=[apply("t0")])
    assert names(plan) == ["entry", "t0", "t0", "t0"]


def test_only_what_may_miss_is_cut() -> None:
    plan = Case().tables_with().plan(apply("t0"), apply("t1"), cut=lambda table: table == "t1")
    assert names(plan) == ["entry", "t1"]
    assert not plan.synchronous


def small(plan: Schedule) -> list[dict[str, int]]:
    return [dict(stage.small) for stage in plan.pipes[0].stages]


SMALL = {"cut": lambda table: table == "t0", "small": frozenset({"t1", "t2"})}


def test_small_tables_are_looked_up_with_others() -> None:
    b = Case()
    inside = if_(condition(b, "m3"), [apply("t2")])
    plan = b.tables_with(t0=[b.set("m3", 1)]).plan(apply("t0"), apply("t1"), inside, **SMALL)
    assert names(plan) == ["entry", "t0+t1+t2"]
    assert small(plan) == [{}, {"t1": 1, "t2": 2}]


@pytest.mark.parametrize("why", ["action", "assignment", "fork", "left", "twice", "not small", "no other"])
def test_small_tables_that_are_looked_up_where_they_are_applied(why: str) -> None:
    b = Case()
    b.tables_with(t0=[b.set("h.k1", 1)] if why == "action" else [])
    match why:
        case "assignment":
            plan = b.plan(apply("t0"), b.set("h.k1", 5), apply("t1"), **SMALL)
        case "fork":
            fork = if_(condition(b, "m3"), [apply("t3")])
            plan = b.plan(apply("t0"), fork, apply("t1"), **SMALL | {"cut": lambda table: table in ("t0", "t3")})
        case "left":
            left = if_(condition(b, "m3"), [st.Leave("x", AT)])
            plan = b.plan(st.Block("x", (apply("t0"), left, apply("t1")), AT), **SMALL)
        case "twice":
            plan = b.plan(apply("t0"), apply("t1"), b.set("m0", 1), apply("t1"), **SMALL)
        case "not small":
            plan = b.plan(apply("t0"), apply("t3"), **SMALL)
        case "no other":
            plan = b.plan(apply("t1"), **SMALL)
        case _:
            plan = b.plan(apply("t0"), apply("t1"), **SMALL)
    assert not any(small(plan))


def test_tables_without_keys_are_not_cut() -> None:
    b = Case().tables_with()
    b.table("nothing", [], ["NoAction"])
    assert names(b.plan(apply("nothing"))) == ["entry"]


def test_ingress_and_egress_are_one_pipe_unless_packets_are_replicated() -> None:
    b = Case().tables_with()
    assert [p.name for p in b.plan(apply("t0"), egress=[apply("t1")]).pipes] == ["ingress"]
    group = b.set("sm.mcast_grp", 7)
    two = b.plan(group, apply("t0"), egress=[apply("t1")])
    assert [p.name for p in two.pipes] == ["ingress", "egress"]
    assert names(two, 1) == ["entry", "t1"]
    replication = b.plan(group, apply("t0"), egress=[apply("t1")], run_to_completion=True)
    assert [(p.name, p.replication) for p in replication.pipes] == [("ingress", False), ("egress", True)]
    assert names(replication) == ["entry", "t0", "t1"] and names(replication, 1) == ["entry", "t1"]


def test_lookups_do_not_pass_the_steps_of_the_architecture() -> None:
    plan = Case().tables_with().plan(apply("t0"), egress=[apply("t1")])
    assert names(plan) == ["entry", "t0", "t1"]
    steps = [p.what for p in plan.pipes[0].stages[1].code if isinstance(p, Plain) and isinstance(p.what, Step)]
    assert v1model.FORWARD in steps


# --- joins -----------------------------------------------------------------------------------------------------------


def two_ways(b: Case) -> st.If:
    return if_(condition(b), [apply("t0")], [apply("t1")])


def test_a_join_that_one_way_reaches_is_inlined() -> None:
    b = Case().tables_with()
    plan = b.plan(st.Block("b", (apply("t0"), b.set("m2", 1)), AT), b.set("m1", 1))
    assert not plan.pipes[0].joins


def test_small_joins_are_shared_and_large_ones_become_stages() -> None:
    b = Case().tables_with()
    rest = [b.set("m1", i) for i in range(10)]
    shared = b.plan(two_ways(b), *rest, join_limit=100)
    assert names(shared) == ["entry", "t0", "t1"]
    assert len(shared.pipes[0].joins) == 1
    merged = b.plan(two_ways(b), *rest, join_limit=5)
    assert names(merged) == ["entry", "t0", "t1", "merge"]
    assert not merged.pipes[0].joins


@pytest.mark.parametrize(("statements", "found"), [(2, ["entry", "t0", "t1"]), (50, ["entry", "t0", "t1", "merge"])])
def test_what_the_actions_of_tables_do_counts_in_the_size_of_a_join(statements: int, found: list[str]) -> None:
    """Each stage that has the join has them once more."""
    b = Case()
    b.tables_with(t4=[b.set("m1", i) for i in range(statements)])
    assert names(b.plan(two_ways(b), apply("t4"), join_limit=20, cut=lambda table: table != "t4")) == found


def test_stages_that_one_stage_alone_leaves_packets_to() -> None:
    b = Case().tables_with()
    plan = b.plan(two_ways(b), b.set("m1", 1), apply("t4"), apply("t2"))
    assert names(plan) == ["entry", "t0", "t1", "t4+t2"]
    assert in_order(plan.pipes[0]) == {1, 2}


def test_stages_that_two_stages_leave_packets_to_but_never_in_one_burst() -> None:
    """Whether packets look for decisions is the same for all of a burst: they come to t1 from t0 or from the first stage."""
    b = Case().tables_with()
    b.variable("on", Bool(), Storage.LOCAL)
    plan = b.plan(b.call("decisions.on", None, out="on"), if_(b.get("on"), [apply("t0")]), apply("t1"))
    assert names(plan) == ["entry", "t0", "t1"]
    assert in_order(plan.pipes[0]) == {1, 2}
    plan = b.plan(if_(condition(b), [apply("t0")]), apply("t1"))
    assert in_order(plan.pipes[0]) == {1}


def test_many_small_joins_in_a_row_are_cut_in_the_middle() -> None:
    """Every stage would have all that follows it: the C would grow with the square of the program."""
    b = Case().tables_with()
    names_ = [f"u{i}" for i in range(40)]
    for name in names_:
        b.table(name, [("h.k0", "exact")], ["t0.act"])
    plan = b.plan(*(if_(condition(b), [apply(name), b.set("m1", 1)]) for name in names_), join_limit=100)
    assert 1 <= names(plan).count("merge") <= 8
    needed = [sum(1 for piece in pieces(stage.code) if isinstance(piece, Jump)) for stage in plan.pipes[0].stages]
    assert max(needed) <= 2 and len(plan.pipes[0].joins) >= 30


def test_a_join_is_not_made_a_stage_where_that_breaks_packet_order() -> None:
    b = Case()
    plan = b.tables_with().plan(b.read(), if_(condition(b), [apply("t0")]), *[b.write()] * 9, join_limit=0)
    assert names(plan) == ["entry"]
    b = Case()
    plan = b.tables_with().plan(if_(condition(b), [apply("t0")]), *[b.set("m2", 1)] * 9, join_limit=0)
    assert names(plan) == ["entry", "t0", "merge"]


# --- packet order ----------------------------------------------------------------------------------------------------


def test_read_before_and_write_after_a_lookup_are_one_stage() -> None:
    b = Case()
    plan = b.tables_with().plan(b.read(), apply("t0"), b.write())
    assert names(plan) == ["entry"]
    assert plan.synchronous == {"t0"}


def test_the_same_in_actions() -> None:
    b = Case()
    b.tables_with(t0=[b.read("h.k1")], t1=[b.write()])
    plan = b.plan(apply("t0"), apply("t1"))
    assert plan.synchronous == {"t1"}
    assert names(plan) == ["entry", "t0"]


def test_accesses_in_different_branches() -> None:
    b = Case()
    plan = b.tables_with(t0=[b.read()], t1=[b.write()]).plan(two_ways(b))
    touching = [name for name in names(plan) if name in ("t0", "t1")]
    assert len(touching) <= 1
    assert plan.synchronous


def test_accesses_after_a_join_are_made_a_stage() -> None:
    b = Case()
    plan = b.tables_with().plan(two_ways(b), b.read(), b.write())
    assert names(plan) == ["entry", "t0", "t1", "merge"]
    assert not plan.synchronous


def test_a_direct_meter_ties_its_own_table_only() -> None:
    """An action that several tables share asks for the colour, which the lookup of one table has made."""
    b = Case()
    b.extern("dm", "direct_meter", unit="bytes", automatic=1)
    b.action("shared", b.call("direct_meter.read", "dm", b.get("m1"), out="m1"))
    b.table("metered", [("h.k0", "exact")], ["shared"], direct=["dm"])
    b.table("other", [("m0", "exact")], ["shared"])
    plan = b.tables_with(t0=[b.set("m0", 1)]).plan(apply("metered"), apply("t0"), apply("other"))
    assert not plan.synchronous


def test_other_states_do_not_matter_to_each_other() -> None:
    b = Case()
    b.extern("r2", "register", size=4, width=8)
    other = b.call("register.write", "r2", const(0, 32), b.get("m1"))
    plan = b.tables_with().plan(b.read(), apply("t0"), other)
    assert names(plan) == ["entry", "t0"]
    assert not plan.synchronous


def test_counters_are_free() -> None:
    b = Case()
    count = b.call("counter.count", "c", const(0, 32))
    plan = b.tables_with(t0=[count]).plan(count, apply("t0"), count)
    assert names(plan) == ["entry", "t0"]


@pytest.mark.parametrize("stream", ["digest", "log", "random"])
def test_streams_are_in_packet_order(stream: str) -> None:
    b = Case()
    match stream:
        case "digest":
            call = b.call("digest.send", "d", b.values("m1"))
        case "log":
            call = b.call("log.message", None, ex.Text("{}", AT), b.values("m1"))
        case _:
            call = b.call("random.range", None, const(0, 8), const(9, 8), out="m1")
    plan = b.tables_with().plan(call, apply("t0"), call)
    assert names(plan) == ["entry"]
    assert plan.synchronous == {"t0"}


# --- packets that come of a packet --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "in_ingress", "in_egress"),
    [(None, False, False), ("clone.ingress", False, True), ("resubmit.request", True, True)],
)
def test_packets_are_alone_where_what_comes_of_one_may_overtake_the_next_at_a_state(
    request_: str | None, in_ingress: bool, in_egress: bool
) -> None:
    b = Case()
    match request_:
        case "clone.ingress":
            asked = [b.call(request_, None, const(1, 32), fields=["m0"])]
        case "resubmit.request":
            asked = [b.call(request_, None, fields=["m0"])]
        case _:
            asked = []
    assert b.tables_with().plan(b.read(), b.write(), *asked).ordered is in_ingress
    assert b.plan(*asked, egress=[b.read(), b.write()]).ordered is in_egress
    assert not b.plan(*asked).ordered


def test_packets_are_alone_where_both_pipes_touch_a_state() -> None:
    """A burst through ingress before egress would let a later packet read what an earlier one has not written yet."""
    b = Case().tables_with()
    group = b.set("sm.mcast_grp", 7)
    assert b.plan(group, b.read(), egress=[b.write()]).ordered
    assert not b.plan(group, b.read()).ordered
    assert not b.plan(group, egress=[b.write()]).ordered


def test_copies_to_a_group_come_to_a_state_of_egress_in_order() -> None:
    """Those of a packet that leave the pipe of the others would come to it behind the packets of the burst."""
    b = Case().tables_with()
    group = b.set("sm.mcast_grp", 7)
    for egress, replication in (([b.read(), b.write()], False), ([b.set("m1", 1)], True)):
        plan = b.plan(group, egress=egress, run_to_completion=True)
        assert [(p.name, p.replication) for p in plan.pipes] == [("ingress", False), ("egress", replication)]


# --- liveness --------------------------------------------------------------------------------------------------------


def test_what_a_later_stage_reads_is_kept() -> None:
    b = Case()
    b.tables_with(t0=[b.set("m2", b.get("m1"))])
    before = (b.set("m1", 1), b.set("m2", b.get("h.k2")), b.set("m3", 2))
    plan = b.plan(*before, apply("t0"), b.set("h.v", b.get("m2")))
    assert {"m1", "h.k0", "h.$valid"} <= live(plan)
    assert not {"m3", "h.k1"} & live(plan)
    assert "m2" in live(plan)  # a miss leaves what it was
    unwritten = b.plan(before[0], apply("t0"), b.set("h.v", b.get("m2")))
    assert "m2" not in live(unwritten)  # it is zero still


def test_what_is_written_before_it_is_read_is_local() -> None:
    b = Case()
    plan = b.tables_with().plan(apply("t0"), b.set("m2", 1), b.set("h.v", b.get("m2")))
    assert "m2" not in live(plan)


@pytest.mark.parametrize("implementation", [None, "p"])
def test_a_group_without_members_runs_no_action(implementation: str | None) -> None:
    """Whatever a table's only action writes, a table with an action profile may leave as it was."""
    b = Case()
    b.extern("p", "action_selector", size=4, algorithm="crc16", width=8)
    b.action("forward", b.set("m2", 2))
    b.table("next_hops", [("h.k0", "exact")], ["forward"], default="forward", implementation=implementation)
    plan = b.plan(b.set("m2", 1), apply("next_hops"), b.set("h.v", b.get("m2")))
    assert ("m2" in live(plan)) == (implementation is not None)


def test_a_write_in_one_arm_only_keeps() -> None:
    b = Case().tables_with()
    plan = b.plan(b.set("m2", 1), apply("t0"), if_(condition(b), [b.set("m2", 2)]), b.set("h.k3", b.get("m2")))
    assert "m2" in live(plan)


def test_zeroed_is_what_nothing_may_have_written() -> None:
    b = Case().tables_with()
    plan = b.plan(if_(condition(b), [b.set("m1", 1)]), b.set("m2", 1), apply("t0"), b.set("h.v", b.get("m1")),
                  b.set("h.k3", b.get("m2")))  # fmt: skip
    zeroed = {at.owner for at in plan.zeroed if not at.field}
    assert "m1" in zeroed
    assert "m2" not in zeroed
    assert {"m1", "m2"} <= live(plan)


def test_fields_that_nothing_writes_stay_in_the_frame() -> None:
    b = Case().tables_with()
    plan = b.plan(apply("t0"), b.set("h.v", 1))
    assert "h.v" not in live(plan)  # written in the stage that deparses
    assert "h.k2" not in live(plan)
    before = b.plan(b.set("h.v", 1), apply("t0"))
    assert "h.v" in live(before)


def test_validity_that_a_deparser_needs_is_kept() -> None:
    b = Case().tables_with()
    assert "h.$valid" in live(b.plan(apply("t0")))
    b.header("other", "h_t")
    reads = if_(valid("other"), [b.set("m1", 1)])
    assert "other.$valid" in live(
        b.plan(if_(condition(b), [st.SetValid(ex.HeaderRef("other", AT), True, AT)]), apply("t0"), reads)
    )
    assert "other.$valid" not in live(b.plan(apply("t0"), reads))  # nothing has made it valid


def test_egress_of_its_own_keeps_what_it_reads() -> None:
    b = Case().tables_with()
    plan = b.plan(b.set("m1", 1), b.set("sm.mcast_grp", 7), egress=[b.set("h.v", b.get("m1"))])
    assert "m1" in live(plan)
    assert "sm.egress_rid" not in live(plan)  # set where egress begins


@pytest.mark.parametrize("request_", ["clone.ingress", "clone.egress"])
def test_egress_has_what_ingress_leaves_though_clones_come_between(request_: str) -> None:
    """Only clones go through their pipe, and what these have begins anew."""
    b = Case().tables_with()
    asked = b.call(request_, None, const(1, 32))
    in_ingress, in_egress = ([asked], []) if request_ == "clone.ingress" else ([], [asked])
    plan = b.plan(b.set("m1", b.get("h.v")), *in_ingress, egress=[b.set("h.v", b.get("m1")), *in_egress])
    ingress, clone, egress = plan.pipes
    assert (ingress.name, clone.name, egress.name) == ("ingress", "clone", "egress")
    assert Location("m1") in ingress.to_next and Location("m1") in egress.stages[0].live_in
    assert "m1" in live(plan)


def test_what_a_second_pass_keeps_is_there_though_nothing_of_the_pass_writes_it() -> None:
    b = Case().tables_with()
    again = b.call("resubmit.request", None, fields=["m1"])
    plan = b.plan(apply("t0"), b.set("h.v", b.get("m1")), again)
    (behind,) = (stage for stage in plan.pipes[0].stages if stage.lookups)
    assert Location("m1") in behind.live_in
    assert Location("m1") not in b.plan(apply("t0"), b.set("h.v", b.get("m1"))).live


def test_elements_of_a_stack_are_kept_together() -> None:
    """One that nothing has written is zero, beside another that was."""
    b = Case()
    b.stack("s", "s_t", 2, f=8)
    b.tables_with(t0=[b.set("h.k1", 1)])
    plan = b.plan(b.set("s[0].f", 5), apply("t0"), b.set("h.v", b.get("s[1].f")), b.set("h.k3", b.get("s[0].f")))
    assert {Location(f"s[{number}]", "f") for number in range(2)} <= plan.live
    assert Location("s[1]", "f") in plan.zeroed


# --- size ------------------------------------------------------------------------------------------------------------


def test_hundreds_of_tables() -> None:
    b = Case()
    b.action("next", b.set("m0", binary("+", b.get("m0"), const(1, 8))))
    body: list[st.Statement] = []
    for i in range(400):
        b.table(f"big{i}", [("m0", "exact")], ["next"])
        body.append(if_(condition(b), [apply(f"big{i}")]) if i % 2 else apply(f"big{i}"))
    assert len(b.plan(*body).pipes[0].stages) == 401


def test_deep_nesting() -> None:
    b = Case().tables_with()
    body: st.Statement = apply("t0")
    for _ in range(150):
        body = if_(condition(b), [body])
    assert names(b.plan(body)) == ["entry", "t0"]


def test_where_a_packet_came_in_is_the_records_unless_the_program_writes_it() -> None:
    b = Case()
    b.tables_with(t0=[b.set("h.k1", 1)])
    read = b.set("h.v", ex.Cast(b.get("sm.ingress_port"), Bits(8), AT))
    assert Location("sm.ingress_port") in b.plan(apply("t0"), read).given
    for written in ((b.set("sm.ingress_port", 1), apply("t0"), read), (apply("t0"), b.set("sm.ingress_port", 1), read)):
        assert Location("sm.ingress_port") not in b.plan(*written).given


# --- received fields -----------------------------------------------------------------------------------------------------


def received(plan: Schedule, table: str) -> set[str]:
    """What the stage that finishes the lookup finds as it was received."""
    stage = next(stage for stage in plan.pipes[0].stages if [s.table for s in stage.lookups] == [table])
    return {f"{field.owner}.{field.field}" for field in stage.received}


@pytest.mark.parametrize("copy_first", [True, False])
def test_a_copied_header_has_what_was_received_where_the_other_has(copy_first: bool) -> None:
    """Of a field that was changed before, or is changed later, only that one."""
    b = Case()
    b.header("g", "h_t", **{f"k{i}": 8 for i in range(4)}, v=8)
    b.tables_with(t0=[b.set("h.k1", 1)])
    copy, change = st.CopyHeader(ex.HeaderRef("g", AT), ex.HeaderRef("h", AT), AT), b.set("h.v", 7)
    plan = b.plan(*((copy, change) if copy_first else (change, copy)), apply("t0"), b.set("m1", b.get("g.v")), few=0)
    fields = {"g.k0", "g.k1", "g.k2", "g.k3", "h.k0", "h.k1", "h.k2", "h.k3"}
    assert received(plan, "t0") == (fields | {"g.v"} if copy_first else fields)


def test_behind_a_varbit_nothing_lies_at_a_fixed_place() -> None:
    b = Case()
    b.header("g", "g_t", first=8, some=Varbit(32), last=8)
    b.tables_with(t0=[b.set("h.k1", 1)])
    plan = b.plan(b.set("m1", 3), apply("t0"), b.set("h.v", b.get("g.last")), few=0)
    assert {field for field in received(plan, "t0") if field.startswith("g.")} == {"g.first"}


def test_a_field_that_a_second_pass_keeps_is_not_as_it_was_received() -> None:
    b = Case()
    b.tables_with(t0=[b.set("h.k1", 1)])
    again = b.call("resubmit.request", None, fields=["h.v"])
    plan = b.plan(again, apply("t0"), b.set("m1", b.get("h.v")), few=0)
    assert received(plan, "t0") == {"h.k0", "h.k1", "h.k2", "h.k3"}


def test_a_stage_goes_on_in_all_joins_that_it_may_reach() -> None:
    """Also by way of others, each once; what no way leads to is another stage's."""
    joins = ((Jump(2),), (Submit(9),), (Jump(0), Submit(4)))
    pipe = cast(PipeSchedule, SimpleNamespace(joins=joins, exits={}))
    assert whole(pipe, (Submit(3), Jump(0))) == (Submit(3), Jump(0), *joins[0], *joins[2])
    assert fed_by(pipe, (Submit(3), Jump(0))) == {3, 4}
    assert fed_by(pipe, (Jump(1),)) == {9} and fed_by(pipe, (Submit(3),)) == {3} and not fed_by(pipe, ())
