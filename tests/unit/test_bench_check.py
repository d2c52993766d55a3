"""The logic of `make bench-check`: what a row says, what counts as held, how it ends; and the picture beside DPDK."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import script

from macsad.bench.contestants import BenchError
from transpiler.toolchain.toolchain import ToolchainError


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
    assert check.main([]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("2 of 2 hold, 0 do not")
    monkeypatch.setattr(check, "PARTS", (good, bad))
    assert check.main([]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 of 2 hold, 1 do not")


def test_words_choose_among_the_parts(
    check: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A part is measured as a whole where one of its rows has one of the words."""
    rows = [check.Row(name, 1) for name in ("a register", "a counter", "a sketch", "its loop")]
    ran: list[Any] = []

    def part(*of: Any) -> Any:
        return check.Part(of, lambda: (ran.append(row.what) or row.of(2) for row in of))

    monkeypatch.setattr(check, "PARTS", (part(rows[0]), part(rows[1]), part(*rows[2:])))
    assert check.main(["loop", "regis"]) == 0 and ran == ["a register", "a sketch", "its loop"]
    with pytest.raises(SystemExit) as ended:
        check.main(["meter", "queue"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "no row has 'meter' or 'queue' in its name; there are:\n  a register\n  a counter\n" in said


def test_a_program_is_measured_with_its_suite_or_so_many_entries(check: Any) -> None:
    suite = check.suite_of(check.share("apps") / "router" / "router.p4")
    usual, few = check.wanted("router", ((1, 1),)), check.wanted("router", ((1, 1),), 7, ("prefetch",))
    made, less = usual.order(Path("x")), few.order(Path("x"))
    assert (made.entries, made.tables) == (suite.entries, suite.tables) and suite.tables
    assert (less.entries, less.tables, less.packets) == (7, (), suite.packets)
    assert (made.hit, made.ports, made.port, made.seed) == (1.0, 2, 0, 1)
    assert (few.points, few.workers, few.without) == (((1, 1),), 1, ("prefetch",)) and not usual.without
    with pytest.raises(BenchError, match="apps/none is not there"):
        check.wanted("none", ())
    state = check.state("REGISTER ONE", 5, 2)
    assert state.request.defines == ("REGISTER", "ONE") and state.workers == 2 and state.order(Path("x")).entries == 5


@pytest.mark.parametrize(("lines", "share", "told"), [
    ((" 2 workers: all", " 4 workers: all"), 1, "2 runs"),
    ((" 2 workers: WRONG, 1", " 4 workers: all", "and more"), 0.5, " 2 workers: WRONG, 1"),
])  # fmt: skip
def test_totals_are_the_share_of_exact_runs(
    check: Any, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...], share: float, told: str
) -> None:
    ended = SimpleNamespace(stdout="\n".join(lines), stderr="", returncode=share != 1)
    monkeypatch.setattr(check.subprocess, "run", lambda command, **_: ended)
    assert list(check.totals()) == [check.TOTALS.of(share, told)]
    for stdout, status in (("", 0), (lines[1], 2)):
        ended = SimpleNamespace(stdout=stdout, stderr="no gcc", returncode=status)
        with pytest.raises(BenchError, match="no gcc"):
            list(check.totals())


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
