"""The search for (B, b) of a running switch, against curves that are made up: tests/c/runtime/batch_search.c."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from built_once import built_once

from macsad.resources import share

GOLDEN = Path(__file__).parents[1] / "golden" / "runtime" / "batch_search.txt"
SOURCE = Path(__file__).parent / "runtime" / "batch_search.c"
FLAGS = ("-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
CHANGED = 20  # the period after which the second curve holds
PERIODS = 40


@dataclass(frozen=True)
class Period:
    """A tenth of a second: what holds behind it, how much slower than the best that is, and sums since the start."""

    batch: tuple[int, int]
    slower: float
    searches: int
    changes: int
    lost: float
    windows: int
    credit: float


def simulated(before: str, after: str | None = None, periods: int = PERIODS) -> list[Period]:
    backend = share("aux-backend")

    def make(folder: Path) -> None:
        sources = [str(SOURCE), str(backend / "runtime" / "batch_search.c")]
        binary = folder / "batch_search"
        subprocess.run(["gcc", "-std=c11", *FLAGS, f"-I{backend}", *sources, "-o", str(binary), "-lm"], check=True)

    binary = built_once(("batch_search", FLAGS), make) / "batch_search"
    done = subprocess.run(
        [str(binary), before, after or before, str(periods)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) == periods
    return [
        Period((int(r[0]), int(r[1])), float(r[2]), int(r[3]), int(r[4]), float(r[5]), int(r[6]), float(r[7]))
        for r in rows
    ]


@pytest.mark.parametrize("noise", [0, 1, 3, 6])
@pytest.mark.parametrize("curve", ["small", "large", "mid", "one", "flat"])
def test_finds_what_is_nearly_the_best_within_ten_periods(curve: str, noise: int) -> None:
    periods = simulated(f"{curve}:{noise}")
    assert periods[9].searches >= 1
    assert periods[9].slower <= 0.05 + noise / 100


def test_leaves_the_start_where_another_is_much_better() -> None:
    assert simulated("one")[9].batch[0] < 64
    assert simulated("one")[9].changes == 1


@pytest.mark.parametrize("noise", [0, 1, 3])
def test_stays_where_nothing_is_better(noise: int) -> None:
    periods = simulated(f"flat:{noise}")
    assert periods[-1].changes == 0
    assert periods[-1].batch == (64, 64)
    assert periods[-1].searches == 1  # nothing has changed


@pytest.mark.parametrize(
    ("before", "after"), [("one", "large"), ("large", "one"), ("small", "large"), ("mid", "large")]
)
@pytest.mark.parametrize("noise", [0, 2])
def test_follows_a_change_within_ten_periods(before: str, after: str, noise: int) -> None:
    periods = simulated(f"{before}:{noise}", f"{after}:{noise}")
    assert periods[CHANGED - 1].searches == 1
    assert periods[CHANGED + 10].searches > 1
    assert periods[CHANGED + 10].slower <= 0.05 + noise / 100


def test_a_light_load_leaves_the_pair_as_it_is() -> None:
    assert simulated("light")[-1].searches == 0
    periods = simulated("large", "light")
    assert periods[-1].batch == periods[CHANGED - 1].batch
    assert periods[-1].searches == periods[CHANGED - 1].searches


def test_what_searches_cost_is_bounded() -> None:
    """Costs that always seem to have changed: a tenth of a second and a search at first, then 0.5 % of the time."""
    short, long = simulated("large:20"), simulated("large:20", periods=1000)
    assert short[-1].searches > 2
    assert long[-1].lost * 100 <= 0.005 * 100 + 0.2


def test_searches_that_change_nothing_become_rare() -> None:
    """Costs that differ by themselves by more than what a change is at first."""
    assert simulated("flat:9", periods=190)[-1].searches <= 3


# Costs that stay, that change for good by much and by little, that vary, and bursts that are no longer full; tenths of seconds.
COURSES = [("large:1", "large:1", 80), ("one:2", "large:2", 80), ("large:2", "one:2", 80), ("small:1", "mid:1", 80)]
COURSES += [
    ("mid:3", "small:3", 80),
    ("flat:9", "flat:9", 200),
    ("large:20", "large:20", 200),
    ("mid:6", "light:6", 80),
]
COURSES += [("light:1", "one:1", 80), ("large:40", "large:40", 600), ("mid:1", "mid:1", 1300)]


def test_when_it_searches_and_what_it_finds(golden: Callable[[Path, str], None]) -> None:
    """Each course is the same on every machine: what holds from when on, and how many searches there were."""
    lines = []
    for before, after, periods in COURSES:
        lines.append(f"{before} then {after}:")
        seen = None
        for number, period in enumerate(simulated(before, after, periods), 1):
            if (period.batch, period.searches) != seen:
                seen = period.batch, period.searches
                now = f"{number / 10:.1f} s, window {period.windows}"
                lines.append(f"  {now}: B, b = {period.batch}, {period.searches} searches, {period.credit:.0f} ms left")
        lines.append(f"  end: window {period.windows}, {period.changes} changes")
    golden(GOLDEN, "\n".join(lines) + "\n")
