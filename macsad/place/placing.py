"""The logic of `macsad place`: what a program's stages cost, from a short run, and the placements that the model ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from macsad import compilation
from macsad.bench.contestants import BenchError, Closing
from macsad.bench.predicted import USUAL, whole_bursts
from macsad.bench.session import Point
from macsad.compilation import Request
from macsad.subject.stage_costs import NoClocks, StageCost
from macsad.subject.subject import Subject, Traffic
from transpiler.hlir.program import Program
from transpiler.model.machine import MachineProfile
from transpiler.placement.costs import MachineCosts, waiting
from transpiler.placement.search import Placement, ranked
from transpiler.placement.stages import Read, Stage
from transpiler.schedule.planned import Planned

SECONDS = 1.0  # of the run
SHOWN = 10
SURE = 0.05  # a cut is taken where it gains more: on cores that others use, too, a pipeline loses more than clones
FLIGHTS = (0, 1, 2, 4, 8, 16, 32, 64)  # as profiles of machines have them
LEAST = 0.1  # of what a stage takes is no read that misses, whatever the profile of the machine says


@dataclass(frozen=True)
class Placed:
    """`placements`: the best, the fastest first; `cloned`: all stages on all cores. `refused`: why the program cannot be cut, ""
    where it can; `burst`: B of the run; `passes`: through the first stage for each packet that is received; `had`: the share of
    each core that there is for the switch, as others use them too."""

    stages: tuple[Stage, ...]
    placements: tuple[Placement, ...]
    cloned: Placement
    cores: int
    burst: int
    hz: float
    refused: str
    traffic: str
    passes: float = 1.0
    had: float = 1.0

    @property
    def best(self) -> Placement:
        """The fastest, if it is surely faster than clones."""
        fastest = max(self.placements, key=self.rate)
        return fastest if self.rate(fastest) > self.rate(self.cloned) * (1 + SURE) else self.cloned

    def rate(self, placement: Placement) -> float:
        """R, packets a cycle, on cores that others use, too: a packet passes where a core of each part is there at that time."""
        return placement.rate * self.had ** len(placement.parts)

    def on(self, had: float) -> Placed:
        """The same on cores of which there is that share."""
        placed = replace(self, had=had)
        return replace(placed, placements=tuple(sorted(self.placements, key=lambda one: -placed.rate(one))))

    def mpps(self, placement: Placement) -> float:
        """Millions of packets a second."""
        return self.rate(placement) * self.hz / 1e6

    def cut(self, placement: Placement) -> str:
        """Where the program is cut, as --cut has it; "" where it is not."""
        return ",".join(self.stages[part.first].cut for part in placement.parts[1:])


def place(
    request: Request, traffic: Traffic, machine: MachineProfile, folder: Path, cores: int,
    elsewhere: MachineProfile | None = None,
) -> Placed:  # fmt: skip
    """Rank the placements of a program on so many cores, of this machine or of another one. Raises: BenchError, SampleError,
    Rejected, ToolchainError."""
    hlir = compilation.load_again(request)  # it has been told of
    planned = compilation.decide(request, hlir).planned
    point = (request.target.run.burst or USUAL[0], request.target.run.sub_batch or USUAL[1])
    with Closing() as closing:
        subject = Subject(request, hlir, planned, traffic, folder, closing)
        subject.switch.measure("", *point, SECONDS)
        try:
            costs = subject.costs()
            read = [flights(subject.reads_of(cost, costs), cost, point, whole_bursts(planned)) for cost in costs]
        except NoClocks as error:
            raise BenchError(str(error)) from None
    return placed(request, hlir, planned, machine, costs, read, point, cores, traffic.told, elsewhere)


def placed(
    request: Request, hlir: Program, planned: Planned, machine: MachineProfile, costs: Sequence[StageCost],
    read: Sequence[tuple[Read, ...]], point: Point, cores: int, told: str, elsewhere: MachineProfile | None = None,
) -> Placed:  # fmt: skip
    """Rank the placements of a program whose stages cost that on this machine, each with what it reads."""
    refused = _refused(request, hlir, planned)
    stages = stages_of(machine, costs, read, planned, cuts=not refused)
    boundaries = [number for number, stage in enumerate(stages) if stage.cut]
    machine = elsewhere or machine
    found = ranked(MachineCosts(machine, stages, point[0]), boundaries, len(stages), cores)
    cloned = next(placement for placement in found if len(placement.parts) == 1)
    shown = found[:SHOWN] if cloned in found[:SHOWN] else [*found[: SHOWN - 1], cloned]
    return Placed(stages, tuple(shown), cloned, cores, point[0], machine.hz, refused, told, costs[0].share)


def _refused(request: Request, hlir: Program, planned: Planned) -> str:
    """Why the program cannot be cut anywhere; "" where it can."""
    if len(planned.schedule.pipes[0].stages) < 2:
        return "it has one stage, as its tables stay in the cache"
    return compilation.why_not_cut(request, hlir)


def flights(
    found: Sequence[tuple[str, float, int]], cost: StageCost, point: Point, whole_burst: frozenset[str]
) -> tuple[Read, ...]:
    """What packets read in a stage, by name, reads and bytes; -1 reads in flight where that is to be found out."""
    burst, sub_batch = point
    return tuple(
        Read(name, each, size, (burst if name in whole_burst else sub_batch) if _ahead(cost, name) else -1)
        for name, each, size in found
    )


def _ahead(cost: StageCost, name: str) -> bool:
    """Whether many packets' reads are in flight: of tables, and of state that is prefetched."""
    return name in cost.tables or name in cost.prefetched


def stages_of(
    machine: MachineProfile, costs: Sequence[StageCost], reads: Sequence[tuple[Read, ...]], planned: Planned, cuts: bool
) -> tuple[Stage, ...]:
    """The stages of the first pipe; all that is behind it belongs to the last one, as it cannot be cut off."""
    count = sum(cost.pipe == planned.schedule.pipes[0].name for cost in costs)
    cycles = [cost.cycles for cost in costs]
    cycles[count - 1 :] = [sum(cycles[count - 1 :])]
    own = [*reads[: count - 1], tuple(read for behind in reads[count - 1 :] for read in behind)]
    measured = [Stage(cost.name, taken, read) for cost, taken, read in zip(costs, cycles, own, strict=False)]
    measured = with_later_passes(measured, costs[0].share)
    names = [_cut_at(costs, number) if cuts and number else "" for number in range(count)]
    return tuple(alone(machine, stage, measured, name) for stage, name in zip(measured, names, strict=True))


def with_later_passes(stages: list[Stage], passes: float) -> list[Stage]:
    """The workers of the last part make all passes of a packet but the first. So the last stage takes what the stages before it
    take in these. `passes`: through the first stage, for each packet that is received."""
    if passes <= 1:
        return stages
    later = 1 - 1 / passes
    *front, last = stages
    reads = (replace(read, each=read.each * later) for stage in front for read in stage.reads)
    cycles = last.cycles + sum(stage.cycles for stage in front) * later
    return [
        *(
            replace(
                stage,
                cycles=stage.cycles / passes,
                reads=tuple(replace(read, each=read.each / passes) for read in stage.reads),
            )
            for stage in front
        ),
        replace(last, cycles=cycles, reads=(*last.reads, *reads)),
    ]


def alone(machine: MachineProfile, stage: Stage, all_of_them: Sequence[Stage], cut: str) -> Stage:
    """A stage as it was measured among the others, without what its reads wait for. How many reads are in flight that only the
    processor overlaps is found out: the fewest at which they take no longer than the whole stage."""
    for number in FLIGHTS:
        reads = tuple(replace(read, in_flight=number if read.in_flight < 0 else read.in_flight) for read in stage.reads)
        waits = waiting(machine, reads, all_of_them)
        if waits <= stage.cycles * (1 - LEAST):
            break
    return Stage(stage.name, max(LEAST * stage.cycles, stage.cycles - waits), reads, cut)


def _cut_at(costs: Sequence[StageCost], number: int) -> str:
    """What --cut calls the stage: by its table, where no stage before looks that up, else by its number."""
    before = {table for cost in costs[:number] for table in cost.tables}
    named = [table for table in costs[number].tables if table not in before]
    return named[0] if named else str(number)
