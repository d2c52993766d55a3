"""Lookups of small tables that stages make with those that they are cut at, as arrays: their keys are known where the stage
begins.

    start routes;  run: finish routes; A; if (c) { small.apply(); }
    →  start routes, small;  run: finish routes; A; if (c) { finish small }

That is no cut, so it costs no list of packets. A packet that does not come to the table is looked up in vain.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from transpiler.analysis.locations import Location, Locator
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable, Leave
from transpiler.hlir.traverse import program_statements
from transpiler.schedule.order import statements_of
from transpiler.schedule.pipeline import Special
from transpiler.schedule.split import TOGETHER
from transpiler.schedule.stages import Finish, PipeSchedule, Plain, Stage


def with_small_lookups(program: Program, pipes: tuple[PipeSchedule, ...], tables: Set[str]) -> tuple[PipeSchedule, ...]:
    """The pipes, of which each stage with lookups makes those in such tables, too, that it can."""
    applied = [s.table for s in program_statements(program) if isinstance(s, ApplyTable)]
    once = frozenset(table for table in tables if applied.count(table) == 1)
    locator = Locator(program)
    return tuple(
        replace(pipe, stages=tuple(_with_small(locator, once, stage) for stage in pipe.stages)) for pipe in pipes
    )


def _with_small(locator: Locator, tables: Set[str], stage: Stage) -> Stage:
    if not stage.lookups or not tables:
        return stage
    found = tuple(_known_at_the_beginning(locator, tables, stage))[: TOGETHER - len(stage.lookups)]
    first = len(stage.lookups)
    small = {lookup.table: first + number for number, lookup in enumerate(found)}
    return replace(stage, lookups=(*stage.lookups, *found), small=small)


def _known_at_the_beginning(locator: Locator, tables: Set[str], stage: Stage) -> Iterator[ApplyTable]:
    """Of the statements up to the first fork those that look up a table whose key nothing before them writes."""
    written: set[Location] = set()
    for piece in stage.code:
        if not isinstance(piece, Plain | Finish) or (isinstance(piece, Plain) and isinstance(piece.what, Special)):
            return
        statements = tuple(statements_of((piece,)))
        written |= locator.written_in(statements)
        for statement in statements:
            if isinstance(piece, Finish) or not isinstance(statement, ApplyTable) or statement.table not in tables:
                continue
            if not written & locator.read_by_keys(locator.program.table[statement.table].keys):
                yield statement
        if any(isinstance(statement, Leave) for statement in statements):
            return
