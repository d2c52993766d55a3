"""Runs a program for some seconds, and puts together what is to be explained; or has the model say all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from macsad import compilation, stages
from macsad.bench import feeds
from macsad.bench.contestants import BenchError, Closing, Switch, worker_cpus
from macsad.bench.predicted import USUAL, whole_bursts
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import figure
from macsad.bench.session import VANILLA, Point, Result, build
from macsad.compilation import Request
from macsad.explain.explained import Explained, Runtime, TableFact
from macsad.place import placing
from macsad.subject.stage_costs import RUNTIME, NoClocks, StageCost, accessed, stage_costs
from macsad.subject.subject import Subject, Traffic, generated
from transpiler.hlir.program import Program
from transpiler.model import code
from transpiler.model.machine import MachineProfile
from transpiler.model.sizes import LINE
from transpiler.model.throughput import ProgramProfile, Read, fitted
from transpiler.placement.costs import waiting
from transpiler.placement.stages import Read as StageRead, Stage
from transpiler.schedule.planned import Planned
from transpiler.traffic.ways import ways

SECONDS = 0.5  # of the run whose stage clocks are read
SAMPLE, ROUNDS = 0.03, 5  # seconds, rounds of each point
GRID = tuple((burst, b) for burst in (1, 8, 32, 64, 256) for b in (1, 8, 32, 64) if b <= burst)
FEWER = (100, 10)  # of entries that are measured, too
Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class Machines:
    """`here`: where the program is run; `elsewhere`: the one that is predicted for, if it is another; `where`: for people."""

    here: MachineProfile
    elsewhere: MachineProfile | None
    where: str

    @property
    def meant(self) -> MachineProfile:
        return self.elsewhere or self.here


@dataclass(frozen=True)
class _Case:
    """What is explained: a program, compiled as it was asked for, at a point, on machines with so many cores."""

    request: Request
    hlir: Program
    planned: Planned
    machines: Machines
    point: Point
    cores: int

    @staticmethod
    def of(request: Request, machines: Machines, point: Point, cores: int) -> _Case:
        """Raises: Rejected."""
        hlir = compilation.load_again(request)  # it has been told of
        return _Case(request, hlir, compilation.decide(request, hlir).planned, machines, point, cores)


def run(
    request: Request, traffic: Traffic, machines: Machines, folder: Path, cores: int, more: bool,
    entries: int | None = None, advance: Advance = lambda *_: None,
) -> Explained:  # fmt: skip
    """Measure the program at the points that the model has to know, and with `more` at a grid of them, with fewer of the
    `entries` that were made, and on as many cores as are here. Raises: BenchError, SampleError, Rejected, ToolchainError."""
    case = _Case.of(request, machines, point_of(request), cores)
    with Closing() as closing:
        subject = Subject(request, case.hlir, case.planned, traffic, folder, closing)
        before, counted = subject.switch.stages(), subject.switch.stats()
        subject.switch.measure("", *case.point, SECONDS)
        worker = stages.since(subject.switch.stages(), before)[0]
        dropped = _dropped(subject.switch.stats(), counted)
        points = tuple(dict.fromkeys((VANILLA, USUAL, case.point, *(GRID if more else ()))))
        turns = [Turn(p, subject.switch, "", *p) for p in points]
        measured = {p: figure(found).cycles for p, found in measure(turns, ROUNDS, SAMPLE, advance).items()}
        found = _put_together(case, worker, measured, subject.reads_of, subject.length, traffic.told)
        found = replace(
            found, tables=_tables(case.planned, subject.switch.tables), ways=_ways(traffic), dropped=dropped
        )
        workers = len(worker_cpus(1 << 10)) if more else 1
        over_cores = tuple((count, _rate(case, traffic, folder, closing, count)) for count in range(2, workers + 1))
    if over_cores:
        found = replace(found, over_cores=((1, found.mpps(measured[case.point])), *over_cores))
    if more and entries:
        found = replace(found, over_entries=_over_entries(case, folder, entries, found))
    return found


def _dropped(now: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, float]:
    """The share of packets that each line has dropped meanwhile."""
    received = (now["received"] - before["received"]) or 1
    counts = {place: count - before["dropped_at"].get(place, 0) for place, count in now["dropped_at"].items()}
    return {place: count / received for place, count in counts.items() if count}


def point_of(request: Request) -> Point:
    """B and b that a switch of the program has by itself."""
    return request.target.run.burst or USUAL[0], request.target.run.sub_batch or USUAL[1]


def of_result(request: Request, result: Result, point: Point, machines: Machines, cores: int) -> Explained:
    """The same of what `macsad bench` has measured, with stage clocks at a point of it. Raises: BenchError."""
    assert result.clocks is not None
    case = _Case.of(request, machines, point, cores)
    memories = {table.name: (table.reach, max(LINE, table.read_bytes)) for table in result.tables}
    memories |= {state.name: (state.reads, state.read_bytes) for state in result.state}

    def reads(cost: StageCost, costs: Sequence[StageCost]) -> list[tuple[str, float, int]]:
        names = [*cost.tables, *(name for name in cost.state if name not in cost.tables)]
        sharing = {name: sum(name in other.state for other in costs) or 1 for name in names}
        return [(name, memories[name][0] / sharing[name], memories[name][1]) for name in names if name in memories]

    measured = {p: result.at(p).cycles for p in result.points}
    told = f"as of macsad bench: {result.frames:,} frames of {result.sizes}, {result.hit:.0%} of them hit"
    found = _put_together(case, result.clocks, measured, reads, result.length, told)
    return replace(found, tables=_tables(case.planned, result.described))


Reads = Callable[[StageCost, Sequence[StageCost]], list[tuple[str, float, int]]]


def _put_together(
    case: _Case, worker: Mapping[str, Any], measured: Mapping[Point, float], reads_of: Reads, length: int, told: str
) -> Explained:
    try:
        clocked = stage_costs(worker, case.planned)
    except NoClocks as error:
        raise BenchError(str(error)) from None
    total = sum(cost.cycles for cost in clocked)
    scale = measured.get(case.point, total) / total
    costs = tuple(replace(cost, cycles=cost.cycles * scale) for cost in clocked)
    whole = whole_bursts(case.planned)
    found = [reads_of(cost, costs) for cost in costs]
    reads = tuple(Read(each, size, name in whole) for one in found for name, each, size in one)
    known = tuple(p for p in (VANILLA, USUAL if USUAL in measured else max(measured)) if p in measured)
    if len(set(known)) < 2:
        raise BenchError("the model has to be told B=1, b=1 and another point")
    program = ProgramProfile(0, 0, reads, length, _pages(case.request))
    program = fitted(case.machines.here, program, *((p, measured[p]) for p in known))
    made = _explained(case, costs, _flights(case, costs, found), program, told)
    shown = {} if case.machines.elsewhere else measured
    return replace(made, runtime=_runtime(worker, scale), known=known, measured=shown, ran=True, clocked=total)


def _flights(
    case: _Case, costs: Sequence[StageCost], found: Sequence[list[tuple[str, float, int]]]
) -> list[tuple[StageRead, ...]]:
    """The reads of each stage, with how many are in flight."""
    whole = whole_bursts(case.planned)
    return [placing.flights(one, cost, case.point, whole) for one, cost in zip(found, costs, strict=True)]


def _explained(
    case: _Case, costs: tuple[StageCost, ...], flights: list[tuple[StageRead, ...]], program: ProgramProfile, told: str
) -> Explained:
    """As of a program that was not run."""
    machines = case.machines
    together = [Stage(cost.name, cost.cycles, read) for cost, read in zip(costs, flights, strict=True)]
    alone = tuple(placing.alone(machines.here, stage, together, "") for stage in together)
    placed = placing.placed(
        case.request, case.hlir, case.planned, machines.here, costs, flights, case.point, case.cores, told,
        machines.elsewhere,
    )  # fmt: skip
    return Explained(
        case.request.path.name, case.planned, costs, alone, Runtime(), (), machines.meant, machines.here, machines.where,
        program, placed, case.point, told, ran=False, elsewhere=machines.elsewhere is not None,
    )  # fmt: skip


def _pages(request: Request) -> str:
    return "huge" if request.wanted.huge_pages else "small"


def _runtime(worker: Mapping[str, Any], scale: float) -> Runtime:
    packets = stages.received(worker) / scale
    own = [clock for clock in worker["clocks"] if clock["function"] == RUNTIME]
    send = sum(clock["cycles"] for clock in own if clock["step"] == "send")
    return Runtime((sum(clock["cycles"] for clock in own) - send) / packets, send / packets)


def _tables(planned: Planned, described: Sequence[Mapping[str, Any]]) -> tuple[TableFact, ...]:
    """The tables with keys, in the order of the program."""
    named = {table["name"]: table for table in described}
    return tuple(
        TableFact(
            table.name, _keys(planned, table.name), str(named[table.name]["kernel"]), int(named[table.name]["entries"]),
            int(named[table.name]["reader_bytes"]),
        )
        for table in planned.program.tables
        if table.keys and table.name in named
    )  # fmt: skip


def _keys(planned: Planned, name: str) -> tuple[str, ...]:
    return tuple(f"{key.name}: {key.match_kind.value}" for key in planned.program.table[name].keys)


def _ways(traffic: Traffic) -> Mapping[Any, float] | None:
    return None if traffic.plan is None else ways(traffic.plan)


# --- more points ------------------------------------------------------------------------------------------------------


def _rate(case: _Case, traffic: Traffic, folder: Path, closing: Closing, workers: int) -> float:
    """Millions of packets a second of so many workers."""
    own = folder / f"workers-{workers}"
    own.mkdir()
    feed = feeds.feed("linux", feeds.named("linux", None), traffic.packets, 0, 0, workers)
    switch = Switch(build(case.request, case.hlir, own), feed.options, traffic.entries, own, workers)
    closing.add([switch])
    samples = measure([Turn("", switch, "", *case.point)], ROUNDS, SAMPLE, lambda *_: None)
    return workers * figure(samples[""]).millions


def _over_entries(case: _Case, folder: Path, entries: int, found: Explained) -> tuple[tuple[int, float], ...]:
    """Millions of packets a second with fewer entries, and with those that were made."""
    rates = []
    for number in (entries // less for less in FEWER if entries // less):
        own = folder / f"entries-{number}"
        own.mkdir()
        with Closing() as closing:
            traffic = generated(case.request, case.hlir, number, (), own)
            subject = Subject(case.request, case.hlir, case.planned, traffic, own, closing)
            samples = measure([Turn("", subject.switch, "", *case.point)], ROUNDS, SAMPLE, lambda *_: None)
            rates.append((number, figure(samples[""]).millions))
    return (*rates, (entries, found.mpps(found.cycles)))


# --- without a run ----------------------------------------------------------------------------------------------------


def predicted(request: Request, machines: Machines, cores: int, entries: int) -> Explained:
    """All by the model: the program is not built. Each way is taken as often as any other, tables have `entries`, or their size
    where that is less. Raises: Rejected."""
    case = _Case.of(request, machines, point_of(request), cores)
    planned = case.planned
    tables = tuple(
        TableFact(table.name, _keys(planned, table.name), kernel.name if kernel else "", count, count * LINE)
        for table in planned.program.tables
        if table.keys
        for kernel in (planned.kernels.get(table.name),)
        for count in (min(entries, table.size),)
    )
    sizes = {table.name: max(LINE, table.memory_bytes) for table in tables}
    costs = tuple(cost for pipe in planned.schedule.pipes for cost in _costs(planned, pipe))
    found = [[(name, cost.share, sizes[name]) for name in cost.tables if name in sizes] for cost in costs]
    whole = whole_bursts(planned)
    reads = tuple(Read(each, size, name in whole) for one in found for name, each, size in one)
    program = ProgramProfile(sum(cost.cycles for cost in costs), code.BURST * len(costs), reads, pages=_pages(request))
    flights = _flights(case, costs, found)
    together = [Stage(cost.name, cost.cycles, read) for cost, read in zip(costs, flights, strict=True)]
    costs = tuple(
        replace(cost, cycles=cost.cycles + waiting(machines.here, read, together))
        for cost, read in zip(costs, flights, strict=True)
    )
    return replace(_explained(case, costs, flights, program, "none: the program was not run"), tables=tables)


def _costs(planned: Planned, pipe: Any) -> list[StageCost]:
    shares = code.arrivals(pipe)
    return [
        StageCost(
            pipe.name, number,
            share * code.CYCLES * sum(one.operations * one.likely for one in code.work_of(planned.program, pipe, stage)),
            share, tuple(lookup.table for lookup in stage.lookups), accessed(planned.program, pipe, stage.code),
            frozenset(access.instance for access in stage.prefetched),
        )
        for number, (stage, share) in enumerate(zip(pipe.stages, shares, strict=True))
    ]  # fmt: skip
