"""Ways through the C tree: what stands in a node, and the node with that rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from transpiler.codegen.c.nodes import (
    Assign,
    Binary,
    Block,
    Body,
    Call,
    Cast,
    Compound,
    Conditional,
    Declare,
    Do,
    Expression,
    If,
    Index,
    Member,
    Name,
    Note,
    Return,
    Statement,
    Switch,
    Unary,
    While,
)


def parts(e: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of."""
    match e:
        case Member(of=of) | Note(of=of):
            return (of,)
        case Index(of=of, at=at):
            return (of, at)
        case Call(arguments=items) | Compound(items=items):
            return items
        case Unary(operand=operand) | Cast(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
    return ()


def walk_expression(e: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of."""
    todo = [e]
    while todo:
        yield (e := todo.pop())
        todo += parts(e)


def bodies(s: Statement) -> tuple[Body, ...]:
    """The bodies that a statement holds."""
    match s:
        case If(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Switch(cases=cases):
            return tuple(case.body for case in cases)
        case While(body=body) | Block(body=body):
            return (body,)
        case Return(last=last):
            return (last,)
    return ()


def expressions(s: Statement) -> tuple[Expression, ...]:
    """The expressions of a statement itself, not of what it holds."""
    match s:
        case Assign(target=target, value=value):
            return (target, value)
        case Do(expression=e):
            return (e,)
        case Declare(value=value):
            return () if value is None else (value,)
        case If(condition=condition) | While(condition=condition):
            return (condition,)
        case Switch(subject=subject, cases=cases):
            return (subject, *(label for case in cases for label in case.labels))
    return ()


def walk(body: Body) -> Iterator[Statement]:
    """All statements of a body, those that they hold included, in their order."""
    for statement in body:
        yield statement
        for inner in bodies(statement):
            yield from walk(inner)


def all_expressions(body: Body) -> Iterator[Expression]:
    """All expressions of a body, and all that they are made of."""
    for statement in walk(body):
        for e in expressions(statement):
            yield from walk_expression(e)


def names(part: Body | Expression, name: str) -> bool:
    """Whether a body or an expression names something."""
    inside = all_expressions(part) if isinstance(part, tuple) else walk_expression(part)
    return any(isinstance(e, Name) and e.name == name for e in inside)


def all_names(part: Body | Expression) -> frozenset[str]:
    """All that a body or an expression names."""
    inside = all_expressions(part) if isinstance(part, tuple) else walk_expression(part)
    return frozenset(e.name for e in inside if isinstance(e, Name))


def called(part: Body | Expression) -> frozenset[str]:
    """The functions that a body or an expression calls."""
    inside = all_expressions(part) if isinstance(part, tuple) else walk_expression(part)
    return frozenset(e.function for e in inside if isinstance(e, Call))


def map_bodies(s: Statement, rewrite: Callable[[Body], Body]) -> Statement:
    """The statement with each body that it holds rewritten."""
    match s:
        case If(then=then, otherwise=otherwise):
            return replace(s, then=rewrite(then), otherwise=rewrite(otherwise))
        case Switch(cases=cases):
            return replace(s, cases=tuple(replace(case, body=rewrite(case.body)) for case in cases))
        case While(body=body) | Block(body=body):
            return replace(s, body=rewrite(body))
        case Return(last=last) if last:
            return replace(s, last=rewrite(last))
    return s
