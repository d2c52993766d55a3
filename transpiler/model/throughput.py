"""T(B, b): the throughput of a program on a machine.

    T(B, b) = 1 / (Υ(B) + Θ(B, b))                    [1] equation 2
    Θ = Δcompute(B) + Δfetch - Δhide                  [1] equations 4 and 6
    Δcompute(B) = Δshared / B + Δnecessary            [1] equation 5

A read that misses takes O_m where it is alone. With those of k packets in flight one is through every O_m / k cycles, and what
is computed for a packet meanwhile hides as much of that; but reads are not through faster than the memory lets them, f_mem(m, k)
[2]:

    Δfetch - Δhide = max(0, O_m / k - hidden, 1 / f_mem(m, k) - Δcompute)

The last of these is min(c, f_mem) of [2], section 3.5: a packet takes its computing or its reads, whichever takes longer. f_dma
is Υ, which a processor spends itself where frames come from memory. Which reads are in flight, and what is hidden, follows from
the loops over a burst, of which each is a stage that [2], section 2, splits the program into:

  - of a *whole burst*, where a table takes the keys of a burst at once, and of cells that are prefetched when packets are listed:
    k is B, and a loop over the B - 1 other packets is between a prefetch and its use: RUN of their work;
  - *b packets ahead*, where entries are prefetched in the loop that uses them: k is b, and that loop's work is between them. The
    processor overlaps some more by itself, as many as there are in its window of instructions: WINDOW cycles of that work. From
    b = B on they are prefetched for the burst that comes next, and all of a burst's work is between.

[1] "Compiler Based Optimization For Software Packet Processing"
[2] "A Performance Model for Automatic Optimization of Software Packet Processing Pipelines"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from transpiler.model.machine import MachineProfile

Point = tuple[int, int]  # B, b

# Cycles of computing that a processor goes ahead of a read that misses: instructions of its reorder buffer. Fitted to
# l2fwd at b = 1.
WINDOW = 20.0
# The share of the computing that is between a prefetch and its use: of receive, start, run and transmit it is one loop.
RUN = 0.25
SAME = 1e-3  # cycles


class Limit(Enum):
    """What takes most of a packet's time."""

    COMPUTE = "compute"
    MEMORY = "memory"
    IO = "I/O"


@dataclass(frozen=True, slots=True)
class Read:
    """Reads of one memory: `each` a packet (N), random over `footprint` bytes (S). `whole_burst`: those of a burst are in flight
    at once, not those of the next b packets."""

    each: float
    footprint: int
    whole_burst: bool


@dataclass(frozen=True, slots=True)
class ProgramProfile:
    """What the model knows of a program: cycles a packet that batching does not change, cycles a burst, its reads, and the length
    of its frames."""

    necessary: float
    shared: float
    reads: tuple[Read, ...]
    length: int = 64
    pages: str = "huge"


@dataclass(frozen=True, slots=True)
class Prediction:
    """Cycles a packet, by the terms of the model."""

    upsilon: float
    compute: float
    stall: float
    fetch: float

    @property
    def cycles(self) -> float:
        return self.upsilon + self.compute + self.stall

    @property
    def limit(self) -> Limit:
        """Memory where its reads take longer than what is computed meanwhile, else the larger of computing and I/O."""
        if self.stall and self.fetch > max(self.compute, self.upsilon):
            return Limit.MEMORY
        return Limit.COMPUTE if self.compute >= self.upsilon else Limit.IO


def predict(machine: MachineProfile, program: ProgramProfile, point: Point) -> Prediction:
    """What a packet takes at that B and b."""
    burst, _ = point
    compute = program.necessary + program.shared / burst
    stall = waits = fetch = 0.0
    for whole_burst in (False, True):
        reads = [read for read in program.reads if read.whole_burst is whole_burst]
        packets, hidden = _overlap(whole_burst, point, program.necessary, compute)
        wait, through = _times(machine, reads, packets, program.pages)
        stall += max(0.0, wait - hidden)
        waits += wait
        fetch += through
    stall = max(stall, fetch - compute) if program.reads else 0.0
    return Prediction(machine.upsilon(burst, program.length), compute, stall, max(waits, fetch))


def _overlap(whole_burst: bool, point: Point, necessary: float, compute: float) -> tuple[float, float]:
    """Of how many packets such reads are in flight, and the cycles a packet that are computed between a prefetch and its use."""
    burst, sub_batch = point
    if whole_burst or burst == 1:
        return float(burst), (burst - 1) / burst * RUN * compute
    if sub_batch >= burst:
        return burst + WINDOW / max(1.0, compute), compute
    run = RUN * necessary
    return min(burst, sub_batch + WINDOW / max(1.0, run)), run


def _times(machine: MachineProfile, reads: Sequence[Read], packets: float, pages: str) -> tuple[float, float]:
    """Cycles a packet that reads of so many packets in flight take: where each is a miss, and as fast as memory lets them."""
    at_once = max(1.0, sum(read.each for read in reads)) * packets
    near = machine.read(0, 0, pages)
    misses = sum(read.each * max(0.0, machine.read(read.footprint, 0, pages) - near) for read in reads)
    through = (machine.read(read.footprint, at_once, pages) - machine.nearest for read in reads)
    return misses / at_once, sum(read.each * max(0.0, each) for read, each in zip(reads, through, strict=True))


def fitted(
    machine: MachineProfile, without: ProgramProfile, alone: tuple[Point, float], together: tuple[Point, float]
) -> ProgramProfile:
    """The program with Δnecessary and Δshared from the cycles a packet that were measured at two points, one packet at a time
    and many. `without`: all else that is known of it."""

    def made(necessary: float, shared: float) -> ProgramProfile:
        return ProgramProfile(necessary, shared, without.reads, without.length, without.pages)

    def cycles(point: Point, necessary: float, shared: float) -> float:
        return predict(machine, made(necessary, shared), point).cycles

    necessary = shared = 0.0
    for _ in range(32):  # each is found for the other, until neither changes
        before = necessary + shared
        necessary = _where(lambda value: cycles(together[0], value, shared), together[1])  # noqa: B023
        shared = _where(lambda value: cycles(alone[0], necessary, value), alone[1])  # noqa: B023
        if abs(necessary + shared - before) < SAME:
            break
    return made(necessary, shared)


def _where(rising: Callable[[float], float], wanted: float) -> float:
    """The least value, zero or more, for which the function has that one."""
    low, high = 0.0, max(1.0, wanted)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) >= wanted else (middle, high)
    return high if high > 1e-9 else 0.0
