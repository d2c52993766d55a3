"""What becomes of the packets that were found: scenarios, their frames as short as may be, what of them the time decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, if_, state, valid

pytest.importorskip("z3")

from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program
from transpiler.testgen import generate as module
from transpiler.testgen.choices import Chosen, Outcome
from transpiler.testgen.cover import Coverage
from transpiler.testgen.externs import cell_name, meter_name
from transpiler.testgen.generate import SMALLEST_BYTES, _confirmed, _freed, _shortened, generate, scenario_of
from transpiler.testgen.scenario import Scenario, Sent
from transpiler.testgen.search import Search
from transpiler.testgen.solve import Solver
from transpiler.testgen.walk import Walk, Walker

LARGEST = 40


def base() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8, b=16, c=16)
    b.extern("r", "register", size=4, width=8)
    b.extern("m", "meter", size=4, unit="bytes")
    b.action("put", v=8)
    b.table("t", [("h.b", "exact")], ["put"])
    return b


def program(b: Builder, *ingress: st.Statement) -> Program:
    return b.build([state("start", [extract("h")], goto("accept"))], ingress=ingress, deparser=[emit("h")])


def at(line: int, statement: st.Assign) -> st.Assign:
    """The statement in a line of its own, where it counts for itself."""
    return replace(statement, span=Span("t.p4", line, 1))


def walker(made: Program, coverage: Coverage) -> Walker:
    return Walker(made, coverage, lambda table, possible: possible[0], LARGEST)


def walked(made: Program, choices: Any = None, **assignment: int) -> tuple[Walk, Coverage]:
    coverage = Coverage(made, "")
    return walker(made, coverage).walk(assignment, choices or {}), coverage


def test_a_walk_as_a_scenario() -> None:
    """Cells that were read are set; a meter that marks green needs no rates; entries are those that were chosen."""
    b = base()
    body = (
        apply("t"), b.call("register.read", "r", const(2, 32), out="h.a"), b.set("sm.mcast_grp", 3),
        b.call("meter.execute", "m", const(1, 32), out="h.c"), b.call("meter.execute", "m", const(2, 32), out="h.c"),
        b.call("clone.ingress", None, const(7, 32)),
    )  # fmt: skip
    given = {cell_name("r", 2): 5, meter_name("m", 1): 2, meter_name("m", 2): 0, "p2": 9, "length": 6, "port": 8}
    there = Outcome(True, "")
    choices = {("t", 0): Outcome(True, "put"), ("multicast group", 0): there, ("clone session", 0): there}
    walk, _ = walked(program(b, *body), choices, **given)
    assert scenario_of(program(b, *body), walk) == Scenario(
        8, bytes([0, 0, 9, 0, 0, 0]), (Chosen("t", (9,), "put", (walk.assignment["t#0:put.put.v"],)),),
        registers=(("r", 2, 5),), meters=(("m", 1, 2),), groups=(3,), sessions=(7,),
    )  # fmt: skip
    assert scenario_of(program(b, *body), replace(walk, host=True)).host


@pytest.mark.parametrize(
    ("more", "size"), [(0, SMALLEST_BYTES), (9 * 8, SMALLEST_BYTES), (10 * 8, 15), (35 * 8, LARGEST)]
)
def test_a_frame_is_as_short_as_its_parser_allows(more: int, size: int) -> None:
    """But not shorter than an Ethernet header."""
    b = base()
    made = b.build(
        [state("start", [extract("h"), st.Advance(const(more, 32), AT)], goto("accept"))], deparser=[emit("h")]
    )
    walk, coverage = walked(made)
    found = _shortened(made, coverage, walk)
    assert (
        found is not None
        and len(found.frame) == size
        and found.sent == (Sent(0, bytes(size)[: 5 + size - 5 - more // 8]),)
    )


def test_a_frame_stays_as_long_as_it_is_where_a_shorter_one_goes_another_way() -> None:
    b = base()
    long = if_(binary(">", b.get("sm.packet_length"), const(20, 32)), [at(7, b.set("h.a", 1))])
    made = program(b, long)
    for length, size in ((LARGEST, LARGEST), (21, 21), (20, SMALLEST_BYTES)):
        walk, coverage = walked(made, length=length)
        found = _shortened(made, coverage, walk)
        assert found is not None and len(found.frame) == size
        assert found.covered == walk.covered and found.sent[0].data[0] == (length > 20)


def test_bytes_that_the_time_decides_are_free() -> None:
    b = base()
    body = b.set("h.c", ex.Slice(b.get("sm.ingress_global_timestamp"), 15, 0, AT))
    made = program(b, body)
    walk, coverage = walked(made)
    short = _shortened(made, coverage, walk)
    assert short is not None and [one.free for one in short.sent] == [frozenset()]
    freed = _freed(short, walk, walker(made, coverage), Solver())
    assert [one.free for one in freed.sent] == [{3, 4}] and len(freed.sent[0].data) == SMALLEST_BYTES
    plain = program(b)
    walk, coverage = walked(plain)
    short = _shortened(plain, coverage, walk)
    assert short is not None and _freed(short, walk, walker(plain, coverage), Solver()) == short


def test_what_cannot_be_set_up_is_told_of_and_the_rest_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    b = base()
    made = program(b, apply("t"))
    coverage = Coverage(made, "")
    search = Search(made, coverage, 1e6, LARGEST)
    search.run()
    found = _confirmed(made, coverage, search)
    assert [one.covered for one in found] == [walk.covered for walk in search.found] and found and not search.reasons
    monkeypatch.setattr(module, "_shortened", lambda program, coverage, walk: None)
    assert _confirmed(made, coverage, search) == [] and search.reasons == {"not set up": len(found)}


def test_what_was_generated_is_told_with_its_numbers() -> None:
    b = base()
    made = program(
        b,
        if_(binary("==", b.get("h.a"), const(7, 8)), [at(8, b.set("h.c", 1))]),
        if_(valid("h"), [at(9, b.set("h.c", 2))]),
    )
    ticks = iter(range(100, 10_000, 3))
    found = generate(made, 1e9, clock=lambda: float(next(ticks)))
    items = set(range(len(found.coverage.items)))
    assert found.complete and (found.walks, len(found.tests)) == (3, 2)  # the third packet is too short
    assert found.queries > 0 and found.seconds % 3 == 0 and found.seconds > 0
    assert set().union(*(test.covered for test in found.tests)) == items
    one = generate(made, 1e9, at_most=1, clock=lambda: 0.0)
    assert one.tests == (max(found.tests, key=lambda test: len(test.covered)),)
    assert one.unreached.keys() == items - one.covered and one.covered == one.tests[0].covered and one.seconds == 0
    assert {reason.text for reason in one.unreached.values()} == {
        "left out: more tests than were asked for would be needed"
    }
