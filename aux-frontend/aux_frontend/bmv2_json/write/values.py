"""Expressions and places of HLIR as the JSON has them. Numbers have no width there: what wraps in HLIR is masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr
from transpiler.hlir.arithmetic import number, ones
from transpiler.hlir.types import Bits, Bool, Enum, Type, width_of

Json = Any
SCALARS = "scalars"
STANDARD = "standard_metadata"
Op = ex.BinaryOp
_NAMES = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/", Op.MOD: "%", Op.AND: "&", Op.OR: "|", Op.XOR: "^", Op.SHL: "<<",
    Op.SHR: ">>", Op.EQ: "==", Op.NE: "!=", Op.LT: "<", Op.LE: "<=", Op.GT: ">", Op.GE: ">=", Op.LAND: "and", Op.LOR: "or",
}  # fmt: skip
_WRAPPING = (Op.ADD, Op.SUB, Op.MUL, Op.SHL)


class Inexpressible(Exception):
    """HLIR that the JSON has no form for."""

    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.span = span


def hexstr(value: int) -> Json:
    return {"type": "hexstr", "value": f"-{hex(-value)}" if value < 0 else hex(value)}


def operation(name: str, left: Json, right: Json, **more: Json) -> Json:
    return {"type": "expression", "value": {"op": name, "left": left, "right": right, **more}}


@dataclass
class Values:
    """`data`: the places of runtime data in the action that is being written."""

    program: pr.Program
    temporaries: dict[str, Type] = field(default_factory=dict)  # further scalars
    data: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._intrinsics = {variable: name for name, variable in self.program.intrinsics}

    def temporary(self, type_: Type) -> Json:
        """A new scalar."""
        name = f"$tmp.{len(self.temporaries)}"
        self.temporaries[name] = type_
        return {"type": "field", "value": [SCALARS, name]}

    # --- places ------------------------------------------------------------------------------------------------------

    def variable(self, name: str) -> Json:
        if name in self._intrinsics:
            return {"type": "field", "value": [STANDARD, self._intrinsics[name]]}
        return {"type": "field", "value": [SCALARS, name]}

    def place(self, place: ex.Place) -> Json:
        match place:
            case ex.VariableRef(name=name):
                return self.variable(name)
            case ex.FieldRef(header=ex.HeaderRef(name=name), field=of):
                return {"type": "field", "value": [name, of]}
            case ex.FieldRef(header=ex.ElementRef(stack=stack) as header, field=of):
                names = [f.name for f in self.program.header_type_of[stack].fields]
                return operation("access_field", self.header(header), names.index(of))

    def header(self, header: ex.HeaderPlace) -> Json:
        if isinstance(header, ex.HeaderRef):
            return {"type": "header", "value": header.name}
        stack = {"type": "header_stack", "value": header.stack}
        return operation("dereference_header_stack", stack, self.data_of(header.index))

    # --- values ------------------------------------------------------------------------------------------------------

    def any(self, value: ex.Expression) -> Json:
        """As what it is: a bool, or data."""
        return self.truth(value) if isinstance(value.type, Bool) else self.data_of(value)

    def data_of(self, value: ex.Expression) -> Json:
        """As data: a bool is one bit."""
        match value:
            case ex.Const(value=bits, type=type_):
                return hexstr(number(bits, type_))
            case ex.Read(place=ex.VariableRef(name=name)) if name in self.data:
                return {"type": "runtime_data", "value": self.data[name]}
            case ex.Read(place=place):
                return self.place(place)
        if isinstance(value.type, Bool):
            return operation("b2d", None, self.truth(value))
        match value:
            case ex.Unary(op=op, operand=operand, type=type_):
                name = "-" if op is ex.UnaryOp.NEGATE else "~"
                return wrapped(operation(name, None, self.local(operand)), type_)
            case ex.Binary():
                return self._binary(value)
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return operation("?", self.local(then), self.local(otherwise), cond=self.truth(condition))
            case ex.Slice(operand=operand, high=high, low=low):
                bits = self._bits(operand)
                shifted = operation(">>", bits, hexstr(low)) if low else bits
                return operation("&", shifted, hexstr(ones(high - low + 1)))
            case ex.Cast(operand=operand, type=type_):
                return self._cast(operand, type_)
        raise Inexpressible(value.span, f"a {type(value).__name__} cannot be a value in BMv2's JSON")

    def local(self, value: ex.Expression) -> Json:
        """Within an expression runtime data have another name."""
        made = self.data_of(value)
        return {**made, "type": "local"} if made["type"] == "runtime_data" else made

    def _bits(self, value: ex.Expression) -> Json:
        """The bits of a number as a number that is not negative."""
        made = self.local(value)
        if isinstance(value.type, Bits) and value.type.signed:
            return operation("&", made, hexstr(ones(value.type.width)))
        return made

    def _binary(self, value: ex.Binary) -> Json:
        type_, left = value.type, self.local(value.left)
        right = self.local(value.right)
        match value.op:
            case Op.SADD | Op.SSUB:
                assert isinstance(type_, Bits)
                sum_ = operation("+" if value.op is Op.SADD else "-", left, right)
                return operation("sat_cast" if type_.signed else "usat_cast", sum_, hexstr(type_.width))
            case Op.CONCAT:
                shifted = operation("<<", self._bits(value.left), hexstr(width_of(value.right.type)))
                return wrapped(operation("|", shifted, self._bits(value.right)), type_)
        made = operation(_NAMES[value.op], left, right)
        return wrapped(made, type_) if value.op in _WRAPPING else made

    def _cast(self, operand: ex.Expression, type_: Type) -> Json:
        made = self.local(operand)
        old = operand.type
        if isinstance(old, Bool) or old == type_:
            return made
        assert isinstance(old, Bits) and isinstance(type_, Bits)
        if old.signed == type_.signed and old.width <= type_.width:
            return made
        if type_.signed and old.width < type_.width:
            return made
        return wrapped(made, type_)

    def truth(self, value: ex.Expression) -> Json:
        """As a bool."""
        match value:
            case ex.Const(value=bits):
                return {"type": "bool", "value": bool(bits)}
            case ex.IsValid(header=header):
                return operation("valid", None, self.header(header))
            case ex.Unary(op=ex.UnaryOp.NOT, operand=operand):
                return operation("not", None, self.truth(operand))
            case ex.Binary(op=op, left=left, right=right):
                side = self.truth if isinstance(left.type, Bool) else self.local
                return operation(_NAMES[op], side(left), side(right))
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return operation("?", self.truth(then), self.truth(otherwise), cond=self.truth(condition))
            case ex.Cast(operand=operand) if isinstance(operand.type, Bool):
                return self.truth(operand)
            case ex.Cast(operand=operand):
                return operation("d2b", None, self.local(operand))
        return operation("d2b", None, self.local(value))


def wrapped(value: Json, type_: Type) -> Json:
    """Cut to the width of a type."""
    assert isinstance(type_, Bits)
    if type_.signed:
        return operation("two_comp_mod", value, hexstr(type_.width))
    return operation("&", value, hexstr(ones(type_.width)))


def expression(value: Json) -> Json:
    """As an argument: an operation is wrapped once more, as p4c does."""
    return {"type": "expression", "value": value} if value["type"] == "expression" else value


def scalar_width(type_: Type) -> int:
    return 32 if isinstance(type_, Enum) else width_of(type_)
