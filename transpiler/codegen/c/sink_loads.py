"""Moves loads that a function begins with down to the first statement that has to do with them: ways that end before that
do without.

if (at != NOWHERE) ttl = load(at); if (skip) { …; return; } ttl = ttl - 1;
    →      if (skip) { …; return; } if (at != NOWHERE) ttl = load(at); ttl = ttl - 1;
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.codegen.c.nodes import Assign, Body, Expression, Goto, If, Label, Name, Statement, Unary
from transpiler.codegen.c.walk import all_expressions, all_names, called, walk


def with_loads_sunk(loads: Body, body: Body, moving: frozenset[str]) -> Body:
    """The loads and, behind them, the body. A load is an assignment, or an If with assignments alone. `moving`: functions that
    change the frame, which loads read. Loads of anything but variables stay in front."""
    kept, sunk = _apart(loads)
    for load in reversed(sunk):
        body = _with_load(load, body, moving)
    return (*kept, *body)


def _with_load(load: Statement, body: Body, moving: frozenset[str]) -> Body:
    """The body with the load as deep in it as it can be: in an arm where the other and what comes behind do without."""
    made = {s.target.name for s in walk((load,)) if isinstance(s, Assign) and isinstance(s.target, Name)}
    read = {e for e in all_expressions((load,)) if not isinstance(e, Name) or e.name not in made}

    def does_without(part: Body) -> bool:
        return not any(_has_to_do(statement, made, read, moving) for statement in part)

    for at, statement in enumerate(body):
        if does_without((statement,)):
            continue
        before, behind = body[:at], body[at + 1 :]
        if isinstance(statement, If) and does_without(behind) and made.isdisjoint(all_names(statement.condition)):
            if does_without(statement.otherwise):
                then = _with_load(load, statement.then, moving)
                return (*before, replace(statement, then=then), *behind)
            if does_without(statement.then):
                otherwise = _with_load(load, statement.otherwise, moving)
                return (*before, replace(statement, otherwise=otherwise), *behind)
        return (*before, load, statement, *behind)
    return (*body, load)


def _apart(loads: Body) -> tuple[Body, Body]:
    """Those of other places, and those of variables."""
    kept: list[Statement] = []
    sunk: list[Statement] = []
    for load in loads:
        match load:
            case If(then=then):
                for group, made in ((kept, False), (sunk, True)):
                    if inside := tuple(s for s in then if _is_of_variable(s) is made):
                        group.append(replace(load, then=inside))
            case _:
                (sunk if _is_of_variable(load) else kept).append(load)
    return tuple(kept), tuple(sunk)


def _is_of_variable(s: Statement) -> bool:
    return isinstance(s, Assign) and isinstance(s.target, Name)


def _has_to_do(statement: Statement, made: set[str], read: set[Expression], moving: frozenset[str]) -> bool:
    """Whether it names what the load makes, changes what the load reads, or goes elsewhere in the function."""
    inside = tuple(walk((statement,)))
    if any(isinstance(s, Goto | Label) for s in inside):
        return True
    changed = any(isinstance(s, Assign) and (s.target in read or isinstance(s.target, Unary)) for s in inside)
    return changed or not made.isdisjoint(all_names((statement,))) or not moving.isdisjoint(called((statement,)))
