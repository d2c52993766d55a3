"""Accesses to large registers and meters: where pipelines are cut for them, which start together, which order is legal."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, if_, state, valid

from transpiler.externs.register import cell_bytes
from transpiler.hlir import statements as st
from transpiler.hlir.expressions import ElementRef, FieldRef, Read, Text
from transpiler.hlir.printer import expression as print_expression, print_body
from transpiler.hlir.program import Control, Program, Role, Storage
from transpiler.hlir.traverse import walk
from transpiler.hlir.types import Bits
from transpiler.schedule.hoist_indexes import with_hoisted_indexes
from transpiler.schedule.inline_actions import with_inlined_actions
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import Schedule
from transpiler.schedule.state import StateOf, large_counters, large_state, own_accesses, state_cells
from transpiler.verifier import verify

LARGE = frozenset({"r", "q", "m"})


class Case(Builder):
    """A header h, metadata m0 … m3, registers r and q, a meter m, a table t keyed by h.k0 with an action of one parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.header("h", "h_t", **{f"k{i}": 32 for i in range(4)})
        for i in range(4):
            self.variable(f"m{i}", 32)
        for name in ("r", "q"):
            self.extern(name, "register", size=1 << 20, width=32)
        self.extern("m", "meter", size=1 << 20, unit="packets")
        self.extern("c", "counter", size=1 << 20, unit="packets")

    def table_with(self, *action: st.Statement) -> Case:
        self.action("act", *action, p=32)
        self.table("t", [("h.k0", "exact")], ["act"])
        return self

    def program(self, *ingress: st.Statement) -> Program:
        if not self.tables:
            self.table_with()
        return self.build([state("start", [extract("h")], goto("accept"))], ingress, (), [emit("h")])

    def plan(self, *ingress: st.Statement) -> Schedule:
        return schedule(self.program(*ingress), Options(large=LARGE))

    def read(self, register: str, index: str, into: str = "m1") -> st.CallExtern:
        return self.call("register.read", register, self.get(index), out=into)

    def write(self, register: str, index: str, what: str = "m1") -> st.CallExtern:
        return self.call("register.write", register, self.get(index), self.get(what))

    def hash(self, into: str, *of: str) -> st.CallExtern:
        return self.call("hash.compute", None, Text("crc32", AT), self.values(*of), out=into)


def started(plan: Schedule) -> list[str]:
    """What each stage starts: lookups and, in parentheses, accesses to state."""
    return [
        " ".join((*(s.table for s in stage.lookups), *(f"({access.instance})" for access in stage.prefetched)))
        for stage in plan.pipes[0].stages
    ]


def body_of(program: Program) -> tuple[st.Statement, ...]:
    control = program.pipe(Role.INGRESS)
    assert isinstance(control, Control)
    return control.body


def order(program: Program) -> list[str]:
    """The extern calls of ingress, in order."""
    calls = (s for s in walk(body_of(program)) if isinstance(s, st.CallExtern))
    return [f"{s.method} {s.instance or s.outputs[0].name}" for s in calls]  # type: ignore[union-attr]


def test_a_read_and_a_write_of_a_cell_are_one_stage_with_one_prefetch() -> None:
    case = Case()
    assert started(case.plan(case.read("r", "h.k0"), case.write("r", "h.k0"))) == ["", "(r)"]


def test_two_cells_of_a_register_are_prefetched_together() -> None:
    case = Case()
    assert started(case.plan(case.read("r", "h.k0"), case.write("r", "h.k1"))) == ["", "(r) (r)"]


def test_independent_accesses_start_together() -> None:
    case = Case()
    plan = case.plan(
        case.read("r", "h.k0"),
        case.read("q", "h.k1", "m2"),
        case.call("meter.execute", "m", case.get("h.k2"), out="m3"),
    )
    assert started(plan) == ["", "(r) (q) (m)"]


def test_an_access_starts_with_the_lookup_before_it_unless_an_action_may_write_its_index() -> None:
    case = Case()
    assert started(case.plan(apply("t"), case.read("r", "h.k1"))) == ["", "t (r)"]
    case = Case()
    case.table_with(case.set("h.k1", 3))
    assert started(case.plan(apply("t"), case.read("r", "h.k1"))) == ["", "t", "(r)"]


def test_an_index_that_another_register_gives_is_a_stage_of_its_own() -> None:
    case = Case()
    assert started(case.plan(case.read("r", "h.k0", "m1"), case.read("q", "m1", "m2"))) == ["", "(r)", "(q)"]


def test_all_accesses_to_a_state_stay_in_one_stage() -> None:
    """r is read before and written after q, whose index it gives: cutting at q would part them."""
    case = Case()
    plan = case.plan(case.read("r", "h.k0", "m1"), case.read("q", "m1", "m2"), case.write("r", "h.k0", "m2"))
    assert started(plan) == ["", "(r)"]
    case = Case()
    plan = case.plan(case.read("r", "h.k1"), case.set("h.k0", case.get("m1")), apply("t"), case.write("r", "h.k1"))
    assert started(plan) == ["", "(r)"]
    assert "t" in plan.synchronous


def test_a_lookup_between_accesses_starts_with_them_where_it_is_independent() -> None:
    case = Case()
    assert started(case.plan(case.read("r", "h.k1"), apply("t"), case.write("r", "h.k1"))) == ["", "t (r)"]


def test_the_cut_is_in_the_innermost_body_with_all_accesses() -> None:
    case = Case()
    inside = if_(valid("h"), [case.read("r", "h.k0"), case.write("r", "h.k0")])
    plan = case.plan(inside, case.set("m2", 1))
    assert started(plan) == ["", "(r)"]
    assert all(not isinstance(getattr(piece, "what", None), st.If) for piece in plan.pipes[0].stages[1].code)


def test_accesses_in_both_arms_are_prefetched_before_the_branch() -> None:
    case = Case()
    both = if_(valid("h"), [case.read("r", "h.k0")], [case.read("r", "h.k1")])
    assert started(case.plan(both)) == ["", "(r) (r)"]


def test_several_registers_of_both_arms_are_prefetched_before_the_branch() -> None:
    case = Case()
    arms = (
        [case.read("r", "h.k0"), case.read("q", "h.k1", "m2")],
        [case.read("q", "h.k2", "m2"), case.read("r", "h.k3")],
    )
    assert started(case.plan(if_(valid("h"), *arms))) == ["", "(r) (r) (q) (q)"]


def test_what_is_written_before_an_access_in_a_branch_is_no_index_yet() -> None:
    case = Case()
    both = if_(valid("h"), [case.set("h.k1", 1), case.read("r", "h.k1")], [case.read("r", "h.k2")])
    assert started(case.plan(both)) == ["", "(r)"]


def test_constant_indexes_need_no_stage() -> None:
    case = Case()
    assert started(case.plan(case.call("register.read", "r", const(5, 32), out="m1"))) == [""]


def test_what_is_not_large_needs_no_stage() -> None:
    case = Case()
    assert started(schedule(case.program(case.read("r", "h.k0")), Options(large=frozenset({"q"})))) == [""]


# --- hoisting ------------------------------------------------------------------------------------------------------------


def test_hashes_go_before_the_first_access() -> None:
    case = Case()
    rows: Sequence[st.Statement] = (
        case.hash("m0", "h.k0"),
        case.read("r", "m0", "m2"),
        case.hash("m1", "h.k1"),
        case.read("q", "m1", "m3"),
    )
    hoisted = with_hoisted_indexes(case.program(*rows), LARGE)
    assert order(hoisted) == ["hash.compute m0", "hash.compute m1", "register.read r", "register.read q"]
    assert started(schedule(hoisted, Options(large=LARGE))) == ["", "(r) (q)"]
    assert not verify(hoisted)


@pytest.mark.parametrize("kept", ["reads", "writes", "is read", "leaves"])
def test_what_depends_on_what_stands_between_stays(kept: str) -> None:
    case = Case()
    between: st.Statement = {
        "reads": case.set("h.k1", case.get("m2")),  # what the hash is made of comes from the register
        "writes": case.read("r", "h.k2", "m1"),  # the hash comes after another value of its result
        "is read": case.set("m3", case.get("m1")),  # which somebody wants to see
        "leaves": if_(binary("==", case.get("m2"), const(0, 32)), [st.Leave("out", AT)]),
    }[kept]
    body = (case.read("r", "h.k0", "m2"), between, case.hash("m1", "h.k1"), case.read("q", "m1", "m2"))
    program = case.program(st.Block("out", body, AT))
    assert with_hoisted_indexes(program, LARGE) == program


def test_what_an_action_in_between_reads_or_writes_stays() -> None:
    for done in (("m3", "m1"), ("m1", "m3"), ("h.k1", "m3")):  # it reads the hash, writes it, or writes what is hashed
        case = Case()
        case.table_with(case.set(done[0], case.get(done[1])))
        body = (case.read("r", "h.k0", "m2"), apply("t"), case.hash("m1", "h.k1"), case.read("q", "m1", "m2"))
        program = case.program(*body)
        assert with_hoisted_indexes(program, LARGE) == program
    case = Case()
    case.table_with(case.set("m3", case.get("h.k2")))
    body = (case.read("r", "h.k0", "m2"), apply("t"), case.hash("m1", "h.k1"), case.read("q", "m1", "m2"))
    assert body_of(with_hoisted_indexes(case.program(*body), LARGE)) == (body[2], *body[:2], body[3])


@pytest.mark.parametrize("hashed", [False, True])
def test_elements_found_at_run_time_stay_as_they_are(hashed: bool) -> None:
    case = Case()
    case.stack("s", "s_t", 2, f=32)
    element = FieldRef(ElementRef("s", case.get("h.k2"), AT), "f", AT)
    computed: st.Statement = st.Assign(element, case.get("h.k1"), AT)
    if hashed:
        computed = st.CallExtern("hash.compute", None, (Text("crc32", AT), case.values("h.k1")), (element,), AT)
    again = case.call("register.read", "q", Read(element, Bits(32), AT), out="m3")
    program = case.program(case.read("r", "h.k0", "m2"), computed, again)
    assert with_hoisted_indexes(program, LARGE) == program


def test_a_random_hash_stays_where_it_draws() -> None:
    case = Case()
    random = case.call("hash.compute", None, Text("random", AT), case.values("h.k1"), out="m1")
    program = case.program(case.read("r", "h.k0", "m2"), random, case.read("q", "m1", "m3"))
    assert with_hoisted_indexes(program, LARGE) == program


# --- actions -------------------------------------------------------------------------------------------------------------


def test_the_work_of_an_action_goes_behind_its_table() -> None:
    case = Case()
    case.variable("act.p", 32, Storage.ACTION_DATA)
    case.table_with(case.read("r", "act.p"), case.write("r", "act.p"))
    opened = with_inlined_actions(case.program(apply("t"), case.set("m3", 1)), LARGE)
    assert not verify(opened)
    table, switch, _ = body_of(opened)
    assert isinstance(table, st.ApplyTable) and table.action is not None
    assert isinstance(switch, st.Switch) and [c.values for c in switch.cases] == [(0,)]
    assert [type(s) for s in opened.action["act"].body] == [st.Assign]
    assert started(schedule(opened, Options(large=LARGE))) == ["", "t", "(r)"]


def test_actions_of_nothing_large_stay_as_they_are() -> None:
    case = Case()
    case.variable("act.p", 32, Storage.ACTION_DATA)
    case.table_with(case.read("r", "act.p"))
    program = case.program(apply("t"))
    assert with_inlined_actions(program, frozenset({"q"})) is program


def test_what_an_inlined_action_is_made_of() -> None:
    """Copies of its parameters, which it may assign to, and labels of its own at each place."""
    case = Case()
    case.variable("act.p", 32, Storage.ACTION_DATA)
    leave = st.Block("out", (st.Leave("out", AT),), AT)
    more = case.set("act.p", 5), case.read("r", "act.p", into="act.p"), leave
    case.action("other")
    case.action("act", *more, case.set("m0", case.get("act.p")), p=32)
    case.table("t", [("h.k0", "exact")], ["other", "act"])
    case.variable("act.p.copied", 8)
    program = case.program(apply("t"), if_(binary("==", case.get("m0"), const(0, 32)), [apply("t")]))
    opened = with_inlined_actions(program, LARGE)
    assert not verify(opened)
    inlined = (
        "apply t (action -> t.ran); switch (t.ran) {{ t.action.act: {{ act.p.copied_ = 32w5; "
        "act.p.copied_ = r: register.read(act.p.copied_); out_{0}: {{ leave out_{0}; }} m0 = act.p.copied_; }} }}"
    )
    text = " ".join(print_body(body_of(opened)).split())
    assert text == f"{inlined.format(0)} if (m0 == 32w0) {{ {inlined.format(1)} }}"
    assert " ".join(print_body(opened.action["act"].body).split()) == "act.p.copied_ = act.p;"
    assert opened.action["other"] == program.action["other"]
    new = [v.name for v in opened.variables if v not in program.variables]
    assert new == ["act.p.copied_", "t.ran"] and all(opened.variable[name].storage is Storage.LOCAL for name in new)


def test_each_parameter_has_a_copy_of_a_name_that_nobody_has() -> None:
    case = Case()
    for name in ("act.p", "act.q"):
        case.variable(name, 32, Storage.ACTION_DATA)
    case.action("act", case.read("r", "act.q"), case.set("m0", case.get("act.p")), p=32, q=32)
    case.table("t", [("h.k0", "exact")], ["act"])
    for name in ("act.p.copied", "act.p.copied_"):
        case.variable(name, 8)
    opened = with_inlined_actions(case.program(apply("t")), LARGE)
    assert not verify(opened)
    text = " ".join(print_body(opened.action["act"].body).split())
    assert text == "act.p.copied__ = act.p; act.q.copied = act.q;"
    assert "register.read(act.q.copied); m0 = act.p.copied__; }" in " ".join(print_body(body_of(opened)).split())


def test_what_the_program_asks_of_its_table_is_still_told() -> None:
    case = Case()
    case.table_with(case.read("r", "h.k1"))
    case.variable("did", case.tables[0].action_enum)
    opened = with_inlined_actions(case.program(apply("t", None, "did")), LARGE)
    table, switch = body_of(opened)
    assert table == apply("t", None, "did") and isinstance(switch, st.Switch) and switch.subject == case.get("did")


def test_an_action_that_counts_by_its_entry_stays() -> None:
    case = Case()
    case.extern("dc", "direct_counter", unit="packets", automatic=0)
    case.action("act", case.read("r", "h.k1"), case.call("direct_counter.count", "dc"))
    case.table("t", [("h.k0", "exact")], ["act"], direct=["dc"])
    program = case.program(apply("t"))
    assert with_inlined_actions(program, LARGE) is program


def test_actions_stay_where_their_table_does_not_tell_which_ran() -> None:
    """As the members of profiles do not."""
    for profile in (None, "profile"):
        case = Case()
        case.extern("profile", "action_profile", size=4)
        case.action("act", case.read("r", "h.k1"))
        case.table("t", [("h.k0", "exact")], ["act"], implementation=profile)
        program = case.program(apply("t"))
        assert (with_inlined_actions(program, LARGE) is program) == (profile is not None)


# --- sizes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "cell"), [(1, 1), (8, 1), (9, 2), (16, 2), (17, 4), (32, 4), (33, 8), (64, 8), (65, 16), (129, 24)]
)
def test_cells_are_as_wide_as_they_must_be(width: int, cell: int) -> None:
    assert cell_bytes(width) == cell


def test_large_is_more_than_what_stays_in_the_cache() -> None:
    program = Case().program()
    assert large_state(program, (4 << 20) - 1) == LARGE
    assert large_state(program, 4 << 20) == {"m"}
    assert large_counters(program, (16 << 20) - 1) == {"c"} and not large_counters(program, 16 << 20)


C = Case()


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ([C.read("r", "m0"), C.write("q", "m2")], ["r m0", "q m2"]),
        (
            [C.read("r", "m0", "m0"), C.read("q", "m0")],
            ["r m0"],
        ),  # what the first one gives is the index of the second one
        ([C.set("m0", 1), C.read("r", "m0")], []),
        ([C.read("r", "m0"), C.write("r", "m0", "m2")], ["r m0"]),
        ([C.read("r", "m0"), C.write("r", "m2", "m0")], ["r m0", "r m2"]),
        ([C.call("register.read", "r", const(7, 32), out="m1")], []),  # one cell of all packets stays in the cache
        ([if_(valid("h"), [C.read("r", "m0")], [C.read("q", "m2")])], ["r m0", "q m2"]),
        ([if_(valid("h"), [C.set("m0", 1), C.read("r", "m0")])], []),
        ([if_(valid("h"), [C.set("m0", 1)]), C.read("r", "m0")], []),
        ([apply("t"), C.read("q", "m2")], ["q m2"]),
        ([C.read("other", "m0"), C.read("q", "m2")], ["q m2"]),
    ],
)
def test_cells_that_are_known_before_a_body_begins(body: Sequence[st.Statement], known: list[str]) -> None:
    """Not those that a table's action accesses, nor those of small registers."""
    case = Case()
    case.extern("other", "register", size=4, width=32)
    program = case.table_with(case.read("r", "h.k1")).program(*body)
    found = StateOf(program, LARGE).started_before(tuple(body))
    assert [f"{access.instance} {print_expression(access.index)}" for access in found] == known


def test_accesses_that_a_statement_makes_by_itself() -> None:
    """Of cells by an index: what a direct meter or a counter has is not among them."""
    case = Case()
    case.extern("dm", "direct_meter", unit="packets", automatic=0)
    index = case.get("h.k1")
    for statement, accesses in (
        (case.read("r", "h.k1"), [("r", index)]),
        (case.write("q", "h.k1", "h.k2"), [("q", index)]),
        (case.call("meter.execute", "m", index, out="m3"), [("m", index)]),
        (case.call("counter.count", "c", index), []),
        (case.call("direct_meter.read", "dm", out="m3"), []),
        (case.call("truncate.request", None, index), []),
        (case.set("m1", index), []),
        (if_(valid("h"), [case.read("r", "h.k1")]), []),
    ):
        assert [(access.instance, access.index) for access in own_accesses(statement)] == accesses


def test_cells_of_direct_instances_are_those_of_their_tables() -> None:
    """One for each entry, and one for the default action."""
    case = Case()
    case.extern("dm", "direct_meter", unit="packets", automatic=1)
    case.extern("dc", "direct_counter", unit="packets", automatic=1)
    case.extern("s", "digest")
    case.action("act")
    case.table("t", [("h.k0", "exact")], ["act"], size=99, direct=["dm", "dc"])
    program = case.program(apply("t"))
    cells = {extern.name: state_cells(program, extern)[0] for extern in program.externs}
    assert cells == {"r": 1 << 20, "q": 1 << 20, "m": 1 << 20, "c": 1 << 20, "dm": 100, "dc": 100, "s": 0}
    assert large_state(program, 0) == LARGE and large_counters(program, 0) == {"c", "dc"}
