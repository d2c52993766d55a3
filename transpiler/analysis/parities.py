"""What is known of values as parities of a frame's bits: each bit of a value is the sum, modulo 2, of some bits of the frame
and a constant, or it is not known.

Fields, their parts and what is put together of them are parities, their exclusive ors and CRCs too. So are the lowest bits of
sums. A parity is a number: its bit 0 is the constant, bit 1 + n stands for bit n of the frame, counted from the first one on the
wire. A value is a tuple of them, the least significant bit first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from transpiler.analysis.locations import VALIDITY, Location, location_of
from transpiler.externs import algorithms
from transpiler.hlir import arithmetic
from transpiler.hlir.expressions import (
    Binary,
    BinaryOp,
    Cast,
    Conditional,
    Const,
    Expression,
    HeaderRef,
    IsValid,
    ListExpression,
    Read,
    Slice,
    Unary,
    UnaryOp,
)
from transpiler.hlir.types import Bits, Bool, Type, Varbit, width_of

Parity = int | None
Value = tuple[Parity, ...]
Known = Callable[[Location], Value | None]  # what a place of that location holds; None: nothing is known

LINEAR = frozenset({"crc32", "crc16", "xor16", "identity"})  # over the bits of what they hash, but for a constant


def constant(number: int, width: int) -> Value:
    """A number as parities of nothing."""
    return tuple(number >> n & 1 for n in range(width))


def number_of(value: Value) -> int | None:
    """The number that a value is whatever the frame holds; None where it depends on it or is not known."""
    if any(bit not in (0, 1) for bit in value):
        return None
    return sum((bit or 0) << n for n, bit in enumerate(value))


def frame_bits(first: int, width: int) -> Value:
    """The value of so many bits of the frame, the first of which has that number."""
    return tuple(1 << (1 + first + width - 1 - n) for n in range(width))


def unknown(type_: Type) -> Value:
    """A value of that type of which nothing is known."""
    return (None,) * (0 if isinstance(type_, Varbit) else width_of(type_))


def value_of(e: Expression, known: Known) -> Value:
    """The bits of an expression that is a number, a bool or an enum."""
    match e:
        case Const(value=number, type=type_):
            return constant(number, width_of(type_))
        case Read(place=place, type=type_):
            location = location_of(place)
            held = known(location) if location is not None else None
            return unknown(type_) if held is None else held
        case IsValid(header=HeaderRef(name=name)):
            held = known(Location(name, VALIDITY))
            return (None,) if held is None else held
        case Slice(operand=operand, high=high, low=low):
            return value_of(operand, known)[low : high + 1]
        case Cast(operand=operand, type=type_):
            return _cast(value_of(operand, known), operand.type, type_)
        case Unary(op=op, operand=operand):
            return _unary(op, value_of(operand, known))
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            decided = number_of(value_of(condition, known))
            if decided is not None:
                return value_of(then if decided else otherwise, known)
            return either(value_of(then, known), value_of(otherwise, known))
        case Binary():
            return _binary(e, value_of(e.left, known), value_of(e.right, known))
    return (None,) if isinstance(e.type, Bool) else ()


def either(a: Value, b: Value) -> Value:
    """What is known of a value that is one or the other."""
    return tuple(x if x == y else None for x, y in zip(a, b, strict=False))


def _xor(a: Parity, b: Parity) -> Parity:
    return None if a is None or b is None else a ^ b


def _unary(op: UnaryOp, operand: Value) -> Value:
    inverted = tuple(_xor(bit, 1) for bit in operand)
    return _sum(inverted, constant(1, len(operand))) if op is UnaryOp.NEGATE else inverted


def _cast(value: Value, source: Type, type_: Type) -> Value:
    width = width_of(type_)
    if isinstance(type_, Bool) and len(value) > 1:
        number = number_of(value)
        return (None,) if number is None else (int(number != 0),)
    signed = isinstance(source, Bits) and source.signed and bool(value)
    return (*value[:width], *((value[-1] if signed else 0),) * (width - len(value)))


def _binary(e: Binary, left: Value, right: Value) -> Value:
    a, b = number_of(left), number_of(right)
    if a is not None and b is not None and not isinstance(e.left.type, Varbit):
        return constant(arithmetic.binary(e.op, a, b, e.left.type, e.right.type), width_of(e.type))
    match e.op:
        case BinaryOp.CONCAT:
            return (*right, *left)
        case BinaryOp.XOR:
            return tuple(map(_xor, left, right))
        case BinaryOp.AND | BinaryOp.OR:
            return tuple(map(_and if e.op is BinaryOp.AND else _or, left, right))
        case BinaryOp.LAND | BinaryOp.LOR:
            return ((_and if e.op is BinaryOp.LAND else _or)(left[0], right[0]),)
        case BinaryOp.ADD:
            return _sum(left, right)
        case BinaryOp.SUB:
            return _sum(left, _unary(UnaryOp.NEGATE, right))
        case BinaryOp.SHL if b is not None:
            return (*(0,) * min(b, len(left)), *left)[: len(left)]
        case BinaryOp.SHR if b is not None and isinstance(e.type, Bits) and not e.type.signed:
            return (*left[b:], *(0,) * min(b, len(left)))
        case BinaryOp.MOD if b:
            least = (b & -b).bit_length() - 1  # of so many bits the remainder is as it was
            rest = (0,) * (len(left) - least) if b == 1 << least else (None,) * (len(left) - least)
            return (*left[:least], *rest)
    return unknown(e.type)


def _and(a: Parity, b: Parity) -> Parity:
    if a == 0 or b == 0:
        return 0
    return a if b in (1, a) else b if a == 1 else None


def _or(a: Parity, b: Parity) -> Parity:
    return _xor(_and(_xor(a, 1), _xor(b, 1)), 1)


def _sum(left: Value, right: Value) -> Value:
    carry: Parity = 0
    total: list[Parity] = []
    for a, b in zip(left, right, strict=True):
        total.append(_xor(_xor(a, b), carry))
        carry = _majority(a, b, carry)
    return tuple(total)


def _majority(a: Parity, b: Parity, c: Parity) -> Parity:
    for x, y, other in ((a, b, c), (a, c, b), (b, c, a)):
        if x is not None and x == y:
            return x
        if x is not None and y is not None and x ^ y == 1:
            return other
    return None


# --- hashes ----------------------------------------------------------------------------------------------------------


def hash_of(algorithm: str, items: tuple[Expression, ...], width: int, known: Known) -> Value:
    """The lowest `width` bits of a hash of a list."""
    hashed = _listed(items, known)
    if algorithm not in LINEAR or hashed is None:
        return (None,) * width
    padded = (*hashed, *(0,) * (-len(hashed) % 8))
    rows, always = _linear(algorithm, len(padded) // 8)
    return tuple(_row(always >> n & 1, n, rows, padded) for n in range(width))


def _row(always: int, number: int, rows: tuple[int, ...], hashed: Value) -> Parity:
    total: Parity = always
    for image, bit in zip(rows, hashed, strict=True):
        if image >> number & 1:
            total = _xor(total, bit)
    return total


def _listed(items: tuple[Expression, ...], known: Known) -> Value | None:
    """The bits of a list as they are hashed, the first one first; None where it is not known which there are."""
    found: list[Parity] = []
    for item in items:
        if isinstance(item, Conditional) and isinstance(item.then, ListExpression):
            decided = number_of(value_of(item.condition, known))
            if decided is None:
                return None
            item = item.then if decided else item.otherwise
        if isinstance(item, ListExpression):
            inner = _listed(item.items, known)
            if inner is None:
                return None
            found += inner
        elif isinstance(item.type, Varbit):
            return None
        else:
            found += reversed(value_of(item, known))
    return tuple(found)


@cache
def _linear(algorithm: str, size: int) -> tuple[tuple[int, ...], int]:
    """Of so many bytes: what each bit of them changes in the hash, and the hash of zeros."""
    always = algorithms.compute(algorithm, bytes(size))
    assert always is not None
    return tuple(
        (algorithms.compute(algorithm, (1 << (8 * size - 1 - n)).to_bytes(size, "big")) or 0) ^ always
        for n in range(8 * size)
    ), always
