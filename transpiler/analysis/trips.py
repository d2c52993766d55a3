"""Long loops: those whose trip count is not known to be small.

    for (bit<8> i = 0; i < 10; i = i + 1) …     ends: 10 rounds
    for (bit<32> i in 0..hdr.x.count) …         long: nothing is known of `count`
    for (; meta.more; ) …                       long

Rounds are executed on constants: the values of variables that the body assigns only at its top level. Whatever else is in a
body can only end the loop earlier.
"""

from __future__ import annotations

from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.analysis.values import constant
from transpiler.diagnostics import Span
from transpiler.hlir.expressions import Binary, BinaryOp, Const, Expression, Read, VariableRef
from transpiler.hlir.program import Control, Parser, Program
from transpiler.hlir.statements import ApplyTable, Assign, Body, If, Leave, Statement, While
from transpiler.hlir.traverse import bodies, rewrite_expression

# rounds that all loops of a control may go through without being long; and those of a parser state, which a frame may
# visit some hundred times for each of its bytes
CONTROL_LIMIT = 1 << 12
STATE_LIMIT = 1 << 8

_Known = dict[str, int]  # variable → value, as it is stored


def long_loops(program: Program) -> frozenset[Span]:
    """The loops (by their spans) that are not known to end within the limit, with all that is inside them."""
    finder = _Finder(program)
    for pipe in program.pipes:
        match pipe:
            case Control(body=body):
                finder.rounds(body, {}, CONTROL_LIMIT)
            case Parser(states=states):
                for state in states:
                    finder.rounds(state.body, {}, STATE_LIMIT)
    return frozenset(finder.long)


class _Finder:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.locator = Locator(program)
        self.long: set[Span] = set()

    def rounds(self, body: Body, known: _Known, limit: int) -> int:
        """The most rounds that one run of a body goes through, but for those of long loops; `known` is what is known
        before it, then what is known after it."""
        total = 0
        for statement in body:
            total += self._of(statement, known, limit)
            self._note(statement, known)
        return total

    def _of(self, statement: Statement, known: _Known, limit: int) -> int:
        match statement:
            case While():
                return self._of_loop(statement, known, limit)
            case ApplyTable(table=table):
                actions = actions_of(self.program, table)
                return max((self.rounds(action.body, {}, limit) for action in actions), default=0)
        return max((self.rounds(body, dict(known), limit) for body in bodies(statement)), default=0)

    def _of_loop(self, loop: While, known: _Known, limit: int) -> int:
        inside = self._forgetting(loop.body, known)
        within = 1 + self.rounds(loop.body, inside, limit)
        trips = self._trips(loop, known, limit // within)
        if trips is None:
            self.long.add(loop.span)
            return 1
        return trips * within

    def _forgetting(self, body: Body, known: _Known) -> _Known:
        written = self.locator.written_in(body)
        return {name: value for name, value in known.items() if Location(name) not in written}

    def _note(self, statement: Statement, known: _Known) -> None:
        """What is known after a statement."""
        value = None
        if isinstance(statement, Assign) and isinstance(statement.target, VariableRef):
            value = _value(statement.value, known)
        for name in known.keys() - self._forgetting((statement,), known).keys():
            del known[name]
        if value is not None and isinstance(statement, Assign) and isinstance(statement.target, VariableRef):
            known[statement.target.name] = value

    def _trips(self, loop: While, known: _Known, most: int) -> int | None:
        """How often the body is run at most; None where that may be more often than `most`, or nothing tells."""
        others = tuple(s for s in loop.body if not _counts(s))
        now = self._forgetting(others, known)
        for trip in range(most + 1):
            goes_on = _value(loop.condition, now)
            if goes_on == 0:
                return trip
            if trip == most:
                break
            told = goes_on is not None and not isinstance(loop.condition, Const)
            for statement in loop.body:
                match statement:
                    case If(condition=condition, then=(Leave(),), otherwise=()):
                        leaves = _value(condition, now)
                        if leaves:
                            return trip + 1
                        told |= leaves is not None
                    case Assign():
                        self._note(statement, now)
            if trip and not told:
                return None
        return None


def _counts(statement: Statement) -> bool:
    return isinstance(statement, Assign) and isinstance(statement.target, VariableRef)


def _value(expression: Expression, known: _Known) -> int | None:
    """The value of an expression, as far as what is known tells it."""

    def folded(part: Expression) -> Expression:
        match part:
            case Read(place=VariableRef(name=name), type=type_, span=span) if name in known:
                return Const(known[name], type_, span)
            case (
                Binary(op=BinaryOp.LAND, left=Const(value=0) as never)
                | Binary(op=BinaryOp.LAND, right=Const(value=0) as never)
            ):
                return never
        value = constant(part)
        return part if value is None else Const(value, part.type, part.span)

    whole = rewrite_expression(expression, folded)
    return whole.value if isinstance(whole, Const) else None
