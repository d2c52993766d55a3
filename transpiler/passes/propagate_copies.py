"""Read what a place was last assigned instead of the place: constants everywhere, other places for temporaries.

Before: local = hdr.a; x = local + 1; meta.b = 4; y = meta.b;      After: local = hdr.a; x = hdr.a + 1; meta.b = 4; y = 4;

What is known is followed through straight code and into branches; behind a branch, a table or a loop only that which none
of them writes is still known. A control's locals begin as zero (Storage.LOCAL), and what nothing writes stays zero.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from transpiler.analysis.locations import Location, Locator, location_of
from transpiler.hlir.expressions import Const, Expression, Read
from transpiler.hlir.program import Control, Parser, Pipe, Program, Select, Storage
from transpiler.hlir.statements import ApplyTable, Assign, Body, Statement, While
from transpiler.hlir.traverse import bodies, program_statements, rebuild, rewrite_expression, rewrite_statement, walk
from transpiler.hlir.types import Bits, Bool
from transpiler.passes.simplify_expressions import simplify

Known: TypeAlias = dict[Location, Const | Read]


def run(program: Program) -> Program:
    """The program with known values read in place of where they were put."""
    return _Propagation(program).program()


class _Propagation:
    def __init__(self, program: Program) -> None:
        self.source = program
        self.locator = Locator(program)
        self.temporary = {v.name for v in program.variables if v.storage is Storage.LOCAL}
        written = {w for s in program_statements(program) for w in self.locator.access(s).writes}
        own = {v.name for v in program.variables if v.storage in (Storage.LOCAL, Storage.METADATA)}
        self.zero = {name for name in own if Location(name) not in written}
        self.by_table: dict[str, frozenset[Location]] = {}

    def program(self) -> Program:
        actions = tuple(replace(a, body=self._body(a.body, {})) for a in self.source.actions)
        return replace(self.source, actions=actions, pipes=tuple(map(self._pipe, self.source.pipes)))

    def _pipe(self, pipe: Pipe) -> Pipe:
        match pipe:
            case Control(body=body):
                return replace(pipe, body=self._body(body, self._zeros(body)))
            case Parser(states=states):
                made = []
                for state in states:
                    known: Known = {}
                    body = self._body(state.body, known)
                    transition = state.transition
                    if isinstance(transition, Select):
                        subjects = tuple(self._expression(s, known) for s in transition.subjects)
                        transition = replace(transition, subjects=subjects)
                    made.append(replace(state, body=body, transition=transition))
                return replace(pipe, states=tuple(made))

    def _zeros(self, body: Body) -> Known:
        """What is known where a control begins: its locals are zero."""
        used = {location for s in walk(body) for location in self.locator.access(s).reads if not location.field}
        known: Known = {}
        for location in used:
            variable = self.source.variable[location.owner]
            if variable.storage is Storage.LOCAL and isinstance(variable.type, Bits | Bool):
                known[location] = Const(0, variable.type, variable.span)
        return known

    # --- bodies ------------------------------------------------------------------------------------------------------

    def _body(self, body: Body, known: Known) -> Body:
        """The body rewritten; `known` becomes what is known at its end."""
        return tuple(self._statement(statement, known) for statement in body)

    def _statement(self, statement: Statement, known: Known) -> Statement:
        if isinstance(statement, While):
            self._forget(known, self._written(statement))
        if known or self.zero:
            statement = rewrite_statement(statement, lambda e: simplify(self._known(e, known)))
        if bodies(statement):
            written = self._written(statement)
            statement = rebuild(statement, lambda inner: self._body(inner, dict(known)))
        elif isinstance(statement, ApplyTable):
            written = self._written(statement)
        else:
            written = self.locator.access(statement).writes
        self._forget(known, written)
        if isinstance(statement, Assign):
            self._learn(statement, known)
        return statement

    def _written(self, statement: Statement) -> frozenset[Location]:
        """Everything that a statement and what stands in it may write."""
        found: set[Location] = set()
        for inner in walk((statement,)):
            found |= self.locator.access(inner).writes
            if isinstance(inner, ApplyTable):
                if inner.table not in self.by_table:
                    self.by_table[inner.table] = self.locator.written_by_actions(inner.table)
                found |= self.by_table[inner.table]
        return frozenset(found)

    def _learn(self, assignment: Assign, known: Known) -> None:
        location = location_of(assignment.target)
        match assignment.value:
            case Const() as value if location:
                known[location] = value
            case Read(place=place) as value if location and location.owner in self.temporary:
                if location_of(place):
                    known[location] = value

    def _forget(self, known: Known, written: frozenset[Location]) -> None:
        if not known or not written:
            return
        for location, value in list(known.items()):
            if location in written or (isinstance(value, Read) and location_of(value.place) in written):
                del known[location]

    # --- expressions -------------------------------------------------------------------------------------------------

    def _expression(self, expression: Expression, known: Known) -> Expression:
        return (
            rewrite_expression(expression, lambda e: simplify(self._known(e, known)))
            if known or self.zero
            else expression
        )

    def _known(self, expression: Expression, known: Known) -> Expression:
        if isinstance(expression, Read):
            location = location_of(expression.place)
            value = known.get(location) if location else None
            if location and location.owner in self.zero and isinstance(expression.type, Bits | Bool):
                return Const(0, expression.type, expression.span)
            if value is not None:
                return replace(value, span=expression.span)
        return expression
