"""Makes HLIR expressions, folding what is constant. P4-16 spec 1.2.5 section 8; division by zero is left as it is.

The builders take operands that already have the types HLIR asks for.
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits, Bool, Type

BOOL = Bool()


def bits(value: int, width: int, span: Span, signed: bool = False) -> ex.Const:
    """A constant of bit<width> or int<width>, wrapped."""
    return ex.Const(value & ((1 << width) - 1), Bits(width, signed), span)


def boolean(value: bool, span: Span) -> ex.Const:
    return ex.Const(int(value), BOOL, span)


def number(constant: ex.Const) -> int:
    """The number that a constant means: negative for a negative int<>."""
    match constant.type:
        case Bits(width=width, signed=True) if width and constant.value >> (width - 1):
            return constant.value - (1 << width)
    return constant.value


def unary(op: ex.UnaryOp, operand: ex.Expression, span: Span) -> ex.Expression:
    if isinstance(operand, ex.Const):
        match operand.type:
            case Bool():
                return boolean(not operand.value, span)
            case Bits(width=width, signed=signed):
                value = -operand.value if op is ex.UnaryOp.NEGATE else ~operand.value
                return bits(value, width, span, signed)
    if isinstance(operand, ex.Unary) and operand.op is op is ex.UnaryOp.NOT:
        return operand.operand
    return ex.Unary(op, operand, operand.type, span)


def negate(operand: ex.Expression) -> ex.Expression:
    """Logical not."""
    return unary(ex.UnaryOp.NOT, operand, operand.span)


_ARITHMETIC: dict[ex.BinaryOp, Callable[[int, int], int]] = {
    ex.BinaryOp.ADD: lambda a, b: a + b,
    ex.BinaryOp.SADD: lambda a, b: a + b,
    ex.BinaryOp.SUB: lambda a, b: a - b,
    ex.BinaryOp.SSUB: lambda a, b: a - b,
    ex.BinaryOp.MUL: lambda a, b: a * b,
    ex.BinaryOp.AND: lambda a, b: a & b,
    ex.BinaryOp.OR: lambda a, b: a | b,
    ex.BinaryOp.XOR: lambda a, b: a ^ b,
}
_COMPARE: dict[ex.BinaryOp, Callable[[int, int], bool]] = {
    ex.BinaryOp.EQ: lambda a, b: a == b,
    ex.BinaryOp.NE: lambda a, b: a != b,
    ex.BinaryOp.LT: lambda a, b: a < b,
    ex.BinaryOp.LE: lambda a, b: a <= b,
    ex.BinaryOp.GT: lambda a, b: a > b,
    ex.BinaryOp.GE: lambda a, b: a >= b,
}


def binary(op: ex.BinaryOp, left: ex.Expression, right: ex.Expression, span: Span) -> ex.Expression:
    if op in (ex.BinaryOp.LAND, ex.BinaryOp.LOR):
        return _logic(op, left, right, span)
    if isinstance(left, ex.Const) and isinstance(right, ex.Const):
        folded = _fold(op, left, right, span)
        if folded is not None:
            return folded
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


def _fold(op: ex.BinaryOp, left: ex.Const, right: ex.Const, span: Span) -> ex.Const | None:
    a, b = number(left), number(right)
    if op in _COMPARE:
        return boolean(_COMPARE[op](a, b), span)
    if not isinstance(left.type, Bits):
        return None
    width, signed = left.type.width, left.type.signed
    if op is ex.BinaryOp.CONCAT and isinstance(right.type, Bits):
        return bits((left.value << right.type.width) | right.value, width + right.type.width, span, signed)
    if op in (ex.BinaryOp.SADD, ex.BinaryOp.SSUB):
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
        return bits(min(max(_ARITHMETIC[op](a, b), low), high), width, span, signed)
    if op is ex.BinaryOp.SHL:
        return bits(a << b if b < width else 0, width, span, signed)
    if op is ex.BinaryOp.SHR:
        return bits(a >> min(b, width), width, span, signed)
    if op in (ex.BinaryOp.DIV, ex.BinaryOp.MOD):
        return bits(a // b if op is ex.BinaryOp.DIV else a % b, width, span, signed) if b > 0 <= a else None
    return bits(_ARITHMETIC[op](a, b), width, span, signed)


def cast(operand: ex.Expression, type_: Type, span: Span) -> ex.Expression:
    """Between bits, ints and bool."""
    if operand.type == type_:
        return operand
    if isinstance(operand, ex.Const):
        if isinstance(type_, Bits):
            return bits(number(operand), type_.width, span, type_.signed)
        if isinstance(type_, Bool):
            return boolean(bool(operand.value), span)
    if isinstance(operand, ex.Cast) and operand.operand.type == type_ and isinstance(operand.type, Bool | Bits):
        through = operand.type
        if isinstance(type_, Bool) or (isinstance(through, Bool) and type_ == Bits(1)):
            return operand.operand  # there and back again without loss
    return ex.Cast(operand, type_, span)


def slice_of(operand: ex.Expression, high: int, low: int, span: Span) -> ex.Expression:
    if isinstance(operand, ex.Const):
        return bits(operand.value >> low, high - low + 1, span)
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
