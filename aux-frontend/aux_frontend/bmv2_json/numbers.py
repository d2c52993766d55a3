"""Numbers as BMv2 computes them: integers without width, cut where they are put into a field (docs/JSON_format.md, "General
information"). HLIR's have a width each, so the range of each value is kept with it, and its type holds that.
"""

from __future__ import annotations

from dataclasses import dataclass

from aux_frontend.bmv2_json.storage import MAX_WIDTH
from aux_frontend.bmv2_json.text import Node
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import bounds, ones, stored
from transpiler.hlir.types import Bits, Bool

BOOL = Bool()


@dataclass(frozen=True, slots=True)
class Number:
    """A value that is between `low` and `high`; its type has room for all of these."""

    value: ex.Expression
    low: int
    high: int

    @property
    def type(self) -> Bits:
        assert isinstance(self.value.type, Bits)
        return self.value.type


def type_of(low: int, high: int, node: Node) -> Bits:
    """The smallest type that holds a range. Raises: Invalid, of what is too wide."""
    width = max(max(high, 0).bit_length(), 1)
    if low < 0:
        width = max(max(high, 0).bit_length(), (-low - 1).bit_length()) + 1
    if width > MAX_WIDTH:
        raise node.fail(f"this can have more than {MAX_WIDTH} bits")
    return Bits(width, low < 0)


def constant(value: int, span: Span) -> Number:
    width = max(value.bit_length(), 1) if value >= 0 else (-value - 1).bit_length() + 1
    type_ = Bits(width, value < 0)
    return Number(ex.Const(stored(value, type_), type_, span), value, value)


def ranged(value: ex.Expression) -> Number:
    """A value that can be all that its type has."""
    assert isinstance(value.type, Bits)
    return Number(value, *bounds(value.type))


def resized(value: ex.Expression, type_: Bits) -> ex.Expression:
    """The lowest bits of a number as another type, extended where that is wider."""
    if value.type == type_:
        return value
    match value:
        case ex.Const(value=bits, type=Bits() as old, span=span):
            signed = bits - (1 << old.width) if old.signed and bits >> (old.width - 1) else bits
            return ex.Const(stored(signed, type_), type_, span)
        case ex.Slice(operand=operand, high=high, low=low, span=span) if not type_.signed and type_.width <= high - low:
            return ex.Slice(operand, low + type_.width - 1, low, span)
        case ex.Cast(operand=operand, span=span) if isinstance(operand.type, Bits) and isinstance(value.type, Bits):
            if min(type_.width, operand.type.width) <= value.type.width and operand.type.signed == value.type.signed:
                return resized(operand, type_)
    return ex.Cast(value, type_, value.span)


def common(left: Number, right: Number, node: Node, low: int, high: int) -> tuple[ex.Expression, ex.Expression, Bits]:
    """Both as one type that also has room for low..high."""
    type_ = type_of(min(left.low, right.low, low), max(left.high, right.high, high), node)
    return resized(left.value, type_), resized(right.value, type_), type_


def shifted_right(operand: Number, amount: int, span: Span) -> Number:
    """floor(operand / 2**amount)"""
    width = operand.type.width
    if amount >= width:  # the sign is all that is left: 0 or -1
        sign = ex.Slice(operand.value, width - 1, width - 1, span)
        return constant(0, span) if operand.low >= 0 else ranged(resized(sign, Bits(1, signed=True)))
    if amount == 0:
        return operand
    low, high = operand.low >> amount, operand.high >> amount
    if operand.type.signed:
        value: ex.Expression = ex.Binary(
            ex.BinaryOp.SHR, operand.value, constant(amount, span).value, operand.type, span
        )
        return Number(value, low, high)
    return Number(ex.Slice(operand.value, width - 1, amount, span), low, high)


def masked(value: ex.Expression, mask: int, span: Span) -> ex.Expression:
    """value & mask, in the value's type; only the bits of the mask where these are all."""
    assert isinstance(value.type, Bits)
    if mask & ones(value.type.width) == ones(value.type.width):
        return value
    return ex.Binary(
        ex.BinaryOp.AND, value, ex.Const(mask & ones(value.type.width), value.type, span), value.type, span
    )
