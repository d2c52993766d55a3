"""Statements of controls, actions, functions and parser states. P4-16 spec 1.2.5 section 12."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.elaborate import (
    expressions,
    inline,
    instances,
    layout,
    operators,
    parser_loops,
    places,
    variables,
    walk,
)
from aux_frontend.p4_16.elaborate.convert import convert
from aux_frontend.p4_16.elaborate.effects import has_effects
from aux_frontend.p4_16.elaborate.scope import Scope, leave_target
from transpiler.hlir import expressions as ex, statements as st


def _assign(scope: Scope, node: ast.AssignmentStatement) -> None:
    unit, span = scope.unit, node.span
    type_ = scope.type_of(node.target)
    whole = layout.scalar_type(unit, layout.stripped(type_)) is not None
    stable = has_effects(unit, node.value) or node.operator != "=" or not whole
    target = expressions.location(scope, node.target, stable)
    if node.operator == "=":
        value = expressions.evaluate_as(scope, node.value, type_)
    else:
        current = places.read(unit, target, span)
        if has_effects(unit, node.value):
            current = places.freeze(unit, current, span)
        operand = expressions.evaluate(scope, node.value)
        value = convert(unit, operators.combine(unit, node.operator[:-1], current, operand, span), type_, span)
    places.assign(unit, target, value, span)


def _if(scope: Scope, node: ast.IfStatement) -> None:
    unit = scope.unit
    condition = expressions.scalar(scope, node.condition)
    if isinstance(condition, ex.Const):
        chosen = node.then if condition.value else node.otherwise
        if chosen is not None:
            walk.block(scope, (chosen,))
        return
    if unit.parser is not None and parser_loops.becomes_states(unit, node):
        unit.parser.branch(scope, condition, node)
        return
    then = walk.nested(scope, node.then)
    otherwise = walk.nested(scope, node.otherwise)
    unit.emit(st.If(condition, then, otherwise, node.condition.span))


def _return(scope: Scope, node: ast.ReturnStatement) -> None:
    unit = scope.unit
    frame = unit.frames[-1]
    if node.value is not None:
        assert frame.result is not None and frame.result_type is not None
        value = convert(unit, expressions.evaluate(scope, node.value), frame.result_type, node.span)
        places.assign(unit, frame.result, value, node.span)
    unit.emit(st.Leave(leave_target(unit, frame), node.span))


def _instantiate(scope: Scope, node: ast.Instantiation) -> None:
    instances.instantiate(scope, node, scope.unit.frames[-1].prefix)


def _nothing(scope: Scope, node: ast.EmptyStatement | ast.ConstDeclaration) -> None:
    """A constant is evaluated where it is used."""


RULES: dict[type, Callable[[Scope, Any], None]] = {
    ast.BlockStatement: lambda scope, node: walk.block(scope, node.body),
    ast.AssignmentStatement: _assign,
    ast.IfStatement: _if,
    ast.ReturnStatement: _return,
    ast.ExitStatement: lambda scope, node: inline.exit_program(scope.unit, node.span),
    ast.VariableDeclaration: variables.declare,
    ast.Instantiation: _instantiate,
    ast.EmptyStatement: _nothing,
    ast.ConstDeclaration: _nothing,
}
