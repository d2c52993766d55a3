"""`macsad bench` from end to end, quick: that it ends well and that its figures are sane, not how large they are."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import socket
from pathlib import Path

import pytest

from macsad.bench import packet_io, packet_io_report, plots
from macsad.bench.contestants import BenchError, Probe
from macsad.bench.programs import program
from macsad.cli import USAGE, call
from macsad.resources import share
from transpiler.toolchain import toolchain


def test_a_quick_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "l2fwd.json"
    assert (
        call(["bench", "l2fwd", "--quick", "--repeat", "2", "--json", str(figures), "--without", "packed-entries,sums"])
        == 0
    )
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
    assert call(["bench", "l2fwd", "--without", "speed"]) == USAGE
    shown = capsys.readouterr().out
    assert "1,000 entries, exact_packed" in shown and "of memory's limit" in shown


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


def test_a_quick_bench_over_dpdk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On DPDK's own devices, with testpmd beside it where that is installed."""
    try:
        toolchain.find("dpdk")
    except toolchain.ToolchainError as error:
        pytest.skip(str(error))
    options = ["--quick", "--platform", "dpdk", "--repeat", "1", "--json", str(tmp_path / "figures")]
    if shutil.which("dpdk-testpmd"):
        testpmd = "dpdk-testpmd {eal2} -- --auto-start --no-lsc-interrupt --total-num-mbufs={buffers}"
        options += ["--beside", f"testpmd={testpmd}"]
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
    found = importlib.util.spec_from_file_location("bench_series", share("bench") / "series.py")
    assert found is not None and found.loader is not None
    series = importlib.util.module_from_spec(found)
    found.loader.exec_module(series)
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
