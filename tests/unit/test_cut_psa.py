"""PSA's pipes cut in two: the same packets as the whole, at every boundary of ingress and of egress."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from aux_frontend.p4_16.frontend import P4_16
from schedule_simulator import Simulator

from transpiler.analysis.locations import Location
from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.store import Store
from transpiler.passes.pipeline import optimise
from transpiler.schedule.cut import Cut, check_cut, cut, read_behind
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import Schedule

# What crosses a boundary of ingress and is looked at in egress only goes along in `seen`.
PROGRAM = """
#include <core.p4>
#include <psa.p4>
header h_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
struct H { h_t h; h_t second; }
struct M { bit<8> key; bit<8> port; }
struct seen_t { bit<8> key; }
struct none_t {}
parser IP(packet_in packet, out H hdr, inout M meta, in psa_ingress_parser_input_metadata_t istd, in none_t r, in none_t c) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.d) { 1: more; default: accept; }
    }
    state more { packet.extract(hdr.second); transition accept; }
}
control I(inout H hdr, inout M meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    action key(bit<8> value) { meta.key = value; }
    action port(bit<8> value) { meta.port = value; hdr.h.b = meta.key; }
    action drop() { ingress_drop(ostd); }
    table first { key = { hdr.h.a: exact; } actions = { key; NoAction; } const entries = { 0: key(2); 1: key(1); } }
    table next { key = { meta.key: exact; } actions = { port; drop; } default_action = drop();
        const entries = { 0: port(4); 2: port(5); } }
    table last { key = { meta.port: exact; hdr.h.c: exact; } actions = { key; NoAction; } const entries = { (5, 1): key(9); } }
    apply {
        first.apply();
        if (next.apply().hit) { last.apply(); }
        if (hdr.second.isValid()) { hdr.second.a = meta.key; }
        // by hand: the port must be seen to be another one than that which recirculates
        ostd.egress_port = (PortId_t) (bit<32>) meta.port;
        ostd.drop = false;
        if (meta.port == 0) { ingress_drop(ostd); }
    }
}
control ID(packet_out packet, out none_t c, out none_t r, out seen_t seen, inout H hdr, in M meta,
           in psa_ingress_output_metadata_t istd) {
    apply { seen.key = meta.key; packet.emit(hdr); }
}
parser EP(packet_in packet, out H hdr, inout M meta, in psa_egress_parser_input_metadata_t istd, in seen_t seen, in none_t i,
          in none_t e) {
    state start { packet.extract(hdr.h); meta.key = seen.key; transition accept; }
}
control E(inout H hdr, inout M meta, in psa_egress_input_metadata_t istd, inout psa_egress_output_metadata_t ostd) {
    action set(bit<8> value) { hdr.h.c = value; }
    action drop() { egress_drop(ostd); }
    table one { key = { meta.key: exact; } actions = { set; NoAction; } const entries = { 9: set(2); 0: set(3); } }
    table two { key = { hdr.h.c: exact; } actions = { set; drop; NoAction; } default_action = NoAction();
        const entries = { 2: set(7); 1: drop(); } }
    apply { one.apply(); two.apply(); hdr.h.a = hdr.h.a + meta.key; }
}
control ED(packet_out packet, out none_t c, out none_t r, inout H hdr, in M meta, in psa_egress_output_metadata_t istd,
           in psa_egress_deparser_input_metadata_t edstd) {
    apply { packet.emit(hdr); }
}
IngressPipeline(IP(), I(), ID()) ip;
EgressPipeline(EP(), E(), ED()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
"""
FRAMES = [bytes([a, 9, c, d, *range(5)]) for a, c, d in product(range(3), range(4), range(2))]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    file = tmp_path_factory.mktemp("psa") / "p.p4"
    file.write_text(PROGRAM)
    return optimise(P4_16().load(Source(file), Diagnostics()))


@pytest.fixture(scope="module")
def expected(program: Program) -> list[tuple[int, bytes]]:
    switch = Switch(program)
    return [sent for frame in FRAMES for sent in switch.process(0, frame)]


def cuts_of(program: Program, made: Schedule) -> list[tuple[str, Cut]]:
    after = {pipe.name: read_behind(program, made, pipe) for pipe in made.pipes}
    return [(p.name, cut(p, at, after[p.name])) for p in made.pipes for at in range(1, len(p.stages))]


@pytest.mark.parametrize("known", [False, True])
def test_halves_do_what_the_whole_does(program: Program, expected: list[tuple[int, bytes]], known: bool) -> None:
    made = schedule(program, Options(constant_propagation=known))
    diagnostics = Diagnostics()
    check_cut(program, made, diagnostics)
    assert not diagnostics.error_count, diagnostics.render()
    assert 4 < len(expected) < len(FRAMES)
    assert Simulator(program, made, Store(program)).run(FRAMES) == expected
    cuts = cuts_of(program, made)
    assert {name for name, _ in cuts} == {"ingress", "egress"} and len(cuts) > 4
    for name, halves in cuts:
        assert Simulator(program, made, Store(program)).run(FRAMES, cuts={name: (halves,)}) == expected


def test_a_value_that_does_not_cross_is_found(program: Program, expected: list[tuple[int, bytes]]) -> None:
    made = schedule(program, Options())
    wrong = set()
    for name, halves in cuts_of(program, made):
        less = replace(halves, entries=tuple(replace(entry, values=frozenset()) for entry in halves.entries))
        if Simulator(program, made, Store(program)).run(FRAMES, cuts={name: (less,)}) != expected:
            wrong.add(name)
    assert wrong == {"ingress", "egress"}


def test_what_goes_along_to_egress_crosses_a_cut_of_ingress(program: Program) -> None:
    """Also with packets that the front is done with."""
    made = schedule(program, Options())
    assert {name: Location("normal_meta.key") in halves.ended for name, halves in cuts_of(program, made)} == {
        "ingress": True,
        "egress": False,
    }
