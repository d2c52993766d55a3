"""Removes dead stores: to variables of functions, and to members of the packet's state and record, that nothing reads.

uint64_t sum = 0; sum += hdr_ttl; checksum = fold(sum); (nothing reads checksum)      →      nothing

Liveness here does not depend on the place in a function (schedule/live.py has done that): a variable is live if a statement with
side effects reads it, or if a live variable is computed from it. One walk over all functions finds the live variables, a
second one removes the other stores. The conditions under which a statement runs count as read by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from transpiler.codegen.c.build import unused
from transpiler.codegen.c.effects import acts, written_arguments
from transpiler.codegen.c.function import Function, Scopes, Variable
from transpiler.codegen.c.nodes import (
    Assign,
    Binary,
    Block,
    Body,
    Call,
    Declare,
    Do,
    Expression,
    If,
    Statement,
    Switch,
    Unary,
)
from transpiler.codegen.c.walk import expressions, map_bodies

Variables = frozenset[Variable]


@dataclass
class Liveness:
    """What each variable is computed from, and which variables statements with side effects read."""

    record: frozenset[str] = frozenset()
    made_of: dict[Variable, set[Variable]] = field(default_factory=lambda: defaultdict(set))
    needed: set[Variable] = field(default_factory=set)

    def add(self, function: Function) -> None:
        """Take a function into account."""
        scopes = Scopes.of(function, self.record)
        for variable in function.variables:
            if variable.value is not None:
                self.made_of[scopes.names[variable.name]] |= scopes.reads(variable.value)
        self._body(function.body, scopes, frozenset())

    def live(self) -> Variables:
        """The variables that must be kept."""
        found: set[Variable] = set()
        todo = list(self.needed)
        while todo:
            if (variable := todo.pop()) not in found:
                found.add(variable)
                todo += self.made_of.get(variable, ())
        return frozenset(found)

    def _body(self, body: Body, scopes: Scopes, under: Variables) -> None:
        for statement in body:
            self._statement(statement, scopes, under)

    def _statement(self, s: Statement, scopes: Scopes, under: Variables) -> None:
        """`under`: what the conditions read under which it runs."""
        match s:
            case Assign(target=target, value=value) if target == value:
                pass
            case Assign(target=target, value=value):
                variable, parts = scopes.written(target)
                self._made(variable, (target, value) if variable is None else (*parts, value), scopes, under)
            case Declare(value=value):
                read = (value,) if value is not None else ()
                reads = frozenset().union(*map(scopes.reads, read))
                self._note(scopes.declare(s), reads | under, acting=any(map(acts, read)))
            case Do(expression=Call() as call) if (into := _written(call, scopes)) is not None:
                for variable in into:
                    self.made_of[variable] |= under.union(*map(scopes.reads, call.arguments)) - {variable}
            case If() | Switch():
                reads = under.union(*map(scopes.reads, expressions(s)))
                if any(map(acts, expressions(s))):
                    self.needed |= reads
                self._inside(s, scopes, reads)
            case Block():
                self._inside(s, scopes, under)
            case _:  # loops, jumps, and calls that act
                self.needed |= under.union(*map(scopes.reads, expressions(s)))
                self._inside(s, scopes, under.union(*map(scopes.reads, expressions(s))))

    def _inside(self, s: Statement, scopes: Scopes, under: Variables) -> None:
        def walked(body: Body) -> Body:
            scopes.inside(lambda: self._body(body, scopes, under))
            return body

        map_bodies(s, walked)

    def _made(self, variable: Variable | None, of: tuple[Expression, ...], scopes: Scopes, under: Variables) -> None:
        reads = under.union(*map(scopes.reads, of))
        if variable is None:
            self.needed |= reads
        else:
            self._note(variable, reads, acting=any(map(acts, of)))

    def _note(self, variable: Variable, reads: Iterable[Variable], acting: bool) -> None:
        self.made_of[variable].update(reads)
        if acting:
            self.needed.update(reads)


def without_dead_stores(function: Function, live: Variables, record: frozenset[str] = frozenset()) -> Function:
    """The function without stores to variables that are not in `live`."""
    scopes = Scopes.of(function, record)
    variables = tuple(v for v in function.variables if scopes.names[v.name] in live)
    return replace(function, variables=variables, body=_Remover(scopes, live).body(function.body))


@dataclass
class _Remover:
    """Walks a function as Liveness has walked it, so that names are the same variables."""

    scopes: Scopes
    live: Variables

    def body(self, body: Body) -> Body:
        return tuple(kept for statement in body for kept in self._statement(statement))

    def _statement(self, s: Statement) -> Body:
        match s:
            case Assign(target=target, value=value) if target == value:
                return ()
            case Assign(target=target, value=value):
                variable, _ = self.scopes.written(target)
                if variable is None or variable in self.live:
                    return (s,)
                return (unused(value, s.cite),) if acts(value) else ()
            case Declare(value=value):
                if self.scopes.declare(s) in self.live:
                    return (s,)
                return (unused(value, s.cite),) if value is not None and acts(value) else ()
            case Do(expression=Call() as call) if (into := _written(call, self.scopes)) is not None:
                return (s,) if not self.live.isdisjoint(into) else ()
        made = map_bodies(s, self._inside)
        return () if _does_nothing(made) else (made,)

    def _inside(self, body: Body) -> Body:
        made: list[Body] = []
        self.scopes.inside(lambda: made.append(self.body(body)))
        return made[0]


def _does_nothing(s: Statement) -> bool:
    """Whether a statement is of no use: nothing stands in it, or nothing any more."""
    match s:
        case If(condition=condition, then=(), otherwise=()):
            return not acts(condition)
        case Switch(subject=subject, cases=cases):
            return not acts(subject) and not any(case.body for case in cases)
        case Block(body=(), label="", part=""):
            return True
    return False


def _written(call: Call, scopes: Scopes) -> list[Variable] | None:
    """The variables that a call writes through its arguments, if it does nothing else."""
    arguments = written_arguments(call)
    if arguments is None:
        return None
    found = [_pointed_to(call.arguments[number], scopes) for number in arguments]
    known = [variable for variable in found if variable is not None]
    return known if len(known) == len(found) else None


def _pointed_to(e: Expression, scopes: Scopes) -> Variable | None:
    """The variable that an address points into: an array's name, or that and a number of bytes, or `&name`."""
    while isinstance(e, Binary) and e.operator == "+":
        e = e.left
    variable, _ = scopes.written(e)
    return variable if variable in scopes.arrays or isinstance(e, Unary) else None
