"""A schedule whose first pipe is cut in two, for two workers: the one runs its stages up to the cut, the other one those behind.

    pipes: ingress, egress      →   ingress (up to the cut), ingress_back (from there on), egress

See cut.py for the halves, docs/placement.md for how they run.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.diagnostics import Diagnostics
from transpiler.externs.table import CIPHERING, CUTTING
from transpiler.hlir.program import Program
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.traverse import program_statements
from transpiler.schedule.cut import check_cut, cut, read_behind
from transpiler.schedule.stages import PipeSchedule, Schedule

BACK = "_back"  # the end of the name of the pipe behind the cut


def pipelined(program: Program, made: Schedule, at: str, diagnostics: Diagnostics) -> Schedule:
    """Cut the first pipe of a schedule in front of a stage. `at`: a table that the stage looks up, or the stage's number.

    Raises: Rejected, if the program cannot be cut, or not there.
    """
    first, *others = made.pipes
    check_cut(program, made, diagnostics)
    for call in _changes_of_frames(program):
        diagnostics.error(call.span, f"a program that calls '{call.method}' cannot be cut in two")
    number = _stage_of(first, at)
    if number is None or not 0 < number < len(first.stages):
        diagnostics.error(program.span, f"cannot cut at '{at}': {_stages_of(first)}")
    diagnostics.raise_if_errors()
    assert number is not None
    halves = cut(first, number, read_behind(program, made, first))
    front, back = replace(halves.front, name=first.name), replace(halves.back, name=first.name + BACK)
    return replace(made, pipes=(front, back, *others))


def _changes_of_frames(program: Program) -> list[CallExtern]:
    """What the runtime does with whole frames behind a pipe: the workers of a program that is cut do no more than send them."""
    calls = (s for s in program_statements(program) if isinstance(s, CallExtern))
    return [call for call in calls if call.method in CUTTING | CIPHERING]


def _stage_of(pipe: PipeSchedule, at: str) -> int | None:
    """The first stage that looks up the table, else that of this number."""
    for number, stage in enumerate(pipe.stages):
        if any(at in (lookup.table, lookup.table.rpartition(".")[2]) for lookup in stage.lookups):
            return number
    return int(at) if at.isascii() and at.isdigit() and len(at) < 6 else None


def _stages_of(pipe: PipeSchedule) -> str:
    """What there is to cut at."""
    if len(pipe.stages) == 1:
        return f"'{pipe.name}' has one stage only, as its tables stay in the cache"
    named = (f"{n} ({', '.join(s.table for s in stage.lookups) or stage.name})" for n, stage in enumerate(pipe.stages))
    return "the stages are " + ", ".join(list(named)[1:])
