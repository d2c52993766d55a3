"""Numbers with their terms: HLIR's operators as bit vectors of z3, beside what `hlir.arithmetic` computes.

A term is a bit vector as wide as its number's type, or a z3 bool. What the interpreter asks of a number outside of expressions
(is it this port, is it in that range) is a decision, which its record notes.
"""

from __future__ import annotations

import sys
from typing import Any, Protocol

import z3

from transpiler.hlir import arithmetic
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.expressions import BinaryOp, UnaryOp
from transpiler.hlir.types import Bits, Bool, Type, width_of
from transpiler.interpreter.shadowed import Arithmetic, Shadowed

_Op = BinaryOp


class Decides(Protocol):
    """Who notes decisions: a `record.Record`. `volatile`: variables that nobody chooses."""

    volatile: frozenset[str]

    def decide(self, holds: Any, value: bool, line: int = 0, *, pinned: bool = False) -> bool:
        """Note that a term holds, or that it does not. Returns which."""
        ...


class Term(Shadowed):
    """A number and its term: `of`, `width` bits wide, 0 for a bool of z3."""

    of: Any
    record: Decides

    def __new__(cls, value: int, of: Any, record: Decides) -> Term:
        made = super().__new__(cls, value)
        made.of, made.record = of, record
        return made

    @property
    def arithmetic(self) -> Arithmetic:
        return Terms(self.record)

    @property
    def bits(self) -> Any:
        """The term as a bit vector."""
        return z3.If(self.of, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)) if z3.is_bool(self.of) else self.of

    @property
    def holds(self) -> Any:
        """The term as a bool: not zero."""
        return self.of if z3.is_bool(self.of) else self.of != 0

    def settled(self) -> int:
        value = int(self)
        if z3.is_bool(self.of):
            self.record.decide(self.of, bool(value))
        else:
            self.record.decide(self.of == value, True, pinned=True)
        return value

    # --- what the interpreter asks outside of expressions ------------------------------------------------------------

    def __bool__(self) -> bool:
        return self.record.decide(self.holds, int(self) != 0, sys._getframe(1).f_lineno)

    def __hash__(self) -> int:
        return hash(self.settled())

    def __index__(self) -> int:
        return self.settled()

    def _alone(self) -> int:
        """The number, settled; the time itself is no decision: what the interpreter keeps is as old as the test wants it."""
        return int(self) if z3.is_const(self.of) and self.of.decl().name() in self.record.volatile else self.settled()

    def __add__(self, other: int) -> int:
        return self._alone() + int(other)

    def __sub__(self, other: int) -> int:
        return self._alone() - int(other)

    def __or__(self, other: int) -> int:
        return self._alone() | int(other)

    def __lshift__(self, other: int) -> int:
        return self._alone() << int(other)

    def __mod__(self, other: int) -> int:
        return self._alone() % int(other)

    def _compare(self, other: object, how: Any, concrete: bool) -> bool:
        mine: Any = self.bits
        others: Any = other.bits if isinstance(other, Term) else other
        if not isinstance(others, int):
            width = max(mine.size(), others.size())
            return self.record.decide(how(wide(mine, width), wide(others, width)), concrete)
        if not 0 <= others <= ones(mine.size()):
            return concrete  # the same for all values of that width
        return self.record.decide(how(mine, z3.BitVecVal(others, mine.size())), concrete, sys._getframe(2).f_lineno)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int):
            return False
        return self._compare(other, lambda a, b: a == b, int(self) == int(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: int) -> bool:
        return self._compare(other, z3.ULT, int(self) < int(other))

    def __le__(self, other: int) -> bool:
        return self._compare(other, z3.ULE, int(self) <= int(other))

    def __gt__(self, other: int) -> bool:
        return self._compare(other, z3.UGT, int(self) > int(other))

    def __ge__(self, other: int) -> bool:
        return self._compare(other, z3.UGE, int(self) >= int(other))

    def __and__(self, other: int) -> int:
        value = int(self) & int(other)
        if isinstance(other, Term):
            return value
        mine = self.bits
        mask = other & ones(mine.size())
        if mask == ones(mine.size()):
            return self
        if mask & (mask + 1) == 0:  # the lowest bits
            return Term(value, z3.Extract(mask.bit_length() - 1, 0, mine), self.record) if mask else 0
        return Term(value, mine & mask, self.record)

    __rand__ = __and__

    def __rshift__(self, other: int) -> int:
        mine = self.bits
        if other >= mine.size():
            return 0
        return Term(int(self) >> int(other), z3.Extract(mine.size() - 1, int(other), mine), self.record)


def wide(of: Any, width: int) -> Any:
    """A bit vector with zeros in front, or cut in front, to be so wide."""
    size = of.size()
    return z3.ZeroExt(width - size, of) if size < width else z3.Extract(width - 1, 0, of) if size > width else of


def bits(value: int, width: int) -> Any:
    """A number's bit vector, so wide."""
    return wide(value.bits, width) if isinstance(value, Term) else z3.BitVecVal(value, width)


def holds(value: int) -> Any:
    """Whether a number is not zero, as a bool of z3."""
    return value.holds if isinstance(value, Term) else z3.BoolVal(value != 0)


class Terms:
    """HLIR's operators on numbers, some of them with terms."""

    def __init__(self, record: Decides) -> None:
        self.record = record

    def _made(self, value: int, of: Any) -> int:
        return Term(int(value), of, self.record)

    def unary(self, op: UnaryOp, value: int, type_: Type) -> int:
        result = arithmetic.unary(op, int(value), type_)
        if op is UnaryOp.NOT:
            return self._made(result, z3.Not(holds(value)))
        mine = bits(value, width_of(type_))
        return self._made(result, -mine if op is UnaryOp.NEGATE else ~mine)

    def binary(self, op: BinaryOp, a: int, b: int, left: Type, right: Type) -> int:
        result = arithmetic.binary(op, int(a), int(b), left, right)
        if isinstance(left, Bool):
            return self._made(result, _BOOLS[op](holds(a), holds(b)))
        signed = isinstance(left, Bits) and left.signed
        wa, wb = width_of(left), width_of(right)
        if not wa:
            return b if op is _Op.CONCAT else result
        x, y = bits(a, wa), bits(b, wb) if wb else z3.BitVecVal(0, wa)
        if op is _Op.CONCAT:
            return self._made(result, z3.Concat(x, y)) if wb else a
        if op in (_Op.SHL, _Op.SHR):
            return self._made(result, _shifted(op, x, y, signed))
        return self._made(result, (_SIGNED if signed else _UNSIGNED).get(op, _BOTH.get(op))(x, y))  # type: ignore[misc]

    def cast(self, value: int, source: Type, target: Type) -> int:
        result = arithmetic.cast(int(value), source, target)
        if isinstance(target, Bool):
            return self._made(result, holds(value))
        width, before = width_of(target), width_of(source)
        if not width or not before:
            return result
        mine = bits(value, before)
        if width > before and isinstance(source, Bits) and source.signed:
            return self._made(result, z3.SignExt(width - before, mine))
        return self._made(result, wide(mine, width))

    def bits_of(self, value: int, high: int, low: int) -> int:
        result = arithmetic.bits_of(int(value), high, low)
        return self._made(result, z3.Extract(high, low, bits(value, high + 1)))


def _shifted(op: BinaryOp, x: Any, y: Any, signed: bool) -> Any:
    """By any amount: what is shifted out is gone."""
    size = x.size()
    width = max(size, y.size())
    widened = z3.SignExt(width - size, x) if signed and op is _Op.SHR else wide(x, width)
    amount = wide(y, width)
    if op is _Op.SHL:
        return wide(widened << amount, size)
    return wide(widened >> amount if signed else z3.LShR(widened, amount), size)


def _saturated(x: Any, y: Any, signed: bool, minus: bool) -> Any:
    size = x.size()
    grow = z3.SignExt if signed else z3.ZeroExt
    a, b = grow(2, x), grow(2, y)
    result = a - b if minus else a + b
    low, high = arithmetic.bounds(Bits(size, signed))
    least, most = z3.BitVecVal(low, size + 2), z3.BitVecVal(high, size + 2)
    return z3.Extract(size - 1, 0, z3.If(result < least, least, z3.If(result > most, most, result)))


_BOOLS: dict[BinaryOp, Any] = {
    _Op.LAND: z3.And,
    _Op.LOR: z3.Or,
    _Op.EQ: lambda a, b: a == b,
    _Op.NE: lambda a, b: a != b,
    _Op.AND: z3.And,
    _Op.OR: z3.Or,
    _Op.XOR: z3.Xor,
    _Op.LT: lambda a, b: z3.And(z3.Not(a), b),
    _Op.GT: lambda a, b: z3.And(a, z3.Not(b)),
    _Op.LE: lambda a, b: z3.Or(z3.Not(a), b),
    _Op.GE: lambda a, b: z3.Or(a, z3.Not(b)),
}
_BOTH: dict[BinaryOp, Any] = {
    _Op.ADD: lambda a, b: a + b,
    _Op.SUB: lambda a, b: a - b,
    _Op.MUL: lambda a, b: a * b,
    _Op.DIV: lambda a, b: z3.If(b == 0, z3.BitVecVal(0, a.size()), z3.UDiv(a, b)),
    _Op.MOD: lambda a, b: z3.If(b == 0, z3.BitVecVal(0, a.size()), z3.URem(a, b)),
    _Op.AND: lambda a, b: a & b,
    _Op.OR: lambda a, b: a | b,
    _Op.XOR: lambda a, b: a ^ b,
    _Op.EQ: lambda a, b: a == b,
    _Op.NE: lambda a, b: a != b,
}
_UNSIGNED: dict[BinaryOp, Any] = {
    _Op.SADD: lambda a, b: _saturated(a, b, False, False),
    _Op.SSUB: lambda a, b: _saturated(a, b, False, True),
    _Op.LT: z3.ULT,
    _Op.LE: z3.ULE,
    _Op.GT: z3.UGT,
    _Op.GE: z3.UGE,
}
_SIGNED: dict[BinaryOp, Any] = {
    _Op.SADD: lambda a, b: _saturated(a, b, True, False),
    _Op.SSUB: lambda a, b: _saturated(a, b, True, True),
    _Op.LT: lambda a, b: a < b,
    _Op.LE: lambda a, b: a <= b,
    _Op.GT: lambda a, b: a > b,
    _Op.GE: lambda a, b: a >= b,
}
