"""What the stages of a program cost, read from the stage clocks of a switch that runs it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from macsad import stages
from transpiler.analysis.locations import actions_of
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable, CallExtern
from transpiler.hlir.traverse import walk
from transpiler.schedule.order import statements_of
from transpiler.schedule.planned import Planned
from transpiler.schedule.stages import Code, PipeSchedule
from transpiler.schedule.successors import whole

RUNTIME = "runtime"
WORK = ("receive", "take", "run")  # steps through which each packet of a stage goes


class NoClocks(Exception):
    """A switch has no clocks to read: the message says why."""


@dataclass(frozen=True, slots=True)
class StageCost:
    """A stage of a pipe, and what it costs a packet that is received: `cycles`, and the `share` of packets that come to it.
    `tables` are looked up where it begins, `state` are the registers, counters and meters that it accesses."""

    pipe: str
    number: int
    cycles: float
    share: float
    tables: tuple[str, ...]
    state: tuple[str, ...]
    prefetched: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """What people know it by."""
        return ", ".join(table.rpartition(".")[2] for table in self.tables) or f"stage {self.number}"


def stage_costs(worker: Mapping[str, Any], planned: Planned) -> tuple[StageCost, ...]:
    """The stages in the order in which packets pass them, from the clocks of a worker (`Client.stages`). What the runtime does
    belongs to the first and last of them. Raises: NoClocks."""
    packets = stages.received(worker)
    if not packets:
        raise NoClocks("no burst was sampled: the program has no stage clocks, or receives nothing")
    pipes = {pipe.name: pipe for pipe in planned.schedule.pipes}
    first, last = planned.schedule.pipes[0], planned.schedule.pipes[-1]
    cycles: dict[tuple[str, int], float] = defaultdict(float)
    through: dict[tuple[str, int], int] = defaultdict(int)
    for clock in worker["clocks"]:
        place = _place(clock, pipes, (first.name, 0), (last.name, len(last.stages) - 1))
        cycles[place] += clock["cycles"] / packets
        if clock["function"] != RUNTIME and clock["step"] in WORK:
            through[place] = max(through[place], clock["packets"])
    return tuple(
        _cost(planned.program, pipe, number, cycles[pipe.name, number], through[pipe.name, number] / packets)
        for pipe in planned.schedule.pipes
        for number in range(len(pipe.stages))
    )


def _place(
    clock: Mapping[str, Any], pipes: Mapping[str, PipeSchedule], begin: tuple[str, int], end: tuple[str, int]
) -> tuple[str, int]:
    """The pipe and stage that a clock counts for."""
    if clock["function"] == RUNTIME:
        return end if clock["step"] == "send" else begin
    name = max((name for name in pipes if _of(clock["function"], name)), key=len, default=begin[0])
    # what is sent is through all stages, whatever number the step has
    return name, len(pipes[name].stages) - 1 if clock["step"] == "transmit" else clock["stage"]


def _of(function: str, pipe: str) -> bool:
    return function == pipe or function.startswith(f"{pipe}_")


def _cost(program: Program, pipe: PipeSchedule, number: int, cycles: float, share: float) -> StageCost:
    stage = pipe.stages[number]
    return StageCost(
        pipe.name, number, cycles, share, tuple(lookup.table for lookup in stage.lookups),
        accessed(program, pipe, stage.code), frozenset(access.instance for access in stage.prefetched),
    )  # fmt: skip


def accessed(program: Program, pipe: PipeSchedule, code: Code) -> tuple[str, ...]:
    """The externs that the code of a stage may call, by itself or in the actions of its tables."""
    statements = tuple(statements_of(whole(pipe, code)))
    tables = list(dict.fromkeys(s.table for s in statements if isinstance(s, ApplyTable)))
    bodies = [statements, *(action.body for table in tables for action in actions_of(program, table))]
    called = [s.instance for body in bodies for s in walk(body) if isinstance(s, CallExtern)]
    direct = [name for table in tables for name in program.table[table].direct]
    return tuple(dict.fromkeys(name for name in [*called, *direct] if name is not None and name in program.extern))
