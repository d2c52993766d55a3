"""Headers that lie in the frame where they are valid: only extracts make them valid, and copies of such headers.

extract(ipv4); … ipv4 = inner; … if (ipv4.isValid()) ipv4.ttl   →   the field is read without a test whether it was received
"""

from __future__ import annotations

from collections.abc import Iterable

from transpiler.analysis.locations import actions_of
from transpiler.hlir.expressions import Binary, BinaryOp, ElementRef, Expression, HeaderRef, IsValid
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable, CopyHeader, SetValid, Statement
from transpiler.hlir.traverse import program_statements, walk
from transpiler.schedule.architectures import preserved_lists


def in_frame_where_valid(program: Program) -> frozenset[str]:
    """Those of the parsed representation that are no elements of a stack, and of which nothing is preserved."""
    elements = {stack.element(i) for stack in program.stacks for i in range(stack.size)}
    preserved = {owner for fields in preserved_lists(program) for owner, _ in fields}
    found = {header.name for header in program.headers if not header.local} - elements - preserved
    copies: list[CopyHeader] = []
    for statement in program_statements(program):
        match statement:
            case SetValid(header=HeaderRef(name=name), valid=True):
                found.discard(name)
            case CopyHeader():
                copies.append(statement)
    while True:
        lost = {c.target.name for c in copies if isinstance(c.target, HeaderRef) and _name(c) not in found} & found
        if not lost:
            return frozenset(found)
        found -= lost


def _name(copy: CopyHeader) -> str:
    """Of the header that is copied; none of an element's."""
    return copy.source.name if not isinstance(copy.source, ElementRef) else ""


def tested(condition: Expression) -> frozenset[str]:
    """The headers that are valid where the condition holds."""
    match condition:
        case IsValid(header=HeaderRef(name=name)):
            return frozenset([name])
        case Binary(op=BinaryOp.LAND, left=left, right=right):
            return tested(left) | tested(right)
    return frozenset()


def copied_to(program: Program, statements: Iterable[Statement]) -> frozenset[str]:
    """The headers that statements, or the actions of the tables that they apply, copy others to."""
    found: set[str] = set()
    for statement in statements:
        match statement:
            case CopyHeader(target=HeaderRef(name=name)):
                found.add(name)
            case ApplyTable(table=table):
                for action in actions_of(program, table):
                    found |= copied_to(program, walk(action.body))
    return frozenset(found)
