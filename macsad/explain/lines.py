"""Cycles a packet by lines of the program.

A stage is measured as a whole. What its reads wait for is predicted, and goes to the lines that read; the rest is divided over
its lines as their operations are (transpiler/model/code.py), each as often as packets come to it. Where none came, the model
says what a packet would cost that does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from macsad.explain.explained import Explained
from macsad.subject.stage_costs import StageCost
from transpiler.diagnostics import Span
from transpiler.model import code
from transpiler.model.code import Work
from transpiler.placement.costs import waiting
from transpiler.placement.stages import Stage

Place = tuple[str, int]  # a file and a line of it


@dataclass
class Line:
    """`cycles` a packet that is received, of which reads wait for `waits`; `if_comes`: of a packet that comes there, where none
    was seen to. `share` of the packets that come, None where that is not known. `stages`: numbers of those that the line is in.
    `tables`: those that are applied there. `dropped`: the share of packets that it was seen to drop."""

    cycles: float = 0.0
    waits: float = 0.0
    if_comes: float = 0.0
    share: float | None = None
    stages: list[int] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    dropped: float = 0.0


@dataclass(frozen=True, slots=True)
class _Part:
    """A stage: its work, how often packets come to each piece of it, and the cycles that are to be divided."""

    number: int
    cost: StageCost
    work: tuple[Work, ...]
    often: tuple[float, ...]
    computes: float
    waits: Mapping[str, float]

    @property
    def operations(self) -> float:
        """Of a packet that is received."""
        return sum(one.operations * often for one, often in zip(self.work, self.often, strict=True))


def by_line(explained: Explained) -> dict[Place, Line]:
    """What stands in lines of the program, for each that has code."""
    parts = _parts(explained)
    each = _each_operation(parts) if explained.ran else code.CYCLES
    found: dict[Place, Line] = {}
    for part in parts:
        _divide(found, part, each, explained)
    for (file, number), line in found.items():
        if line.share == 0 and line.cycles:
            line.share = None  # it stands in another place, too, and of that it is not known
        line.dropped = explained.dropped.get(f"{file.rpartition('/')[2]}:{number}", 0.0)
    return found


def _parts(explained: Explained) -> list[_Part]:
    pipes = {pipe.name: pipe for pipe in explained.planned.schedule.pipes}
    last = len(explained.costs) - 1
    parts = []
    for number, (cost, alone) in enumerate(zip(explained.costs, explained.alone, strict=True)):
        pipe = pipes[cost.pipe]
        work = code.work_of(explained.planned.program, pipe, pipe.stages[cost.number])
        often = tuple(_often(one, cost, explained.ways) for one in work)
        runtime = explained.runtime.receive * (number == 0) + explained.runtime.send * (number == last)
        own = max(0.0, cost.cycles - runtime)
        waits = _waits(explained, alone, own)
        parts.append(_Part(number, cost, work, often, own - sum(waits.values()), waits))
    return parts


def _often(one: Work, cost: StageCost, ways: Mapping[Span, float] | None) -> float:
    """The share of all packets that come to a piece of a stage: at most that of the stage."""
    if ways is None or one.owner is None:
        return cost.share * one.likely
    return min(cost.share, ways.get(one.owner, 0.0))


def _waits(explained: Explained, alone: Stage, most: float) -> dict[str, float]:
    """What the reads of a stage wait for, by memory."""
    found = {
        read.memory: waiting(explained.here, (read,), explained.alone) for read in alone.reads if read.in_flight >= 0
    }
    scale = min(1.0, most / total) if (total := sum(found.values())) else 0.0
    return {memory: cycles * scale for memory, cycles in found.items()}


def _each_operation(parts: Sequence[_Part]) -> float:
    """Cycles, as they were measured over all stages."""
    operations = sum(part.operations for part in parts)
    return sum(part.computes for part in parts) / operations if operations else code.CYCLES


def _divide(found: dict[Place, Line], part: _Part, each: float, explained: Explained) -> None:
    """Add a stage to the lines."""
    operations = part.operations
    readers = {memory: [one for one in part.work if one.memory == memory] for memory in part.waits}
    homeless = sum(cycles for memory, cycles in part.waits.items() if not readers[memory])
    computes = part.computes + homeless
    for one, often in zip(part.work, part.often, strict=True):
        line = found.setdefault((one.span.file, one.span.line), Line())
        waits = part.waits.get(one.memory, 0.0) / len(readers[one.memory]) if one.memory in readers else 0.0
        if part.number not in line.stages:
            line.stages.append(part.number)
        if one.memory in explained.planned.program.table and one.memory not in line.tables:
            line.tables.append(one.memory)
        if often and operations:
            cycles = computes * one.operations * often / operations
            line.cycles += cycles + waits
            line.waits += waits
        else:
            line.if_comes += one.operations * each
        if (share := _share(one, part.cost, explained)) is not None:
            line.share = max(line.share or 0.0, share)


def _share(one: Work, cost: StageCost, explained: Explained) -> float | None:
    if not explained.ran:
        return None
    if one.owner is not None and explained.ways is not None:
        return min(cost.share, explained.ways.get(one.owner, 0.0))
    return cost.share if one.memory in cost.tables else None
