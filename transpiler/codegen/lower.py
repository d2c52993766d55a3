"""Rewrites switches that C does not have: over bool or over more than 64 bits. They become tests, one after the other.

switch (x) { 1, 2: A  default: D }   →   b: { if (x == 1 || x == 2) { A leave b } D }
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import count

from transpiler.codegen.ctypes import is_wide
from transpiler.hlir.expressions import Binary, BinaryOp, Const, Expression
from transpiler.hlir.program import Control, Parser, Program
from transpiler.hlir.statements import Block, Body, If, Leave, Statement, Switch, SwitchCase
from transpiler.hlir.traverse import program_statements, rebuild
from transpiler.hlir.types import Bool


def lower(program: Program) -> Program:
    """The program without switches that C lacks."""
    if not any(isinstance(s, Switch) and _lacking(s) for s in program_statements(program)):
        return program
    numbers = count()

    def body(old: Body) -> Body:
        return tuple(_lowered(rebuild(statement, body), numbers) for statement in old)

    pipes = tuple(
        replace(pipe, body=body(pipe.body))
        if isinstance(pipe, Control)
        else replace(pipe, states=tuple(replace(state, body=body(state.body)) for state in pipe.states))
        for pipe in program.pipes
        if isinstance(pipe, Control | Parser)
    )
    actions = tuple(replace(action, body=body(action.body)) for action in program.actions)
    return replace(program, pipes=pipes, actions=actions)


def _lacking(switch: Switch) -> bool:
    return isinstance(switch.subject.type, Bool) or is_wide(switch.subject.type)


def _lowered(statement: Statement, numbers: Iterator[int]) -> Statement:
    if not isinstance(statement, Switch) or not _lacking(statement):
        return statement
    label = f"switch_{next(numbers)}"
    tests = (
        If(_is_one_of(statement.subject, case), (*case.body, Leave(label, case.span)), (), case.span)
        for case in statement.cases
    )
    return Block(label, (*tests, *statement.default), statement.span)


def _is_one_of(subject: Expression, case: SwitchCase) -> Expression:
    def equal(value: int) -> Expression:
        return Binary(BinaryOp.EQ, subject, Const(value, subject.type, case.span), Bool(), case.span)

    return reduce(lambda a, b: Binary(BinaryOp.LOR, a, b, Bool(), case.span), map(equal, case.values))
