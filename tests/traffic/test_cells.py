"""Frames come to different cells of registers, counters and meters, and to different members of selectors, flow by flow."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import generated
import pytest
import switches

from macsad import generation
from macsad.compilation import Request
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.trace import Event

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header ethernet_t {{ bit<48> dst; bit<48> src; bit<16> type; }}
header ipv4_t {{
    bit<8> version; bit<8> tos; bit<16> length; bit<32> id; bit<8> ttl; bit<8> protocol; bit<16> sum; bit<32> src; bit<32> dst;
}}
header udp_t {{ bit<16> src; bit<16> dst; bit<16> length; bit<16> sum; }}
struct H {{ ethernet_t ethernet; ipv4_t ipv4; udp_t udp; }}
struct M {{ bit<16> cell; bit<16> other; bit<32> count; bit<2> colour; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{
    state start {{ p.extract(h.ethernet); transition select(h.ethernet.type) {{ 0x800: ipv4; }} }}
    state ipv4 {{ p.extract(h.ipv4); transition select(h.ipv4.protocol) {{ 17: udp; }} }}
    state udp {{ p.extract(h.udp); transition accept; }}
}}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    register<bit<32>>(65536) cells;
    register<bit<32>>(65536) others;
    meter(1000, MeterType.bytes) rates;
    action go(bit<9> port) {{ s.egress_spec = port; }}
    action at(bit<32> place, bit<9> port) {{ rates.execute_meter(place, m.colour); s.egress_spec = port; }}
    {declared}
    apply {{ s.egress_spec = 1; {apply} }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""
ROUTES = "table routes {{ key = {{ h.ipv4.dst: {kind}; }} actions = {{ {action}; NoAction; }} default_action = NoAction(); }}"
HASHED = """hash(m.cell, HashAlgorithm.crc16, 16w0, {{ {fields} }}, 32w65536);
    cells.read(m.count, (bit<32>)m.cell); cells.write((bit<32>)m.cell, m.count + 1);"""
FLOW = "h.ipv4.src, h.ipv4.dst, h.ipv4.protocol, h.udp.src, h.udp.dst"


def routes(kind: str = "lpm", action: str = "go") -> str:
    return ROUTES.format(kind=kind, action=action)


def make(folder: Path, declared: str, apply: str, text: str = PROGRAM, **wanted: object) -> Program:
    """The program, once entries and frames for it lie in the folder."""
    program = folder / "program.p4"
    program.write_text(text.format(declared=declared, apply=apply))
    hlir = switches.load(program)
    generation.make(Request(program), hlir, generated.order(folder, **wanted))
    return hlir


def hit_by(hlir: Program, folder: Path, frames: list[bytes]) -> dict[str, float]:
    """The part of the frames that hit each table. All of them go on."""
    switch = Switch(hlir)
    generated.load(switch, hlir, generated.commands(folder))
    hits, out = generated.run(switch, frames)
    assert out.total() == len(frames)
    return hits


def run(
    folder: Path, declared: str, apply: str, text: str = PROGRAM, **wanted: object
) -> tuple[dict[str, float], Counter[tuple[object, ...]]]:
    """The part of the frames that hit each table, and how many came to each cell: ("I.cells", index)."""
    hlir = make(folder, declared, apply, text, **wanted)
    hits = hit_by(hlir, folder, generated.frames(folder))
    found: Counter[tuple[object, ...]] = Counter()

    def note(event: Event) -> None:
        if event.of is not None:
            found[event.kind, event.of[0], *event.of[1]] += 1

    switch = Switch(hlir, trace=note)
    generated.load(switch, hlir, generated.commands(folder))
    for frame in set(generated.frames(folder)):
        switch.process(0, frame)
    return hits, found


@pytest.mark.parametrize("kind", ["lpm", "exact", "ternary"])
def test_a_table_and_a_register_at_a_hash(kind: str, tmp_path: Path) -> None:
    """Few entries, but a flow of its own in each frame."""
    apply = f"routes.apply(); {HASHED.format(fields=FLOW)}"
    hits, cells = run(tmp_path, routes(kind), apply, entries=16)
    assert hits == {"I.routes": 1.0} and len(cells) > 390
    assert len({frame[26:38] for frame in generated.frames(tmp_path)}) == 400


def test_frames_that_shall_miss_have_flows_too(tmp_path: Path) -> None:
    apply = f"routes.apply(); {HASHED.format(fields='h.ipv4.dst')}"
    hits, cells = run(tmp_path, routes(), apply, entries=16, hit=0.5, flows="zipf:1", packets=2000)
    assert hits["I.routes"] == pytest.approx(0.5, abs=0.05) and len(cells) > 400
    frames = Counter(frame[30:34] for frame in generated.frames(tmp_path))
    assert len(frames) < 1000 and frames.most_common(1)[0][1] > 80


def test_a_sketch_without_tables(tmp_path: Path) -> None:
    sketch = (
        HASHED.format(fields=FLOW)
        + """hash(m.other, HashAlgorithm.csum16, 16w0, { h.ipv4.src, h.udp.dst }, 32w65536);
        others.read(m.count, (bit<32>)m.other); others.write((bit<32>)m.other, m.count + 1);"""
    )
    _, cells = run(tmp_path, "", sketch)
    assert sum(name == "I.cells" for _, name, _ in cells) > 390
    assert sum(name == "I.others" for _, name, _ in cells) > 380
    assert set(generated.internet_checksums(generated.frames(tmp_path))) == {0xFFFF}
    assert all(frame[16:18] == b"\0\x32" and frame[22] == 64 for frame in generated.frames(tmp_path))


def test_heavy_flows_and_one(tmp_path: Path) -> None:
    """Of 4,000 flows the first has a share of 1 / H(4000), and all its frames are the same."""
    for flows, low, high in (("zipf:1", 350, 550), ("one", 4000, 4000), ("uniform", 1, 1)):
        hlir = make(tmp_path, routes(), f"routes.apply(); {HASHED.format(fields=FLOW)}", flows=flows, packets=4000)
        frames = generated.frames(tmp_path)
        assert hit_by(hlir, tmp_path, frames[:400]) == {"I.routes": 1.0}
        assert low <= Counter(frames).most_common(1)[0][1] <= high
        assert len(set(frames)) == (1 if flows == "one" else len({frame[26:38] for frame in frames}))


def test_what_hosts_decide_is_the_flow_s(tmp_path: Path) -> None:
    """The bits behind a prefix are all that the cell depends on."""
    run(
        tmp_path,
        routes(),
        "routes.apply(); cells.write(h.ipv4.dst & 0xff, 1);",
        flows="zipf:1",
        lengths=("24",),
        packets=2000,
    )
    assert Counter(frame[30:34] for frame in generated.frames(tmp_path)).most_common(1)[0][1] > 180


@pytest.mark.parametrize(
    ("stateful", "flows", "hosts"), [(False, "zipf:1", 100), (True, "zipf:1", 1), (False, "one", 1)]
)
def test_hosts_of_a_prefix(stateful: bool, flows: str, hosts: int, tmp_path: Path) -> None:
    """Each frame has another one, where nothing counts flows; else each flow."""
    body = "routes.apply(); " + ("cells.write(h.ipv4.dst & 0xff, 1);" if stateful else "")
    make(tmp_path, routes(), body, flows=flows, lengths=("24",), packets=2000, entries=4000)
    found = [frame[30:34] for frame in generated.frames(tmp_path)]
    prefix, count = Counter(address[:3] for address in found).most_common(1)[0]
    different = {address[3] for address in found if address[:3] == prefix}
    assert count > 180 and (len(different) > hosts if hosts > 1 else len(different) == 1)


def test_a_direct_index_stays_in_range(tmp_path: Path) -> None:
    """Of the bits of a source address only those that lead to a cell there is, and not all of them at once."""
    _, cells = run(tmp_path, "", "cells.write(h.ipv4.src, 1); rates.execute_meter((bit<32>)h.udp.src, m.colour);")
    places = {"I.cells": 65536, "I.rates": 1000}
    assert all(index < places[str(name)] for _, name, index in cells if isinstance(index, int))
    assert {len([c for c in cells if c[1] == name]) > 100 for name in places} == {True}


def test_conditions_on_several_bits_hold(tmp_path: Path) -> None:
    """Any one bit may be set, not two of them."""
    apply = f"if (h.ipv4.tos & (h.ipv4.tos - 1) == 0) {{ {HASHED.format(fields='h.ipv4.tos, h.ipv4.src')} }}"
    _, cells = run(tmp_path, "", apply)
    assert len(cells) > 390 and all(frame[15].bit_count() <= 1 for frame in generated.frames(tmp_path))


def test_an_index_from_action_data_is_in_range(tmp_path: Path) -> None:
    hits, cells = run(tmp_path, routes("exact", "at"), "routes.apply();")
    assert hits == {"I.routes": 1.0}
    assert len(cells) > 80 and all(index < 1000 for _, _, index in cells if isinstance(index, int))


def test_what_a_selector_hashes(tmp_path: Path) -> None:
    declared = """action_selector(HashAlgorithm.crc16, 1024, 16) members;
        table routes {{ key = {{ h.ipv4.dst: exact; h.ipv4.src: selector; h.udp.src: selector; }} actions = {{ go; }}
            implementation = members; }}""".replace("{{", "{").replace("}}", "}")
    hits, selections = run(tmp_path, declared, "routes.apply();", entries=4)
    assert hits == {"I.routes": 1.0}
    assert len(selections) == 400 and {kind for kind, *_ in selections} == {"select"}


def test_a_counter_of_ports_makes_no_flows(tmp_path: Path) -> None:
    """Which port it is comes from an entry: there are as many flows as entries."""
    declared = routes("exact") + "counter(512, CounterType.packets) sent;"
    _, cells = run(
        tmp_path, declared, "routes.apply(); sent.count((bit<32>)s.egress_spec);", entries=16, flows="zipf:1"
    )
    frames = Counter(generated.frames(tmp_path))
    assert len(frames) == 16 and frames.most_common(1)[0][1] > 105 and len(cells) == 1  # 400 / H(16) = 118


def test_frames_reach_the_state_behind_a_table_that_others_hit_too(tmp_path: Path) -> None:
    """Frames of another protocol hit the table, and would come to no cell."""
    declared = (
        "table ports { key = { s.ingress_port: exact; } actions = { go; NoAction; } default_action = NoAction(); }"
    )
    apply = f"ports.apply(); if (h.udp.isValid() && h.ipv4.tos == 7) {{ {HASHED.format(fields=FLOW)} }}"
    text = PROGRAM.replace("{{ 17: udp; }}", "{{ 17: udp; default: accept; }}")
    hits, cells = run(tmp_path, declared, apply, text)
    assert hits == {"I.ports": 1.0} and len(cells) > 390
