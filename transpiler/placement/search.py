"""All placements of a program's stages on cores that a switch can run, the fastest first.

    R = min_i sum_j B / C_j A_ij                                                                   [1] equation 1

A placement is a matrix A: which stage i is on which core j. A core runs stages that follow each other, and packets pass the
parts of the program in order, each part on one or more cores:

    cloned          each core runs all stages
    pipelined       cut at a stage boundary: m cores run what is in front of it, n cores the rest

The cores of a part run the same stages, so C_j is the same for all of them, and R is the least of cores / C_j over the parts.
Each worker of the front hands over to one of the back: where m is no multiple of n, some workers of the back have more of
them than others, and are full when those have time left.

[1] "Controlling Parallelism in a Multicore Software Router"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from transpiler.placement.costs import Costs


@dataclass(frozen=True, slots=True)
class Part:
    """Stages from `first` up to `end`, which is left out, on so many cores; `cycles` a packet of each, C_j. `rate`: packets a
    cycle that they take together."""

    first: int
    end: int
    cores: int
    cycles: float
    rate: float


@dataclass(frozen=True, slots=True)
class Placement:
    """Parts in the order of packets."""

    parts: tuple[Part, ...]

    @property
    def rate(self) -> float:
        """R, packets a cycle of one core."""
        return min(part.rate for part in self.parts)

    @property
    def limit(self) -> int:
        """The part that takes the fewest packets: its number."""
        return min(range(len(self.parts)), key=lambda number: self.parts[number].rate)

    def matrix(self, stages: int) -> tuple[tuple[int, ...], ...]:
        """A: a row a stage, a column a core."""
        owners = [part for part in self.parts for _ in range(part.cores)]
        return tuple(tuple(int(part.first <= i < part.end) for part in owners) for i in range(stages))


def placements(costs: Costs, boundaries: Sequence[int], stages: int, cores: int) -> Iterator[Placement]:
    """All of them, that use all cores. `boundaries`: numbers of stages in front of which the program can be cut."""
    yield Placement((_part(costs, 0, stages, cores, cores),))
    for boundary in boundaries:
        front, back = costs.of(0, boundary), costs.of(boundary, stages)
        for backs in range(1, cores // 2 + 1):
            fronts = cores - backs
            even = fronts / -(-fronts // backs)  # cores of the back that are busy when the fullest one is
            yield Placement(
                (
                    Part(0, boundary, fronts, front, fronts / front),
                    Part(boundary, stages, backs, back, even / back),
                )
            )


def _part(costs: Costs, first: int, end: int, cores: int, busy: float) -> Part:
    cycles = costs.of(first, end)
    return Part(first, end, cores, cycles, busy / cycles)


def ranked(costs: Costs, boundaries: Sequence[int], stages: int, cores: int) -> list[Placement]:
    """The fastest first; of what is alike that with fewer parts."""
    found = placements(costs, boundaries, stages, cores)
    return sorted(found, key=lambda placement: (-placement.rate, len(placement.parts)))
