"""Regions that are atomic for the registers that they touch: where they begin, what they hold, which registers are one group."""

from __future__ import annotations

from typing import Any

import pytest
from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, if_, state, valid

from transpiler.diagnostics import Span
from transpiler.hlir import statements as st
from transpiler.hlir.program import Control, Role
from transpiler.hlir.traverse import walk
from transpiler.schedule.atomic_regions import AtomicRegions, Group, Kept, Region, Ways, notes, with_atomic_regions
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.state import HOLD, held_registers
from transpiler.schedule.steering import Steering
from transpiler.verifier import verify


class Case(Builder):
    """A header h, metadata m0 … m3, registers r, q and wide, a table t with an action that does what a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.header("h", "h_t", **{f"k{i}": 32 for i in range(4)})
        for i in range(4):
            self.variable(f"m{i}", 32)
        self.variable("w", 96)
        for name in ("r", "q"):
            self.extern(name, "register", size=1 << 20, width=32)
        self.extern("wide", "register", size=1 << 20, width=96)

    def regions(
        self, *ingress: st.Statement, action: tuple[st.Statement, ...] = (), updates: bool = False
    ) -> AtomicRegions:
        """With holds, unless `updates` may be used."""
        self.action("act", *action)
        self.table("t", [("h.k0", "exact")], ["act"])
        start = state("start", [extract("h")], goto("accept"))
        made = with_atomic_regions(self.build([start], ingress, (), [emit("h")]), Ways(updates=updates, steering=False))
        assert not verify(made.program)
        return made

    def read(self, register: str, index: str, into: str = "m1") -> st.CallExtern:
        return self.call("register.read", register, self.get(index), out=into)

    def write(self, register: str, index: str, what: str = "m1") -> st.CallExtern:
        return self.call("register.write", register, self.get(index), self.get(what))

    def update(self, register: str, index: str) -> tuple[st.Statement, ...]:
        return self.read(register, index), self.write(register, index)


def order(made: AtomicRegions) -> list[str]:
    """The calls of ingress, a hold with the number of its indexes."""
    control = made.program.pipe(Role.INGRESS)
    assert isinstance(control, Control)
    calls = [s for s in walk(control.body) if isinstance(s, st.CallExtern)]
    return [f"hold {len(s.inputs[0].items)}" if s.method == HOLD else f"{s.method[9:]} {s.instance}" for s in calls]  # type: ignore[union-attr]


def test_a_read_and_a_write_are_a_region() -> None:
    case = Case()
    made = case.regions(*case.update("r", "h.k0"))
    assert order(made) == ["hold 1", "read r", "write r"]
    assert made.groups == (Group(frozenset({"r"}), Kept.STRIPES),)


def test_a_write_waits_for_those_who_read_and_write() -> None:
    """It would be lost between their read and their write; a read is not."""
    case = Case()
    arms = if_(
        valid("h"), case.update("r", "h.k0"), [if_(valid("h"), [case.write("r", "h.k1")], [case.read("r", "h.k1")])]
    )
    assert order(case.regions(arms)) == ["hold 1", "read r", "write r", "hold 1", "write r", "read r"]


def test_several_reads_of_what_packets_write_are_a_region() -> None:
    case = Case()
    reads = (case.read("r", "h.k0"), case.read("r", "h.k1", "m2"))
    assert order(case.regions(if_(valid("h"), reads, [case.write("r", "h.k2")])))[0] == "hold 2"


def test_a_region_holds_what_actions_of_its_tables_hold() -> None:
    """The action would else let go of what the region holds."""
    case = Case()
    body = (case.read("r", "h.k0"), apply("t"), case.write("r", "h.k0"))
    made = case.regions(*body, action=case.update("q", "h.k1"))
    assert made.groups == (Group(frozenset({"r", "q"}), Kept.LOCK),)


@pytest.mark.parametrize("looped", [False, True])
def test_an_index_that_a_branch_or_a_loop_computes_is_not_known(looped: bool) -> None:
    case = Case()
    inside = (case.set("m0", case.get("h.k1")), case.write("r", "m0"))
    inner = st.While(valid("h"), inside, AT) if looped else if_(valid("h"), inside)
    made = case.regions(case.read("r", "h.k0"), inner)
    assert made.groups == (Group(frozenset({"r"}), Kept.LOCK),)
    assert order(made)[0] == "hold 0"


def test_one_lock_without_stripes() -> None:
    case = Case()
    program = case.build([state("start", [extract("h")], goto("accept"))], case.update("r", "h.k0"), (), [emit("h")])
    assert with_atomic_regions(program, Ways(False, False, False)).groups == (Group(frozenset({"r"}), Kept.LOCK),)


@pytest.mark.parametrize("method", ["read", "write"])
def test_one_access_is_atomic_by_itself(method: str) -> None:
    case = Case()
    made = case.regions(case.read("r", "h.k0") if method == "read" else case.write("r", "h.k0"))
    assert not made.regions and not made.groups


def test_reads_alone_need_no_lock_unless_the_cell_is_wide() -> None:
    case = Case()
    assert not case.regions(case.read("r", "h.k0"), case.read("r", "h.k1", "m2")).groups
    case = Case()
    assert case.regions(case.read("wide", "h.k0", "w")).groups == (Group(frozenset({"wide"}), Kept.STRIPES),)


@pytest.mark.parametrize(("width", "held"), [(63, False), (64, False), (65, True)])
def test_one_read_of_a_cell_of_more_bits_than_a_word_is_a_region(width: int, held: bool) -> None:
    case = Case()
    case.variable("x", width)
    case.extern("of_width", "register", size=4, width=width)
    assert order(case.regions(case.read("of_width", "h.k0", "x"))) == ["hold 1"] * held + ["read of_width"]


def test_each_arm_is_a_region_of_its_own() -> None:
    case = Case()
    made = case.regions(if_(valid("h"), case.update("r", "h.k0"), [case.write("r", "h.k1")]))
    assert order(made) == ["hold 1", "read r", "write r", "hold 1", "write r"]


def test_registers_of_one_body_are_held_together() -> None:
    case = Case()
    made = case.regions(*case.update("r", "h.k0"), *case.update("q", "h.k1"))
    assert order(made) == ["hold 2", "read r", "write r", "read q", "write q"]
    assert made.groups == (Group(frozenset({"r", "q"}), Kept.STRIPES),)


def test_a_register_within_the_region_of_another_is_held_with_it() -> None:
    case = Case()
    inside = if_(binary("==", case.get("m1"), const(0, 32)), [case.write("q", "h.k1")])
    made = case.regions(case.read("r", "h.k0"), inside, case.write("r", "h.k0"))
    assert order(made) == ["hold 2", "read r", "write q", "write r"]


def test_an_index_of_one_region_counts_once() -> None:
    case = Case()
    assert order(case.regions(*case.update("r", "h.k0"), *case.update("q", "h.k0")))[0] == "hold 1"


def test_an_index_that_is_not_known_locks_all_of_the_group_everywhere() -> None:
    """q's index is what r holds: nobody knows its stripe when the region begins."""
    case = Case()
    chained = (case.read("r", "h.k0"), case.read("q", "m1", "m2"), case.write("r", "h.k0"))
    made = case.regions(if_(valid("h"), chained, case.update("q", "h.k1")))
    assert order(made) == ["hold 0", "read r", "read q", "write r", "hold 1", "read q", "write q"]
    assert made.groups == (Group(frozenset({"r", "q"}), Kept.LOCK),)


def test_actions_have_regions_of_their_own() -> None:
    case = Case()
    made = case.regions(apply("t"), *case.update("r", "h.k1"), action=case.update("r", "h.k0"))
    assert [region.where for region in made.regions] == ["control Ingress", "action act"]
    assert [s.method for s in made.program.action["act"].body] == [HOLD, "register.read", "register.write"]  # type: ignore[union-attr]


def test_a_loop_makes_several_accesses_of_one() -> None:
    case = Case()
    loop = st.While(binary("<", case.get("m1"), const(3, 32)), (case.write("r", "h.k0"), case.set("m1", 3)), AT)
    assert order(case.regions(loop)) == ["hold 1", "write r"]


def test_a_region_is_never_cut() -> None:
    """The table is looked up between a hold and what it holds: at once, in the same stage."""
    case = Case()
    made = case.regions(case.read("r", "h.k1"), case.set("h.k0", case.get("m1")), apply("t"), case.write("r", "h.k1"))
    plan = schedule(made.program, Options(large=frozenset({"r", "q"})))
    assert len(plan.pipes[0].stages) == 2 and "t" in plan.synchronous


def test_all_that_a_region_holds_is_in_one_stage_with_the_hold() -> None:
    case = Case()
    made = case.regions(case.read("r", "h.k0", "m1"), case.read("q", "m1", "m2"), case.write("r", "h.k0", "m2"))
    plan = schedule(made.program, Options(large=frozenset({"r", "q"})))
    assert len(plan.pipes[0].stages) == 2


def test_names_of_registers_may_have_commas() -> None:
    case = Case()
    case.extern("r,q", "register", size=8, width=32)
    made = case.regions(*case.update("r,q", "h.k0"))
    assert held_registers(made.program.pipe(Role.INGRESS).body[0]) == ("r,q",)  # type: ignore[union-attr, arg-type]


def region(registers: str, where: str = "C.act", line: int = 7, **changes: Any) -> Region:
    return Region(where, Span("p.p4", line, 5), frozenset(registers), (), **{"known": True, **changes})


def told(*regions: Region, updated: str = "", **changes: Any) -> list[str]:
    """Of registers a to d of 32 bits, and w of 65."""
    b = Builder()
    for name in "abcdw":
        b.extern(name, "register", size=4, width=65 if name == "w" else 32)
    program = b.build([state("start", [], goto("accept"))])
    return list(notes(AtomicRegions(program, regions, frozenset(updated), **changes)))


def test_what_is_told_of_groups() -> None:
    """In the order of the program's registers; registers of one region are together, and so are those of regions that share one.
    A region with more than one update decides, and before it one whose indexes are not known."""
    update = (region("a", update=()), region("a", "C.more", 9, update=()))
    assert told(*update, updated="a") == ["register a: atomic updates; touched in C.act (p.p4:7:5), C.more (p.p4:9:5)"]
    assert told(region("bc"), region("ad", "C.b", 8)) == [
        "registers a, d: a lock for each stripe of indexes, as C.b (p.p4:8:5) is more than one update of one cell; "
        "touched in C.b (p.p4:8:5)",
        "registers b, c: a lock for each stripe of indexes, as C.act (p.p4:7:5) is more than one update of one cell; "
        "touched in C.act (p.p4:7:5)",
    ]
    assert told(region("ab"), region("bc", "C.b", 8, known=False), region("c", "C.c", 9)) == [
        "registers a, b, c: one lock, as C.b (p.p4:8:5) learns an index only when it has begun; "
        "touched in C.act (p.p4:7:5), C.b (p.p4:8:5), C.c (p.p4:9:5)"
    ]
    assert told(region("w")) == [
        "register w: a lock for each stripe of indexes, as cells are wider than 64 bits; touched in C.act (p.p4:7:5)"
    ]
    assert told(region("a", update=()), region("a", "C.b", 8)) == [
        "register a: a lock for each stripe of indexes, as C.b (p.p4:8:5) is more than one update of one cell; "
        "touched in C.act (p.p4:7:5), C.b (p.p4:8:5)"
    ]
    assert told(region("aw")) == [
        "registers a, w: a lock for each stripe of indexes, as cells are wider than 64 bits; touched in C.act (p.p4:7:5)"
    ]
    assert told(region("a", several=False)) == [
        "register a: a lock for each stripe of indexes; touched in C.act (p.p4:7:5)"
    ]


@pytest.mark.parametrize(
    ("ways", "more", "how"),
    [
        (Ways(stripes=False), {}, "one lock, as C.act (p.p4:7:5) is more than one update of one cell"),
        (Ways(updates=False), {}, "a lock for each stripe of indexes"),
        (
            Ways(updates=False),
            {"steering": Steering(frozenset("a"), columns=3)},
            "sharded over up to 8 workers where ports steer frames, else a lock for each stripe of indexes",
        ),
        (
            Ways(updates=False),
            {"steering": Steering(refused={"a": "it is so"})},
            "a lock for each stripe of indexes; not sharded, as it is so",
        ),
        (
            Ways(updates=False),
            {"steering": Steering(refused={"": "all are so", "b": "b is"})},
            "a lock for each stripe of indexes; not sharded, as all are so",
        ),
        (
            Ways(updates=False),
            {"steering": Steering(refused={"a": "it is so"}), "added": frozenset("ab")},
            "a lock for each stripe of indexes; not sharded, as packets only add to it",
        ),
        (
            Ways(updates=False, steering=False),
            {"steering": Steering(refused={"a": "it is so"}), "added": frozenset("ab")},
            "a lock for each stripe of indexes",
        ),
    ],
)
def test_what_is_told_of_ways(ways: Ways, more: dict[str, Any], how: str) -> None:
    assert told(region("a"), ways=ways, **more) == [f"register a: {how}; touched in C.act (p.p4:7:5)"]
