"""The integers of P4: bit<W>, int<W> and `int`, which has no width. P4-16 spec 1.2.5 sections 8.5 to 8.10 and 8.12.

A *number* is an integer as in mathematics. A value is *stored* as its bits, a non-negative int below 2**width (two's complement),
as constants of HLIR are; the two differ only for negative numbers of int<W>. `calculate` works on numbers and says where the
specification has no result; `unary`, `binary`, `cast` and `bits_of` are what HLIR's expressions do with stored values, where
every result is defined (see hlir.expressions).
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from transpiler.hlir.expressions import COMPARISONS, BinaryOp, UnaryOp
from transpiler.hlir.types import Bits, Bool, Type, width_of

MAX_BITS = 1 << 20  # of a number without width: more is a mistake, and would take long


class UndefinedError(Exception):
    """An operation without a result; the text says why."""


# --- numbers and how they are stored ---------------------------------------------------------------------------------


def ones(width: int) -> int:
    """`width` one bits: the largest number of bit<width>."""
    return (1 << width) - 1


def bounds(type_: Bits) -> tuple[int, int]:
    """The smallest and the largest number of a type."""
    if type_.signed and type_.width:
        return -(1 << (type_.width - 1)), ones(type_.width - 1)
    return 0, ones(type_.width)


def number(value: int, type_: Type) -> int:
    """The number that a stored value stands for."""
    if isinstance(type_, Bits) and type_.signed and type_.width and value >> (type_.width - 1):
        return value - (1 << type_.width)
    return value


def stored(value: int, type_: Type) -> int:
    """The lowest bits of a number, as many as its type has."""
    return value & ones(width_of(type_))


def wrap(value: int, type_: Bits) -> int:
    """The number of a type that has the same lowest bits (section 8.6: modulo 2**width)."""
    return number(stored(value, type_), type_)


def saturate(value: int, type_: Bits) -> int:
    """The number of a type that is nearest."""
    low, high = bounds(type_)
    return min(max(value, low), high)


# --- operators on numbers --------------------------------------------------------------------------------------------

_EXACT: dict[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: operator.add,
    BinaryOp.SADD: operator.add,
    BinaryOp.SUB: operator.sub,
    BinaryOp.SSUB: operator.sub,
    BinaryOp.MUL: operator.mul,
    BinaryOp.AND: operator.and_,
    BinaryOp.OR: operator.or_,
    BinaryOp.XOR: operator.xor,
    BinaryOp.EQ: operator.eq,
    BinaryOp.NE: operator.ne,
    BinaryOp.LT: operator.lt,
    BinaryOp.LE: operator.le,
    BinaryOp.GT: operator.gt,
    BinaryOp.GE: operator.ge,
    BinaryOp.LAND: lambda a, b: bool(a and b),
    BinaryOp.LOR: lambda a, b: bool(a or b),
}
_TRUTHS = COMPARISONS | {BinaryOp.LAND, BinaryOp.LOR}
# The lowest bits of the result are those of the operands' lowest bits, whatever the sign.
_MODULAR = frozenset({BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR})
_SATURATING = frozenset({BinaryOp.SADD, BinaryOp.SSUB})
_NEEDS_WIDTH = _SATURATING | {BinaryOp.CONCAT}


def calculate_unary(op: UnaryOp, a: int, type_: Bits | None) -> int:
    """The number `op a`; `type_` is None for `int` and for bool."""
    if op is UnaryOp.NOT:
        return int(not a)
    result = -a if op is UnaryOp.NEGATE else ~a
    return result if type_ is None else wrap(result, type_)


def calculate(op: BinaryOp, a: int, b: int, type_: Bits | None) -> int:
    """The number `a op b` of the operands' type, the left one's for shifts; 0 or 1 for what is true or false.

    `type_` is None for `int`. For ++ see `concatenate`. Raises: UndefinedError.
    """
    if op in _TRUTHS:
        return int(_EXACT[op](a, b))
    if type_ is None and op in _NEEDS_WIDTH:
        raise UndefinedError(f"operator {op.value} needs operands with a width")
    match op:
        case BinaryOp.DIV | BinaryOp.MOD:
            result = _divide(op, a, b)
        case BinaryOp.SHL:
            result = _shift_left(a, b, type_)
        case BinaryOp.SHR:
            result = _shift_right(a, b)
        case _:
            result = _EXACT[op](a, b)
    if type_ is not None:
        return saturate(result, type_) if op in _SATURATING else wrap(result, type_)
    if result.bit_length() > MAX_BITS:
        raise UndefinedError("the value of this constant expression is too large")
    return result


def _divide(op: BinaryOp, a: int, b: int) -> int:
    word = "division" if op is BinaryOp.DIV else "modulo"
    if b == 0:
        raise UndefinedError(f"{word} by zero")
    if a < 0 or b < 0:
        raise UndefinedError(f"{word} is not defined for negative numbers")
    return a // b if op is BinaryOp.DIV else a % b


def _shift_left(a: int, b: int, type_: Bits | None) -> int:
    if b < 0:
        raise UndefinedError("shift by a negative amount")
    if type_ is not None:
        return a << min(b, type_.width)
    if a and a.bit_length() + b > MAX_BITS:
        raise UndefinedError("the value of this shift is too large")
    return a << b if a else 0


def _shift_right(a: int, b: int) -> int:
    """Arithmetic: what is left of a negative number in the end is -1."""
    if b < 0:
        raise UndefinedError("shift by a negative amount")
    return a >> min(b, a.bit_length())


def concatenate(a: int, b: int, left: Bits, right: Bits) -> int:
    """The number `a ++ b`, of the left operand's sign."""
    together = stored(a, left) << right.width | stored(b, right)
    return number(together, Bits(left.width + right.width, left.signed))


# --- HLIR's operators on stored values -------------------------------------------------------------------------------


def unary(op: UnaryOp, value: int, type_: Type) -> int:
    """`op value`, operand and result as they are stored."""
    return stored(calculate_unary(op, value, None), type_)


def binary(op: BinaryOp, a: int, b: int, left: Type, right: Type) -> int:
    """`a op b`, the operands and the result as they are stored."""
    if op in _MODULAR and isinstance(left, Bits):
        return _EXACT[op](a, b) & ones(left.width)
    if op is BinaryOp.EQ:
        return int(a == b)
    if op in COMPARISONS:
        return int(_EXACT[op](number(a, left), number(b, right)))
    if not isinstance(left, Bits):
        return int(_EXACT[op](a, b))
    match op:
        case BinaryOp.CONCAT:
            return a << width_of(right) | b
        case BinaryOp.DIV | BinaryOp.MOD:  # of the bits, whatever the sign
            return _divide(op, a, b) if b else 0
        case BinaryOp.SHL | BinaryOp.SHR:
            return stored(calculate(op, number(a, left), b, left), left)
    return stored(calculate(op, number(a, left), number(b, right), left), left)


def cast(value: int, source: Type, target: Type) -> int:
    """Cut, or extended by the sign of the source."""
    return int(value != 0) if isinstance(target, Bool) else stored(number(value, source), target)


def bits_of(value: int, high: int, low: int) -> int:
    """value[high:low], both ends included."""
    return value >> low & ones(high - low + 1)
