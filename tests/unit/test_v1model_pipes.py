"""v1model's pipes: which there are for a program, what is known of a step beforehand, and the decisions as C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16
from hlir_builder import Builder, const, emit, extract, goto, state

from macsad.resources import share
from transpiler.architectures.v1model import pipes
from transpiler.architectures.v1model.facts import DROP_PORT, Instance
from transpiler.architectures.v1model.pipes import (
    DECIDE,
    DEQUEUE,
    DIVERT,
    ENQUEUE,
    FINISH,
    FORWARD,
    TO_PORT,
    asks_for_queues,
    begins_again,
    drops_for_good,
    plan,
    plan_apart,
    plan_with_queues,
    plan_with_replication,
    preserved_lists,
    replicates,
    second_passes,
    specialise,
)
from transpiler.codegen.generate import generate
from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.hlir import statements as st
from transpiler.hlir.program import Program
from transpiler.optimisations import ALL
from transpiler.passes.pipeline import optimise
from transpiler.schedule.pipeline import DROP, DROPPED_AT, PASS, Restart, Source as From, Step
from transpiler.switches import configuration
from transpiler.targets.find import builtin

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<16> g; }}
struct H {{ h_t h; }}
struct M {{ @field_list(1) bit<8> m; }}
parser P(packet_in packet, out H hdr, inout M meta, inout standard_metadata_t sm) {{
    state start {{ packet.extract(hdr.h); transition accept; }}
}}
control V(inout H hdr, inout M meta) {{ apply {{ }} }}
control I(inout H hdr, inout M meta, inout standard_metadata_t sm) {{ apply {{ sm.egress_spec = (bit<9>) hdr.h.a; {ingress} }} }}
control E(inout H hdr, inout M meta, inout standard_metadata_t sm) {{ apply {{ {egress} }} }}
control C(inout H hdr, inout M meta) {{ apply {{ }} }}
control D(packet_out packet, in H hdr) {{ apply {{ packet.emit(hdr.h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def loaded(tmp_path: Path, ingress: str = "", egress: str = "") -> Program:
    file = tmp_path / "t.p4"
    file.write_text(PROGRAM.format(ingress=ingress, egress=egress))
    return P4_16().load(Source(file), Diagnostics())


def made(*ingress: st.Statement, egress: Sequence[st.Statement] = (), b: Builder | None = None) -> Program:
    b = b or base()
    return b.build(
        [state("start", [extract("h")], goto("accept"))], ingress=ingress, egress=egress, deparser=[emit("h")]
    )


def base() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8, b=16)
    b.variable("meta.x", 8)
    b.variable("meta.y", 8)
    return b


B = base()
GROUP = B.set("sm.mcast_grp", 5)
NO_GROUP = B.set("sm.mcast_grp", 0)
CLONE_I = B.call("clone.ingress", None, const(9, 32), fields=["meta.x"])
CLONE_E = B.call("clone.egress", None, const(9, 32))
RESUBMIT = B.call("resubmit.request", None, fields=["meta.x"])
RECIRCULATE = B.call("recirculate.request", None, fields=["meta.y", "meta.x"])
TRUNCATE = B.call("truncate.request", None, const(9, 32))
CIPHER = B.call("cipher.encrypt", None, const(1, 128), const(2, 128))
RANDOM_GROUP = B.call("random.range", None, const(1, 16), const(2, 16), out="sm.mcast_grp")


@pytest.mark.parametrize(
    ("ingress", "egress", "names", "copies", "second", "again"),
    [
        ([], [], ["ingress"], False, False, False),
        ([NO_GROUP], [], ["ingress"], False, False, False),
        ([TRUNCATE], [], ["ingress"], False, False, False),
        ([GROUP], [], ["ingress", "egress"], True, False, False),
        ([RANDOM_GROUP], [], ["ingress", "egress"], True, False, False),
        ([CLONE_I], [], ["ingress", "clone", "egress"], True, True, False),
        ([], [CLONE_E], ["ingress", "clone", "egress"], True, True, False),
        ([RESUBMIT], [], ["ingress", "egress"], True, True, True),
        ([], [RECIRCULATE], ["ingress", "egress"], True, True, True),
    ],
)
def test_which_pipes_there_are(
    ingress: list[st.Statement], egress: list[st.Statement], names: list[str], copies: bool, second: bool, again: bool
) -> None:
    """One, where no packet is replicated. A clone is put together in a pipe of its own."""
    program = made(*ingress, egress=egress)
    assert [pipe.name for pipe in plan(program)] == names
    assert (replicates(program), second_passes(program), begins_again(program)) == (copies, second, again)
    decided = [item for pipe in plan(program) for item in pipe.items if item in (FORWARD, DECIDE)]
    assert decided == [DECIDE if copies else FORWARD]
    assert [pipe.renews for pipe in plan(program)] == [True, *[False] * (len(names) - 1)]
    restarts = [item for pipe in plan(program) for item in pipe.items if isinstance(item, Restart)]
    assert [one.keeps_headers for one in restarts] == [CLONE_E in egress] * ("clone" in names)


@pytest.mark.parametrize(
    ("ingress", "merged"),
    [
        ([], False), ([GROUP], True), ([GROUP, TRUNCATE], False), ([GROUP, CIPHER], False), ([GROUP, CLONE_I], False),
        ([CLONE_I], False), ([CIPHER], False),
    ],
)  # fmt: skip
def test_multicast_alone_leaves_ingress_and_egress_together(ingress: list[st.Statement], merged: bool) -> None:
    """But for the copies, which go through egress again."""
    found = plan_with_replication(made(*ingress))
    assert bool(found) is merged
    if merged:
        first, second = found
        assert DIVERT in first.items and first.renews and not first.replication
        assert second.replication and not second.renews and DIVERT not in second.items


def test_pipes_where_packets_wait() -> None:
    program = made()
    first, second = plan_with_queues(program)
    assert ENQUEUE in first.items and second.items[0] == DEQUEUE and first.keeps == ()
    apart, behind = plan_apart(program)
    assert DECIDE in apart.items and behind.items[0] == pipes.BEGIN_EGRESS
    told = dict(DEQUEUE.fills)
    assert {name: told[name] for name, _ in pipes._QUEUEING} == dict(pipes._QUEUEING)
    assert [name for name, _ in DEQUEUE.fills] == [name for name, _ in pipes.BEGIN_EGRESS.fills]


def test_steps_that_fill_what_a_pipe_begins_with() -> None:
    """simple_switch: egress does not see what ingress has chosen, and a packet that waits nowhere goes in and out at once."""
    begins = {
        "egress_port": From.EGRESS_PORT, "egress_spec": From.ZERO, DROPPED_AT: From.ZERO, "egress_rid": From.REPLICA,
        "packet_length": From.LENGTH, "instance_type": From.INSTANCE, "egress_global_timestamp": From.NOW_US,
        "enq_timestamp": From.NOW_US, "enq_qdepth": From.ZERO, "deq_timedelta": From.ZERO, "deq_qdepth": From.ZERO,
        "qid": From.ZERO,
    }  # fmt: skip
    waited = {
        "enq_timestamp": From.ENQUEUED_US, "enq_qdepth": From.DEPTH_BEFORE, "deq_timedelta": From.WAITED_US,
        "deq_qdepth": From.DEPTH_BEHIND, "qid": From.QUEUE,
    }  # fmt: skip
    assert dict(pipes.BEGIN_EGRESS.fills) == begins and dict(DEQUEUE.fills) == begins | waited
    for step in (FORWARD, DIVERT, TO_PORT):
        assert dict(step.fills) == begins | {"egress_port": "egress_spec"}
        assert [name for name, _ in step.fills][:2] == ["egress_port", "egress_spec"]  # it is read before it is zero
    arrival = {"ingress_port": From.INGRESS_PORT, "ingress_global_timestamp": From.ARRIVAL_US}
    assert dict(pipes.BEGIN_CLONE.fills) == arrival
    assert dict(pipes.BEGIN_INGRESS.fills) == arrival | {
        "packet_length": From.LENGTH, "instance_type": From.INSTANCE,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("enq_qdepth", True),
        ("deq_qdepth", True),
        ("deq_timedelta", True),
        ("enq_timestamp", False),
        ("egress_port", False),
    ],
)
def test_who_asks_for_queues(name: str, asks: bool, tmp_path: Path) -> None:
    """The time of entry is known without one."""
    assert asks_for_queues(loaded(tmp_path, egress=f"hdr.h.g = (bit<16>) sm.{name};")) is asks
    assert not asks_for_queues(loaded(tmp_path))


def test_lists_of_fields_that_a_second_pass_keeps() -> None:
    """Each once, by its fields in their order; the empty one comes first, and what keeps nothing has that."""
    program = made(CLONE_I, RESUBMIT, egress=[RECIRCULATE, CLONE_E])
    assert [[name for name, _ in fields] for fields in preserved_lists(program)] == [
        [],
        ["meta.x"],
        ["meta.y", "meta.x"],
    ]
    assert plan(program)[0].keeps == (1, 2)
    assert preserved_lists(made()) == ((),)


SPEC, MCAST = pipes.EGRESS_SPEC, pipes.MULTICAST_GROUP


@pytest.mark.parametrize(
    ("step", "known", "becomes"),
    [
        (FORWARD, {}, FORWARD), (FORWARD, {SPEC: 3}, TO_PORT), (FORWARD, {SPEC: 0}, TO_PORT), (FORWARD, {SPEC: DROP_PORT}, DROP),
        (FINISH, {}, FINISH), (FINISH, {SPEC: 3}, PASS), (FINISH, {SPEC: DROP_PORT}, DROP),
        (DECIDE, {}, DECIDE), (DECIDE, {SPEC: 3}, DECIDE), (DECIDE, {SPEC: DROP_PORT}, DECIDE),
        (DECIDE, {MCAST: 0}, DECIDE), (DECIDE, {MCAST: 0, SPEC: 3}, DECIDE), (DECIDE, {MCAST: 0, SPEC: DROP_PORT}, DROP),
        (DECIDE, {MCAST: 4, SPEC: DROP_PORT}, DECIDE),
        (DIVERT, {}, DIVERT), (DIVERT, {MCAST: 1}, DIVERT), (DIVERT, {MCAST: 0}, FORWARD), (DIVERT, {MCAST: 0, SPEC: 3}, TO_PORT),
        (DIVERT, {MCAST: 0, SPEC: DROP_PORT}, DROP), (DIVERT, {SPEC: DROP_PORT}, DIVERT),
        (ENQUEUE, {MCAST: 0, SPEC: DROP_PORT}, ENQUEUE), (TO_PORT, {SPEC: DROP_PORT}, TO_PORT),
    ],
)  # fmt: skip
def test_what_is_known_of_a_decision(step: Step, known: dict[str, int], becomes: Step) -> None:
    """Multicast goes before the drop port, so a packet is dropped for sure only if it is in no group."""
    assert specialise(made(), step, known.get) == becomes


def test_a_packet_that_is_cloned_as_it_leaves_is_decided_on_in_any_case() -> None:
    program = made(egress=[CLONE_E])
    assert specialise(program, FINISH, {SPEC: DROP_PORT}.get) == FINISH == specialise(program, FINISH, {SPEC: 3}.get)


@pytest.mark.parametrize(
    ("ingress", "known"),
    [
        ([], {SPEC: DROP_PORT}), ([GROUP], {SPEC: DROP_PORT, MCAST: 0}), ([CLONE_I], {}), ([RESUBMIT], {}),
    ],
)  # fmt: skip
def test_when_a_drop_is_for_good(ingress: list[st.Statement], known: dict[str, int]) -> None:
    assert drops_for_good(made(*ingress)) == known


def test_how_packets_came_to_be_has_the_numbers_of_simple_switch() -> None:
    assert [(one.name, one.value) for one in Instance] == [
        ("NORMAL", 0), ("INGRESS_CLONE", 1), ("EGRESS_CLONE", 2), ("COALESCED", 3), ("RECIRCULATED", 4), ("REPLICATED", 5),
        ("RESUBMITTED", 6),
    ]  # fmt: skip
    assert dict(pipes.DESCRIPTION.instances) == {
        "ingress_clone": 1, "egress_clone": 2, "recirculated": 4, "replicated": 5, "resubmitted": 6,
    }  # fmt: skip


# --- as C ------------------------------------------------------------------------------------------------------------


CUT = ["MACS_TRUNCATE | MACS_RECIRCULATE", "macs_layout_truncate(packet)"]


@pytest.mark.parametrize(
    ("ingress", "egress", "queues", "there", "missing"),
    [
        ("", "hdr.h.a = 1;", False, [], ["MACS_REPLICATE", "macs_set_priority", "macs_clone_egress", "MACS_NORMAL"]),
        ("if (hdr.h.g == 1) { mark_to_drop(sm); }", "", False, ["== 0x1ff"], ["MACS_REPLICATE"]),
        ("sm.mcast_grp = hdr.h.g;", "", False, ["MACS_REPLICATE"], ["macs_clone_egress", "MACS_NORMAL"]),
        ("sm.priority = hdr.h.a[2:0];", "", True, ["macs_set_priority"], []),
        ("sm.priority = hdr.h.a[2:0];", "", False, [], ["macs_set_priority"]),
        ("", "clone(CloneType.E2E, 5);", False, ["macs_clone_egress", "MACS_CLONE_EGRESS"], ["MACS_NORMAL"]),
        ("", "clone(CloneType.E2E, 5);", False, CUT, []),  # as long as the session says
        ("", "clone_preserving_field_list(CloneType.E2E, 5, 1);", False, CUT, []),
        ("truncate(20);", "", False, CUT, ["macs_clone_egress"]),
        ("", "truncate(20);", False, CUT, ["macs_clone_egress"]),
        ("", "", False, [], CUT),
        ("clone(CloneType.I2E, 5);", "", False, [], CUT),
        ("sm.mcast_grp = hdr.h.g;", "", False, [], CUT),
        ("resubmit_preserving_field_list(1);", "", False, ["macs_request_resubmit", "MACS_NORMAL"], ["macs_clone_egress"]),
    ],
)  # fmt: skip
def test_decisions_as_c(
    ingress: str, egress: str, queues: bool, there: list[str], missing: list[str], tmp_path: Path
) -> None:
    """A program has the C of what it may ask for, and no other."""
    program = optimise(loaded(tmp_path, ingress, egress))
    how = configuration(ALL)
    how = replace(how, scheduler=replace(how.scheduler, queues=queues))
    c = generate(program, builtin(), share("templates"), Diagnostics(), how).c
    assert [one for one in there if one not in c] == []
    assert [one for one in missing if one in c] == []
