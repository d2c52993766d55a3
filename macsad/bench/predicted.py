"""Predicted beside measured: the model's throughput at each (B, b), from two of the measured points."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from rich.table import Table as Shown

from macsad.bench.session import VANILLA, Point, Result
from transpiler.model.machine import MachineProfile
from transpiler.model.throughput import Prediction, ProgramProfile, Read, fitted, predict
from transpiler.schedule.plan import Access, Start
from transpiler.schedule.planned import Planned

USUAL = (64, 64)  # B and b of a switch that is told nothing


@dataclass(frozen=True, slots=True)
class Predicted:
    """`program`: what the model knows of the program, from the points `known`; `points`: for each other point what it predicts
    and the cycles a packet that were measured."""

    program: ProgramProfile
    known: tuple[Point, Point]
    points: tuple[tuple[Point, Prediction, float], ...]

    @property
    def errors(self) -> list[float]:
        """Shares of what was measured, in order."""
        return sorted(abs(prediction.cycles / cycles - 1) for _, prediction, cycles in self.points)

    @property
    def median_error(self) -> float:
        return median(self.errors)

    @property
    def ninth_decile(self) -> float:
        """90 % of the errors are no larger."""
        errors = self.errors
        return quantiles(errors, n=10, method="inclusive")[-1] if len(errors) > 1 else errors[0]


def predicted(
    result: Result, machine: MachineProfile, whole_burst: Collection[str], length: int, pages: str
) -> Predicted | None:
    """`whole_burst`: tables and state of which a burst's reads are in flight at once. None: there is no third
    point, or not one packet at a time."""
    most = USUAL if USUAL in result.points else max(result.points)
    others = [point for point in result.points if point not in (VANILLA, most)]
    if VANILLA not in result.points or not others:
        return None
    known = ProgramProfile(0, 0, reads_of(result, whole_burst), length, pages)
    alone, together = ((point, result.at(point).cycles) for point in (VANILLA, most))
    program = fitted(machine, known, alone, together)
    points = tuple((point, predict(machine, program, point), result.at(point).cycles) for point in others)
    return Predicted(program, (VANILLA, most), points)


def reads_of(result: Result, whole_burst: Collection[str]) -> tuple[Read, ...]:
    """What frames read of tables and state."""
    tables = (
        Read(table.reach, max(64, table.read_bytes), table.name in whole_burst)
        for table in result.tables
        if table.reach
    )
    state = (Read(state.reads, state.read_bytes, state.name in whole_burst) for state in result.state)
    return (*tables, *state)


def whole_bursts(planned: Planned) -> frozenset[str]:
    """Tables and state that have the reads of a burst in flight: tables that take arrays of keys, unless entries are prefetched b
    packets ahead; cells that are prefetched when packets are listed; counters whose counts wait for others."""
    cells = frozenset(
        access.instance for plan in planned.plans for stage in plan.pipe.stages for access in stage.prefetched
    )
    return (
        planned.large_counters
        | cells
        | frozenset(
            table
            for plan in planned.plans
            for made in plan.passes
            for step in made.steps
            if isinstance(step, Start)
            for number in step.lookups
            if plan.tables.access(table := plan.pipe.stages[step.stage].lookups[number].table) is not Access.WORDS
        )
    )


def screen(made: Predicted) -> Shown:
    """A row for each point."""
    shown = Shown(box=None, pad_edge=False, header_style="")
    for name in ("B", "b", "cycles", "predicted", "error", "I/O", "compute", "stall", "limit"):
        shown.add_column(name, justify="right")
    for point, prediction, cycles in made.points:
        terms = (prediction.upsilon, prediction.compute, prediction.stall)
        shown.add_row(
            *map(str, point), f"{cycles:.0f}", f"{prediction.cycles:.0f}", f"{prediction.cycles / cycles - 1:+.0%}",
            *(f"{term:.0f}" for term in terms), prediction.limit.value,
        )  # fmt: skip
    return shown


def summary(made: Predicted) -> str:
    """What the model knows of the program, and its errors."""
    (burst, sub_batch) = made.known[1]
    return (
        f"the model: {made.program.necessary:.0f} cycles a packet and {made.program.shared:.0f} a burst, from B=1, b=1 and "
        f"B={burst}, b={sub_batch}; error of the others: median {made.median_error:.0%}, 90th percentile {made.ninth_decile:.0%}"
    )


def data(made: Predicted) -> dict[str, Any]:
    """For JSON."""
    return {
        "necessary": made.program.necessary, "shared": made.program.shared, "known": made.known,
        "median_error": made.median_error, "p90_error": made.ninth_decile,
        "points": [
            {"burst": point[0], "sub_batch": point[1], "cycles": cycles, "predicted": prediction.cycles,
             "io": prediction.upsilon, "compute": prediction.compute, "stall": prediction.stall,
             "limit": prediction.limit.value}
            for point, prediction, cycles in made.points
        ],
    }  # fmt: skip
