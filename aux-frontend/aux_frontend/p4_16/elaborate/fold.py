"""Makes HLIR expressions, folding what is constant. P4-16 spec 1.2.5 section 8.

The builders take operands that already have the types HLIR asks for.
"""

from __future__ import annotations

from transpiler.diagnostics import Span
from transpiler.hlir import arithmetic, expressions as ex
from transpiler.hlir.types import Bits, Bool, Type

BOOL = Bool()


def bits(value: int, width: int, span: Span, signed: bool = False) -> ex.Const:
    """A constant of bit<width> or int<width>, wrapped."""
    type_ = Bits(width, signed)
    return ex.Const(arithmetic.stored(value, type_), type_, span)


def boolean(value: bool, span: Span) -> ex.Const:
    return ex.Const(int(value), BOOL, span)


def number(constant: ex.Const) -> int:
    """The number that a constant means: negative for a negative int<>."""
    return arithmetic.number(constant.value, constant.type)


def unary(op: ex.UnaryOp, operand: ex.Expression, span: Span) -> ex.Expression:
    if isinstance(operand, ex.Const):
        return ex.Const(arithmetic.unary(op, operand.value, operand.type), operand.type, span)
    if isinstance(operand, ex.Unary) and operand.op is op is ex.UnaryOp.NOT:
        return operand.operand
    return ex.Unary(op, operand, operand.type, span)


def negate(operand: ex.Expression) -> ex.Expression:
    """Logical not."""
    return unary(ex.UnaryOp.NOT, operand, operand.span)


def binary(op: ex.BinaryOp, left: ex.Expression, right: ex.Expression, span: Span) -> ex.Expression:
    if op in (ex.BinaryOp.LAND, ex.BinaryOp.LOR):
        return _logic(op, left, right, span)
    if isinstance(left, ex.Const) and isinstance(right, ex.Const):
        value = arithmetic.binary(op, left.value, right.value, left.type, right.type)
        return ex.Const(value, result_type(op, left.type, right.type), span)
    if isinstance(right, ex.Const) and isinstance(left.type, Bool) and op in (ex.BinaryOp.EQ, ex.BinaryOp.NE):
        return left if (right.value == 1) == (op is ex.BinaryOp.EQ) else unary(ex.UnaryOp.NOT, left, span)
    return ex.Binary(op, left, right, result_type(op, left.type, right.type), span)


def result_type(op: ex.BinaryOp, left: Type, right: Type) -> Type:
    if op in ex.COMPARISONS or op in (ex.BinaryOp.LAND, ex.BinaryOp.LOR):
        return BOOL
    if op is ex.BinaryOp.CONCAT and isinstance(left, Bits) and isinstance(right, Bits):
        return Bits(left.width + right.width, left.signed)
    return left


def _logic(op: ex.BinaryOp, left: ex.Expression, right: ex.Expression, span: Span) -> ex.Expression:
    neutral = int(op is ex.BinaryOp.LAND)
    if isinstance(left, ex.Const):
        return right if left.value == neutral else left
    if isinstance(right, ex.Const):
        return left if right.value == neutral else right
    return ex.Binary(op, left, right, BOOL, span)


def cast(operand: ex.Expression, type_: Type, span: Span) -> ex.Expression:
    """Between bits, ints and bool."""
    if operand.type == type_:
        return operand
    if isinstance(operand, ex.Const):
        return ex.Const(arithmetic.cast(operand.value, operand.type, type_), type_, span)
    if isinstance(operand, ex.Cast) and operand.operand.type == type_ and isinstance(operand.type, Bool | Bits):
        through = operand.type
        if isinstance(type_, Bool) or (isinstance(through, Bool) and type_ == Bits(1)):
            return operand.operand  # there and back again without loss
    return ex.Cast(operand, type_, span)


def slice_of(operand: ex.Expression, high: int, low: int, span: Span) -> ex.Expression:
    if isinstance(operand, ex.Const):
        return bits(arithmetic.bits_of(operand.value, high, low), high - low + 1, span)
    if operand.type == Bits(high - low + 1) and low == 0:
        return operand
    if isinstance(operand, ex.Slice):
        return ex.Slice(operand.operand, operand.low + high, operand.low + low, span)
    return ex.Slice(operand, high, low, span)


def conditional(condition: ex.Expression, then: ex.Expression, otherwise: ex.Expression, span: Span) -> ex.Expression:
    if isinstance(condition, ex.Const):
        return then if condition.value else otherwise
    return ex.Conditional(condition, then, otherwise, then.type, span)


def conjunction(parts: list[ex.Expression], span: Span) -> ex.Expression:
    """All of them; true when there is none."""
    result: ex.Expression = boolean(True, span)
    for part in parts:
        result = binary(ex.BinaryOp.LAND, result, part, span)
    return result


def disjunction(parts: list[ex.Expression], span: Span) -> ex.Expression:
    """Any of them; false when there is none."""
    result: ex.Expression = boolean(False, span)
    for part in parts:
        result = binary(ex.BinaryOp.LOR, result, part, span)
    return result
