"""Which places and statements of a program are needed: a place, if a condition, key, extern, deparser or the architecture reads
it, or what a needed place is computed of does; a statement, if it has an effect of its own or writes a needed place.

meta.a = hdr.x; meta.b = meta.a; meta.c = 1; key: meta.c;      →      needed: meta.c and its assignment

It does not ask in which order statements run: what is read anywhere is needed everywhere. Intrinsic metadata and bridges
always count as read (the architecture's steps read them), the headers that a deparser emits are read by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from transpiler.analysis.locations import Location, Locator
from transpiler.analysis.values import same
from transpiler.externs.table import METHODS, only_gives_a_value
from transpiler.hlir.expressions import HeaderRef, Read
from transpiler.hlir.program import Parser, Program
from transpiler.hlir.statements import Assign, Body, CallExtern, CopyHeader, If, SetValid, Statement, Switch
from transpiler.hlir.traverse import bodies, expressions, program_bodies, transition_expressions


class Needed:
    """`places`: what is needed of these. Statements are told apart by identity."""

    def __init__(self, program: Program) -> None:
        self._locator = Locator(program)
        self.places: set[Location] = set()
        self._live: set[int] = set()
        self._writers: dict[Location, list[Statement]] = defaultdict(list)
        self._around: dict[int, list[Statement]] = defaultdict(list)
        self._todo: list[Location] = []
        self._need(Location(variable) for _, variable in program.intrinsics)
        for bridge in program.bridges:
            self._need(Location(variable) for variable in bridge.variables)
            for header in bridge.headers:
                self._need(self._locator.whole(HeaderRef(header, bridge.span)))
        for pipe in program.pipes:
            for state in pipe.states if isinstance(pipe, Parser) else ():
                for expression in transition_expressions(state):
                    self._need(self._locator.read_by(expression))
        for body in program_bodies(program):
            self._collect(body, None)
        while self._todo:
            location = self._todo.pop()
            for writer in self._writers[location]:
                self._mark_writer(writer, location)

    def goes(self, statement: Statement) -> bool:
        """Whether the program is the same without a statement."""
        return _may_go(statement) and id(statement) not in self._live

    def _collect(self, body: Body, around: Statement | None) -> None:
        for statement in body:
            if around is not None:
                self._around[id(statement)].append(around)
            if not _may_go(statement):
                self._need(self._locator.access(statement).reads)
                self._mark_around(statement)
            elif not isinstance(statement, If | Switch) and not _changes_nothing(statement):
                for location in self._locator.access(statement).writes:
                    self._writers[location].append(statement)
            for inner in bodies(statement):
                self._collect(inner, statement)

    def _mark_writer(self, writer: Statement, location: Location) -> None:
        if isinstance(writer, CopyHeader):
            names = self._locator.headers(writer.source)
            self._need(Location(name, location.field) for name in names)
        if id(writer) in self._live:
            return
        self._live.add(id(writer))
        reads = [self._locator.read_by(e) for e in expressions(writer)]
        self._need(frozenset().union(*reads))
        self._mark_around(writer)

    def _mark_around(self, statement: Statement) -> None:
        """A live statement keeps the conditions that decide about it."""
        todo = list(self._around[id(statement)])
        while todo:
            around = todo.pop()
            if id(around) not in self._live:
                self._live.add(id(around))
                self._need(self._locator.access(around).reads)
                todo += self._around[id(around)]

    def _need(self, locations: Iterable[Location]) -> None:
        new = [location for location in locations if location not in self.places]
        self.places.update(new)
        self._todo += new


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
