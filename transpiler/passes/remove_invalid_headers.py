"""Remove what can only be done with headers that no packet ever has: nothing extracts them or makes them valid.

Before: if (hdr.spare.isValid()) { a } else { b }  emit(hdr.spare);      After: if (false) { a } else { b }

Their fields stay: storage may be written and read whether a header is valid or not.
"""

from __future__ import annotations

from transpiler.analysis.locations import Locator
from transpiler.hlir.expressions import Const, Expression, HeaderPlace, IsValid
from transpiler.hlir.program import Program
from transpiler.hlir.statements import Body, CopyHeader, Emit, Extract, SetValid, Statement
from transpiler.hlir.traverse import bodies, program_statements, rebuild
from transpiler.hlir.types import Bool
from transpiler.passes.mapping import map_bodies, map_expressions


def run(program: Program) -> Program:
    """The program without validity tests, emits and invalidations of headers that are never valid."""
    locator = Locator(program)
    perhaps = _perhaps_valid(program, locator)

    def never(header: HeaderPlace) -> bool:
        return perhaps.isdisjoint(locator.headers(header))

    def of_expression(expression: Expression) -> Expression:
        if isinstance(expression, IsValid) and never(expression.header):
            return Const(0, Bool(), expression.span)
        return expression

    def needed(statement: Statement) -> bool:
        match statement:
            case Emit(header=header) | SetValid(header=header, valid=False):
                return not never(header)
        return True

    def of_body(body: Body) -> Body:
        return tuple(rebuild(s, of_body) if bodies(s) else s for s in body if needed(s))

    if len(perhaps) == len(program.headers):
        return program
    return map_expressions(map_bodies(program, of_body), of_expression)


def _perhaps_valid(program: Program, locator: Locator) -> set[str]:
    """The headers that something may make valid, copies of such headers included."""
    found: set[str] = set()
    copies: list[tuple[set[str], set[str]]] = []
    for statement in program_statements(program):
        match statement:
            case Extract(header=header) | SetValid(header=header, valid=True):
                found.update(locator.headers(header))
            case CopyHeader(target=target, source=source):
                copies.append((set(locator.headers(source)), set(locator.headers(target))))
    grown = True
    while grown:
        before = len(found)
        for origin, to in copies:
            if origin & found:
                found |= to
        grown = len(found) > before
    return found
