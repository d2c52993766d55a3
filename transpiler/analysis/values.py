"""The value of an expression at compile time: a constant, or a range."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from transpiler.hlir.arithmetic import binary, bits_of, bounds, cast, number, unary
from transpiler.hlir.expressions import (
    Binary,
    BinaryOp,
    Cast,
    Conditional,
    Const,
    Expression,
    Slice,
    Unary,
)
from transpiler.hlir.types import Bits, Bool, Type

Range = tuple[int, int]  # both ends included


def limits(type_: Type) -> Range | None:
    """The range of a type's numbers; None for types without numbers."""
    match type_:
        case Bool():
            return 0, 1
        case Bits():
            return bounds(type_)
    return None


def same(a: Any, b: Any) -> bool:
    """Whether two expressions or places are the same, wherever they stand in the program."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if not is_dataclass(a):
        return bool(a == b)
    return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a) if f.name != "span")


# --- constants -------------------------------------------------------------------------------------------------------


def constant(expression: Expression) -> int | None:
    """The value of an expression whose operands are constants; None if they are not, or it has no number."""
    match expression:
        case Const(value=value):
            return value
        case Unary(op=op, operand=Const(value=value), type=type_):
            return unary(op, value, type_)
        case Slice(operand=Const(value=value), high=high, low=low):
            return bits_of(value, high, low)
        case Cast(operand=Const(value=value, type=source), type=type_):
            return cast(value, source, type_)
        case Binary(op=op, left=Const(value=a, type=left), right=Const(value=b, type=right)):
            return binary(op, a, b, left, right)
    return None


# --- ranges ----------------------------------------------------------------------------------------------------------


def range_of(expression: Expression) -> Range | None:
    """A range that the number of an expression surely lies in; None for what has no number."""
    whole = limits(expression.type)
    match expression:
        case Const(value=value, type=type_) if whole:
            return number(value, type_), number(value, type_)
        case Cast(operand=operand) if whole:
            inner = range_of(operand)
            return inner if inner and _inside(inner, whole) else whole
        case Conditional(then=then, otherwise=otherwise) if whole:
            a, b = range_of(then), range_of(otherwise)
            return (min(a[0], b[0]), max(a[1], b[1])) if a and b else whole
        case Binary(type=Bits(signed=False)):
            return _range_of_binary(expression) or whole
    return whole


def _range_of_binary(e: Binary) -> Range | None:
    left, right = range_of(e.left), range_of(e.right)
    if left is None or right is None:
        return None
    match e.op:
        case BinaryOp.AND:
            return 0, min(left[1], right[1])
        case BinaryOp.MOD if right[0] > 0:
            return 0, min(left[1], right[1] - 1)
        case BinaryOp.DIV if right[0] > 0:
            return left[0] // right[1], left[1] // right[0]
        case BinaryOp.SHR if isinstance(e.right, Const) and e.right.value < 1024:
            return left[0] >> e.right.value, left[1] >> e.right.value
    return None


def _inside(inner: Range, outer: Range) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def compare(op: BinaryOp, a: Range, b: Range) -> bool | None:
    """The outcome of a comparison if the ranges of its operands decide it."""
    match op:
        case BinaryOp.LT:
            return True if a[1] < b[0] else False if a[0] >= b[1] else None
        case BinaryOp.GE:
            return _opposite(compare(BinaryOp.LT, a, b))
        case BinaryOp.GT:
            return compare(BinaryOp.LT, b, a)
        case BinaryOp.LE:
            return _opposite(compare(BinaryOp.LT, b, a))
        case BinaryOp.EQ:
            if a[0] == a[1] == b[0] == b[1]:
                return True
            return False if a[1] < b[0] or b[1] < a[0] else None
        case _:
            return _opposite(compare(BinaryOp.EQ, a, b))


def _opposite(outcome: bool | None) -> bool | None:
    return None if outcome is None else not outcome
