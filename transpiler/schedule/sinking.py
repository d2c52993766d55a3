"""Sinking: header fields that only the deparser reads, and only last stages write, are *sunk*. The parser does not load them, and
no stage keeps them. The deparser stores those that its own stage has written; the others are still in the frame.

    extract(eth) … stage 2: eth.dst = neighbour; emit(eth)      →      bytes 0 to 5 are stored, never loaded

Other fields are sunk in a last stage that finds them as they were received, and reads them in the deparser alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.hlir.expressions import FieldRef, HeaderRef
from transpiler.hlir.program import Parser, Program
from transpiler.hlir.statements import ApplyTable, Assign, Body, CopyHeader, Emit, Extract, Leave, SetValid, Statement
from transpiler.hlir.traverse import bodies, program_statements, walk
from transpiler.hlir.types import Varbit
from transpiler.schedule.live import loaded_fields, stored_fields
from transpiler.schedule.order import statements_of
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Special
from transpiler.schedule.stages import Code, Finish, Fork, PipeSchedule, Plain, Schedule, Submit
from transpiler.schedule.successors import fed_by, whole

Runs = tuple[tuple[Statement, ...], ...]


def sunk_fields(program: Program, schedule: Schedule) -> frozenset[Location]:
    """Those of a program under a schedule: none where packets go through several pipes, as those do that pass again."""
    if len(schedule.pipes) != 1:
        return frozenset()
    locator = Locator(program)
    found = stored_fields(program) - loaded_fields(program, frozenset()) - _written_early(schedule.pipes[0], locator)
    held = _held(program, locator)
    return frozenset(field for field in found if field.owner not in held and not _is_varbit(program, field))


def sunk_in_stage(
    program: Program, pipe: PipeSchedule, number: int, live: frozenset[Location], sunk: frozenset[Location]
) -> dict[Location, Location]:
    """Those that are `sunk` anyway, and of the fields that a stage would load, but where it submits packets; each with the first
    of those that are written with it. `live`: what is kept from stage to stage."""
    stage = pipe.stages[number]
    alone = {field: field for field in sunk}
    code = whole(pipe, stage.code)
    parses = any(isinstance(piece, Plain) and isinstance(piece.what, Parse | Restart) for piece in code)
    fields = stage.loaded | sunk
    if not fields or parses or fed_by(pipe, stage.code):
        return alone
    locator = Locator(program)
    runs = tuple(_runs(program, code))
    held = _held_in(program, locator, runs)
    read = frozenset[Location]().union(*(locator.access(s).reads for run in runs for s in run))
    found = frozenset(f for f in fields - read - live if f.owner not in held and not _is_varbit(program, f))
    return alone | {field: together[0] for together in _together(locator, runs, found) for field in together}


def _held_in(program: Program, locator: Locator, runs: Runs) -> set[str]:
    """Elements of stacks, and headers that are copied there."""
    held = {stack.element(i) for stack in program.stacks for i in range(stack.size)}
    copies = (s for run in runs for s in run if isinstance(s, CopyHeader))
    return held.union(*(locator.headers(place) for copy in copies for place in (copy.target, copy.source)))


def _together(locator: Locator, runs: Runs, fields: frozenset[Location]) -> Iterator[list[Location]]:
    """Those of the fields that are assigned together, two of a header at least: one test is worth it for them."""
    written: dict[Location, set[int]] = {field: set() for field in fields}
    others: set[Location] = set()
    for number, run in enumerate(runs):
        for statement in run:
            match statement:
                case Assign(target=FieldRef(header=HeaderRef(name=owner), field=field)):
                    written.get(Location(owner, field), set()).add(number)
                case _:
                    others |= locator.access(statement).writes
    of: dict[tuple[str, frozenset[int]], list[Location]] = {}
    for one in sorted(fields - others, key=lambda one: (one.owner, one.field)):
        of.setdefault((one.owner, frozenset(written[one])), []).append(one)
    yield from (together for together in of.values() if len(together) > 1)


def _runs(program: Program, code: Code) -> Iterator[tuple[Statement, ...]]:
    """All statements of a code but Emit, those of its tables' actions, too: by runs, of which a packet takes all or none."""
    plain: list[Statement] = []
    for piece in code:
        if isinstance(piece, Plain) and isinstance(piece.what, Assign | SetValid):
            plain.append(piece.what)
            continue
        yield tuple(plain)
        plain = []
        match piece:
            case Fork(statement=statement, arms=arms):
                yield (statement,)
                for arm in arms:
                    yield from _runs(program, arm)
            case Finish(statement=statement):
                yield from _runs_of(program, (statement,))
            case Plain(what=Deparse(control=control)):
                yield from _runs_of(program, control.body)
            case Plain(what=what) if not isinstance(what, Special):
                yield from _runs_of(program, (what,))
    yield tuple(plain)


def _runs_of(program: Program, body: Body) -> Iterator[tuple[Statement, ...]]:
    plain: list[Statement] = []
    for statement in body:
        if isinstance(statement, Assign | SetValid):
            plain.append(statement)
            continue
        yield tuple(plain)
        plain = []
        if not isinstance(statement, Emit):
            yield (statement,)
        inside = bodies(statement)
        if isinstance(statement, ApplyTable):
            inside = tuple(action.body for action in actions_of(program, statement.table))
        for inner in inside:
            yield from _runs_of(program, inner)
    yield tuple(plain)


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
