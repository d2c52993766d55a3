"""A discrete-event simulation of a program's parts on cores: bursts, rings of bounded depth, back pressure, caches.

It has the stages, the costs of handing over and the caches of the placement model (transpiler/placement), and adds what that
leaves out, as its rates are those of cores that never wait for each other:

    rings       a worker hands a burst to one worker of the next part; where the ring is full it waits until there is room
    buffers     packets in the rings take room in the caches of both sides, and in the shared ones
    packets     differ in what they take
    memory      gives all cores together a line in so many cycles, for reads that miss the shared caches (0: at once)
    others      take a core for a share of the time, a slice at a time

Events are the ends of bursts, in a heap. Time is in cycles of the machine's counter.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import sqrt
from random import Random
from statistics import median

from transpiler.model.machine import MachineProfile, at
from transpiler.placement.costs import LINES, footprint, spreads, waits
from transpiler.placement.stages import Read, Stage

RING = 1024  # packets of a ring: MACS_HANDOVER_SLOTS
TOUCHED = 4  # cache lines of a packet that waits: its record with live values, and its frame
LINE = 64
BUFFERS = "packets that wait"  # as a memory
SLICES = 30.0  # that a run lasts where others take cores
WARM, FILLED = 50, 2  # what does not count: bursts, and contents of a ring
STEP = 64  # packets: occupancies of rings are told apart in such steps


@dataclass(frozen=True, slots=True)
class Part:
    """Stages from `first` up to `end`, which is left out, on so many cores."""

    first: int
    end: int
    cores: int


@dataclass(frozen=True, slots=True)
class World:
    """What is simulated beside the parts. `varies`: the standard deviation of what a packet takes, over its mean; `taken`: the
    share of the time that others have each core, `slice_s` at a time; `gap`: cycles between two lines of the memory."""

    machine: MachineProfile
    stages: tuple[Stage, ...]
    burst: int = 32
    ring: int = RING
    varies: float = 0.5
    taken: float = 0.0
    slice_s: float = 3e-3
    gap: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """`rate`: packets a cycle that pass all parts where each worker of the first one gets as many; `most`: where each gets as
    many as it takes; of each part the shares of the time in which its workers wait for packets, and for room in a ring;
    `queued`: packets in a ring, on average."""

    rate: float
    most: float
    idle: tuple[float, ...]
    blocked: tuple[float, ...]
    queued: float


@dataclass(eq=False, slots=True)
class _Ring:
    waiting: int = 0
    producer: _Worker | None = None  # that waits for room


@dataclass(eq=False, slots=True)
class _Worker:
    part: int
    sources: list[_Ring] = field(default_factory=list)
    to: _Ring | None = None
    consumer: _Worker | None = None  # of `to`
    turn: int = 0
    pending: int = 0  # packets of the burst that is through, which are not handed over yet
    taken: int = 0  # packets so far
    since: float = 0.0  # when it began to wait
    is_idle: bool = False
    idle: float = 0.0
    blocked: float = 0.0
    taken_at: float = 0.0  # when others take the core next


class Simulation:
    """Parts of a program on cores, with packets coming as fast as the first part takes them."""

    def __init__(self, world: World, parts: Sequence[Part], seed: int = 1) -> None:
        if any(after.cores > before.cores for before, after in pairwise(parts)):
            raise ValueError("each worker hands over to one of the next part, which has no more of them")
        self._world, self._parts, self._random = world, tuple(parts), Random(seed)
        self._known: dict[tuple[int, int, int], tuple[float, float]] = {}
        self._total = footprint(world.stages)
        self._events: list[tuple[float, int, _Worker]] = []
        self._order, self._now = 0, 0.0
        self._queued = 0  # packets in all rings
        self._finished = 0
        self._memory_free = 0.0
        self._workers = self._connected()

    def run(self, bursts: int = 300) -> Outcome:
        """Until the workers of the last part have done so many bursts each on average, behind those in which rings fill; where
        others take cores, until that has happened often."""
        last = self._parts[-1].cores * self._world.burst
        warm = WARM + FILLED * self._world.ring // self._world.burst
        for worker in self._workers:
            worker.taken_at = self._until_taken(0.0)
            self._at(0.0, worker)
        self._until(warm * last)
        begun, finished = self._now, self._finished
        idle = [worker.idle for worker in self._workers]
        blocked = [worker.blocked for worker in self._workers]
        fronts = [worker for worker in self._workers if not worker.part]
        taken = [worker.taken for worker in fronts]
        queued, looks = 0, 0
        end = finished + bursts * last
        until = begun + SLICES * self._world.slice_s * self._world.machine.hz if self._world.taken else 0.0
        while self._finished < end or self._now < until:
            self._next()
            queued, looks = queued + self._queued, looks + 1
        spent = self._now - begun
        rings = sum(worker.to is not None for worker in self._workers)

        def shares(before: list[float], now: list[float]) -> tuple[float, ...]:
            """Of the time of each part's workers."""
            waited = [0.0] * len(self._parts)
            for worker, then, since in zip(self._workers, before, now, strict=True):
                waited[worker.part] += since - then
            return tuple(sum_ / (part.cores * spent) for sum_, part in zip(waited, self._parts, strict=True))

        least = min(worker.taken - first for worker, first in zip(fronts, taken, strict=True))
        most = (self._finished - finished) / spent
        return Outcome(
            min(most, len(fronts) * least / spent),
            most,
            shares(idle, [worker.idle for worker in self._workers]),
            shares(blocked, [worker.blocked for worker in self._workers]),
            queued / looks / rings if rings else 0.0,
        )

    def _connected(self) -> list[_Worker]:
        """The workers, each with a ring to one of the next part."""
        made = [[_Worker(number) for _ in range(part.cores)] for number, part in enumerate(self._parts)]
        for before, after in pairwise(made):
            for number, worker in enumerate(before):
                worker.to, worker.consumer = _Ring(), after[number % len(after)]
                worker.consumer.sources.append(worker.to)
        return [worker for part in made for worker in part]

    # --- events ----------------------------------------------------------------------------------------------------------

    def _at(self, time: float, worker: _Worker) -> None:
        self._order += 1
        heapq.heappush(self._events, (time, self._order, worker))

    def _until(self, finished: int) -> None:
        while self._finished < finished:
            self._next()

    def _next(self) -> None:
        self._now, _, worker = heapq.heappop(self._events)
        if worker.pending and not self._hand_over(worker):
            return
        if count := self._take(worker):
            worker.taken += count
            self._at(self._end(worker, count), worker)
            worker.pending = count

    def _hand_over(self, worker: _Worker) -> bool:
        """Put what is through into the ring. False: there is no room for all."""
        ring = worker.to
        if ring is None:
            self._finished += worker.pending
            worker.pending = 0
            return True
        fits = min(worker.pending, self._world.ring - ring.waiting)
        ring.waiting += fits
        self._queued += fits
        worker.pending -= fits
        consumer = worker.consumer
        if consumer is not None and consumer.is_idle:  # its rings were empty
            consumer.is_idle = False
            consumer.idle += self._now - consumer.since
            self._at(self._now, consumer)
        if worker.pending:
            worker.since, ring.producer = self._now, worker
        return not worker.pending

    def _take(self, worker: _Worker) -> int:
        """Packets to work on; 0: there are none, and it is idle."""
        if not worker.part:
            return self._world.burst
        for _ in worker.sources:
            ring = worker.sources[worker.turn % len(worker.sources)]
            worker.turn += 1
            if ring.waiting:
                count = min(self._world.burst, ring.waiting)
                ring.waiting -= count
                self._queued -= count
                if (producer := ring.producer) is not None:
                    ring.producer = None
                    producer.blocked += self._now - producer.since
                    self._at(self._now, producer)
                return count
        worker.is_idle, worker.since = True, self._now
        return 0

    def _end(self, worker: _Worker, count: int) -> float:
        """When a burst that begins now is through."""
        world = self._world
        each, lines = self._cycles(worker)
        handed = (worker.part > 0) + (worker.part + 1 < len(self._parts))
        over = handed * LINES * at(world.machine.handover, count) if world.machine.handover else 0.0
        varied = 1 + world.varies / sqrt(count) * self._random.gauss(0, 1)
        end = self._now + count * each * max(0.1, varied) + over
        if world.gap:
            self._memory_free = max(self._memory_free, self._now) + count * lines * world.gap
            end = max(end, self._memory_free)
        return self._delayed(worker, end)

    # --- cores that others use -------------------------------------------------------------------------------------------

    def _until_taken(self, now: float) -> float:
        """When others take a core next that is free now."""
        world = self._world
        if not world.taken:
            return float("inf")
        mean = world.slice_s * world.machine.hz * (1 - world.taken) / world.taken
        return now + self._random.expovariate(1 / mean)

    def _delayed(self, worker: _Worker, end: float) -> float:
        """The end of what would end then on a core of its own."""
        pause = self._world.slice_s * self._world.machine.hz
        while worker.taken_at + pause < self._now:  # it was idle meanwhile
            worker.taken_at = self._until_taken(worker.taken_at + pause)
        if worker.taken_at < self._now:
            end += worker.taken_at + pause - self._now
            worker.taken_at = self._until_taken(worker.taken_at + pause)
        while worker.taken_at < end:
            end += pause
            worker.taken_at = self._until_taken(worker.taken_at + pause)
        return end

    # --- costs -----------------------------------------------------------------------------------------------------------

    def _cycles(self, worker: _Worker) -> tuple[float, float]:
        """Of a packet, at what waits in the rings now; and lines that it reads from behind all caches."""
        near = sum(ring.waiting for ring in worker.sources) + (worker.to.waiting if worker.to else 0)
        steps = (worker.part, near // STEP, self._queued // STEP)
        if steps not in self._known:
            self._known[steps] = self._costs(worker.part, steps[1] * STEP, steps[2] * STEP)
        return self._known[steps]

    def _costs(self, number: int, near: int, queued: int) -> tuple[float, float]:
        world, part = self._world, self._parts[number]
        stages = world.stages[part.first : part.end]
        total = self._total + queued * TOUCHED * LINE
        spread = spreads(with_buffers(stages, near))
        reads = [read for stage in stages for read in stage.reads]
        waiting = sum(read.each * waits(world.machine, spread[read.memory], total, read.in_flight) for read in reads)
        beyond = max(0.0, 1 - world.machine.caches[-1] / total) if total else 0.0
        return sum(stage.cycles for stage in stages) + waiting, beyond * sum(read.each for read in reads)


def with_buffers(stages: Sequence[Stage], waiting: int) -> tuple[Stage, ...]:
    """The stages of a core with one that reads the packets that wait in its rings."""
    if not waiting or not stages:
        return tuple(stages)
    read = Read(BUFFERS, TOUCHED, waiting * TOUCHED * LINE)
    return (*stages[:-1], replace(stages[-1], reads=(*stages[-1].reads, read)))


def rate(world: World, parts: Sequence[Part], seeds: Sequence[int] = (1, 2, 3)) -> float:
    """Packets a cycle: the median of some runs. Where others take cores, each worker gets as many as it takes meanwhile."""
    runs = [Simulation(world, parts, seed).run() for seed in seeds]
    return median(run.most if world.taken else run.rate for run in runs)
