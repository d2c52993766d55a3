"""Writing fields: widths, signs, saturation, and the binary primitives. Specification 1.0.5 sections 2.1 and 9.1."""

from __future__ import annotations

from aux_frontend.p4_14.builder import Slot, number
from aux_frontend.p4_14.values import Loose, Operand, Values, width_of_operand
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.arithmetic import bounds, saturate
from transpiler.hlir.types import Bits, Bool, Varbit

Op = ex.BinaryOp
# name → operator, and what is complemented: the "left" or "right" operand, or the "result"
_BITWISE = {
    "bit_and": (Op.AND, ""),
    "bit_or": (Op.OR, ""),
    "bit_xor": (Op.XOR, ""),
    "bit_nand": (Op.AND, "result"),
    "bit_nor": (Op.OR, "result"),
    "bit_xnor": (Op.XOR, "result"),
    "bit_andca": (Op.AND, "left"),
    "bit_andcb": (Op.AND, "right"),
    "bit_orca": (Op.OR, "left"),
    "bit_orcb": (Op.OR, "right"),
}


class Assigner:
    def __init__(self, values: Values) -> None:
        self.values = values

    def numeric(self, slot: Slot, span: Span) -> Bits:
        """The type of a field that arithmetic is done on."""
        if isinstance(slot.declared, Varbit):
            raise self.values.fail(span, "not defined on a field of variable width")
        return slot.declared

    def assign(self, slot: Slot, value: Operand, span: Span) -> st.Body:
        """slot = value, cut or extended; a saturating field takes the nearest value that it can hold."""
        if isinstance(slot.declared, Varbit):
            if isinstance(value, Loose) or value.type != slot.declared:
                raise self.values.fail(span, "a field of variable width only takes the value of one of the same width")
            return (st.Assign(slot.place, value, span),)
        if slot.saturating:
            value = self._nearest(value, slot.declared, span)
        fitted = self.values.bits(value, slot.declared)
        if slot.stored != slot.declared:
            assert isinstance(slot.stored, Bits)
            fitted = self.values.bits(fitted, slot.stored)
        return (st.Assign(slot.place, fitted, span),)

    def operate(self, name: str, slot: Slot, left: Operand, right: Operand, span: Span) -> st.Body:
        """slot = left op right. Operands are cut to the slot's width first, which the result of these does not see."""
        type_ = self.numeric(slot, span)
        if name in ("add", "subtract"):
            return self._sum(name, slot, left, right, span)
        if name in ("shift_left", "shift_right"):
            return self._shift(name, slot, left, right, span)
        if name in ("min", "max"):
            first, second = self.values.unify(left, right)
            chosen = ex.Binary(Op.LE if name == "min" else Op.GE, first, second, Bool(), span)
            return self.assign(slot, ex.Conditional(chosen, first, second, first.type, span), span)
        op, complemented = _BITWISE[name]
        a, b = self.values.bits(left, type_), self.values.bits(right, type_)
        if complemented == "left":
            a = ex.Unary(ex.UnaryOp.COMPLEMENT, a, type_, span)
        if complemented == "right":
            b = ex.Unary(ex.UnaryOp.COMPLEMENT, b, type_, span)
        value: ex.Expression = ex.Binary(op, a, b, type_, span)
        if complemented == "result":
            value = ex.Unary(ex.UnaryOp.COMPLEMENT, value, type_, span)
        return self.assign(slot, value, span)

    def _sum(self, name: str, slot: Slot, left: Operand, right: Operand, span: Span) -> st.Body:
        type_ = self.numeric(slot, span)
        if isinstance(right, Loose) and right.value < 0:
            name, right = ("subtract" if name == "add" else "add"), Loose(-right.value, right.span)
        if not slot.saturating:
            op = Op.ADD if name == "add" else Op.SUB
            value = ex.Binary(op, self.values.bits(left, type_), self.values.bits(right, type_), type_, span)
            return self.assign(slot, value, span)
        width = max(type_.width, width_of_operand(left), width_of_operand(right))
        common = Bits(width + (type_.signed and width > type_.width), type_.signed)
        op = Op.SADD if name == "add" else Op.SSUB
        sum_ = ex.Binary(op, self.values.bits(left, common), self.values.bits(right, common), common, span)
        return self.assign(slot, sum_, span)

    def _shift(self, name: str, slot: Slot, left: Operand, right: Operand, span: Span) -> st.Body:
        type_ = self.numeric(slot, span)
        if isinstance(left, Loose):
            type_ = Bits(max(type_.width, width_of_operand(left)), type_.signed)
            left = self.values.bits(left, type_)
        elif name == "shift_left":  # a number is shifted right as wide as it is, and by its own sign
            left = self.values.bits(left, Bits(max(type_.width, width_of_operand(left)), type_.signed))
        op = Op.SHL if name == "shift_left" else Op.SHR
        return self.assign(slot, self.values.shift(op, left, right, span), span)

    def _nearest(self, value: Operand, type_: Bits, span: Span) -> Operand:
        if isinstance(value, Loose):
            return Loose(saturate(value.value, type_), value.span)
        return self._clamp(value, type_, span)

    def _clamp(self, value: ex.Expression, type_: Bits, span: Span) -> ex.Expression:
        """The nearest value of `type_`."""
        given = value.type
        if not isinstance(given, Bits):
            return value
        lowest, highest = bounds(type_)
        least, most = bounds(given)
        if most > highest:
            value = self._limit(Op.GT, value, highest, given, span)
        if least < lowest:
            value = self._limit(Op.LT, value, lowest, given, span)
        return value

    @staticmethod
    def _limit(op: ex.BinaryOp, value: ex.Expression, bound: int, type_: Bits, span: Span) -> ex.Expression:
        limit = number(bound, type_, span)
        return ex.Conditional(ex.Binary(op, value, limit, Bool(), span), limit, value, type_, span)
