"""What bench/adapt.py tells of a switch that changes B and b by itself: the switch is one of this file, with its own clock."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Clock, sample, script
from click.testing import CliRunner

from macsad.bench.samples import Sample

SLOW, CHOSEN, BEST = (32, 32), (64, 64), (256, 128)
PACKETS_S = 1e8


class Control:
    """The port that counts what it loses."""

    def __init__(self) -> None:
        self.path = Path("control")
        self.gaps: list[float] = []

    def begin(self, gap: float) -> None:
        self.gaps.append(gap)

    def read(self) -> Any:
        return SimpleNamespace(missed=25_000_000)


class AdaptingSwitch:
    """Searches at first and again after a second; holds a slow pair between, a good one behind."""

    def __init__(self, clock: Clock, refused: str = "") -> None:
        self.clock, self.refused = clock, refused
        self.said: list[str] = []
        self.adapts = True
        self.cpu_ns = self.cost_ns = self.last = 0.0

    def command(self, line: str) -> Any:
        self.stats()
        self.said.append(line)
        if line.startswith("set_adapt"):
            self.adapts = line.endswith("on")
        return SimpleNamespace(ok=not self.refused, text=self.refused)

    def set_batch(self, burst: int, sub_batch: int) -> None:
        self.said.append(f"batch {burst} {sub_batch}")

    def stats(self) -> dict[str, Any]:
        """A packet takes 10 ns, a tenth more where it adapts; an eighth of that is counted."""
        now = self.clock.now
        self.cpu_ns += (now - self.last) * PACKETS_S * (11 if self.adapts else 10)
        self.cost_ns += (now - self.last) * PACKETS_S * 11 / 8 if self.adapts else 0
        self.last = now
        searching = now < 0.5 or 1 <= now < 1.21
        pair = SLOW if now < 1 else CHOSEN
        adapt = {"searching": searching, "searches": (now >= 0.5) + (now >= 1.21), "cost_ns": self.cost_ns}
        return {
            "adapt": adapt, "burst": pair[0], "sub_batch": pair[1], "received": now * PACKETS_S, "cpu_ns": self.cpu_ns,
            "cycles": now * 2e9, "seconds": now,
        }  # fmt: skip


@pytest.fixture
def adapt(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = script("adapt")
    monkeypatch.setattr(module, "time", Clock())
    return module


def live(adapt: Any, refused: str = "") -> Any:
    made = adapt.Live.__new__(adapt.Live)
    made.client = AdaptingSwitch(adapt.time, refused)
    made.switch = SimpleNamespace(resume=lambda: made.client.said.append("resume"))
    return made


def test_a_change_is_told_with_when_it_held_and_beside_the_best(adapt: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chosen pair is 4 % slower than the best of the grid at first, 10 % when both are measured again."""
    asked: list[tuple[list[Any], int]] = []

    def measured(turns: list[Any], rounds: int, seconds: float, advance: Any) -> dict[Any, list[Sample]]:
        assert all((turn.number, turn.other) == turn.key and turn.contestant is switch.switch for turn in turns)
        asked.append(([turn.key for turn in turns], rounds))
        ns = {BEST: 100, CHOSEN: 110 if len(asked) > 1 else 104}
        return {turn.key: [sample(ns.get(turn.key, 120))] * rounds for turn in turns}

    monkeypatch.setattr(adapt, "measure", measured)
    switch = live(adapt)
    row = switch.compare("l2fwd", "all miss", 3)
    assert row.searched == pytest.approx(1.21, abs=2.1 * adapt.STEP_S), "the second search ended then"
    assert row.settled == pytest.approx(1.21, abs=2.1 * adapt.STEP_S), "the pair before was slow"
    assert (row.app, row.what, row.chosen, row.best) == ("l2fwd", "all miss", CHOSEN, BEST)
    assert (row.ns, row.best_ns) == (110, 100) and row.slower == pytest.approx(0.1)
    (grid, rounds), (again, more) = asked
    assert rounds == 3 and set(grid) == {*adapt.GRID, SLOW, CHOSEN} and len(grid) == len(set(grid))
    assert again == [BEST, CHOSEN] and more == 12
    assert switch.client.said == ["resume", "batch 64 64", "set_adapt on"]


@pytest.mark.parametrize(("slow_ns", "settled"), [(104, 0.5), (106, 1.21)])
def test_a_pair_that_is_within_five_percent_has_settled(
    adapt: Any, monkeypatch: pytest.MonkeyPatch, slow_ns: int, settled: float
) -> None:
    ns = {BEST: 100, SLOW: slow_ns, CHOSEN: 101}
    monkeypatch.setattr(adapt, "measure", lambda turns, *_: {t.key: [sample(ns.get(t.key, 120))] for t in turns})
    assert live(adapt).compare("x", "y", 1).settled == pytest.approx(settled, abs=2.1 * adapt.STEP_S)


def test_what_never_settles_is_told_as_all_that_was_watched(adapt: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        adapt, "measure", lambda turns, *_: {t.key: [sample({BEST: 100}.get(t.key, 120))] for t in turns}
    )
    assert live(adapt).compare("x", "y", 1).settled == adapt.WATCHED_S


def test_the_cost_where_nothing_changes_is_measured_with_and_without_in_turn(adapt: Any) -> None:
    switch = live(adapt)
    adapt.time.now = 2.0
    switch.client.stats()
    more, counted = switch.stable(2, 4)
    assert more == pytest.approx(0.1) and counted == pytest.approx(1 / 8)
    batch, on, off = "batch 64 64", "set_adapt on", "set_adapt off"
    assert switch.client.said == [batch, on, batch, off, batch, on, batch, off, on]


def test_a_light_load_is_a_hundredth_of_the_full_one(adapt: Any) -> None:
    switch, control = live(adapt), Control()
    adapt.time.now = 2.0
    switch.client.stats()
    told = switch.light(Path("x.pcap"), control).split("; ")
    assert switch.client.said == ["port_remove 0", "port_add paced:x.pcap,control 0"]
    gap = pytest.approx(1100)
    assert control.gaps == [adapt.FULL_NS] * 2 + [gap] * 2 + [adapt.FULL_NS] * 2
    assert told == ["load 100%: 90.91 Mpps at 64, 64", "load 1%: 90.91 Mpps at 64, 64, missed 20.00%", told[0]]


def test_what_the_switch_refuses_ends_it(adapt: Any) -> None:
    with pytest.raises(adapt.click.ClickException, match="no such port"):
        live(adapt, "no such port").feed("mem:x")


def test_rows_of_the_command(adapt: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = adapt.Row("l2fwd", "all miss", 1.25, 2.5, (64, 32), (256, 128), 12.5, 10, 0.25)
    asked: list[Any] = []

    def run(*what: Any) -> Any:
        asked.append(what)
        return [adapt._shown(row)], (0.02, 0.01), "a light load"

    monkeypatch.setattr(adapt, "run", run)
    monkeypatch.setattr(adapt, "beside_usual", lambda *what: asked.append(what) or (-0.02, 0.01, (64, 32)))
    monkeypatch.setattr(adapt, "FIGURES", tmp_path / "new" / "adapt.json")

    def lines(*words: str) -> list[str]:
        done = CliRunner().invoke(adapt.main, words)
        assert done.exit_code == 0
        return done.output.splitlines()

    _, told, cost, light = lines("l2fwd")
    assert " ".join(told.split()) == "l2fwd all miss 1.25 s 2.50 s 64, 32 12.50 ns best 256, 128 10.00 ns +25.0%"
    assert (
        cost == "l2fwd    where nothing changes, a packet takes +2.00%; counted 1.00%"
        and light == "l2fwd    a light load"
    )
    (kept,) = adapt.json.loads(adapt.FIGURES.read_text())
    assert kept["rows"][0]["slower"] == 0.25 and kept["light"] == "a light load"
    assert len(lines("--quick")) == 1 + 3 * len(adapt.CASES)
    assert asked == [("l2fwd", 1_000_000, 5, 15), *((app, 2000, 1, 1) for app in adapt.CASES)]
    asked.clear()
    (cost,) = lines("--cost", "nat")
    assert cost.split(maxsplit=1) == ["nat", "a packet takes -1.00%: searches 1.00%, 64, 32 -2.00%"]
    lines("--cost", "--quick", "nat")
    assert asked == [("nat", 1000, 22, 61), ("nat", 1000, 1, 2)]


def test_more_frames_than_entries_are_made(adapt: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapt.generation, "make", lambda request, hlir, order: order.packets)
    made = [adapt._made(None, None, Path("x"), entries, 1.0) for entries in (1, 10_001, 1_000_000)]
    assert made == [20_000, 20_002, 1_000_000]
