"""`macsad bench` from end to end, quick: that it ends well and that its figures are sane, not how large they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from macsad.bench.contestants import BenchError, Probe
from macsad.bench.programs import program
from macsad.cli import USAGE, call


def test_a_quick_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "l2fwd.json"
    assert call(["bench", "l2fwd", "--quick", "--repeat", "2", "--json", str(figures), "--without", "words,sums"]) == 0
    data = json.loads(figures.read_text())
    assert [(point["burst"], point["sub_batch"]) for point in data["points"]] == [(1, 1), (32, 1), (32, 32)]
    for point in data["points"]:
        assert 0 < point["ns_low"] <= point["ns"] <= point["ns_high"]
        assert point["cycles"] > 0 and point["mpps"] == pytest.approx(1e3 / point["ns"])
        assert point["of_memory"] > 0
    assert [(table["entries"], table["reach"]) for table in data["tables"]] == [(1000, 1.0), (1000, 1.0)]
    assert data["dropped"] == 0
    assert [left_out["name"] for left_out in data["without"]] == ["words"] and data["without"][0]["gain"] > 0
    assert data["without_difference"] == ["sums"], "l2fwd has no checksum"
    assert data["limits"]["memory_ns"] > 0
    for what in ("empty", "loop"):
        assert [floor["burst"] for floor in data["limits"][what]] == [1, 32]
    assert call(["bench", "l2fwd", "--without", "speed"]) == USAGE
    shown = capsys.readouterr().out
    assert "1,000 entries, exact_packed" in shown and "of memory's limit" in shown


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
