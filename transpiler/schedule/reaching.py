"""Reaching definitions: the locations that may have been written when a stage begins. All others are zero, as in a fresh packet.

stage 0: parse; submit 1   stage 1: next_hop = …; submit 2   →   stage 1 need not get next_hop from stage 0
"""

from __future__ import annotations

from transpiler.analysis.locations import Location, Locator
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable
from transpiler.schedule.order import statements_of
from transpiler.schedule.pipeline import Deparse, Parse, Step
from transpiler.schedule.stages import Code, Fork, PipeSchedule, Plain
from transpiler.schedule.successors import fed_by, whole


def reaching_definitions(program: Program, pipe: PipeSchedule) -> tuple[frozenset[Location], ...]:
    """The locations that may have been written, for each stage of a pipe that begins with a fresh packet."""
    locator = Locator(program)
    found: list[set[Location]] = [set() for _ in pipe.stages]
    for number, stage in enumerate(pipe.stages):  # a stage leaves packets to later ones only
        written = _written(program, locator, whole(pipe, stage.code))
        for later in fed_by(pipe, stage.code):
            found[later] |= found[number] | written
    return tuple(map(frozenset, found))


def _written(program: Program, locator: Locator, code: Code) -> set[Location]:
    """The locations that a code writes itself."""
    found: set[Location] = set()
    for statement in statements_of(code):
        found |= locator.access(statement).writes
        if isinstance(statement, ApplyTable):
            found |= locator.written_by_actions(statement.table)
    names = (program.intrinsic.get(name) for name in _filled(code))
    return found | {Location(name) for name in names if name is not None}


def _filled(code: Code) -> list[str]:
    """The intrinsic values that the architecture's steps in a code fill."""
    names: list[str] = []
    for piece in code:
        match piece:
            case Plain(what=Step(fills=fills) | Deparse(then=Step(fills=fills))):
                names += [name for name, _ in fills]
            case Plain(what=Parse(error=error)):
                names.append(error)
            case Fork(arms=arms):
                names += [name for arm in arms for name in _filled(arm)]
    return names
