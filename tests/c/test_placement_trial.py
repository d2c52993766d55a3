"""Whether parts keep workers of their own, against rates that are made up: tests/c/runtime/placement_trial.c."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from built_once import built_once

from macsad.resources import share

GOLDEN = Path(__file__).parents[1] / "golden" / "runtime" / "placement_trial.txt"
SOURCE = Path(__file__).parent / "runtime" / "placement_trial.c"
FLAGS = ("-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@dataclass(frozen=True)
class Period:
    """A tenth of a second: what holds behind it, and sums since the start; `lost`, `slower`: as shares."""

    cloned: bool
    trials: int
    changes: int
    lost: float
    slower: float
    windows: int
    credit: float


def simulated(
    before: tuple[float, float],
    after: tuple[float, float] | None = None,
    noise: float = 0,
    full: float = 1,
    periods: int = 40,
) -> list[Period]:
    """Rates of parts on workers of their own, and of all parts on each."""
    backend = share("aux-backend")

    def make(folder: Path) -> None:
        sources = [str(SOURCE), str(backend / "runtime" / "placement_trial.c")]
        binary = str(folder / "placement_trial")
        subprocess.run(["gcc", "-std=c11", *FLAGS, f"-I{backend}", *sources, "-o", binary], check=True)

    binary = built_once(("placement_trial", FLAGS), make) / "placement_trial"
    numbers = map(str, [*before, *(after or before), noise, full, periods])
    done = subprocess.run([str(binary), *numbers], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    return [
        Period(row[0] == "1", int(row[1]), int(row[2]), float(row[3]), float(row[4]), int(row[5]), float(row[6]))
        for row in rows
    ]


@pytest.mark.parametrize("noise", [0, 2, 10])
def test_a_pipeline_that_is_slower_is_taken_back_within_half_a_second(noise: float) -> None:
    periods = simulated((0.01, 0.02), noise=noise)
    assert periods[4].cloned and periods[-1].cloned
    assert periods[-1].changes == 1


@pytest.mark.parametrize("noise", [0, 2, 10])
def test_a_pipeline_that_is_faster_stays(noise: float) -> None:
    periods = simulated((0.012, 0.01), noise=noise, periods=600)
    assert not any(period.cloned for period in periods) and periods[-1].trials >= 1
    assert periods[-1].lost < 0.005


def test_a_gain_that_is_small_or_that_noise_hides_changes_nothing() -> None:
    assert not simulated((0.01, 0.0103))[-1].cloned
    assert simulated((0.01, 0.0108), noise=40, periods=20)[-1].changes == 0


def test_what_noise_hides_is_tried_again_soon() -> None:
    """Windows that vary by up to a quarter: half a minute is enough to see that the other way is 12 % better."""
    periods = simulated((0.01, 0.0112), noise=25, periods=300)
    assert periods[-1].cloned and periods[-1].trials > 1


@pytest.mark.parametrize("noise", [0, 5])
def test_it_follows_cores_that_others_take_and_give_back(noise: float) -> None:
    """The pipeline is the faster way until others use its cores; a second later it is taken back."""
    periods = simulated((0.013, 0.01), (0.004, 0.008), noise=noise, periods=60)
    assert not periods[29].cloned and periods[39].cloned
    periods = simulated((0.004, 0.008), (0.013, 0.01), noise=noise, periods=2000)
    assert periods[999].cloned and not periods[-1].cloned, "it tries now and then, too"


def test_nothing_is_tried_where_bursts_are_not_full() -> None:
    assert simulated((0.001, 0.002), full=0.5)[-1].trials == 0


def test_trials_cost_little_in_the_long_run() -> None:
    """However much slower the other way is."""
    last = simulated((0.01, 0.0001), periods=3000)[-1]
    assert last.trials >= 3 and last.lost < 0.005 and last.slower < 0.006


# Rates of parts on workers of their own and of all parts on each, before and after, how far they vary in percent, and the
# share of B that bursts hold; tenths of seconds.
COURSES = [
    ((0.01, 0.02), (0.01, 0.02), 2, 1, 300),
    ((0.012, 0.01), (0.012, 0.01), 10, 1, 4000),
    ((0.013, 0.01), (0.004, 0.008), 5, 1, 300),
    ((0.004, 0.008), (0.013, 0.01), 5, 1, 2000),
    ((0.01, 0.0112), (0.01, 0.0108), 25, 1, 300),
    ((0.01, 0.0104), (0.01, 0.0106), 1, 0.88, 600),
    ((0.01, 0.02), (0.01, 0.02), 2, 0.87, 300),
    ((0.01, 0.001), (0.01, 0.001), 40, 1, 1500),
]


def test_when_it_tries_and_what_it_decides(golden: Callable[[Path, str], None]) -> None:
    """Each course is the same on every machine: whether all parts are on each worker from when on, and the trials."""
    lines = []
    for before, after, noise, full, periods in COURSES:
        lines.append(f"{before} then {after}, {noise} %, bursts {full:.2f} full:")
        seen = None
        for number, period in enumerate(simulated(before, after, noise, full, periods), 1):
            if (period.cloned, period.trials) != seen:
                seen = period.cloned, period.trials
                way = "all on each" if period.cloned else "parts"
                now = f"{number / 10:.1f} s, window {period.windows}"
                lines.append(f"  {now}: {way}, {period.trials} trials, {period.credit:.0f} ms left")
        lines.append(f"  end: window {period.windows}, {period.changes} changes")
    golden(GOLDEN, "\n".join(lines) + "\n")
