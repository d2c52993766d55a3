"""Operators on values, with P4's order of evaluation. P4-16 spec 1.2.5 sections 8.5 to 8.10."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate import choices, expressions, fold, places, values as va
from aux_frontend.p4_16.elaborate.convert import convert, to_scalar
from aux_frontend.p4_16.elaborate.effects import has_effects
from aux_frontend.p4_16.elaborate.scope import Scope
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.hlir import arithmetic, expressions as ex, statements as st
from transpiler.hlir.types import Bits

BINARY = {op.value: op for op in ex.BinaryOp}
_UNARY = {"-": ex.UnaryOp.NEGATE, "~": ex.UnaryOp.COMPLEMENT, "!": ex.UnaryOp.NOT}


def unary(scope: Scope, expression: ast.UnaryExpression) -> va.Value:
    unit, operator, span = scope.unit, expression.operator, expression.span
    value = expressions.evaluate(scope, expression.operand)
    if operator == "+":
        return value
    if isinstance(value, va.IntValue):
        if operator == "!":
            raise unit.failure(span, "! needs a bool")
        return va.IntValue(arithmetic.calculate_unary(_UNARY[operator], value.value, None))
    if not isinstance(value, va.EXPRESSIONS):
        raise unit.failure(span, f"{operator} needs a scalar")
    return fold.unary(_UNARY[operator], value, span)


def binary(scope: Scope, expression: ast.BinaryExpression) -> va.Value:
    """left operator right, as written."""
    if expression.operator in ("&&", "||"):
        return _short_circuit(scope, expression)
    left, right = expressions.evaluate_all(scope, [expression.left, expression.right])
    if expression.operator in ("==", "!="):
        left, right = _one_type(scope, expression, left, right)
    return combine(scope.unit, expression.operator, left, right, expression.span)


def _one_type(
    scope: Scope, expression: ast.BinaryExpression, left: va.Value, right: va.Value
) -> tuple[va.Value, va.Value]:
    """Initializers take the type of what they are compared with."""
    loose = (va.StructValue, va.InvalidValue, va.DefaultValue)
    unit = scope.unit
    if isinstance(right, loose):
        right = convert(unit, right, _type_after_casts(scope, expression.left), expression.span)
    elif isinstance(left, loose):
        left = convert(unit, left, _type_after_casts(scope, expression.right), expression.span)
    return left, right


def _type_after_casts(scope: Scope, expression: ast.Expression) -> ty.Ty:
    target = scope.unit.checked.casts.get(expression)
    return scope.resolve(target) if target is not None else scope.type_of(expression)


def combine(unit: Unit, operator: str, left: va.Value, right: va.Value, span: Span) -> va.Value:
    """Two values that are there already; used by operator-assignments too."""
    if isinstance(left, va.IntValue) and isinstance(right, va.IntValue):
        return _integers(unit, operator, left.value, right.value, span)
    if operator in ("==", "!="):
        if isinstance(left, va.IntValue) and isinstance(right, va.EXPRESSIONS):
            left = to_scalar(unit, left, right.type, span)
        if isinstance(right, va.IntValue) and isinstance(left, va.EXPRESSIONS):
            right = to_scalar(unit, right, left.type, span)
        same = places.equal(left, right, span)
        if operator == "==":
            return same
        if isinstance(same, ex.Binary) and same.op is ex.BinaryOp.EQ:
            return ex.Binary(ex.BinaryOp.NE, same.left, same.right, same.type, span)
        return fold.negate(same)
    op = BINARY[operator]
    if op in (ex.BinaryOp.SHL, ex.BinaryOp.SHR):
        return _shift(unit, operator, left, right, span)
    first, second = _operands(unit, operator, left, right, span)
    return fold.binary(op, first, second, span)


def _operands(
    unit: Unit, operator: str, left: va.Value, right: va.Value, span: Span
) -> tuple[ex.Expression, ex.Expression]:
    if isinstance(left, va.IntValue) and isinstance(right, va.EXPRESSIONS):
        left = to_scalar(unit, left, right.type, span)
    if isinstance(right, va.IntValue) and isinstance(left, va.EXPRESSIONS):
        right = to_scalar(unit, right, left.type, span)
    if not isinstance(left, va.EXPRESSIONS) or not isinstance(right, va.EXPRESSIONS):
        raise unit.failure(span, f"{operator} needs scalars")
    return left, right


def _shift(unit: Unit, operator: str, left: va.Value, right: va.Value, span: Span) -> va.Value:
    if isinstance(left, va.IntValue) and isinstance(right, ex.Const):  # a constructor's parameter, say
        return _integers(unit, operator, left.value, fold.number(right), span)
    if isinstance(right, va.IntValue):
        right = fold.bits(right.value, max(8, right.value.bit_length()), span)
    if not isinstance(left, va.EXPRESSIONS) or not isinstance(right, va.EXPRESSIONS):
        raise unit.failure(span, "a number without width cannot be shifted by a run-time amount")
    if isinstance(right.type, Bits) and right.type.signed:
        right = fold.cast(right, Bits(right.type.width), span)
    return fold.binary(BINARY[operator], left, right, span)


def _integers(unit: Unit, operator: str, left: int, right: int, span: Span) -> va.Value:
    op = BINARY[operator]
    try:
        result = arithmetic.calculate(op, left, right, None)
    except arithmetic.UndefinedError as problem:
        raise unit.failure(span, str(problem)) from None
    return fold.boolean(bool(result), span) if op in ex.COMPARISONS else va.IntValue(result)


def _short_circuit(scope: Scope, expression: ast.BinaryExpression) -> va.Value:
    """&& and ||: the right operand is evaluated only if the left one does not decide."""
    unit, span = scope.unit, expression.span
    left = expressions.scalar(scope, expression.left)
    op = BINARY[expression.operator]
    decided = int(op is ex.BinaryOp.LOR)
    if isinstance(left, ex.Const) and left.value == decided:
        return left
    if isinstance(left, ex.Const) or not has_effects(unit, expression.right):
        return fold.binary(op, left, expressions.scalar(scope, expression.right), span)
    target = unit.temporary("condition", fold.BOOL, span)
    unit.emit(st.Assign(target, left, span))
    with unit.collecting() as body:
        unit.emit(st.Assign(target, expressions.scalar(scope, expression.right), span))
    result = ex.Read(target, fold.BOOL, span)
    asked = fold.negate(result) if decided else result
    unit.emit(st.If(asked, tuple(body), (), span))
    return result


def conditional(scope: Scope, expression: ast.ConditionalExpression) -> va.Value:
    """condition ? then : otherwise; only the chosen one is evaluated when that makes a difference."""
    unit, span = scope.unit, expression.span
    condition = expressions.scalar(scope, expression.condition)
    if isinstance(condition, ex.Const):
        return expressions.evaluate(scope, expression.then if condition.value else expression.otherwise)
    type_ = _type_after_casts(scope, expression)
    if not (has_effects(unit, expression.then) or has_effects(unit, expression.otherwise)):
        then = expressions.evaluate_as(scope, expression.then, type_)
        otherwise = expressions.evaluate_as(scope, expression.otherwise, type_)
        return choices.choose(unit, condition, then, otherwise, span)
    target = places.local(unit, "choice", type_, span)
    branches = []
    for branch in (expression.then, expression.otherwise):
        with unit.collecting() as body:
            places.assign(unit, target, expressions.evaluate_as(scope, branch, type_), span)
        branches.append(tuple(body))
    unit.emit(st.If(condition, branches[0], branches[1], span))
    return places.read(unit, target, span)
