"""Small pieces of generated code as text: what becomes of a packet, what functions are given of it, long loops, what the runtime
is told of steering, decisions and a target's counters, which views steps have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import Builder, apply, const, goto, state

from transpiler.architectures.facts import part
from transpiler.codegen.bodies import _title
from transpiler.codegen.burst import _step_views
from transpiler.codegen.c.build import address, call
from transpiler.codegen.c.nodes import Body, Declare, Do, Expression as C, If, Index, Literal, Name
from transpiler.codegen.c.printer import Printer, expression
from transpiler.codegen.expressions import Expressions
from transpiler.codegen.externs import NO_PAYLOAD, Externs
from transpiler.codegen.given import Given
from transpiler.codegen.intrinsics import Intrinsics, sourced
from transpiler.codegen.loops import LongLoops
from transpiler.codegen.names import Names
from transpiler.codegen.outcome import Outcome, with_lasting_records
from transpiler.codegen.scope import Scope
from transpiler.codegen.steps import step
from transpiler.codegen.storage import Storage
from transpiler.codegen.views import DecisionsView, SteeringView
from transpiler.diagnostics import Span
from transpiler.hlir.types import Bits, Bool
from transpiler.schedule.pipeline import Source
from transpiler.schedule.plan import Advance, Finish, Gather, Lap, Receive, Run, RunSubBatches, Start, Step, Transmit
from transpiler.schedule.ready import Ready
from transpiler.schedule.stages import Schedule
from transpiler.schedule.state import StateAccess
from transpiler.schedule.steering import Columns, Node, Steering
from transpiler.targets.target import Counter


def text(body: Body) -> list[str]:
    return Printer().body(body).splitlines()


# --- what becomes of a packet ---------------------------------------------------------------------------------------------

RECORD, VERDICT, BOTH = Outcome(False, True), Outcome(True, False), Outcome(True, True)


@pytest.mark.parametrize(
    ("outcome", "lines"),
    [
        (RECORD, ["packet->verdict = MACS_DROP;", "packet->cause = MACS_CAUSE_ENDLESS;", "return;"]),
        (VERDICT, ["*verdict = MACS_VERDICT_DROP + MACS_CAUSE_ENDLESS;", "return;"]),
        (
            BOTH,
            [
                "packet->verdict = MACS_DROP;", "packet->cause = MACS_CAUSE_ENDLESS;",
                "*verdict = MACS_VERDICT_DROP + MACS_CAUSE_ENDLESS;", "return;",
            ],
        ),
    ],
)  # fmt: skip
def test_a_packet_is_dropped(outcome: Outcome, lines: list[str]) -> None:
    """For a cause, of which the program itself is the usual one, or by a place in the program."""
    assert text(outcome.drop("ENDLESS")) == lines
    usual = [line.replace("ENDLESS", "PROGRAM") for line in lines]
    assert text(outcome.drop()) == usual
    assert text(outcome.drop(at=Name("place"))) == [line.replace("MACS_CAUSE_PROGRAM", "place") for line in usual]


@pytest.mark.parametrize(
    ("outcome", "lines"),
    [
        (RECORD, ["packet->egress_port = 7;", "packet->verdict = MACS_FORWARD;"]),
        (VERDICT, ["packet->egress_port = 7;", "*verdict = macs_verdict_of_port(common, 7);"]),
        (
            BOTH,
            [
                "packet->egress_port = 7;", "packet->verdict = MACS_FORWARD;",
                "*verdict = macs_verdict_of_port(common, 7);",
            ],
        ),
    ],
)  # fmt: skip
def test_a_packet_is_sent_to_a_port(outcome: Outcome, lines: list[str]) -> None:
    assert text(outcome.forward(Literal("7"))) == lines


@pytest.mark.parametrize("group", [None, "group"])
def test_a_packet_goes_on_to_another_pipe(group: str | None) -> None:
    """Where records do not last a function fills one in for it; where they do, it is there."""
    given = None if group is None else Name(group)
    in_record = [*(["packet->multicast_group = group;"] if group else []), "packet->verdict = MACS_REPLICATE;"]
    on = "*verdict = MACS_VERDICT_CONTINUE;"
    assert text(RECORD.go_on("MACS_REPLICATE", given)) == in_record
    assert text(BOTH.go_on("MACS_REPLICATE", given)) == [*in_record, on]
    made = VERDICT.go_on("MACS_REPLICATE", given)
    assert text(made) == [f"macs_go_on(common, packet->handle, live, MACS_REPLICATE, {group or 0});", on]
    lasting = with_lasting_records((If(Name("x"), made), Do(call("f"))))
    assert text(lasting) == ["if (x) {", *(f"    {line}" for line in (*in_record, on)), "}", "f();"]


@pytest.mark.parametrize("requests", [False, True])
def test_a_long_loop_asks_in_each_round_whether_it_must_end(requests: bool) -> None:
    """What the packet has asked for is forgotten then, but that it is a clone."""
    long, short = Span("dir/p.p4", 7, 1), Span("dir/p.p4", 9, 1)
    loops = LongLoops(frozenset({long}), RECORD, requests)
    forget = ["    packet->requests.flags &= MACS_CLONED;"] if requests else []
    assert text(loops.begin_round(long)) == [
        'if (macs_loop_ends(worker, "p.p4:7")) {',
        *forget,
        "    packet->verdict = MACS_DROP;",
        "    packet->cause = MACS_CAUSE_ENDLESS;",
        "    return;",
        "}",
    ]
    assert loops.begin_round(short) == ()


# --- what the runtime knows of a packet -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "c"),
    [
        (Source.INGRESS_PORT, "packet->ingress_port"),
        (Source.EGRESS_PORT, "packet->egress_port"),
        (Source.LENGTH, "packet->length"),
        (Source.INSTANCE, "packet->instance_type"),
        (Source.DIRECTION, "macs_direction_of(worker, packet->ingress_port)"),
        (Source.REPLICA, "packet->replica"),
        (Source.SERVICE, "packet->requests.service"),
        (Source.ARRIVAL_US, "(packet->ingress_ns / 1000)"),
        (Source.NOW_US, "(worker->now_ns / 1000)"),
        (Source.ENQUEUED_US, "(macs_waited_of(packet)->enqueued_ns / 1000)"),
        (Source.WAITED_US, "(macs_waited_of(packet)->waited_ns / 1000)"),
        (Source.DEPTH_BEFORE, "macs_waited_of(packet)->depth_before"),
        (Source.DEPTH_BEHIND, "macs_waited_of(packet)->depth_behind"),
        (Source.QUEUE, "macs_waited_of(packet)->queue"),
    ],
)
def test_where_the_runtime_has_it(source: Source, c: str) -> None:
    """Times are its nanoseconds, and a program's microseconds."""
    assert expression(sourced(source, Bits(32))) == f"(uint32_t){c}"


def test_flags_that_never_change() -> None:
    assert [expression(sourced(source, Bool())) for source in (Source.ZERO, Source.ONE)] == ["false", "true"]


def test_intrinsic_values_are_set_from_the_runtime_and_from_each_other() -> None:
    """Those that the program can name; from one that it cannot, zero."""
    program = Builder().build([state("start", [], goto("accept"))])
    storage = Storage(program, Schedule((), frozenset(), frozenset(), frozenset()), Names())
    made = Intrinsics(program, storage, Scope(), RECORD)
    fills: tuple[tuple[str, Source | str], ...] = (
        ("egress_port", "egress_spec"), ("packet_length", "egress_spec"), ("mcast_grp", Source.ONE),
        ("egress_rid", "no_such_value"), ("no_such_value", Source.LENGTH),
    )  # fmt: skip
    assert text(made.fill(fills)) == [
        "sm_egress_port = sm_egress_spec;",
        "sm_packet_length = (uint32_t)sm_egress_spec;",
        "sm_mcast_grp = 1;",
        "sm_egress_rid = 0;",
    ]
    assert text(made.drop()) == text(RECORD.drop())


def test_a_step_decides_by_the_values_that_the_pipe_has_left() -> None:
    """Those of the next pipe are set behind that, each from what there was: the port before it is set to zero."""
    program = Builder().build([state("start", [], goto("accept"))])
    storage = Storage(program, Schedule((), frozenset(), frozenset(), frozenset()), Names())
    (to_port,) = (known for known in part(program.architecture, "steps").DECISIONS if known.name == "to_port")
    assert text(step(to_port, Intrinsics(program, storage, Scope(), RECORD))) == [
        "packet->egress_port = sm_egress_spec;",
        "packet->verdict = MACS_FORWARD;",
        "sm_egress_port = sm_egress_spec;",
        "sm_egress_spec = 0;",
        "sm_egress_rid = (uint16_t)packet->replica;",
        "sm_packet_length = (uint32_t)packet->length;",
        "sm_instance_type = (uint32_t)packet->instance_type;",
        "sm_egress_global_timestamp = (uint64_t)(worker->now_ns / 1000);",
    ]


# --- what functions are given of a packet ----------------------------------------------------------------------------------

LASTING, FILLED = Given(True, True, "MACS_BIND_ALL"), Given(False, True, "MACS_BIND_DATA")
ALL = ("packet", "live")


def test_what_a_function_is_given_of_a_packet() -> None:
    assert [LASTING.of(named) for named in (("x",), ("live",), ("packet",), ("state",))] == [(), *[("state",)] * 3]
    assert [FILLED.of(named) for named in (("x",), ("live",), ALL, ("state",))] == [(), ("live",), ALL, ()]
    assert text(LASTING.unpacked(ALL)) == [
        "struct macs_packet *const packet = &state->packet;",
        "struct live *const live = &state->live;",
    ]
    assert text(LASTING.unpacked(("live",), constant=True)) == ["const struct live *const live = &state->live;"]
    assert LASTING.unpacked(("x",)) == FILLED.unpacked(ALL) == ()


def test_how_it_is_found_of_a_packet_of_a_burst() -> None:
    assert text(FILLED.of_burst(ALL, "i", "burst->")) == [
        "struct macs_packet record;",
        "struct macs_packet *const packet = &record;",
        "struct live *const live = macs_live(burst->lives, burst->handles, i);",
        "macs_bind(common, packet, burst->handles[i], MACS_BIND_DATA);",
    ]
    assert text(FILLED.of_burst(("live",), "i", "")) == ["struct live *const live = macs_live(lives, handles, i);"]
    assert text(LASTING.of_burst(("state",), "n", "")) == [
        "struct state *const state = macs_state(states, handles, n);"
    ]


def test_how_it_is_found_of_a_packet_that_nothing_is_kept_of_and_of_one_with_a_record() -> None:
    assert text(FILLED.of_its_own(ALL)) == [
        "struct macs_packet own_packet;",
        "struct live own_live;",
        "struct macs_packet *const packet = &own_packet;",
        "struct live *const live = &own_live;",
    ]
    assert text(FILLED.of_record(("state", "packet", "live"), "i")) == [
        "struct state *const state = (struct state *)packets[i];",
        "struct macs_packet *const packet = packets[i];",
        "struct live *const live = macs_live_of(packets[i]);",
    ]


# --- what the runtime is told of a program -----------------------------------------------------------------------------------


def test_how_frames_are_steered() -> None:
    """A leaf has its first term among those of all, how many it has, and its constant."""
    nodes = (Node(12, 0xFFFF, 0x800, 1, 2), Node(0, 0, 0, 1, 1))
    leaves = (Columns(3, ((14, 1), (15, 2))), Columns(0, ()), Columns(5, ((16, 4),)))
    view = SteeringView.of(Steering(frozenset("r"), nodes, leaves, 8, {}))
    assert view == SteeringView(
        ((12, 0xFFFF, 0x800, 1, 2), (0, 0, 0, 1, 1)),
        ((0, 2, 3), (2, 0, 0), (2, 1, 5)),
        ((14, 1), (15, 2), (16, 4)),
        8,
    )
    assert SteeringView.of(Steering(frozenset(), nodes, leaves, 8, {})) is None


def test_what_decisions_are_made_of() -> None:
    b = Builder()
    b.extern("c", "counter", size=4, unit="bytes")
    plain = b.build([state("start", [], goto("accept"))])
    assert DecisionsView.of(plain, None) is None
    b.extern("cache", "decisions", key_words=2, kept_words=3, counts=4, lookups=5)
    ready = Ready((), (), ())
    view = DecisionsView.of(b.build([state("start", [], goto("accept"))]), ready)
    assert view == DecisionsView(2, 3, 4, 5, ready)
    assert view is not None and view.shape == "&(const struct macs_decisions_shape){2, 3, 4, 5}"
    assert view.words == "(MACS_DECISION_KEY + 2 + 3 + 4)"


def test_the_counters_of_a_target_stand_behind_those_of_the_program() -> None:
    b = Builder()
    for name in ("one", "two"):
        b.extern(name, "counter", size=4, unit="bytes")
    externs = Externs(b.build([state("start", [], goto("accept"))]), Names())
    own = externs.own((Counter("lost", 7), Counter("late", 1)))
    assert [(e.name, e.control_name.text, e.number, e.kind, e.size, e.unit, e.cite.text) for e in own] == [
        ("macs_target_lost", "target.lost", 2, "MACS_COUNTER", "7", "MACS_PACKETS_AND_BYTES", "the target's"),
        ("macs_target_late", "target.late", 3, "MACS_COUNTER", "1", "MACS_PACKETS_AND_BYTES", "the target's"),
    ]


# --- hashes ------------------------------------------------------------------------------------------------------------------

PAYLOAD: tuple[C, C] = (Name("rest"), Name("size"))


def hashing(*widths: int, **more: Any) -> tuple[Externs, Expressions, Builder, Any]:
    """Of a program with variables m.v0, m.v1, … of those widths and a table t by them, its selector s with these attributes."""
    b = Builder()
    b.variable("m.k", 8)
    for number, width in enumerate(widths):
        b.variable(f"m.v{number}", width)
    if more:
        b.extern("s", "action_selector", size=8, **more)
        selectors = [(f"m.v{number}", "selector") for number in range(len(widths))]
        b.table("t", [("m.k", "exact"), *selectors], [], implementation="s")
    program = b.build([state("start", [], goto("accept"))], [apply("t")] if more else [])
    storage = Storage(program, Schedule((), frozenset(), frozenset(), frozenset()), Names())
    return Externs(program, Names()), Expressions(storage, Scope()), b, program


@pytest.mark.parametrize(
    ("algorithm", "widths", "payload", "before", "list_", "c"),
    [
        ("random", (8,), False, None, None, "macs_random_next(worker)"),
        ("crc16", (8,), False, None, 1, "macs_checksum_crc16((struct macs_bytes){list, 1, NULL, 0})"),
        ("crc16", (4, 5), False, None, 2, "macs_checksum_crc16((struct macs_bytes){list, 2, NULL, 0})"),
        ("crc32", (), False, None, 1, "macs_checksum_crc32((struct macs_bytes){list, 0, NULL, 0})"),
        ("crc32", (), True, None, 1, "macs_checksum_crc32((struct macs_bytes){list, 0, rest, size})"),
        ("crc32", (48, 48), False, None, 16, "macs_checksum_crc32((struct macs_bytes){list + 4, 12, NULL, 0})"),
        ("crc32", (64, 64), False, None, 16, "macs_checksum_crc32((struct macs_bytes){list, 16, NULL, 0})"),
        ("xor16", (48, 48), False, None, 16, "macs_checksum_xor16((struct macs_bytes){list, 12, NULL, 0})"),
        ("crc32", (48, 48), True, "then", 16, "macs_extend_crc32(then, (struct macs_bytes){list + 4, 12, rest, size})"),
        ("crc16", (8,), False, "then", 1, "macs_extend_crc16(then, (struct macs_bytes){list, 1, NULL, 0})"),
        ("csum16", (48, 48), False, None, None, "macs_checksum_of_sum(sum)"),
        ("csum16", (48, 48), True, None, 16, "macs_checksum_csum16((struct macs_bytes){list, 12, rest, size})"),
        ("csum16", (80,), False, None, 16, "macs_checksum_csum16((struct macs_bytes){list, 10, NULL, 0})"),
    ],
)
def test_what_is_hashed(
    algorithm: str, widths: tuple[int, ...], payload: bool, before: str | None, list_: int | None, c: str
) -> None:
    """CRCs of bytes beside whole words begin with these. A payload is none of what is added up."""
    externs, render, b, _ = hashing(*widths)
    values = tuple(b.get(f"m.v{number}") for number in range(len(widths)))
    given = (PAYLOAD,) if payload else (NO_PAYLOAD,)
    made, result = externs.hash(render, algorithm, values, *given, None if before is None else Name(before))
    assert expression(result) == c
    assert [s.size for s in made if isinstance(s, Declare) and s.name == "list"] == ([] if list_ is None else [list_])


@pytest.mark.parametrize(
    ("width", "mask"), [(1, " & 1"), (14, " & 0x3fff"), (63, f" & UINT64_C({(1 << 63) - 1:#x})"), (64, "")]
)
def test_the_bits_of_a_hash_that_choose_a_member(width: int, mask: str) -> None:
    externs, render, _, program = hashing(16, algorithm="crc16", width=width)
    (*_, chosen) = text(externs.selection(render, program.table["t"]))
    assert chosen == f"selected = macs_checksum_crc16((struct macs_bytes){{list, 2, NULL, 0}}){mask};"
    (gathered,) = text(externs.selection(render, program.table["t"], Name("there")))
    assert gathered == chosen.replace("list", "there")
    made, size = externs.gather(render, program.table["t"], Name("there"))
    assert (text(made), size) == (["macs_store_bytes(there, 2, m_v0);"], 2)


@pytest.mark.parametrize("algorithm", ["random", "csum16"])
def test_of_what_is_not_packed_nothing_is_gathered(algorithm: str) -> None:
    externs, render, _, program = hashing(16, algorithm=algorithm, width=16)
    assert externs.gather(render, program.table["t"], Name("there")) == ((), 0)
    whole = externs.selection(render, program.table["t"])
    assert externs.selection(render, program.table["t"], Name("there")) == whole


# --- views of steps and stages ---------------------------------------------------------------------------------------------

COPY = (Declare("struct macs_register", "registers_1"),)
TALLY = (call("macs_register_settle8", address(Index(Name("tallies_1"), Literal("0")))),)


def stage(**changes: Any) -> Any:
    return SimpleNamespace(
        **({"lookups": ("a", "b", "c"), "settlements": (), "kept": None, "copies": (), "holds": False} | changes)
    )


@pytest.mark.parametrize(
    ("made", "of", "kinds"),
    [
        (Receive(), {}, ["receive"]),
        (Run(1), {}, ["run"]),
        (Run(1, (0,)), {}, ["run_words"]),
        (RunSubBatches(1, (0,), 0), {}, ["run_sub_batches"]),
        (Advance(1, (0,)), {}, ["advance"]),
        (Advance(1, (0,), next_burst=True), {}, ["advance_next"]),
        (Run(1), {"copies": COPY}, ["prepare", "run"]),
        (Run(1), {"kept": COPY[0]}, ["prepare", "run"]),
        (Run(1), {"holds": True}, ["run", "release"]),
        (RunSubBatches(1, (0,), 0), {"settlements": TALLY}, ["prepare", "run_sub_batches", "release"]),
        (Gather(1, True), {"settlements": TALLY, "holds": True, "copies": COPY}, ["gather"]),
        (Start(1, (0,)), {"settlements": TALLY, "holds": True, "copies": COPY}, ["start"]),
        (Lap(1, "run"), {"settlements": TALLY, "holds": True, "copies": COPY}, ["lap"]),
    ],
)  # fmt: skip
def test_what_a_step_is_made_of(made: Step, of: dict[str, Any], kinds: list[str]) -> None:
    """What a stage copies is there before its work, what it adds up is settled, and what it holds released, behind it."""
    stages: Any = (stage(**of), stage(**of))
    assert [view.kind for view in _step_views(made, stages)] == kinds


def test_the_lookups_that_a_step_is_about() -> None:
    stages: Any = (stage(), stage(lookups=("x", "y", "z")))
    (view,) = _step_views(Finish(1, (2, 0)), stages)
    assert view.lookups == ("z", "x") and view.step == Finish(1, (2, 0))
    (view,) = _step_views(Transmit(), stages)
    assert (view.kind, view.lookups) == ("transmit", ())


@pytest.mark.parametrize(
    ("name", "tables", "cells", "title"),
    [
        ("entry", "", "", "the beginning"),
        ("merge", "", "", "where several ways meet"),
        ("clone", "", "", "clone"),
        ("a", "a", "", "the result of a"),
        ("a", "a b", "", "the results of a, b"),
        ("r", "", "r q r", "the cells of r, q"),
        ("a", "a", "r", "the result of a and the cells of r"),
    ],
)
def test_what_a_stage_begins_with(name: str, tables: str, cells: str, title: str) -> None:
    prefetched = tuple(StateAccess(cell, const(0, 32)) for cell in cells.split())
    made: Any = SimpleNamespace(name=name, lookups=tuple(map(apply, tables.split())), prefetched=prefetched)
    assert _title(made) == title
