"""What is known of a program before it is shown: what its stages cost, what it reads, what the model says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from macsad.bench.session import Point
from macsad.place.placing import Placed
from macsad.subject.stage_costs import StageCost
from transpiler.diagnostics import Span
from transpiler.model.machine import MachineProfile
from transpiler.model.throughput import Prediction, ProgramProfile, predict
from transpiler.placement.stages import Stage
from transpiler.schedule.planned import Planned


@dataclass(frozen=True, slots=True)
class TableFact:
    """A table as it was filled; `memory_bytes` is what readers touch of it. Of one that is not filled `entries` is its size."""

    name: str
    keys: tuple[str, ...]
    kernel: str
    entries: int
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Runtime:
    """Cycles a packet of the switch's own work: receiving, before the first stage, and sending, behind the last one."""

    receive: float = 0.0
    send: float = 0.0


@dataclass(frozen=True)
class Explained:
    """`costs`: of all stages in the order of packets; `alone`: what each computes, and what it reads. `point`: B and b that are
    explained; `measured`: cycles a packet at points; `known`: those that the model is told. `ways`: the share of frames that
    come to parser states, tables and actions, None where it is not known. `over_entries`, `over_cores`: measured points,
    entries a table or workers, and millions of packets a second. `ran`: whether anything was measured; `elsewhere`: whether it
    was on another machine, `here`, than the one that is predicted for, `machine`. `clocked`:
    cycles a packet by the clocks of all stages; `costs` are scaled to what was measured without looking at them.
    `dropped`: the share of packets that lines drop, by FILE:LINE as the switch names them."""

    name: str
    planned: Planned
    costs: tuple[StageCost, ...]
    alone: tuple[Stage, ...]
    runtime: Runtime
    tables: tuple[TableFact, ...]
    machine: MachineProfile
    here: MachineProfile
    where: str
    program: ProgramProfile
    placed: Placed
    point: Point
    told: str
    known: tuple[Point, ...] = ()
    measured: Mapping[Point, float] = field(default_factory=dict)
    ways: Mapping[Span, float] | None = None
    over_entries: tuple[tuple[int, float], ...] = ()
    over_cores: tuple[tuple[int, float], ...] = ()
    ran: bool = True
    elsewhere: bool = False
    clocked: float = 0.0
    dropped: Mapping[str, float] = field(default_factory=dict)

    def predict(self, point: Point | None = None, program: ProgramProfile | None = None) -> Prediction:
        """What the model says of a packet there; of the program as it is unless another is given."""
        return predict(self.machine, program or self.program, point or self.point)

    def mpps(self, cycles: float) -> float:
        """Millions of packets a second of one core."""
        return self.machine.hz / cycles / 1e6

    @property
    def cycles(self) -> float:
        """Of a packet: as measured where that is known."""
        return self.measured.get(self.point) or self.predict().cycles

    @property
    def entries(self) -> int:
        """Of the largest table."""
        return max((table.entries for table in self.tables), default=0)
