"""`macsad bench` from end to end, quick: that it ends well and that its figures are sane, not how large they are."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
from pathlib import Path

import pytest
from bench_scripts import script
from machine import MACHINE
from switch_harness import write_pcap

from macsad import compilation
from macsad.bench import latency, lookups, packet_io, packet_io_report, plots
from macsad.bench.contestants import BenchError, Probe, worker_cpus
from macsad.bench.programs import program
from macsad.cli import USAGE, call
from macsad.compilation import Request
from transpiler.toolchain import toolchain


def test_a_quick_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "l2fwd.json"
    assert (
        call(["bench", "l2fwd", "--quick", "--repeat", "2", "--json", str(figures), "--without", "packed-entries,sums",
              "--lookups"])
        == 0
    )  # fmt: skip
    data = json.loads(figures.read_text())
    assert [(point["burst"], point["sub_batch"]) for point in data["points"]] == [(1, 1), (32, 1), (32, 32)]
    for point in data["points"]:
        assert 0 < point["ns_low"] <= point["ns"] <= point["ns_high"]
        assert point["cycles"] > 0 and point["mpps"] == pytest.approx(1e3 / point["ns"])
        assert point["of_memory"] > 0
    assert [(table["entries"], table["reach"]) for table in data["tables"]] == [(1000, 1.0), (1000, 1.0)]
    assert data["dropped"] == 0
    assert [left_out["name"] for left_out in data["without"]] == ["packed-entries"] and data["without"][0]["gain"] > 0
    assert data["without_difference"] == ["sums"], "l2fwd has no checksum"
    assert data["limits"]["memory_ns"] > 0
    for what in ("empty", "loop"):
        assert [floor["burst"] for floor in data["limits"][what]] == [1, 32]
    assert [(table["each"], table["hits"]) for table in data["lookups"]["tables"]] == [(1.0, 1.0), (1.0, 1.0)]
    assert data["lookups"]["cycles"] > 0 and len(data["lookups"]["program_over"]) == len(data["points"])
    assert call(["bench", "l2fwd", "--without", "speed"]) == USAGE
    assert call(["bench", "l2fwd", "--lookups", "--platform", "dpdk"]) == USAGE
    shown = capsys.readouterr().out
    assert "1,000 entries, exact_packed" in shown and "of memory's limit" in shown


@pytest.mark.skipif(len(worker_cpus(2)) < 2, reason="two workers need two CPUs")
def test_two_workers_are_predicted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine, figures = tmp_path / "machine.json", tmp_path / "figures.json"
    machine.write_text(json.dumps(MACHINE))
    options = ["--predict", "--machine", str(machine), "--workers", "2", "--json", str(figures)]
    assert call(["bench", "flows", "--quick", "--repeat", "1", *options]) == 0
    data = json.loads(figures.read_text())
    assert data["workers"] == 2 and data["model"]["known"] == [[1, 1], [32, 32]]
    (point,) = data["model"]["points"]
    assert point["predicted"] > 0 and (point["burst"], point["sub_batch"]) == (32, 1)


def test_times_in_the_switch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "l2fwd.json"
    assert call(["bench", "l2fwd", "--quick", "--latency", "--repeat", "1", "--json", str(figures)]) == 0
    rows = json.loads(figures.read_text())["latency"]
    assert [row["load"] for row in rows] == sorted({row["load"] for row in rows}) and rows[0]["load"] == 0.1
    for row in rows:
        assert (row["burst"], row["sub_batch"]) == (64, 64) and row["mpps"] > 0
        assert 0 < row["p50_us"] <= row["p99_us"] <= row["p999_us"] and 0 <= row["missed"] < 1
    assert "p99.9 µs" in capsys.readouterr().out


TESTPMD = "dpdk-testpmd {eal2} -- --auto-start --no-lsc-interrupt --total-num-mbufs={buffers}"


def test_times_from_interface_to_interface(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """testpmd beside the switch, at the same loads."""
    if not shutil.which("dpdk-testpmd"):
        pytest.skip("dpdk-testpmd is not installed (Debian: apt install dpdk-dev)")
    figures = tmp_path / "figures"
    options = ["--quick", "--latency", "--repeat", "1", "--json", str(figures), "--beside", f"testpmd={TESTPMD}"]
    if (code := call(["bench", "l2fwd", *options])) and "interfaces take" in (said := capsys.readouterr().err):
        pytest.skip(said)
    assert code == 0
    rows = json.loads(figures.read_text())["latency"]
    names = [(row["program"], row["load"]) for row in rows]
    assert names == [(name, load) for load in latency.LOADS for name in ("l2fwd", "testpmd")]
    for row in rows:
        assert 0 < row["p50_us"] <= row["p99_us"] <= row["p999_us"] and 0 <= row["missed"] < 1
    assert not {"in0", "from0", "out0", "to0"} & {name for _, name in socket.if_nameindex()}, "interfaces were left"
    assert "testpmd" in capsys.readouterr().out


def test_a_quick_bench_of_a_sketch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Four rows: four random lines of a packet, each in memory of its own."""
    figures = tmp_path / "figures.json"
    assert call(["bench", "heavyhitter", "--quick", "--repeat", "1", "--json", str(figures)]) == 0
    data = json.loads(figures.read_text())
    rows = [(one["name"], one["cells"], one["reads"]) for one in data["state"] if one["kind"] == "register"]
    assert rows == [(f"HeavyIngress.row{n}.counts", 1 << 24, 1.0) for n in (1, 2, 3, 4)]
    (read,) = data["limits"]["reads"]
    assert {name for name, _, _ in rows} < set(read["of"]) and data["limits"]["memory_ns"] > 0
    assert "register, 16,777,216 cells of 4 bytes, 64.0 MiB, 1 reads a packet" in capsys.readouterr().out


LOOKUPS = """
#include <core.p4>
#include <v1model.p4>
header e_t { bit<48> d; bit<48> s; bit<16> t; }
header h_t { bit<32> a; bit<32> b; bit<16> c; bit<128> x; }
struct H { e_t e; h_t h; }
struct M { bit<4> known; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    value_set<bit<16>>(4) kinds;
    state start { p.extract(h.e); transition select(h.e.t) { kinds: reject; default: more; } }
    state more { p.extract(h.h); transition accept; }
}
control V(inout H h, inout M m) { apply {} }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action to(bit<9> port) { s.egress_spec = port; }
    action note(bit<4> known) { m.known = known; }
    action count(bit<128> x) { h.h.x = x; }
    table packed { key = { h.e.d: exact; } actions = { note; } default_action = note(0); }
    table hashed { key = { h.e.s: exact; h.h.x: exact; } actions = { count; note; } default_action = note(0); }
    table index { key = { h.e.t: exact; } actions = { count; note; } default_action = note(0); size = 64; }
    table few { key = { m.known: exact; } actions = { note; } default_action = note(0); }
    table routes { key = { h.h.a: lpm; } actions = { to; } default_action = to(1); }
    table trie { key = { h.e.s: exact; h.h.x: lpm; } actions = { count; } default_action = count(0); }
    table masks { key = { h.h.b: ternary; h.h.c: range; } actions = { to; } default_action = to(1); }
    apply { packed.apply(); few.apply(); hashed.apply(); index.apply(); routes.apply(); trie.apply();
            if (h.h.c != 0) masks.apply(); }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply {} }
control C(inout H h, inout M m) { apply {} }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def test_lookups_are_noted_and_done_again(tmp_path: Path) -> None:
    """Of each kernel: as many as packets do, which find what packets find. Half of the frames have no c."""
    path = tmp_path / "p.p4"
    path.write_text(LOOKUPS)
    lines = [f"table_add I.{table}" for table in ("packed", "hashed", "routes", "trie", "masks")]
    keys = ["0x1 =>", "0x2 0x3 =>", "0x0a000000/8 =>", "0x2 0x00/8 =>", "0x5&&&0xf 0x1->0xffff =>"]
    calls = ["I.note", "I.count", "I.to", "I.count", "I.to"]
    entries = [
        f"{line} {action} {key} 1" + (" 1" if "masks" in line else "")
        for line, action, key in zip(lines, calls, keys, strict=True)
    ]
    others = [
        "table_add I.few I.note 1 => 1",
        "table_add I.index I.note 0x5678 => 1",
    ]  # an empty table is not looked up
    (tmp_path / "entries.txt").write_text("\n".join([*entries, *others, ""]))
    packets = []
    for number in range(100):
        hits = number % 4 == 0
        head = (1).to_bytes(6, "big") + (2 if hits else 9).to_bytes(6, "big") + b"\x12\x34"
        own = (0x0A000001 if hits else 1).to_bytes(4, "big") + (5).to_bytes(4, "big") + bytes([number % 2, 0])
        packets.append(head + own + (3).to_bytes(16, "big"))
    write_pcap(tmp_path / "frames.pcap", packets)
    request = Request(path)
    hlir = compilation.load(request)
    frames = tmp_path / "frames.pcap"
    probe, looked = lookups.start(request, hlir, tmp_path, tmp_path / "entries.txt", frames, len(packets))
    try:
        found = {one.name.rpartition(".")[2]: (one.kernel, one.each, one.hits) for one in looked}
        assert found == {
            "kinds": ("exact_index", 1.0, 0.0),
            "packed": ("exact_packed", 1.0, 1.0),
            "hashed": ("exact_hash", 1.0, 0.25),
            "index": ("exact_index", 1.0, 0.0),
            "few": ("exact_direct", 1.0, 1.0),
            "routes": ("lpm_dir24", 1.0, 0.25),
            "trie": ("lpm_trie", 1.0, 0.25),
            "masks": ("ternary_cells", 0.5, 1.0),
        }
        for one in looked:
            assert probe.measure("lookup", one.number, 0, 0.001).operations > 0
    finally:
        probe.close()


def test_a_quick_bench_over_dpdk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On DPDK's own devices, with testpmd beside it where that is installed."""
    try:
        toolchain.find("dpdk")
    except toolchain.ToolchainError as error:
        pytest.skip(str(error))
    options = ["--quick", "--platform", "dpdk", "--repeat", "1", "--json", str(tmp_path / "figures")]
    if shutil.which("dpdk-testpmd"):
        options += ["--beside", f"testpmd={TESTPMD}"]
    assert call(["bench", "l2fwd", *options]) == 0
    data = json.loads((tmp_path / "figures").read_text())
    assert data["platform"] == "dpdk" and data["dropped"] == 0
    assert all(point["mpps"] > 0 for point in data["points"])
    assert [floor["burst"] for floor in data["limits"]["loop"]] == [1, 32]
    assert all(peer["over"] > 0 and peer["dropped"] < 0.1 for peer in data["beside"])
    assert "platform dpdk" in capsys.readouterr().out


def test_packet_io_quick(tmp_path: Path) -> None:
    """Each kind of port that is here gives figures, the others a reason; the plot is drawn where matplotlib is."""
    chosen = [
        kind for kind in packet_io.KINDS if str(kind) in ("linux mem", "linux af_packet", "linux tap", "dpdk null")
    ]
    rows = packet_io.run((64,), 1, 0.005, chosen)
    assert [str(row.kind) for row in rows if row.name == "switch"] == [str(kind) for kind in chosen]
    for row in rows:
        assert bool(row.reason) != bool(row.figure and row.mpps > 0), row
        assert row.figure is None or bool(row.kind.wires) == bool(row.crossed), row
    found = {(str(row.kind), row.name): row for row in rows}
    assert found["linux mem", "switch"].figure and found["linux mem", "loop"].figure
    data = packet_io_report.data(rows)
    assert len(data) == len(rows) and json.loads(json.dumps(data)) == data
    if os.geteuid() == 0 and shutil.which("ip") and (why := found["linux af_packet", "loop"].reason):
        assert "interfaces take" in why
    names = {interface for _, interface in socket.if_nameindex()}
    assert not names & {"in1", "from1"}, "interfaces were left behind"
    with contextlib.suppress(BenchError):
        plots.packet_io(rows, tmp_path / "io.svg")
        assert "linux mem" in (tmp_path / "io.svg").read_text()


def test_what_cannot_be_measured_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", "l2fwd", "--platform", "odp"]) == USAGE
    assert call(["bench", "l2fwd", "--feed", "pcap"]) == USAGE
    assert call(["bench", "l2fwd", "--beside", "io=testpmd {eal2}"]) == USAGE
    assert call(["bench", "l2fwd", "--platform", "dpdk", "--beside", "testpmd"]) == USAGE
    said = capsys.readouterr().err
    for words in (
        "implementations of platform odp",
        "no feed pcap: choose mem",
        "--platform dpdk",
        "NAME=COMMAND with",
    ):
        assert words in said


def test_a_quick_series(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    series = script("series")
    monkeypatch.setattr(series, "FIGURES", tmp_path)
    monkeypatch.setattr(series, "PLOTS", tmp_path)
    assert series.main(["--quick", "buffers"]) == 0
    data = json.loads((tmp_path / "buffers.json").read_text())
    for way in ("self-described", "separate"):
        assert list(data["bare"][way]) == ["empty", "loop", "receive", "send", "alloc", "free"]
        assert all(found["ns"] > 0 and found["cycles"] > 0 for found in data["bare"][way].values())
    assert [program["without"][0]["name"] for program in data["programs"]] == ["self-described-buffers"]
    assert "separate: alloc " in capsys.readouterr().out and "</svg>" in (tmp_path / "buffers.svg").read_text()


@pytest.mark.parametrize(("peer", "entries"), [("exact", 2000), ("fib4", 2000), ("fib6", 2000), ("acl", 20)])
def test_peers_answer_as_ours_do(peer: str, entries: int, tmp_path: Path) -> None:
    """The program compares all answers before it is ready."""
    try:
        binary = program(f"peers/{peer}", tmp_path, ("libdpdk",))
        probe = Probe([str(binary), str(entries)], tmp_path)
    except BenchError as error:
        if "pkg-config" in str(error) or "huge pages" in str(error):
            pytest.skip(str(error))
        raise
    try:
        for side in ("ours", "peer"):
            assert probe.measure(side, 0, 0, 0.001).operations > 0
    finally:
        probe.close()
