"""A schedule whose first pipe is cut, for several workers: each runs the stages up to the next cut, the last one the rest.

    pipes: ingress, egress      →   ingress (up to the first cut), ingress_back (from there on), ingress_back_2, …, egress

See cut.py for the two halves of a cut, docs/placement.md for how they run.
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

BACK = "_back"  # the end of the name of the pipe behind the first cut
PARTS = 8  # at most: MACS_PARTS_MAX


def pipelined(program: Program, made: Schedule, at: str, diagnostics: Diagnostics) -> Schedule:
    """Cut the first pipe of a schedule in front of stages. `at`: tables that they look up, or their numbers, with commas.

    Raises: Rejected, if the program cannot be cut, or not there.
    """
    first, *others = made.pipes
    check_cut(program, made, diagnostics)
    for call in _changes_of_frames(program):
        diagnostics.error(call.span, f"a program that calls '{call.method}' cannot be cut")
    numbers = _boundaries(first, at, diagnostics, program)
    diagnostics.raise_if_errors()
    parts: list[PipeSchedule] = []
    rest, after = first, read_behind(program, made, first)
    for number in reversed(numbers):  # of what is in front of a cut, the stages keep their numbers
        halves = cut(rest, number, after)
        rest = halves.front
        parts.insert(0, halves.back)
    named = [first.name, *(part_name(first.name, number) for number in range(1, len(numbers) + 1))]
    pipes = (replace(part, name=name) for part, name in zip((rest, *parts), named, strict=True))
    return replace(made, pipes=(*pipes, *others))


def part_name(pipe: str, number: int) -> str:
    """The pipe behind the cut of that number, from 1."""
    return pipe + BACK + (f"_{number}" if number > 1 else "")


def member_of(name: str) -> str:
    """The member of struct macs_program that has the function of a pipe."""
    pipe, back, number = name.partition(BACK)
    return f"{pipe}{back}[{int(number[1:] or 1) - 1}]" if back else name


def _boundaries(pipe: PipeSchedule, at: str, diagnostics: Diagnostics, program: Program) -> list[int]:
    """The stages in front of which to cut, in order; what is none is reported."""
    found: list[int] = []
    for word in at.split(","):
        number = _stage_of(pipe, word)
        if number is None or not 0 < number < len(pipe.stages):
            diagnostics.error(program.span, f"cannot cut at '{word}': {_stages_of(pipe)}")
        elif number in found:
            diagnostics.error(program.span, f"cannot cut at '{at}': it has stage {number} twice")
        else:
            found.append(number)
    if len(found) >= PARTS:
        diagnostics.error(program.span, f"a program can be cut in {PARTS} parts at most")
    return sorted(found)


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
