"""C_j: cycles a packet of a core that runs some of the stages, one behind the other.

    C_j = sum_i C(i) A_ij + O_s_j + O_c_j                                               [1] section 3.2

O_c_j = sum_i A_ij N(i) w(S_ij) is what reads wait that miss the core's private caches. In [1] w is pi_j O_m, with pi_j = 1 -
LLC / S_j of one cache. Here it is the machine's profile: what a read of so many bytes takes longer than one of the first
cache, at as many reads in flight as the stage has. Behind the last private cache it depends on what the whole program reads,
as cores share the caches there: of the reads that miss, whose share the profile tells. S_ij are the bytes that the core's
stages read as often for their size, or more often: where all are read alike that is S_j, and a counter stays in the cache
beside a large table.

O_s_j is for bursts that come from another core or go to one: O_s cycles, from the machine's profile, which has one line of
each packet fetched from another core's cache. [1] counts it for the taking core. The giving core gets buffers back, which
costs it as much. A packet has its description, its record with live values and its frame: LINES of these are waited for, the
rest is prefetched. That number is fitted, to bench/elements.p4 with chains of reads.

[1] "Controlling Parallelism in a Multicore Software Router"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from transpiler.model.machine import MachineProfile, at
from transpiler.placement.stages import Read, Stage

PRIVATE = 2  # levels of a core's own caches: the others are shared
LINES = 4  # of a packet
ALIKE = 2.0  # memories are read about as often for their size up to this ratio
SURELY = 4  # times the last private cache


class Costs(Protocol):
    """Cycles a packet of a core."""

    def of(self, first: int, end: int) -> float:
        """Of one that runs the stages from `first` up to `end`, which is left out."""
        ...


@dataclass(frozen=True, slots=True)
class MachineCosts:
    """Those of a program on a machine, at a burst of B packets."""

    machine: MachineProfile
    stages: tuple[Stage, ...]
    burst: int

    def of(self, first: int, end: int) -> float:
        stages = self.stages[first:end]
        handed = (first > 0) + (end < len(self.stages))
        return (
            sum(stage.cycles for stage in stages)
            + handed * hand_over(self.machine, self.burst)
            + contention(self.machine, stages, footprint(self.stages))
        )


def hand_over(machine: MachineProfile, burst: int) -> float:
    """O_s, cycles a packet: a burst's, over its packets. 0 where the machine has one CPU."""
    return LINES * at(machine.handover, burst) / burst if machine.handover else 0.0


def contention(machine: MachineProfile, stages: Sequence[Stage], total: int) -> float:
    """O_c_j: what the stages of a core wait for reads that miss, cycles a packet. `total`: bytes that the whole program reads."""
    return _waiting(machine, [read for stage in stages for read in stage.reads], stages, total)


def waiting(machine: MachineProfile, reads: Sequence[Read], stages: Sequence[Stage]) -> float:
    """What these reads wait for on a core that runs all the stages of a program."""
    return _waiting(machine, reads, stages, footprint(stages))


def _waiting(machine: MachineProfile, reads: Sequence[Read], stages: Sequence[Stage], total: int) -> float:
    beside = spreads(stages)
    return sum(read.each * waits(machine, beside[read.memory], total, read.in_flight) for read in reads)


def footprint(stages: Sequence[Stage]) -> int:
    """S_j: bytes that the stages read together; a memory that several read counts once."""
    return sum(size for size, _ in _memories(stages).values())


def spreads(stages: Sequence[Stage]) -> dict[str, int]:
    """S_ij: for each memory its bytes and those of others that are read about as often for their size, or more often."""
    memories = _memories(stages)
    often = {name: each / size for name, (size, each) in memories.items()}
    order = sorted(memories, key=lambda name: -often[name])
    found: dict[str, int] = {}
    count, spread = 0, 0
    for name in order:
        while count < len(order) and often[order[count]] * ALIKE >= often[name]:
            spread += memories[order[count]][0]
            count += 1
        found[name] = spread
    return found


def _memories(stages: Sequence[Stage]) -> dict[str, tuple[int, float]]:
    """Bytes of each memory, and reads a packet of it."""
    found: dict[str, tuple[int, float]] = {}
    for stage in stages:
        for read in stage.reads:
            size, each = found.get(read.memory, (1, 0.0))
            found[read.memory] = max(size, read.footprint), each + read.each
    return found


def waits(machine: MachineProfile, spread: int, total: int, in_flight: int) -> float:
    """w: what a read takes longer than one of the first cache, on a core that reads so many bytes of `total`."""
    private = [size for size in machine.caches[:PRIVATE] if size]
    first = machine.read(private[0] // 2, in_flight)
    last = private[-1]
    beyond = SURELY * last  # of so much most is in no private cache
    if spread <= last // 2 or total <= beyond:
        return max(0.0, machine.read(spread, in_flight) - first)
    own = machine.read(last // 2, in_flight)

    def missing(size: int) -> float:
        """Cycles of a read that misses, where so much is read."""
        return (machine.read(size, in_flight) - own) / (1 - last / size)

    farther = missing(max(spread, beyond))
    share = min(1.0, max(0.0, (machine.read(spread, in_flight) - own) / farther)) if farther > 0 else 0.0
    return max(0.0, own - first + share * missing(total))
