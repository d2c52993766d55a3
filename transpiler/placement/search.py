"""All placements of a program's stages on cores that a switch can run, the fastest first.

    R = min_i sum_j B / C_j A_ij                                                                   [1] equation 1

A placement is a matrix A: which stage i is on which core j. A core runs stages that follow each other, and packets pass the
parts of the program in order, each part on one or more cores:

    cloned          each core runs all stages
    pipelined       cut at one or two stage boundaries: m cores run what is in front, n cores what is behind, o cores the rest

The cores of a part run the same stages, so C_j is the same for all of them, and R is the least of cores / C_j over the parts.
Each worker hands over to one of the next part, which has no more of them: where m is no multiple of n, some workers have more
to take than others, and are full when those have time left.

Of three parts there are many placements: 1.6 million for 100 stages on 64 cores. No pair of boundaries gives more than all
cores do that are busy all the time, cores / sum of C_j, so those pairs are looked at first where that is most, and the others
not at all as soon as it is less than the best so far.

[1] "Controlling Parallelism in a Multicore Software Router"
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count

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
    """All of up to two parts, that use all cores. `boundaries`: numbers of stages in front of which the program can be cut."""
    yield _placement((cores,), (0, stages), (costs.of(0, stages),))
    for boundary in boundaries:
        cycles = costs.of(0, boundary), costs.of(boundary, stages)
        for backs in range(1, cores // 2 + 1):
            yield _placement((cores - backs, backs), (0, boundary, stages), cycles)


def _placement(cores: tuple[int, ...], bounds: tuple[int, ...], cycles: tuple[float, ...]) -> Placement:
    """Parts on so many cores each, with the stages from each bound up to the next one."""
    rates = (cores[0] / load / each for load, each in zip(loads(cores), cycles, strict=True))
    return Placement(tuple(map(Part, bounds, bounds[1:], cores, cycles, rates)))


def loads(cores: Sequence[int]) -> list[int]:
    """Of the workers of each part: the most of the first part's whose packets come to one of them."""
    found, of = [1], [1] * cores[0]
    for number in cores[1:]:
        of = [sum(of[place::number]) for place in range(number)]
        found.append(max(of))
    return found


def best_of_three(costs: Costs, boundaries: Sequence[int], stages: int, cores: int, most: int) -> list[Placement]:
    """The fastest placements of three parts, as many as are asked for."""
    shares = [
        (part_cores, tuple(part_cores[0] / load for load in loads(part_cores)))
        for last in range(1, cores // 3 + 1)
        for middle in range(last, (cores - last) // 2 + 1)
        for part_cores in ((cores - middle - last, middle, last),)
    ]
    front = {end: costs.of(0, end) for end in boundaries}
    back = {first: costs.of(first, stages) for first in boundaries}
    pairs = []
    for first, second in combinations(boundaries, 2):
        cycles = (front[first], costs.of(first, second), back[second])
        pairs.append((cores / sum(cycles), first, second, cycles))
    pairs.sort(reverse=True)
    order = count()
    best: list[tuple[float, int, Placement]] = []  # a heap: the slowest first
    for bound, first, second, (one, two, three) in pairs:
        if len(best) == most and bound <= best[0][0]:
            break
        for part_cores, (a, b, c) in shares:
            rate = min(a / one, b / two, c / three)
            if len(best) == most and rate <= best[0][0]:
                continue
            made = _placement(part_cores, (0, first, second, stages), (one, two, three))
            (heapq.heappush if len(best) < most else heapq.heappushpop)(best, (rate, next(order), made))
    return [placement for _, _, placement in best]


def ranked(costs: Costs, boundaries: Sequence[int], stages: int, cores: int, most: int = 10) -> list[Placement]:
    """The fastest first: all of up to two parts, and the best of three; of what is alike that with fewer parts."""
    found = [
        *placements(costs, boundaries, stages, cores),
        *(best_of_three(costs, boundaries, stages, cores, most) if cores > 2 else ()),
    ]
    return sorted(found, key=lambda placement: (-placement.rate, len(placement.parts)))
