"""Statements of controls, actions, functions and parser states. P4-16 spec 1.2.5 section 12."""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate import (
    calls,
    expressions,
    inline,
    instances,
    layout,
    loops,
    operators,
    parser_loops,
    places,
    switches,
    values as va,
)
from aux_frontend.p4_16.elaborate.convert import convert
from aux_frontend.p4_16.elaborate.effects import has_effects
from aux_frontend.p4_16.elaborate.scope import Scope, leave_target
from aux_frontend.p4_16.elaborate.unit import Failure
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Storage


def block(scope: Scope, body: Sequence[ast.Statement | ast.Declaration]) -> None:
    """Statements in order; after one that failed, the next ones are still looked at, for their messages."""
    for item in body:
        if scope.unit.out and isinstance(scope.unit.out[-1], st.Leave):
            return
        try:
            statement(scope, item)
        except Failure:
            if scope.unit.exhausted:
                raise


def nested(scope: Scope, body: ast.Statement | None) -> st.Body:
    """A statement as a body of its own."""
    with scope.unit.collecting() as collected:
        if body is not None:
            block(scope, (body,))
    return tuple(collected)


def statement(scope: Scope, node: ast.Statement | ast.Declaration) -> None:
    """One statement or local declaration."""
    unit = scope.unit
    match node:
        case ast.BlockStatement(body=body):
            block(scope, body)
        case ast.AssignmentStatement():
            _assign(scope, node)
        case ast.CallStatement(call=call):
            calls.call(scope, call)
        case ast.IfStatement():
            _if(scope, node)
        case ast.SwitchStatement():
            switches.switch(scope, node)
        case ast.ReturnStatement():
            _return(scope, node)
        case ast.ExitStatement(span=span):
            inline.exit_program(unit, span)
        case ast.BreakStatement() | ast.ContinueStatement():
            loops.jump(scope, node)
        case ast.ForStatement():
            loops.for_loop(scope, node)
        case ast.ForInStatement():
            loops.for_in(scope, node)
        case ast.VariableDeclaration(name=name, type=type_, span=span):
            prefix = inline.nested_prefix(unit, name)
            scope.bindings[node] = layout.allocate(unit, prefix, scope.type_ref(type_), Storage.LOCAL, span)
            initialise(scope, node, fresh=False)
        case ast.Instantiation():
            instances.instantiate(scope, node, unit.frames[-1].prefix)
        case ast.EmptyStatement() | ast.ConstDeclaration():
            pass  # a constant is evaluated where it is used
        case _:
            raise unit.failure(node.span, "this statement is not supported here")


def initialise(scope: Scope, variable: ast.VariableDeclaration, fresh: bool) -> None:
    """What a declaration does when execution reaches it; `fresh`: its storage was never used before."""
    target = scope.lookup(variable)
    assert isinstance(target, va.LOCATIONS)
    if variable.initializer is not None:
        value = expressions.evaluate_as(scope, variable.initializer, scope.type_ref(variable.type))
        places.assign(scope.unit, target, value, variable.span)
    elif not fresh:
        places.invalidate(scope.unit, target, variable.span)


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
            block(scope, (chosen,))
        return
    if unit.parser is not None and parser_loops.becomes_states(unit, node):
        unit.parser.branch(scope, condition, node)
        return
    then = nested(scope, node.then)
    otherwise = nested(scope, node.otherwise)
    unit.emit(st.If(condition, then, otherwise, node.condition.span))


def _return(scope: Scope, node: ast.ReturnStatement) -> None:
    unit = scope.unit
    frame = unit.frames[-1]
    if node.value is not None and frame.result is not None:
        value = expressions.evaluate(scope, node.value)
        if frame.result_type is not None:
            value = convert(unit, value, frame.result_type, node.span)
        places.assign(unit, frame.result, value, node.span)
    elif node.value is not None and not isinstance(scope.type_of(node.value), ty.Void):
        expressions.evaluate(scope, node.value)
    unit.emit(st.Leave(leave_target(unit, frame), node.span))
