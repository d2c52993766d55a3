"""Values as bits that come from somewhere: enough of HLIR's expressions to follow a parser.

A bit is a position in the frame (0 and up, counted from its first bit) or one of ZERO, ONE, UNKNOWN. Values are tuples
of them, most significant first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.hlir import arithmetic, expressions as ex
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits, Bool, Varbit, width_of

ZERO, ONE, UNKNOWN = -1, -2, -3
BitsOf = tuple[int, ...]
_Op = ex.BinaryOp


def constant(value: int, width: int) -> BitsOf:
    """A number as bits."""
    return tuple(ONE if value >> (width - 1 - i) & 1 else ZERO for i in range(width))


def number_of(bits: BitsOf) -> int | None:
    """The number that constant bits are, else None."""
    value = 0
    for bit in bits:
        if bit not in (ZERO, ONE):
            return None
        value = value << 1 | (bit == ONE)
    return value


@dataclass
class Symbols:
    """What a parser knows on its way: `variables` by name, `headers` that were extracted, with their first bit."""

    program: Program
    variables: dict[str, BitsOf] = field(default_factory=dict)
    headers: dict[str, int] = field(default_factory=dict)

    def copy(self) -> Symbols:
        return Symbols(self.program, dict(self.variables), dict(self.headers))

    def header_name(self, place: ex.HeaderPlace) -> str | None:
        """The header that a place is; None where its index is not known or out of range."""
        if isinstance(place, ex.HeaderRef):
            return place.name
        known, stack = number_of(self.value(place.index)), self.program.stack[place.stack]
        index = stack.size if known is None else arithmetic.number(known, place.index.type)
        return stack.element(index) if 0 <= index < stack.size else None

    def value(self, expression: ex.Expression) -> BitsOf:
        """The bits of an expression of fixed width."""
        match expression:
            case ex.Const(value=value, type=type_):
                return constant(value, width_of(type_))
            case ex.Read(place=place, type=type_):
                return self._read(place, width_of(type_))
            case ex.IsValid(header=place):
                name = self.header_name(place)
                return (UNKNOWN,) if name is None else (ONE if name in self.headers else ZERO,)
            case ex.Slice(operand=operand, high=high, low=low):
                bits = self.value(operand)
                return bits[len(bits) - 1 - high : len(bits) - low]
            case ex.Cast(operand=operand, type=type_):
                return self._cast(self.value(operand), operand.type, width_of(type_), isinstance(type_, Bool))
            case ex.Binary():
                return self._binary(expression)
            case ex.Unary(op=ex.UnaryOp.NOT, operand=operand):
                known = number_of(self.value(operand))
                return (UNKNOWN,) if known is None else constant(1 - known, 1)
            case ex.Unary(type=type_) | ex.Conditional(type=type_):
                return (UNKNOWN,) * width_of(type_)
        return ()

    def _read(self, place: ex.Place, width: int) -> BitsOf:
        if isinstance(place, ex.VariableRef):
            return self.variables.get(place.name, constant(0, width))
        name = self.header_name(place.header)
        if name is None:
            return (UNKNOWN,) * width
        if name not in self.headers:
            return constant(0, width)
        at = self.headers[name] + field_offset(self.program, name, place.field)
        return tuple(range(at, at + width))

    @staticmethod
    def _cast(bits: BitsOf, source: object, width: int, to_bool: bool) -> BitsOf:
        if to_bool:
            known = number_of(bits)
            return bits if len(bits) == 1 else (UNKNOWN,) if known is None else constant(int(known != 0), 1)
        if width <= len(bits):
            return bits[len(bits) - width :]
        sign = bits[0] if isinstance(source, Bits) and source.signed and bits else ZERO
        return (sign,) * (width - len(bits)) + bits

    def _binary(self, expression: ex.Binary) -> BitsOf:
        left, right = self.value(expression.left), self.value(expression.right)
        width = width_of(expression.type)
        a, b = number_of(left), number_of(right)
        match expression.op:
            case _Op.CONCAT:
                return left + right
            case _Op.SHL if b is not None:
                return (left + (ZERO,) * b)[-width:] if b < width else constant(0, width)
            case _Op.SHR if b is not None:
                sign = left[0] if isinstance(expression.type, Bits) and expression.type.signed else ZERO
                return ((sign,) * min(b, width) + left)[:width]
            case _Op.AND if len(left) == len(right):
                return tuple(map(_and, left, right))
            case _Op.OR if len(left) == len(right):
                return tuple(map(_or, left, right))
        if a is None or b is None:
            return (UNKNOWN,) * width
        return constant(arithmetic.binary(expression.op, a, b, expression.left.type, expression.right.type), width)


def _and(a: int, b: int) -> int:
    if ZERO in (a, b):
        return ZERO
    return a if b == ONE else b if a == ONE else UNKNOWN


def _or(a: int, b: int) -> int:
    if ONE in (a, b):
        return ONE
    return a if b == ZERO else b if a == ZERO else UNKNOWN


def field_width(type_: Bits | Varbit) -> int:
    """Bits of a field in frames that are made here: varbits are empty."""
    return type_.width if isinstance(type_, Bits) else 0


def field_offset(program: Program, header: str, name: str) -> int:
    """Bits in front of a field in its header."""
    at = 0
    for layout in program.header_type_of[header].fields:
        if layout.name == name:
            return at
        at += field_width(layout.type)
    raise KeyError(name)
