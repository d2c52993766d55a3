"""Samples and their statistics. All times are CPU time of the measured thread, so other programs on the machine do not
count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any


class SampleError(Exception):
    """What came back is no sample; the message says from where and what it was."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Of a stretch of time: `operations` (packets, lookups, reads) done in `cpu_ns` of all workers together, while
    `wall_ns` went by and the CPU's counter by `cycles` (0: not known)."""

    operations: int
    cpu_ns: int
    wall_ns: int
    cycles: int

    def __post_init__(self) -> None:
        if min(self.operations, self.cpu_ns, self.wall_ns) <= 0 or self.cycles < 0:
            raise SampleError(f"nothing was done while it was measured ({self})")

    @property
    def ns(self) -> float:
        """Nanoseconds an operation."""
        return self.cpu_ns / self.operations

    @property
    def cycles_each(self) -> float:
        """Cycles of the CPU's counter an operation."""
        return self.ns * self.cycles / self.wall_ns


def from_line(line: str) -> Sample:
    """A sample as the programs in bench/ print it. Raises: SampleError."""
    words = line.split()
    if len(words) != 4 or not all(word.isdecimal() for word in words):
        raise SampleError(f"'{line.strip()}' is not four numbers")
    return Sample(*map(int, words))


def between(before: Mapping[str, Any], after: Mapping[str, Any]) -> Sample:
    """A sample from two STATS of a switch, see docs/control.md. Raises: SampleError."""
    try:
        operations, cpu_ns, cycles = (int(after[key]) - int(before[key]) for key in ("received", "cpu_ns", "cycles"))
        wall_ns = round((after["seconds"] - before["seconds"]) * 1e9)
    except KeyError as missing:
        raise SampleError(f"the switch's statistics have no {missing}") from None
    return Sample(operations, cpu_ns, wall_ns, cycles)


@dataclass(frozen=True, slots=True)
class Figure:
    """Nanoseconds an operation: the median of all rounds, and the quartiles; cycles an operation."""

    ns: float
    low: float
    high: float
    cycles: float
    rounds: int

    @property
    def millions(self) -> float:
        """Operations a second and core, in millions."""
        return 1e3 / self.ns

    @property
    def spread(self) -> float:
        """Distance of the quartiles, as a share of the median."""
        return (self.high - self.low) / self.ns


def figure(samples: Sequence[Sample]) -> Figure:
    """The median of samples. Raises: SampleError when there are none."""
    if not samples:
        raise SampleError("no samples")
    times = sorted(sample.ns for sample in samples)
    last = len(times) - 1
    cycles = median(sample.cycles_each for sample in samples)
    return Figure(median(times), times[last // 4], times[last - last // 4], cycles, len(samples))


def ratio(slow: Sequence[Sample], fast: Sequence[Sample]) -> float:
    """How many times as fast the second is: the median of the rounds' ratios, as drift is the same within a round."""
    pairs = list(zip(slow, fast, strict=True))
    if not pairs:
        raise SampleError("no samples")
    return median(one.ns / other.ns for one, other in pairs)
