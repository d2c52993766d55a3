"""`macsad bench` from end to end, quick: that it ends well and that its figures are sane, not how large they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from macsad.cli import call


def test_a_quick_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "l2fwd.json"
    assert call(["bench", "l2fwd", "--quick", "--repeat", "2", "--json", str(figures)]) == 0
    data = json.loads(figures.read_text())
    assert [(point["burst"], point["sub_batch"]) for point in data["points"]] == [(1, 1), (32, 1), (32, 32)]
    for point in data["points"]:
        assert 0 < point["ns_low"] <= point["ns"] <= point["ns_high"]
        assert point["cycles"] > 0 and point["mpps"] == pytest.approx(1e3 / point["ns"])
        assert point["of_memory"] > 0
    assert [(table["entries"], table["reach"]) for table in data["tables"]] == [(1000, 1.0), (1000, 1.0)]
    assert data["dropped"] == 0
    assert data["limits"]["memory_ns"] > 0
    for what in ("empty", "loop"):
        assert [floor["burst"] for floor in data["limits"][what]] == [1, 32]
    shown = capsys.readouterr().out
    assert "1,000 entries, exact_packed" in shown and "of memory's limit" in shown
