"""Keys that are one of several action data: which one is seen where these have different values. Entries of constants are hit by
other frames, too."""

from __future__ import annotations

from pathlib import Path

import generated
import switches

from macsad import generation
from macsad.compilation import Request
from transpiler.diagnostics import Diagnostics
from transpiler.interpreter import Switch
from transpiler.traffic.builder import Builder, Kind

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> a; bit<32> b; }
struct H { h_t h; }
struct M { bit<32> usual; bit<32> address; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action by_default(bit<32> usual) { m.usual = usual; }
    action map(bit<32> address, bit<1> own) {
        m.address = address == 0 ? m.usual : address;
        if (own == 0) { m.address = m.usual; }
    }
    action go(bit<9> port) { s.egress_spec = port; }
    table defaults { key = { h.h.a: exact; } actions = { by_default; } }
    table maps { key = { h.h.b: exact; } actions = { map; } }
    table routes { key = { m.address: exact; } actions = { go; } }
    apply { if (defaults.apply().hit) { if (maps.apply().hit) { routes.apply(); } } }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def test_a_value_that_stands_for_another_one_and_a_bit_that_chooses(tmp_path: Path) -> None:
    """Address 0 stands for the usual one, and `own` chooses between them: all routes are of the addresses that maps give."""
    program = tmp_path / "program.p4"
    program.write_text(PROGRAM)
    hlir = switches.load(program)
    generation.run(Request(program), hlir, generated.order(tmp_path))
    switch = Switch(hlir)
    counts = generated.load(switch, hlir, generated.commands(tmp_path))
    ratios, _ = generated.run(switch, generated.frames(tmp_path))
    assert counts == {"I.defaults": 100, "I.maps": 100, "I.routes": 100}
    assert ratios == {"I.defaults": 1.0, "I.maps": 1.0, "I.routes": 1.0}


def test_frames_that_hit_an_entry_of_constants_cannot_miss_it(tmp_path: Path) -> None:
    program = tmp_path / "program.p4"
    program.write_text(PROGRAM)
    builder = Builder(switches.load(program), None, Diagnostics(), None)  # type: ignore[arg-type]
    constants = tuple(0xC0000005 >> at & 1 for at in range(31, -1, -1))
    builder.kinds["I.routes"] = [Kind((0,) * 32, "I.go", ()), Kind(constants, "I.go", ())]
    hit = [
        value for value in (0, 1, 2, 5, 0xA0000003, 0xC0000004, 0xC0000005) if builder._always_hit("I.routes", (value,))
    ]
    assert hit == [0, 0xC0000005] and not builder._always_hit("I.maps", (0,))
