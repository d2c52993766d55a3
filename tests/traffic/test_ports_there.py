"""Frames that leave by ports that are not there are led to others, by the action data that decides."""

from __future__ import annotations

import pytest
import switches

from transpiler.interpreter.tables import Call
from transpiler.traffic.parser_paths import shapes
from transpiler.traffic.plan import Wishes
from transpiler.traffic.ports import missing, within
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import Frame
from transpiler.traffic.wellknown import known

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<16> a; bit<16> b; }
struct H { h_t h; }
struct M { bit<16> hop; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action route(bit<16> hop, bit<8> mark) { m.hop = hop; h.h.b[7:0] = mark; }
    action send(bit<16> mark, bit<9> port) { s.egress_spec = port; h.h.b = mark; }
    action made(bit<32> where) { s.egress_spec = (bit<9>) (where >> 1) + 1; }
    action mark(bit<16> value) { h.h.b = value; }
    table routes { key = { h.h.a: exact; } actions = { route; } }
    table hops { key = { m.hop: exact; } actions = { send; made; } }
    table marks { key = { h.h.a: exact; } actions = { mark; } }
    apply { if (routes.apply().hit) { hops.apply(); } marks.apply(); }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""
ROUTE = Call("I.route", (7, 9))


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    file = tmp_path_factory.mktemp("ports") / "p.p4"
    file.write_text(PROGRAM)
    return Probe(switches.load(file), 0)


def frame_of(probe: Probe) -> Frame:
    (shape,) = shapes(probe.program)
    return Frame(shape, bytes(16), (), known(bytes(16)))


@pytest.mark.parametrize(
    ("ports", "call", "expected"),
    [
        (2, Call("I.send", (5, 3)), Call("I.send", (5, 1))),
        (4, Call("I.send", (5, 3)), Call("I.send", (5, 3))),  # it is there
        (2, Call("I.made", (40,)), Call("I.made", (1,))),  # the port is made of it
    ],
)
def test_the_parameter_that_decides_is_changed(probe: Probe, ports: int, call: Call, expected: Call) -> None:
    wishes, frame = Wishes(ports=ports), frame_of(probe)
    found = within(probe, wishes, frame, {"I.routes": ROUTE, "I.hops": call}, {})
    assert found == {"I.routes": ROUTE, "I.hops": expected}
    assert not missing(probe.run(frame.data, found), wishes)


def test_entries_that_are_there_stay(probe: Probe) -> None:
    outcomes, fixed = {"I.routes": ROUTE}, {("I.hops", (7,)): Call("I.send", (5, 3))}
    assert within(probe, Wishes(), frame_of(probe), outcomes, fixed) == outcomes


def test_what_is_behind_an_entry_that_stays_is_changed(probe: Probe) -> None:
    outcomes, fixed = {"I.routes": ROUTE, "I.hops": Call("I.send", (5, 3))}, {("I.marks", (0,)): Call("I.mark", (4,))}
    found = within(probe, Wishes(), frame_of(probe), outcomes, fixed)
    assert found == {"I.routes": ROUTE, "I.hops": Call("I.send", (5, 1))}
