"""Removes nesting.

switch (x) { case 1: break; case 2: break; … }     →   switch (x) { case 1: case 2: break; … }
if (x) { …; return; } else { y = 1; }              →   if (x) { …; return; } y = 1;
{ at += 14; }                                      →   at += 14;
if (x) { y = 1; } else { list_add(…); return; } }  →   if (x) { y = 1; } else { list_add(…); } }
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.codegen.c.nodes import (
    Block,
    Body,
    Case,
    Declare,
    Expression,
    Goto,
    If,
    Label,
    Return,
    Statement,
    Switch,
)
from transpiler.codegen.c.walk import map_bodies


def flattened(body: Body) -> Body:
    """The body of a function, which does the same."""
    return _without_last_return(_without_blocks(_with_guards(body)))


def _with_guards(body: Body) -> Body:
    """With what follows a branch that returns behind it, not in its other arm."""
    made: list[Statement] = []
    for statement in body:
        statement = map_bodies(statement, _with_guards)
        match statement:
            case If(then=(*_, Return()), otherwise=otherwise) if not _declares(otherwise):
                made += (replace(statement, otherwise=()), *otherwise)
            case _:
                made.append(statement)
    return tuple(made)


def _without_last_return(body: Body) -> Body:
    """Without the returns where the function ends anyway."""
    match body:
        case (*before, Return(last=last)):
            return (*before, *last)
        case (*before, If(then=then, otherwise=otherwise) as branch):
            arms = (_without_last_return(then), _without_last_return(otherwise))
            return (*before, replace(branch, then=arms[0], otherwise=arms[1]))
    return body


def _without_blocks(body: Body) -> Body:
    """Without blocks that hold no variables; cases that do the same are one.

    A switch with one case stays one: gcc compares it with the bytes as they lie in the frame, what an if compares it swaps first.
    """
    made: list[Statement] = []
    for statement in body:
        statement = map_bodies(statement, _without_blocks)
        match statement:
            case If(then=then, otherwise=otherwise):
                statement = replace(statement, then=_alone(then), otherwise=_alone(otherwise))
            case Switch(cases=cases):
                statement = replace(statement, cases=_merged(cases))
            case Block(body=inner):
                statement = replace(statement, body=_alone(inner))
                if not _declares(statement.body):
                    made += _opened(statement)
                    continue
        made.append(statement)
    return tuple(made)


def _declares(body: Body) -> bool:
    """Whether one of the statements themselves declares a variable."""
    return any(isinstance(statement, Declare) for statement in body)


def _alone(body: Body) -> Body:
    """A body in braces, of which a block that is all of it needs none."""
    match body:
        case (Block() as block,):
            return _opened(block)
    return body


def _opened(block: Block) -> Body:
    """What a block holds; the block where its template makes more of it."""
    if block.part:
        return (block,)
    label = (Label(block.label),) if block.label else ()
    if not block.body:
        return label
    first, *rest = block.body
    if block.cite and not isinstance(first, Goto | Return) and not first.cite:
        first = replace(first, cite=block.cite)
    return (first, *rest, *label)


def _merged(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Cases that do the same are one; the default stays by itself."""
    labels: dict[Body, tuple[Expression, ...]] = {}
    for case in cases:
        if not case.default and not case.cite:
            labels[case.body] = (*labels.get(case.body, ()), *case.labels)
    merged = tuple(Case(of, body) for body, of in labels.items())
    return (*merged, *(case for case in cases if case.default or case.cite))
