"""What a stretch of a control reads, writes and does: whether it may be decided once for packets that are alike.

A stretch is a run of statements of one body. It may be if what it writes is a function of what it reads and of the entries of
tables: it keeps no state but counters of packets, looks at no time, draws no number, and leaves no block that it is inside of.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.externs.table import only_gives_a_value
from transpiler.hlir.expressions import ElementRef, Expression, FieldRef, HeaderRef, IsValid, Place, Read, VariableRef
from transpiler.hlir.program import ExternInstance, Parser, Program, Table
from transpiler.hlir.statements import (
    ApplyTable,
    Assign,
    Block,
    Body,
    CallExtern,
    If,
    Leave,
    SetValid,
    Statement,
    Switch,
)
from transpiler.hlir.traverse import bodies, expressions, rebuild, transition_expressions, walk, walk_expression
from transpiler.hlir.types import Bits, Bool, Enum, Type

Path = tuple[tuple[int, int], ...]
COUNTING = frozenset({"counter.count", "direct_counter.count"})  # the packet's length, by an index or its entry
ASSERTING = frozenset({"assert.check"})
COMPUTING = frozenset({"hash.compute", "hash.extend"})  # of a list of values


@dataclass(frozen=True, slots=True)
class Stretch:
    """`body`: its statements; `path`: the way to the body that they are in, a statement and a body of it for each step; `first`:
    the number of the first of them there; `reads`: what it reads as it finds it; `writes`: what it may write, `sure` of it on
    every way; `lookups`: tables that it looks up; `counts`: what a packet counts at most."""

    body: Body
    path: Path
    first: int
    reads: frozenset[Location]
    writes: frozenset[Location]
    sure: frozenset[Location]
    lookups: int
    counts: int


@dataclass
class Finder:
    """Finds the stretches of a program's bodies. `compared`: tables in which nothing is looked up."""

    program: Program
    compared: frozenset[str] = frozenset()
    locator: Locator = field(init=False)
    _allowed: dict[str, bool] = field(default_factory=dict)  # tables

    def __post_init__(self) -> None:
        self.locator = Locator(self.program)

    def stretches(self, body: Body, path: Path = ()) -> Iterator[Stretch]:
        """The longest ones of a body, from their first lookup to their last, and of those inside its other statements."""
        first = 0
        for number, statement in enumerate(body):
            if self.may_be(statement) and _is_closed(statement):
                continue
            yield from self._of(body[first:number], path, first)
            first = number + 1
            for which, inner in enumerate(bodies(statement)):
                yield from self.stretches(inner, (*path, (number, which)))
        yield from self._of(body[first:], path, first)

    def _of(self, run: Body, path: Path, first: int) -> Iterator[Stretch]:
        applying = [number for number, statement in enumerate(run) if self._lookups((statement,))]
        if not applying:
            return
        run, first = run[applying[0] : applying[-1] + 1], first + applying[0]
        flow = _Flow(self.program, self.locator)
        flow.body(run)
        reads, writes, sure = map(frozenset, (flow.reads, flow.writes, flow.sure & flow.writes))
        yield Stretch(run, path, first, reads, writes, sure, self._lookups(run), flow.counts)

    def _lookups(self, body: Body) -> int:
        applied = (s.table for s in walk(body) if isinstance(s, ApplyTable))
        return sum(bool(self.program.table[name].keys) and name not in self.compared for name in applied)

    def may_be(self, statement: Statement) -> bool:
        """Whether a stretch may have the statement."""
        return all(map(self._may_do, walk((statement,))))

    def _may_do(self, statement: Statement) -> bool:
        match statement:
            case Assign(target=target):
                done = _is_fixed(target) and self._is_number(target)
            case ApplyTable(table=table):
                done = self._may_apply(self.program.table[table])
            case CallExtern(method=method):
                done = method in COUNTING | ASSERTING or (method in COMPUTING and only_gives_a_value(statement))
                done = done and all(map(_is_fixed, statement.outputs))
            case SetValid(header=header):
                done = isinstance(header, HeaderRef)
            case If() | Switch() | Block() | Leave():
                done = True
            case _:
                done = False
        parts = (part for e in expressions(statement) for part in walk_expression(e))
        return done and not any(map(_is_found_at_run_time, parts))

    def _is_number(self, place: Place) -> bool:
        type_ = type_of(self.program, place)
        return isinstance(type_, Bits | Bool | Enum)

    def _may_apply(self, table: Table) -> bool:
        if table.name not in self._allowed:
            self._allowed[table.name] = self._may_look_up(table)
        return self._allowed[table.name]

    def _may_look_up(self, table: Table) -> bool:
        direct = all(self.program.extern[name].kind == "direct_counter" for name in table.direct)
        keys = (part for key in table.keys for part in walk_expression(key.expression))
        plain = not table.ages and not any(map(_is_found_at_run_time, keys))
        if not direct or not plain or _draws(self._profile(table)):
            return False
        inside = (s for action in actions_of(self.program, table.name) for s in walk(action.body))
        return all(self._may_do(s) for s in inside)

    def _profile(self, table: Table) -> ExternInstance | None:
        return self.program.extern[table.implementation] if table.implementation is not None else None


class _Flow:
    """Goes through a run in its order: what it reads before it has surely written it."""

    def __init__(self, program: Program, locator: Locator) -> None:
        self.program, self.locator = program, locator
        self.reads: set[Location] = set()
        self.writes: set[Location] = set()
        self.sure: set[Location] = set()
        self.counts = 0

    def body(self, body: Body) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        access = self.locator.access(statement)
        self.reads |= access.reads - self.sure
        self.counts += isinstance(statement, CallExtern) and statement.method in COUNTING
        match statement:
            case If(then=then, otherwise=otherwise):
                self._one_of((then, otherwise))
            case Switch(cases=cases, default=default):
                self._one_of((*(case.body for case in cases), default))
            case Block(body=body):
                before = set(self.sure)
                self.body(body)
                if any(isinstance(inner, Leave) for inner in walk(body)):
                    self.sure = before
            case ApplyTable(table=name):
                table = self.program.table[name]
                self.counts += sum(bool(self.program.extern[direct].attribute("automatic")) for direct in table.direct)
                ways = [action.body for action in actions_of(self.program, name)]
                parameters = {Location(p) for action in actions_of(self.program, name) for p in action.parameters}
                self.sure |= parameters
                self._one_of((*ways, ()) if table.implementation is not None else tuple(ways))
                self.sure -= parameters
                self.writes -= parameters
        self.writes |= access.writes
        self.sure |= access.killed

    def _one_of(self, ways: tuple[Body, ...]) -> None:
        before, ends = set(self.sure), []
        for way in ways:
            self.sure = set(before)
            self.body(way)
            ends.append(self.sure)
        self.sure = set.intersection(*ends) if ends else before


def with_run(body: Body, path: Path, first: int, count: int, instead: Body) -> Body:
    """The body with `count` statements, from number `first` on of the body at the path, replaced."""
    if not path:
        return (*body[:first], *instead, *body[first + count :])
    (number, which), *rest = path
    numbers = itertools.count()

    def inner(old: Body) -> Body:
        return with_run(old, tuple(rest), first, count, instead) if next(numbers) == which else old

    return (*body[:number], rebuild(body[number], inner), *body[number + 1 :])


def reachable(program: Program) -> tuple[Statement, ...]:
    """The statements of parsers and controls, and of the actions of the tables that they apply."""
    found = [
        statement
        for pipe in program.pipes
        for body in ((s.body for s in pipe.states) if isinstance(pipe, Parser) else (pipe.body,))
        for statement in walk(body)
    ]
    tables = {s.table for s in found if isinstance(s, ApplyTable)}
    inside = (s for table in sorted(tables) for action in actions_of(program, table) for s in walk(action.body))
    return (*found, *inside)


def read_in(program: Program) -> frozenset[Location]:
    """What these read, and the transitions of parsers."""
    locator = Locator(program)
    states = (state for pipe in program.pipes if isinstance(pipe, Parser) for state in pipe.states)
    found = [locator.read_by(e) for state in states for e in transition_expressions(state)]
    return frozenset().union(*found, *(locator.access(s).reads for s in reachable(program)))


def _is_fixed(place: Place) -> bool:
    return isinstance(place, VariableRef) or isinstance(place.header, HeaderRef)


def _is_found_at_run_time(part: Expression) -> bool:
    """Whether it reads an element of a stack whose index is known at run time only."""
    match part:
        case Read(place=FieldRef(header=ElementRef())) | IsValid(header=ElementRef()):
            return True
    return False


def _is_closed(statement: Statement) -> bool:
    """Whether it leaves no block that it is inside of."""
    own = {s.label for s in walk((statement,)) if isinstance(s, Block)}
    return all(s.label in own for s in walk((statement,)) if isinstance(s, Leave))


def _draws(profile: ExternInstance | None) -> bool:
    """Whether members of its groups are chosen at random, or by a hash that can be changed."""
    algorithm = str(dict(profile.attributes).get("algorithm", "")) if profile is not None else ""
    return algorithm == "random" or "custom" in algorithm


def type_of(program: Program, place: Place) -> Type:
    """The type of a place that is no element found at run time."""
    match place:
        case VariableRef(name=name):
            return program.variable[name].type
        case FieldRef(header=HeaderRef(name=name), field=field_name):
            return program.header_type_of[name].field(field_name).type
    raise TypeError(f"{place} is found at run time")
