"""Which B and b to try: all pairs of a grid by what the model predicts of them, the best first.

The model is some tenths off (docs/model.md), which is more than the pairs near the best differ by: it says which of them are
worth a measurement, and the measurement which is the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from math import log

from transpiler.model.machine import MachineProfile
from transpiler.model.throughput import Point, Prediction, ProgramProfile, predict

BURSTS = (1, 8, 16, 32, 64, 128, 256)
SUB_BATCHES = (1, 4, 8, 16, 32, 64, 128, 256)
GRID: tuple[Point, ...] = tuple((burst, b) for burst in BURSTS for b in SUB_BATCHES if b <= burst)

# How much slower than the best a pair may be predicted and yet be the best, as a share: what 90 % of the model's errors are
# below, of both.
DOUBT = 0.4
SPREAD = (16, 1, 64, 4, 256, 8, 32, 128)  # b of SUB_BATCHES, from far apart to near
ALIKE = 0.01  # a difference that says nothing, as a share


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair (B, b), and what the model says of it."""

    point: Point
    prediction: Prediction


def ranked(machine: MachineProfile, program: ProgramProfile, points: Sequence[Point] = GRID) -> tuple[Candidate, ...]:
    """The best first; of what is predicted alike the smaller ones, which keep packets for a shorter time."""
    found = (Candidate(point, predict(machine, program, point)) for point in points)
    return tuple(sorted(found, key=lambda one: (round(one.prediction.cycles, 1), one.point)))


def worth_measuring(order: Sequence[Candidate], most: int, doubt: float = DOUBT) -> tuple[Candidate, ...]:
    """Those that may be the best, `most` at most, of what `ranked` has made: of each B in turn its next best b. What is predicted
    alike is tried from far apart first."""
    limit = order[0].prediction.cycles * (1 + doubt)
    rows: dict[int, list[Candidate]] = {}
    for one in order:
        if one.prediction.cycles <= limit:
            rows.setdefault(one.point[0], []).append(one)
    for row in rows.values():
        row.sort(key=lambda one: (round(log(one.prediction.cycles) / ALIKE), SPREAD.index(one.point[1])))
    turns = chain.from_iterable(zip_longest(*rows.values()))
    return tuple(one for one in turns if one is not None)[:most]


def beside(point: Point) -> tuple[Point, ...]:
    """The pairs of the grid that differ from one by a step of B or of b."""
    return tuple(other for other in GRID if _steps(point, other) == 1)


def _steps(point: Point, other: Point) -> int:
    bursts = abs(BURSTS.index(point[0]) - BURSTS.index(other[0]))
    return bursts + abs(SUB_BATCHES.index(point[1]) - SUB_BATCHES.index(other[1]))
