"""Short ways to make the nodes that codegen makes most."""

from __future__ import annotations

from functools import reduce

from transpiler.codegen.c.nodes import (
    Binary,
    Call,
    Cast,
    Compound,
    Conditional,
    Do,
    Expression,
    Literal,
    Member,
    Name,
    Unary,
)

TRUE, FALSE, NULL = Literal("true"), Literal("false"), Literal("NULL")
PACKET, LIVE, WORKER = Name("packet"), Name("live"), Name("worker")


def call(function: str, *arguments: Expression | str | int) -> Call:
    """Names as strings, numbers as integers."""
    return Call(function, tuple(map(operand, arguments)))


def operand(value: Expression | str | int) -> Expression:
    """A string names a variable or a constant."""
    if isinstance(value, str):
        return Name(value)
    return Literal(str(value)) if isinstance(value, int) else value


def infix(left: Expression | str | int, operator: str, right: Expression | str | int) -> Binary:
    return Binary(operator, operand(left), operand(right))


def all_of(operator: str, values: list[Expression]) -> Expression:
    """The values in their order, with one operator between them; there is one at least."""
    return reduce(lambda left, right: Binary(operator, left, right), values)


def plus(base: Expression, bytes_: int) -> Expression:
    """An address some bytes on."""
    return infix(base, "+", bytes_) if bytes_ else base


def cast(type_: str, value: Expression) -> Cast:
    return Cast(type_, value)


def choose(condition: Expression, then: Expression, otherwise: Expression) -> Conditional:
    return Conditional(condition, then, otherwise)


def negated(value: Expression) -> Expression:
    """What holds where the value does not."""
    opposite = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
    match value:
        case Binary(operator=operator, left=left, right=right) if operator in opposite:
            return Binary(opposite[operator], left, right)
        case Unary(operator="!", operand=inner):
            return inner
    return Unary("!", value)


def address(value: Expression) -> Unary:
    return Unary("&", value)


def packet(member: str) -> Member:
    """A member of the packet's record."""
    return Member(PACKET, member, arrow=True)


def live(member: str) -> Member:
    """A member of the packet's state."""
    return Member(LIVE, member, arrow=True)


def packed(items: list[Expression]) -> Compound:
    """An array's or a struct's initialiser."""
    return Compound("", tuple(items))


def unused(value: Expression, cite: str = "") -> Do:
    """A value that nobody wants: of what is done for its effect, or so that a compiler sees it read."""
    return Do(Cast("void", value), cite)
