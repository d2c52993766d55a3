"""The logic of `make bench-check`: what a row says, what counts as held, how it ends; and the picture beside DPDK."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from macsad.bench.contestants import BenchError
from transpiler.toolchain.toolchain import ToolchainError

ROOT = Path(__file__).parents[2]


def script(name: str) -> ModuleType:
    """A script of bench/, loaded."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", ROOT / "bench" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def check() -> Any:
    return script("check")


def test_a_row_holds_from_what_it_must_reach(check: Any) -> None:
    assert check.Row("x", 2).of(2.0).holds and not check.Row("x", 2).of(1.99).holds
    assert check.Row("x", 1.3, at_most=True).of(1.3).holds and not check.Row("x", 1.3, at_most=True).of(1.31).holds
    assert not check.Row("x", 2, reason="no DPDK").holds


def test_a_row_says_figure_requirement_and_reason(check: Any) -> None:
    assert check.Row("lookups", 2).of(4.913).line().split() == ["lookups", "4.91", "≥", "2", "holds"]
    assert check.Row("loop", 1.3, at_most=True).of(2.6).line().split() == ["loop", "2.60", "≤", "1.3", "MISSED"]
    assert check.Row("lookups", 2, reason="no DPDK").line().endswith("MISSED: no DPDK")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (BenchError("pkg-config does not know libdpdk"), "pkg-config does not know libdpdk"),
        (
            ToolchainError("gcc failed (1): gcc -c x.c\nx.c: In function 'f':\nx.c:1:2: error: no y\nmore"),
            "x.c:1:2: error: no y",
        ),
    ],
)
def test_what_cannot_be_measured_is_missed_with_the_reason(check: Any, error: Exception, reason: str) -> None:
    first, second = check.Row("first", 1), check.Row("second", 2)

    def run() -> Iterator[Any]:
        yield first.of(2.0)
        raise error

    found = list(check.measured(check.Part((first, second), run)))
    assert [(row.what, row.holds, row.reason) for row in found] == [("first", True, ""), ("second", False, reason)]


def test_only_when_all_hold_the_end_is_good(
    check: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = check.Row("a", 1)
    good = check.Part((row,), lambda: iter([row.of(1.5)]))
    bad = check.Part((row,), lambda: iter([row.of(0.5)]))
    monkeypatch.setattr(check, "PARTS", (good, good))
    assert check.main() == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("2 of 2 hold, 0 do not")
    monkeypatch.setattr(check, "PARTS", (good, bad))
    assert check.main() == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 of 2 hold, 1 do not")


def test_series_knows_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    series = script("series")
    assert series.main(["nonsense"]) == 2
    assert "apps, tables, frames, cores" in capsys.readouterr().err


def test_the_picture_beside_dpdk_has_the_figures_of_the_page() -> None:
    """`python bench/draw_peers.py` draws it again."""
    peers = script("draw_peers")
    page = peers.PERFORMANCE.read_text()
    bars = peers.bars(page)
    assert len(bars) == 12 and all(0.5 < bar.low < bar.high < 8 for bar in bars)
    assert peers.PICTURE.read_text() == peers.draw(bars)
    assert peers.draw(peers.bars(page.replace("1.79 to 2.06", "1.79 to 2.07"))) != peers.draw(bars)
