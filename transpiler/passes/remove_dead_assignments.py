"""Remove writes to places that nothing needs: no condition, key, extern, deparser or architecture reads them, not even
by way of another place that is needed.

Before: meta.a = hdr.x; meta.b = meta.a; meta.c = 1; hdr.y = hdr.y; key: meta.c;      After: meta.c = 1; key: meta.c;

Marked first are the statements with an effect of their own and what they read; then every write to a marked place, with
what it reads and the conditions around it. What is not marked goes. Intrinsic metadata and bridges always count as read
(the architecture's steps read them), the headers that a deparser emits are read by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from transpiler.analysis.locations import Location, Locator
from transpiler.analysis.values import same
from transpiler.externs.table import METHODS, only_gives_a_value
from transpiler.hlir.expressions import HeaderRef, Read, VariableRef
from transpiler.hlir.program import Parser, Program
from transpiler.hlir.statements import (
    ApplyTable,
    Assign,
    Body,
    CallExtern,
    CopyHeader,
    If,
    SetValid,
    Statement,
    Switch,
)
from transpiler.hlir.traverse import bodies, expressions, program_bodies, rebuild, transition_expressions
from transpiler.passes.mapping import map_bodies


def run(program: Program) -> Program:
    """The program without its dead writes, and without ifs and switches around nothing else."""
    marks = _Marks(program)
    return map_bodies(program, marks.swept)


class _Marks:
    """`needed` places and the `live` statements among those that may go, by identity."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.locator = Locator(program)
        self.needed: set[Location] = set()
        self.live: set[int] = set()
        self.writers: dict[Location, list[Statement]] = defaultdict(list)
        self.around: dict[int, list[Statement]] = defaultdict(list)
        self.todo: list[Location] = []
        self._need(Location(variable) for _, variable in program.intrinsics)
        for bridge in program.bridges:
            self._need(Location(variable) for variable in bridge.variables)
            for header in bridge.headers:
                self._need(self.locator.whole(HeaderRef(header, bridge.span)))
        for pipe in program.pipes:
            for state in pipe.states if isinstance(pipe, Parser) else ():
                for expression in transition_expressions(state):
                    self._need(self.locator.read_by(expression))
        for body in program_bodies(program):
            self._collect(body, None)
        while self.todo:
            location = self.todo.pop()
            for writer in self.writers[location]:
                self._mark_writer(writer, location)

    def swept(self, body: Body) -> Body:
        """The body with its live statements."""
        made = []
        for statement in body:
            if _may_go(statement) and id(statement) not in self.live:
                continue
            if isinstance(statement, ApplyTable):
                statement = replace(statement, hit=self._wanted(statement.hit), action=self._wanted(statement.action))
            made.append(rebuild(statement, self.swept) if bodies(statement) else statement)
        return tuple(made)

    def _wanted(self, result: VariableRef | None) -> VariableRef | None:
        return result if result is not None and Location(result.name) in self.needed else None

    # --- marking -----------------------------------------------------------------------------------------------------

    def _collect(self, body: Body, around: Statement | None) -> None:
        for statement in body:
            if around is not None:
                self.around[id(statement)].append(around)
            if not _may_go(statement):
                self._need(self.locator.access(statement).reads)
                self._mark_around(statement)
            elif not isinstance(statement, If | Switch) and not _changes_nothing(statement):
                for location in self.locator.access(statement).writes:
                    self.writers[location].append(statement)
            for inner in bodies(statement):
                self._collect(inner, statement)

    def _mark_writer(self, writer: Statement, location: Location) -> None:
        if isinstance(writer, CopyHeader):
            names = self.locator.headers(writer.source)
            self._need(Location(name, location.field) for name in names)
        if id(writer) in self.live:
            return
        self.live.add(id(writer))
        reads = [self.locator.read_by(e) for e in expressions(writer)]
        self._need(frozenset().union(*reads))
        if isinstance(writer, CallExtern):
            self._need(self.locator.access(writer).reads)
        self._mark_around(writer)

    def _mark_around(self, statement: Statement) -> None:
        """A live statement keeps the conditions that decide about it."""
        todo = list(self.around[id(statement)])
        while todo:
            around = todo.pop()
            if id(around) not in self.live:
                self.live.add(id(around))
                self._need(self.locator.access(around).reads)
                todo += self.around[id(around)]

    def _need(self, locations: Iterable[Location]) -> None:
        new = [location for location in locations if location not in self.needed]
        self.needed.update(new)
        self.todo += new


def _may_go(statement: Statement) -> bool:
    """Whether a statement does nothing but write places, or decide about such statements."""
    match statement:
        case Assign() | SetValid() | CopyHeader() | If() | Switch():
            return True
        case CallExtern(method=method):
            return METHODS[method].reads or only_gives_a_value(statement)
    return False


def _changes_nothing(statement: Statement) -> bool:
    """Whether a statement writes a place's own value to it."""
    match statement:
        case Assign(target=target, value=Read(place=place)):
            return same(target, place)
        case CopyHeader(target=to, source=source):
            return same(to, source)
    return False
