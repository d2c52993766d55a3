"""Which registers, counters and meters a measured program's frames read, and how often."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import switches

from macsad.bench import state as state_module
from macsad.bench.state import Reads, _direct, lines_of, reads_of, state_of
from macsad.cli import call
from macsad.compilation import Request, decide
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir.program import Program
from transpiler.hlir.statements import CallExtern
from transpiler.traffic.plan import Plan, Wishes
from transpiler.traffic.planning import plan

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header kind_t { bit<8> kind; }
header flow_t { bit<32> a; bit<32> b; }
struct H { kind_t kind; flow_t flow; }
struct M { bit<16> cell; bit<16> other; bit<32> count; bit<2> colour; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.kind); transition select(h.kind.kind) { 1: flow; 2: accept; } }
    state flow { p.extract(h.flow); transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    register<bit<32>>(65536) rows;
    register<bit<8>>(1024) unread;
    direct_counter(CounterType.packets) hits;
    direct_meter<bit<2>>(MeterType.bytes) rates;
    counter(512, CounterType.packets) kinds;
    action go(bit<9> port) { s.egress_spec = port; }
    action metered(bit<9> port) { rates.read(m.colour); s.egress_spec = port; }
    table counted { key = { h.flow.a: exact; } actions = { go; NoAction; } default_action = NoAction(); counters = hits;
        size = 1000; }
    table marked { key = { h.flow.b: exact; } actions = { metered; NoAction; } default_action = NoAction(); meters = rates;
        size = 1000; }
    apply {
        s.egress_spec = 1;
        kinds.count((bit<32>)h.kind.kind);
        if (h.flow.isValid()) {
            hash(m.cell, HashAlgorithm.crc16, 16w0, { h.flow.a }, 32w65536);
            hash(m.other, HashAlgorithm.csum16, 16w0, { h.flow.a }, 32w65536);
            rows.read(m.count, (bit<32>)m.cell);
            rows.write((bit<32>)m.cell, m.count + 1);
            rows.write((bit<32>)m.other, m.count + 1);
            counted.apply();
            marked.apply();
        }
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "program.p4"
    path.write_text(PROGRAM)
    return path


def planned(path: Path) -> tuple[Program, Plan]:
    hlir = switches.load(path)
    return hlir, plan(hlir, Wishes(entries={None: 100}), Diagnostics(), lambda done, total: None)


def test_reads_of_state(path: Path) -> None:
    """A cell that is read and written is one line, another of the same register one more; that of an entry is one as well."""
    hlir, made = planned(path)
    (stream,) = made.streams
    state = {one.name.partition(".")[2]: one for one in state_of(hlir, made.streams, 1000, 2)}
    assert {name: one.reads for name, one in state.items()} == {"rows": 2, "hits": 1, "rates": 1, "kinds": 1}
    assert (state["rows"].cells, state["rows"].cell_bytes, state["rows"].memory_bytes) == (65536, 4, 262144)
    assert state["rows"].read_bytes == 2001 * 64, "two lines a frame are read at most"
    assert (state["hits"].cells, state["hits"].memory_bytes) == (1001, 3 * 1001 * 16), (
        "one of each worker, one of the control plane"
    )
    assert state["rates"].cell_bytes == 64 and state["kinds"].read_bytes == 512 * 16
    reads = reads_of(hlir, made.streams, ["I.counted", "I.marked"], tuple(state.values()))
    assert reads.masks == ((0b1111111, 1.0),) and sorted(reads.owners) == sorted([0, 1, *_owners(state)])
    assert set(stream.entries) == {"I.counted", "I.marked"}


def test_of_few_cells_a_line_is_read(path: Path) -> None:
    path.write_text(PROGRAM.replace("(65536) rows", "(4) rows").replace("32w65536", "32w4"))
    hlir, made = planned(path)
    (rows,) = (one for one in state_of(hlir, made.streams, 1000, 2) if one.name == "I.rows")
    assert (rows.cells, rows.memory_bytes, rows.read_bytes) == (4, 16, 64)


def test_a_bundle_is_read_as_one_line(path: Path) -> None:
    """Its registers are told; the first one has their memory, and counts their lines."""
    path.write_text(
        PROGRAM.replace(
            "register<bit<8>>(1024) unread;", "register<bit<64>>(65536) sums; register<bit<128>>(65536) wide;"
        )
        .replace("bit<32> count;", "bit<32> count; bit<64> sum; bit<128> wide;")
        .replace(
            "rows.write((bit<32>)m.other, m.count + 1);",
            "sums.write((bit<32>)m.cell, m.sum); wide.write((bit<32>)m.cell, m.wide);",
        )
    )
    hlir, made = planned(path)
    bundles = decide(Request(path), hlir).planned.bundles
    assert [sorted(name for name, _ in bundle.registers) for bundle in bundles] == [["I.rows", "I.sums", "I.wide"]]
    first = bundles[0].registers[0][0]
    state = {one.name: one for one in state_of(hlir, made.streams, 1000, 1, bundles) if one.kind == "register"}
    assert {name: (one.reads, one.bundle) for name, one in state.items()} == {
        name: (1, "") if name == first else (0, first) for name in ("I.rows", "I.sums", "I.wide")
    }
    assert (state[first].memory_bytes, state[first].read_bytes) == (32 * 65536, 1001 * 64)
    assert sum(one.memory_bytes for one in state.values()) == 32 * 65536
    reads = reads_of(hlir, made.streams, [], tuple(state.values()), bundles)
    alone = state_of(hlir, made.streams, 1000, 1)
    assert len(reads.owners) == 1 and sum(one.reads for one in alone if one.kind == "register") == 3


def test_cells_of_a_line_are_read_as_one() -> None:
    """Of what is no extern of the program nothing is read; lines of different arrays differ."""
    cells = [("a", (0,)), ("a", (15,)), ("a", (16,)), ("a", (31,)), ("b", (0,)), ("b", ()), ("other", (0,))]
    externs = [SimpleNamespace(name=name) for name in "ab"]
    stream: Any = SimpleNamespace(cells=cells, entries={})
    program: Any = SimpleNamespace(externs=externs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_module, "state_cells", lambda program, extern: (100, 4))
        assert lines_of(program, stream) == {"a": 2, "b": 1}
        bundle: Any = SimpleNamespace(registers=(("b", 0), ("a", 0)), stride=32)
        # both are in the lines of the first, 32 bytes from cell to cell
        assert lines_of(program, stream, [bundle]) == {"b": len({0, 15 // 2, 16 // 2, 31 // 2})}


def test_direct_state_is_read_where_the_action_or_the_table_counts() -> None:
    """A counter is by itself; a meter where the action that was taken reads it."""
    call = CallExtern("meter.read", "m", (), (), Span("x", 1, 1))
    actions = {"reads": SimpleNamespace(body=(call,)), "other": SimpleNamespace(body=())}
    extern = {
        name: SimpleNamespace(attribute=lambda what, name=name: what == "automatic" and name == "c") for name in "cm"
    }
    program: Any = SimpleNamespace(action=actions, extern=extern, table={"t": SimpleNamespace(direct=("c", "m"))})
    for taken, found in (("reads", ["c", "m"]), ("other", ["c"]), (None, ["c"])):
        outcome = None if taken is None else SimpleNamespace(action=taken)
        stream: Any = SimpleNamespace(template=SimpleNamespace(outcomes={"t": outcome}))
        assert _direct(program, stream, "t") == found


def test_kinds_of_frames_that_read_alike_are_one() -> None:
    """In the order of their lines; those that read nothing are none."""
    names = (("t",), ("t", "u"), (), ("u", "t"), ("u",))
    streams: Any = [
        SimpleNamespace(entries=dict.fromkeys(one), share=1, cells=[], template=None) for one in reversed(names)
    ]
    program: Any = SimpleNamespace(externs=())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_module, "shares", lambda streams: [0.1, 0.2, 0.3, 0.15, 0.25])
        patch.setattr(state_module, "_direct", lambda program, stream, table: [])
        found = reads_of(program, streams, ["t", "u"], ())
    assert found.owners == (0, 1) and [mask for mask, _ in found.masks] == [1, 2, 3]
    assert [share for _, share in found.masks] == pytest.approx([0.25, 0.1, 0.35])


def test_no_more_lines_than_can_be_measured() -> None:
    """Those of small memories are left out, of each set."""
    many = Reads(tuple(range(70)), (((1 << 70) - 1, 0.75), (0b11, 0.25)))
    kept = many.measured([64, *range(100, 168), 64])
    assert kept.owners == tuple(range(5, 69)) and kept.masks == (((1 << 64) - 1, 0.75), (0, 0.25))
    assert kept.measured([1] * 70) is kept


def _owners(state: dict[str, object]) -> list[int]:
    return [2 + number for number, name in enumerate(state) for _ in range(2 if name == "rows" else 1)]


def test_the_memory_of_state_is_told(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text(PROGRAM.replace("register<bit<32>>(65536)", "register<bit<32>>(33554432)"))
    assert call(["build", "-v", str(path), "-o", str(tmp_path / "made"), "-O", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "register I.rows: 33,554,432 cells of 4 bytes take 128 MiB, on huge pages" in lines
    assert "register I.unread: 1,024 cells of 1 byte take 1,024 bytes" in lines
    assert "direct counter I.hits: 1,001 cells of 16 bytes take 15 KiB, for each worker" in lines
    assert "direct meter I.rates: 1,001 cells of 64 bytes take 62 KiB" in lines
