"""C_j: cycles a packet of a core that runs some of the stages, one behind the other.

    C_j = sum_i C(i) A_ij + O_s_j + O_c_j                                               [1] section 3.2

O_c_j = sum_i A_ij N(i) sum_l pi_il O_m_l is what reads wait that miss the core's private caches l ([1] has one cache). Of S_j
bytes that its stages read together a cache has room for size_l, so that 1 - size_l / S_j of them miss, where all are read as
often. In [1] that is pi of each read; here a cache keeps first what is read most often for its size, so that a counter stays
in it beside a large table. O_m_l is how much longer a read takes that the cache l misses, from the machine's profile, at as
many reads in flight as the stage has. Behind the last private cache it depends on what the whole program reads, as cores
share the caches there.

O_s_j is for bursts that come from another core or go to one: O_s cycles, from the machine's profile, as lines of packets are
fetched from another core's cache. [1] counts it for the taking core. The giving core gets buffers back, which costs it as much.

[1] "Controlling Parallelism in a Multicore Software Router"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from transpiler.model.machine import MachineProfile, at
from transpiler.placement.stages import Read, Stage

PRIVATE = 2  # levels of a core's own caches: the others are shared


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
    return at(machine.handover, burst) / burst if machine.handover else 0.0


def contention(machine: MachineProfile, stages: Sequence[Stage], total: int) -> float:
    """O_c_j: what the stages of a core wait for reads that miss, cycles a packet. `total`: bytes that the whole program reads."""
    return _waiting(machine, [read for stage in stages for read in stage.reads], stages, total)


def waiting(machine: MachineProfile, reads: Sequence[Read], stages: Sequence[Stage]) -> float:
    """What these reads wait for on a core that runs all the stages of a program."""
    return _waiting(machine, reads, stages, footprint(stages))


def _waiting(machine: MachineProfile, reads: Sequence[Read], stages: Sequence[Stage], total: int) -> float:
    sizes = [size for size in machine.caches[:PRIVATE] if size]
    shares = [missed(stages, size) for size in sizes]
    costs = {flight: misses(machine, sizes, flight, total) for flight in {read.in_flight for read in reads}}
    return sum(
        read.each * share[read.memory] * cost
        for read in reads
        for share, cost in zip(shares, costs[read.in_flight], strict=True)
    )


def footprint(stages: Sequence[Stage]) -> int:
    """S_j: bytes that the stages read together; a memory that several read counts once."""
    return sum(size for size, _ in _memories(stages).values())


def missed(stages: Sequence[Stage], size: int) -> dict[str, float]:
    """pi: of each memory the share of its reads that a cache of that size misses."""
    memories, room = _memories(stages), float(size)
    found: dict[str, float] = {}
    for name in sorted(memories, key=lambda name: -memories[name][1] / memories[name][0]):
        kept = min(room, memories[name][0])
        found[name], room = 1 - kept / memories[name][0], room - kept
    return found


def _memories(stages: Sequence[Stage]) -> dict[str, tuple[int, float]]:
    """Bytes of each memory, and reads a packet of it."""
    found: dict[str, tuple[int, float]] = {}
    for stage in stages:
        for read in stage.reads:
            size, each = found.get(read.memory, (1, 0.0))
            found[read.memory] = max(size, read.footprint), each + read.each
    return found


def misses(machine: MachineProfile, sizes: Sequence[int], in_flight: int, total: int) -> tuple[float, ...]:
    """O_m of each private cache: how much longer a read takes that it misses."""
    found: list[float] = []
    for number, size in enumerate(sizes):
        last = number + 1 == len(sizes)
        # reads of so much miss this cache, and are the next one's; behind the last one they are what the program's are
        spread = max(total, 4 * size) if last else sizes[number + 1] // 2
        longer = machine.read(spread, in_flight) - machine.read(sizes[0] // 2, in_flight)
        longer -= sum(max(0.0, 1 - before / spread) * cost for before, cost in zip(sizes, found, strict=False))
        found.append(max(0.0, longer / (1 - size / spread)) if spread > size else 0.0)
    return tuple(found)
