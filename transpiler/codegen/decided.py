"""Comparisons whose outcome is known: of a value with itself, or with a constant that it cannot have.

(bit<8>)(a == b) >= 7      →      false

Passes decide most of them; without passes C compilers would warn of what is left.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

from transpiler.hlir import arithmetic
from transpiler.hlir.expressions import Binary, BinaryOp, Cast, Conditional, Const, Expression, Slice, Unary
from transpiler.hlir.types import Bits, Bool, Type, width_of

_SAME = {BinaryOp.EQ: True, BinaryOp.LE: True, BinaryOp.GE: True}
_COMPARE: dict[BinaryOp, Callable[[int, int], bool]] = {
    BinaryOp.EQ: operator.eq,
    BinaryOp.NE: operator.ne,
    BinaryOp.LT: operator.lt,
    BinaryOp.LE: operator.le,
    BinaryOp.GT: operator.gt,
    BinaryOp.GE: operator.ge,
}
_MIRRORED = {BinaryOp.LT: BinaryOp.GT, BinaryOp.LE: BinaryOp.GE, BinaryOp.GT: BinaryOp.LT, BinaryOp.GE: BinaryOp.LE}


def outcome(e: Binary, same: bool) -> bool | None:
    """Of a comparison, where it is certain. `same`: both sides are the same in C."""
    if same:
        return _SAME.get(e.op, False)
    left, right = known_bits(e.left), known_bits(e.right)
    if left.is_known and right.is_known:
        return bool(arithmetic.binary(e.op, left.may, right.may, e.left.type, e.right.type))
    if right.is_known:
        return _with(left, e.op, right.may, e.left.type)
    return _with(right, _MIRRORED.get(e.op, e.op), left.may, e.left.type) if left.is_known else None


def _with(value: KnownBits, op: BinaryOp, constant: int, type_: Type) -> bool | None:
    """Of a comparison with a constant."""
    if op in (BinaryOp.EQ, BinaryOp.NE):
        differ = constant & ~value.may | value.must & ~constant
        return (op is BinaryOp.NE) if differ else None
    if not isinstance(type_, Bits) or type_.signed:
        return None
    ends = {_COMPARE[op](end, constant) for end in (value.must, value.may)}  # comparisons are monotonous
    return ends.pop() if len(ends) == 1 else None


@dataclass(frozen=True, slots=True)
class KnownBits:
    """What is known of a value's bits, as it is stored: those that may be set, and among them those that must be. So its least
    number is `must`, its greatest `may`."""

    may: int
    must: int = 0

    @property
    def is_known(self) -> bool:
        """Whether that is all of it."""
        return self.may == self.must


def known_bits(e: Expression) -> KnownBits:
    """What an expression's form tells of its value."""
    match e:
        case Const(value=value):
            return KnownBits(value, value)
        case Conditional(then=then, otherwise=otherwise):
            first, second = known_bits(then), known_bits(otherwise)
            return KnownBits(first.may | second.may, first.must & second.must)
        case Slice(operand=inner, high=high, low=low):
            bits = known_bits(inner)
            return KnownBits(*(arithmetic.bits_of(part, high, low) for part in (bits.may, bits.must)))
        case Cast(operand=inner, type=type_):
            return _cast(known_bits(inner), inner.type, type_)
        case Unary(op=op, operand=inner):
            bits = known_bits(inner)
            if bits.is_known:
                return _exactly(arithmetic.unary(op, bits.may, e.type))
        case Binary():
            return _binary(e, known_bits(e.left), known_bits(e.right))
    return KnownBits(arithmetic.ones(width_of(e.type)) if isinstance(e.type, Bits | Bool) else -1)


def _exactly(value: int) -> KnownBits:
    return KnownBits(value, value)


def _cast(bits: KnownBits, source: Type, target: Type) -> KnownBits:
    if bits.is_known:
        return _exactly(arithmetic.cast(bits.may, source, target))
    all_ = arithmetic.ones(width_of(target))
    if isinstance(target, Bool) or (isinstance(source, Bits) and source.signed):
        return KnownBits(all_)
    return KnownBits(bits.may & all_, bits.must & all_)


def _binary(e: Binary, left: KnownBits, right: KnownBits) -> KnownBits:
    if left.is_known and right.is_known:
        if e.op in (BinaryOp.DIV, BinaryOp.MOD) and not right.may:
            return KnownBits(arithmetic.ones(width_of(e.type)))
        return _exactly(arithmetic.binary(e.op, left.may, right.may, e.left.type, e.right.type))
    match e.op:
        case BinaryOp.AND:
            return KnownBits(left.may & right.may, left.must & right.must)
        case BinaryOp.OR:
            return KnownBits(left.may | right.may, left.must | right.must)
        case BinaryOp.XOR:
            return KnownBits(left.may | right.may)
        case BinaryOp.CONCAT:
            low = width_of(e.right.type)
            return KnownBits(left.may << low | right.may, left.must << low | right.must)
    return KnownBits(arithmetic.ones(width_of(e.type)))
