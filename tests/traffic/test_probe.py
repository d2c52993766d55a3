"""What a probe notes of a frame: tables, cells, copies, ports; and what it forgets in between."""

from __future__ import annotations

from pathlib import Path

import pytest
import switches

from transpiler.interpreter.tables import Call
from transpiler.interpreter.trace import Event
from transpiler.traffic.copies import Copies
from transpiler.traffic.probe import NOTHING, Probe

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; bit<8> c; }
struct H { h_t h; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.h); transition select(h.h.c) { 0xff: reject; default: accept; } }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    register<bit<8>>(4) last;
    action go(bit<9> port) { s.egress_spec = port; }
    table hosts { key = { h.h.a: exact; } actions = { go; NoAction; } }
    table at { key = { s.ingress_port: exact; } actions = { NoAction; } }
    table none { actions = { go; NoAction; } }
    bit<8> before;
    apply {
        s.egress_spec = 2;
        hosts.apply();
        if (h.h.a == 9) { at.apply(); }
        none.apply();
        if (h.h.b != 0) {
            last.read(before, (bit<32>)h.h.b);
            last.write((bit<32>)h.h.b, h.h.a);
            if (before != 0) { s.egress_spec = 511; }
        }
        if (h.h.c != 0) { clone(CloneType.I2E, (bit<32>)h.h.c); }
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) {
    table out_of { key = { s.instance_type: exact; } actions = { NoAction; } }
    apply {
        if (h.h.a == 8) { out_of.apply(); }
        if (s.instance_type != 0 && h.h.a == 0xee) { clone(CloneType.E2E, (bit<32>)h.h.c); }
    }
}
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""
KEY = "I.hosts", (7,)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("probe") / "p.p4"
    file.write_text(PROGRAM)
    return file


@pytest.fixture
def probe(file: Path) -> Probe:
    return Probe(switches.load(file), 1)


def test_each_frame_meets_a_switch_that_knows_of_no_other(probe: Probe) -> None:
    frame = bytes([7, 1, 0])
    assert [probe.run(frame, {}).ports for _ in range(2)] == [(2,), (2,)]
    assert probe.then(frame, {}).ports == ()  # the register is as the frame before left it
    assert probe.run(frame, {}).ports == (2,)
    assert probe.runs == 4


def test_a_table_answers_as_it_was_told_for_its_key_first(probe: Probe) -> None:
    frame = bytes([7, 0, 0])
    three, four = Call("I.go", (3,)), Call("I.go", (4,))
    assert probe.run(frame, {"I.hosts": three}).ports == (3,)
    assert probe.lookups == {KEY: three}
    assert probe.run(frame, {"I.hosts": three}, {KEY: four}).ports == (4,)
    assert probe.lookups == {KEY: four}
    assert probe.run(frame, {"I.hosts": three}, {KEY: None}).ports == (2,)
    assert probe.lookups == {KEY: None}
    assert probe.run(frame, {"I.hosts": three}, {("I.hosts", (8,)): four}).ports == (3,)
    assert probe.run(frame, {}).ports == (2,)
    assert probe.lookups == {}  # none of those that were told of


def test_only_tables_with_keys_are_noted_as_applied(probe: Probe) -> None:
    seen = probe.run(bytes([7, 0, 0]), {})
    assert seen.applied == (KEY,)
    assert seen.way == (("I.hosts",), True)
    assert seen.forwarded


def test_a_frame_comes_in_at_the_port_of_the_probe_or_at_another(probe: Probe) -> None:
    assert probe.run(bytes([9, 0, 0]), {}).applied[1] == ("I.at", (1,))
    assert probe.run(bytes([9, 0, 0]), {}, port=3).applied[1] == ("I.at", (3,))
    assert probe.then(bytes([9, 0, 0]), {}, port=4).applied[1] == ("I.at", (4,))


def test_a_table_is_noted_with_the_first_of_its_keys(file: Path) -> None:
    """A frame and its clone apply it with different ones; all of them are looked up."""
    probe = Probe(switches.load(file), 1, copies=Copies(1, [("session", 5)]))
    seen = probe.run(bytes([8, 0, 5]), {"E.out_of": None})
    looked_up = list(probe.lookups)
    assert len(looked_up) == 2
    assert seen.applied == (("I.hosts", (8,)), looked_up[0])


def test_cells_out_of_range_are_noted_without_their_index(probe: Probe) -> None:
    assert probe.run(bytes([7, 3, 0]), {}).cells == (("I.last", (3,)),) * 2
    outside = probe.run(bytes([7, 4, 0]), {})
    assert outside.cells == (("I.last", ()),) * 2
    assert outside.instances == (("I.last", False),) * 2
    assert probe.run(bytes([7, 3, 0]), {}).instances == (("I.last", True),) * 2
    assert probe.run(bytes([7, 0, 0]), {}).cells == ()


def test_a_frame_that_the_parser_rejects_is_not_accepted_and_the_next_may_be(probe: Probe) -> None:
    assert not probe.run(bytes([7, 0, 0xFF]), {}).accepted
    assert probe.run(bytes([7, 0, 0]), {}).accepted
    assert not probe.run(bytes(1), {}).accepted


def test_a_clone_that_comes_out_is_not_the_frame(file: Path) -> None:
    probe = Probe(switches.load(file), 1, copies=Copies(1, [("session", 5)]))
    dropped = {"I.hosts": Call("I.go", (511,))}
    with_clone = probe.run(bytes([7, 0, 5]), {})
    assert (with_clone.ports, with_clone.copies, with_clone.forwarded) == ((1, 2), (("session", 5),), True)
    alone = probe.run(bytes([7, 0, 5]), dropped)
    assert (alone.ports, alone.copies, alone.forwarded) == ((1,), (("session", 5),), False)
    none = probe.run(bytes([7, 0, 6]), dropped)
    assert (none.ports, none.copies, none.forwarded) == ((), (), False)


def test_nothing_is_told_of_a_frame_that_is_copied_without_end(file: Path) -> None:
    probe = Probe(switches.load(file), 1, copies=Copies(1, [("session", 5)]))
    assert probe.run(bytes([0xEE, 0, 5]), {}) == NOTHING
    assert probe.run(bytes([0xEF, 0, 5]), {}).copies == (("session", 5),)


def test_its_steps_are_told_on(file: Path) -> None:
    told: list[Event] = []
    Probe(switches.load(file), 1, told.append).run(bytes([7, 3, 0]), {})
    assert [event.of for event in told if event.kind == "cell"] == [("I.last", (3,))] * 2
