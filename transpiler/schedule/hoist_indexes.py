"""Computes the indexes of accesses to large state before the first of them, so that their cells are prefetched together.

r0.read(a, i);  j = hash(…);  r1.read(b, j);      →      j = hash(…);  r0.read(a, i);  r1.read(b, j);

A statement moves up over statements that do not depend on it, nor it on them. Only statements that compute an index move, and
none with side effects.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.externs.table import only_gives_a_value
from transpiler.hlir.expressions import HeaderRef, Place, VariableRef
from transpiler.hlir.program import Action, Control, Pipe, Program
from transpiler.hlir.statements import ApplyTable, Assign, Body, CallExtern, If, Leave, Statement
from transpiler.hlir.traverse import rebuild, walk
from transpiler.schedule.state import StateOf


def with_hoisted_indexes(program: Program, states: frozenset[str]) -> Program:
    """The program with indexes of accesses to these registers and meters computed as early as that."""
    if not states:
        return program
    hoister = _Hoister(program, states)
    actions = tuple(map(hoister.action, program.actions))
    return replace(program, pipes=tuple(map(hoister.pipe, program.pipes)), actions=actions)


class _Hoister:
    def __init__(self, program: Program, states: frozenset[str]) -> None:
        self.program = program
        self.state = StateOf(program, states)
        self.locator = Locator(program)

    def pipe(self, pipe: Pipe) -> Pipe:
        return replace(pipe, body=self._body(pipe.body)) if isinstance(pipe, Control) else pipe

    def action(self, action: Action) -> Action:
        return replace(action, body=self._body(action.body))

    def _body(self, body: Body) -> Body:
        body = tuple(rebuild(statement, self._body) for statement in body)
        accessing = [
            number for number, statement in enumerate(body) if any(True for _ in self.state.accesses(statement))
        ]
        if not accessing:
            return body
        first = accessing[0]
        rest = body[first:]
        wanted = self._for_indexes(rest)
        moved: list[Statement] = []
        staying: list[Statement] = []
        reads: set[Location] = set()
        writes: set[Location] = set()
        for number, statement in enumerate(rest):
            own_writes, own_reads = self.locator.written_in((statement,)), self._read_in(statement)
            free = not own_writes & (reads | writes) and not own_reads & writes
            if number and number in wanted and free and _only_gives_a_value(statement):
                moved.append(statement)
                continue
            staying.append(statement)
            if any(isinstance(inner, Leave) for inner in walk((statement,))):
                return (*body[:first], *moved, *staying, *rest[number + 1 :])
            reads |= own_reads
            writes |= own_writes
        return (*body[:first], *moved, *staying)

    def _for_indexes(self, body: Body) -> frozenset[int]:
        """The statements of a body, by number, that write what an index behind them is made of."""
        needed: set[Location] = set()
        found: set[int] = set()
        for number in range(len(body) - 1, -1, -1):
            statement = body[number]
            if self.locator.written_in((statement,)) & needed and _only_gives_a_value(statement):
                found.add(number)
                needed |= self._read_in(statement)
            for access, outside in self.state.accesses(statement):
                needed |= self.locator.read_by(access.index) if outside else frozenset()
        return frozenset(found)

    def _read_in(self, statement: Statement) -> frozenset[Location]:
        """What a statement may read, nested ones and the actions of its tables included."""
        found: set[Location] = set()
        for inner in walk((statement,)):
            found |= self.locator.access(inner).reads
            if isinstance(inner, ApplyTable):
                for action in actions_of(self.program, inner.table):
                    found |= frozenset().union(*(self.locator.access(s).reads for s in walk(action.body)))
        return frozenset(found)


def _only_gives_a_value(statement: Statement) -> bool:
    match statement:
        case Assign(target=target):
            return _is_fixed(target)
        case If(then=then, otherwise=otherwise):  # a hash leaves out headers that are not there
            return all(map(_only_gives_a_value, (*then, *otherwise)))
        case CallExtern(outputs=outputs):
            return only_gives_a_value(statement) and all(map(_is_fixed, outputs))
    return False


def _is_fixed(place: Place) -> bool:
    return isinstance(place, VariableRef) or isinstance(place.header, HeaderRef)
