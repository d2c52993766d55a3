"""Put the default action in place of a table that stays empty: its entries are constant, and there are none.

Before: table t { const default_action = a(7); const entries = {} }   control: t.apply(hit);     After: hit = false; x = 7;

What follows then knows what the action does. A table stays that counts or measures its packets, or whose default action writes
to its own parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from transpiler.analysis.locations import Locator
from transpiler.hlir.expressions import Const, Expression, Read, VariableRef
from transpiler.hlir.program import Control, Pipe, Program, Table
from transpiler.hlir.statements import ApplyTable, Assign, Block, Body, Leave, Statement
from transpiler.hlir.traverse import rebuild, rewrite_statement
from transpiler.hlir.types import Bool


def run(program: Program) -> Program:
    """The program without applications of such tables."""
    locator = Locator(program)
    empty = {table.name: table for table in program.tables if _stays_empty(program, table, locator)}
    if not empty:
        return program
    sites = count()

    def body(old: Body) -> Body:
        return tuple(made for statement in old for made in of(rebuild(statement, body)))

    def of(statement: Statement) -> Body:
        if isinstance(statement, ApplyTable) and statement.table in empty:
            return _default(program, empty[statement.table], statement, next(sites))
        return (statement,)

    def pipe(old: Pipe) -> Pipe:
        return replace(old, body=body(old.body)) if isinstance(old, Control) else old

    return replace(program, pipes=tuple(map(pipe, program.pipes)))


def _stays_empty(program: Program, table: Table, locator: Locator) -> bool:
    if not table.const_entries or not table.const_default or table.entries or table.implementation or table.learns:
        return False
    action = program.action[table.default_action.action]
    parameters = set(action.parameters)
    written = {one.owner for one in locator.written_in(action.body)}
    return not table.direct and not table.ages and not parameters & written


def _default(program: Program, table: Table, applied: ApplyTable, site: int) -> Body:
    """What a packet that misses does."""
    span, call = applied.span, table.default_action
    made: list[Statement] = []
    if applied.hit is not None:
        made.append(Assign(applied.hit, Const(0, Bool(), span), span))
    if applied.action is not None:
        number = [use.action for use in table.actions].index(call.action)
        made.append(Assign(applied.action, Const(number, table.action_enum, span), span))
    action = program.action[call.action]
    values = dict(zip(action.parameters, call.arguments, strict=True))
    return (*made, *_bound(action.body, values, f"{table.name}_{site}"))


def _bound(body: Body, values: Mapping[str, Const], site: str) -> Body:
    """An action's body with these parameters, and labels that no other has."""

    def read(expression: Expression) -> Expression:
        match expression:
            case Read(place=VariableRef(name=name)) if name in values:
                return values[name]
        return expression

    def statement(old: Statement) -> Statement:
        made = rewrite_statement(rebuild(old, inner), read)
        return replace(made, label=f"{made.label}_{site}") if isinstance(made, Block | Leave) else made

    def inner(old: Body) -> Body:
        return tuple(map(statement, old))

    return inner(body)
