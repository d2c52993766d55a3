"""Replaces flags that a function does not change by their values, and folds the conditions.

bool dst_written = false; … if (dst_written) { store(dst); }      →      nothing
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from transpiler.codegen.c.build import FALSE, TRUE
from transpiler.codegen.c.function import Function
from transpiler.codegen.c.nodes import (
    Assign,
    Binary,
    Block,
    Body,
    Declare,
    Expression,
    If,
    Literal,
    Name,
    Statement,
    Unary,
)
from transpiler.codegen.c.walk import map_bodies, walk


def with_flags_folded(function: Function) -> Function:
    """The function, which does the same."""
    changed = {s.target.name for s in walk(function.body) if isinstance(s, Assign) and isinstance(s.target, Name)}
    changed |= {s.name for s in walk(function.body) if isinstance(s, Declare)}
    flags = {
        v.name: v.value
        for v in function.variables
        if isinstance(v.value, Literal) and v.value in (TRUE, FALSE) and v.name not in changed
    }
    return replace(function, body=_body(function.body, flags))


def _body(body: Body, flags: Mapping[str, Literal]) -> Body:
    return tuple(made for statement in body for made in _statement(statement, flags))


def _statement(s: Statement, flags: Mapping[str, Literal]) -> Body:
    s = map_bodies(s, lambda body: _body(body, flags))
    match s:
        case If(condition=condition, then=then, otherwise=otherwise):
            match decided(condition, flags):
                case Literal(text="true"):
                    return (Block(then, cite=s.cite),)
                case Literal(text="false"):
                    return (Block(otherwise, cite=s.cite),) if otherwise else ()
                case certain:
                    return (replace(s, condition=certain),)
    return (s,)


def decided(e: Expression, flags: Mapping[str, Literal]) -> Expression:
    """A condition with the known flags replaced, folded."""
    match e:
        case Name(name=name):
            return flags.get(name, e)
        case Unary(operator="!", operand=operand):
            match decided(operand, flags):
                case Literal(text="true"):
                    return FALSE
                case Literal(text="false"):
                    return TRUE
                case inner:
                    return Unary("!", inner)
        case Binary(operator="&&" | "||" as operator, left=left, right=right):
            ends = FALSE if operator == "&&" else TRUE
            first, second = decided(left, flags), decided(right, flags)
            if first == ends or first in (TRUE, FALSE):
                return ends if first == ends else second
            return first if second in (TRUE, FALSE) and second != ends else Binary(operator, first, second)
    return e
