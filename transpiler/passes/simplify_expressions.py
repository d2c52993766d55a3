"""Fold constants and simplify expressions: neutral operands, comparisons that the operands' ranges decide, double
negation, nested casts and slices.

Before: a = x + 0; if (b >= 0 && !!c) … ; d = (bit<8>)(bit<16>)e;      After: a = x; if (c) … ; d = e;

Expressions are pure, so an operand that does not matter may go. The generated C has no comparison left that is always
true or false by its type (gcc's -Wtype-limits).
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.analysis.values import compare, constant, limits, range_of, same
from transpiler.hlir.arithmetic import ones, stored
from transpiler.hlir.expressions import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Cast,
    Conditional,
    Const,
    Expression,
    Slice,
    Unary,
    UnaryOp,
)
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits, Bool
from transpiler.passes.mapping import map_expressions

_OPPOSITE = {
    BinaryOp.EQ: BinaryOp.NE,
    BinaryOp.NE: BinaryOp.EQ,
    BinaryOp.LT: BinaryOp.GE,
    BinaryOp.GE: BinaryOp.LT,
    BinaryOp.GT: BinaryOp.LE,
    BinaryOp.LE: BinaryOp.GT,
}
_COMMUTES = frozenset(
    {BinaryOp.ADD, BinaryOp.MUL, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR, BinaryOp.LAND, BinaryOp.LOR}
)
_ZERO_IS_NEUTRAL = frozenset(
    {BinaryOp.ADD, BinaryOp.SUB, BinaryOp.OR, BinaryOp.XOR, BinaryOp.SHL, BinaryOp.SHR, BinaryOp.SADD, BinaryOp.SSUB}
)  # fmt: skip
_ZERO_FROM_ZERO = frozenset({BinaryOp.MUL, BinaryOp.AND, BinaryOp.DIV, BinaryOp.MOD, BinaryOp.SHL, BinaryOp.SHR})


def run(program: Program) -> Program:
    """The program with every expression simplified; table keys keep their types and names."""
    return map_expressions(program, simplify)


def simplify(expression: Expression) -> Expression:
    """An expression whose operands are simple already, simplified."""
    while True:
        simpler = _once(expression)
        if simpler is expression:
            return expression
        expression = simpler


def negate(condition: Expression) -> Expression:
    """The opposite of a simple condition, simple itself."""
    return simplify(Unary(UnaryOp.NOT, condition, Bool(), condition.span))


def _once(e: Expression) -> Expression:
    if isinstance(e, Const):
        return e
    value = constant(e)
    if value is not None and limits(e.type) is not None:
        return Const(value, e.type, e.span)
    match e:
        case Unary():
            return _unary(e)
        case Binary(op=op) if op in COMPARISONS:
            return _comparison(e)
        case Binary():
            return _binary(e)
        case Cast():
            return _cast(e)
        case Slice():
            return _slice(e)
        case Conditional():
            return _conditional(e)
    return e


def _unary(e: Unary) -> Expression:
    match e.operand:
        case Unary(op=op, operand=inner) if op is e.op:
            return inner
        case Binary(op=op) if e.op is UnaryOp.NOT and op in _OPPOSITE:
            return replace(e.operand, op=_OPPOSITE[op])
    return e


def _conditional(e: Conditional) -> Expression:
    match e:
        case Conditional(condition=Const(value=chosen)):
            return e.then if chosen else e.otherwise
        case Conditional(then=then, otherwise=otherwise) if same(then, otherwise):
            return then
        case Conditional(then=Const(value=1, type=Bool()), otherwise=Const(value=0, type=Bool())):
            return e.condition
        case Conditional(then=Const(value=0, type=Bool()), otherwise=Const(value=1, type=Bool())):
            return Unary(UnaryOp.NOT, e.condition, Bool(), e.span)
    return e


# --- comparisons -----------------------------------------------------------------------------------------------------


def _comparison(e: Binary) -> Expression:
    left, right = range_of(e.left), range_of(e.right)
    outcome = compare(e.op, left, right) if left and right else None
    if outcome is None and same(e.left, e.right):
        outcome = e.op in (BinaryOp.EQ, BinaryOp.LE, BinaryOp.GE)
    if outcome is None and e.op in (BinaryOp.EQ, BinaryOp.NE) and _bits_differ(e):
        outcome = e.op is BinaryOp.NE
    if outcome is not None:
        return Const(int(outcome), Bool(), e.span)
    if isinstance(e.left, Const) and e.op in (BinaryOp.EQ, BinaryOp.NE):
        return replace(e, left=e.right, right=e.left)
    match e:
        case Binary(op=BinaryOp.EQ | BinaryOp.NE, left=truth, right=Const(value=value, type=Bool())):
            return _as_condition(truth, value, e)
        case Binary(op=BinaryOp.EQ | BinaryOp.NE, left=Cast(operand=truth), right=Const(value=value)) if (
            isinstance(truth.type, Bool) and value < 2
        ):
            return _as_condition(truth, value, e)
    return e


def _as_condition(truth: Expression, value: int, e: Binary) -> Expression:
    """`truth == value` or `truth != value` without the comparison."""
    if bool(value) == (e.op is BinaryOp.EQ):
        return truth
    return Unary(UnaryOp.NOT, truth, Bool(), e.span)


def _bits_differ(e: Binary) -> bool:
    """Whether some bit surely differs: (x & 1) == 2, (x | 1) == 2."""
    for value, other in ((e.left, e.right), (e.right, e.left)):
        if isinstance(other, Const) and isinstance(value, Binary) and isinstance(value.right, Const):
            if value.op is BinaryOp.AND and other.value & ~value.right.value:
                return True
            if value.op is BinaryOp.OR and value.right.value & ~other.value:
                return True
    return False


# --- arithmetic ------------------------------------------------------------------------------------------------------


def _binary(e: Binary) -> Expression:
    if isinstance(e.left, Const) and not isinstance(e.right, Const) and e.op in _COMMUTES:
        return replace(e, left=e.right, right=e.left)
    if same(e.left, e.right):
        if e.op in (BinaryOp.AND, BinaryOp.OR, BinaryOp.LAND, BinaryOp.LOR):
            return e.left
        if e.op in (BinaryOp.SUB, BinaryOp.XOR) and isinstance(e.type, Bits):
            return Const(0, e.type, e.span)
    match e.right:
        case Const(value=value):
            return _with_constant(e, value)
    if isinstance(e.left, Const) and e.left.value == 0 and e.op in _ZERO_FROM_ZERO:
        return replace(e.left, span=e.span)
    return e


def _with_constant(e: Binary, value: int) -> Expression:
    """`e` with a constant on its right."""
    if e.op in (BinaryOp.LAND, BinaryOp.LOR):
        return e.left if bool(value) == (e.op is BinaryOp.LAND) else e.right
    if value == 0 and e.op in _ZERO_IS_NEUTRAL:
        return e.left
    if value == 0 and e.op in (BinaryOp.MUL, BinaryOp.AND, BinaryOp.DIV, BinaryOp.MOD):
        return Const(0, e.type, e.span)
    if value == 1 and e.op in (BinaryOp.MUL, BinaryOp.DIV):
        return e.left
    if not isinstance(e.type, Bits):
        return e
    if value == 1 and e.op is BinaryOp.MOD:
        return Const(0, e.type, e.span)
    if value == ones(e.type.width) and e.op in (BinaryOp.AND, BinaryOp.OR):
        return e.left if e.op is BinaryOp.AND else e.right
    arithmetic_shift = e.op is BinaryOp.SHR and e.type.signed
    if e.op in (BinaryOp.SHL, BinaryOp.SHR) and value >= e.type.width and not arithmetic_shift:
        return Const(0, e.type, e.span)
    return _joined(e, value, e.type)


def _joined(e: Binary, value: int, type_: Bits) -> Expression:
    """(x op c) op d with one constant."""
    match e.left:
        case Binary(op=op, left=inner, right=Const(value=first)) if op is e.op and op in (BinaryOp.AND, BinaryOp.OR):
            both = first & value if op is BinaryOp.AND else first | value
            return Binary(op, inner, Const(both, type_, e.span), type_, e.span)
        case Binary(op=BinaryOp.ADD | BinaryOp.SUB as op, left=inner, right=Const(value=first)) if e.op in (
            BinaryOp.ADD,
            BinaryOp.SUB,
        ):
            total = (first if op is BinaryOp.ADD else -first) + (value if e.op is BinaryOp.ADD else -value)
            sign = BinaryOp.ADD if total >= 0 else BinaryOp.SUB
            return Binary(sign, inner, Const(stored(abs(total), type_), type_, e.span), type_, e.span)
    return e


# --- casts and slices ------------------------------------------------------------------------------------------------


def _cast(e: Cast) -> Expression:
    if e.type == e.operand.type:
        return e.operand
    if isinstance(e.operand, Cast) and _is_needless(e, e.operand):
        return replace(e, operand=e.operand.operand)
    return e


def _is_needless(outer: Cast, inner: Cast) -> bool:
    """Whether casting what `inner` casts gives the same without it."""
    match inner.operand.type, inner.type, outer.type:
        case Bool(), Bits(width=width), (Bits(signed=False) | Bool()):
            return width > 0 and not (inner.type.signed and width == 1)
        case Bits() as first, Bits() as middle, Bool():
            return middle.width >= first.width
        case Bits() as first, Bits() as middle, Bits() as last:
            if middle.width >= last.width:
                return True
            kept = middle.width > first.width and not first.signed
            return kept or (middle.width >= first.width and middle.signed == first.signed)
    return False


def _slice(e: Slice) -> Expression:
    operand = e.operand
    if e.low == 0 and isinstance(operand.type, Bits) and e.high == operand.type.width - 1:
        return operand if operand.type == e.type else Cast(operand, e.type, e.span)
    match operand:
        case Slice(operand=inner, low=low):
            return Slice(inner, e.high + low, e.low + low, e.span)
        case Cast(operand=inner) if isinstance(inner.type, Bits) and e.high < inner.type.width:
            return replace(e, operand=inner)
        case Binary(op=BinaryOp.CONCAT, left=left, right=right) if isinstance(right.type, Bits):
            split = right.type.width
            if e.high < split:
                return replace(e, operand=right)
            if e.low >= split:
                return Slice(left, e.high - split, e.low - split, e.span)
    return e
