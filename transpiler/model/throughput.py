"""T(B, b): the throughput of a program on a machine.

    T(B, b) = 1 / (Υ(B) + Θ(B, b))                    [1] equation 2
    Θ = Δcompute(B) + Δfetch - Δhide                  [1] equations 4 and 6
    Δcompute(B) = Δshared / B + Δnecessary            [1] equation 5

A read that misses takes O_m where it is alone. With k of them in flight one is through every O_m / k cycles, and meanwhile the
work on the other k - 1 packets hides a part of it; but reads are not through faster than the memory lets them, f_mem(m, k) [2]:

    Δfetch - Δhide = max(0, (O_m - (k - 1) · Δcompute) / k, 1 / f_mem(m, k) - Δcompute)

The last of these is min(c, f_mem) of [2], section 3.5: a packet takes its computing or its reads, whichever takes longer. f_dma
is Υ, which a processor spends itself where frames come from memory.

k is how many packets have their reads in flight, times the reads of one: b, or B where a table takes the keys of a burst at once.
Of the packets of a burst the processor overlaps some by itself, as many as there are in its window of instructions ([2], section
2): those are WINDOW / Δcompute more, up to B.

[1] "Compiler Based Optimization For Software Packet Processing"
[2] "A Performance Model for Automatic Optimization of Software Packet Processing Pipelines"
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from transpiler.model.machine import MachineProfile

Point = tuple[int, int]  # B, b

# Cycles of computing that a processor goes ahead of a read that misses: some hundred instructions of its reorder buffer. Fitted
# to l2fwd at b = 1.
WINDOW = 100.0


class Limit(Enum):
    """What takes most of a packet's time."""

    COMPUTE = "compute"
    MEMORY = "memory"
    IO = "I/O"


@dataclass(frozen=True, slots=True)
class Read:
    """Reads of one memory: `each` a packet (N), random over `footprint` bytes (S). `whole_burst`: those of a burst are in flight
    at once, not those of a sub-batch."""

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
    at_once = max(1.0, sum(read.each for read in program.reads))
    near = machine.read(0, 0, program.pages)
    waits = fetch = 0.0
    fewest = float(burst)
    for read in program.reads:
        packets = _in_flight(read, point, compute)
        fewest = min(fewest, packets)
        miss = machine.read(read.footprint, 0, program.pages) - near
        through = machine.read(read.footprint, packets * at_once, program.pages) - machine.nearest
        waits += read.each * max(0.0, miss) / (packets * at_once)
        fetch += read.each * max(0.0, through)
    stall = max(0.0, waits - (fewest - 1) / fewest * compute, fetch - compute) if program.reads else 0.0
    return Prediction(machine.upsilon(burst, program.length), compute, stall, max(waits, fetch))


def _in_flight(read: Read, point: Point, compute: float) -> float:
    """Packets whose reads of that kind are in flight at once."""
    burst, sub_batch = point
    asked = burst if read.whole_burst else min(burst, sub_batch)
    return min(burst, asked + WINDOW / max(1.0, compute))


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
        necessary = _where(lambda value: cycles(together[0], value, shared), together[1])  # noqa: B023
        shared = _where(lambda value: cycles(alone[0], necessary, value), alone[1])  # noqa: B023
    return made(necessary, shared)


def _where(rising: Callable[[float], float], wanted: float) -> float:
    """The least value, zero or more, for which the function has that one."""
    low, high = 0.0, max(1.0, wanted)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) >= wanted else (middle, high)
    return high if high > 1e-9 else 0.0
