"""Sinking: header fields that only the deparser reads, and only last stages write, are *sunk*. The parser does not load them, and
no stage keeps them. The deparser stores those that its own stage has written; the others are still in the frame.

    extract(eth) … stage 2: eth.dst = neighbour; emit(eth)      →      bytes 0 to 5 are stored, never loaded
"""

from __future__ import annotations

from transpiler.analysis.locations import Location, Locator
from transpiler.externs.table import KEEPING
from transpiler.hlir.program import Parser, Program
from transpiler.hlir.statements import ApplyTable, CopyHeader, Extract, Leave
from transpiler.hlir.traverse import program_statements, walk
from transpiler.hlir.types import Varbit
from transpiler.schedule.live import loaded_fields, stored_fields
from transpiler.schedule.order import statements_of
from transpiler.schedule.pipeline import calls
from transpiler.schedule.stages import Code, Fork, PipeSchedule, Schedule, Submit
from transpiler.schedule.successors import whole


def sunk_fields(program: Program, schedule: Schedule) -> frozenset[Location]:
    """Those of a program under a schedule: none where packets go through several pipes, or pass again."""
    if len(schedule.pipes) != 1 or calls(program, KEEPING):
        return frozenset()
    locator = Locator(program)
    found = stored_fields(program) - loaded_fields(program, frozenset()) - _written_early(schedule.pipes[0], locator)
    held = _held(program, locator)
    return frozenset(field for field in found if field.owner not in held and not _is_varbit(program, field))


def _held(program: Program, locator: Locator) -> frozenset[str]:
    """The headers whose fields have values apart from their bytes (elements of stacks, what is copied), or that have no
    bytes to load, as nothing extracts them."""
    held = {stack.element(i) for stack in program.stacks for i in range(stack.size)}
    extracted: set[str] = set()
    for statement in program_statements(program):
        match statement:
            case CopyHeader(target=target, source=source):
                held.update((*locator.headers(target), *locator.headers(source)))
            case Extract(header=header):
                extracted.update(locator.headers(header))
    return frozenset(held | {header.name for header in program.headers if header.name not in extracted})


def _written_early(pipe: PipeSchedule, locator: Locator) -> frozenset[Location]:
    """What is written by the parser, or by stages that may leave a packet to others."""
    parsers = (parser for parser in locator.program.pipes if isinstance(parser, Parser))
    statements = [s for parser in parsers for state in parser.states for s in walk(state.body)]
    wholes = (whole(pipe, stage.code) for stage in pipe.stages)
    statements += [s for code in wholes if _submits(pipe, code) for s in statements_of(code)]
    found: set[Location] = set()
    for statement in statements:
        if not isinstance(statement, Extract):
            found |= locator.access(statement).writes
        if isinstance(statement, ApplyTable):
            found |= locator.written_by_actions(statement.table)
    return frozenset(found)


def _submits(pipe: PipeSchedule, code: Code) -> bool:
    arms = [arm for piece in code if isinstance(piece, Fork) for arm in piece.arms]
    leaves = (pipe.exits.get(s.label) for s in statements_of(code) if isinstance(s, Leave))
    there = (*code, *leaves)
    return any(isinstance(piece, Submit) for piece in there) or any(_submits(pipe, arm) for arm in arms)


def _is_varbit(program: Program, field: Location) -> bool:
    return isinstance(program.header_type_of[field.owner].field(field.field).type, Varbit)
