"""The value of an expression, the reading and writing of places. P4-16 spec 1.2.5 section 8, plainly.

What the specification leaves undefined is what HLIR fixes: division by zero gives 0, an element beyond a stack's end reads
as an invalid header of zeros and swallows writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transpiler.hlir import arithmetic, expressions as ex
from transpiler.hlir.types import Type, Varbit, width_of
from transpiler.interpreter.shadowed import Arithmetic, Shadowed, settled
from transpiler.interpreter.state import BitString, HeaderValue, State, Value, zero


def evaluate(expression: ex.Expression, state: State) -> int:
    """The value of an expression that is a number, a bool or an enum."""
    value = _KINDS[type(expression)](expression, state)
    return value.value if isinstance(value, BitString) else value


def evaluate_any(expression: ex.Expression, state: State) -> Value:
    """The value of any expression but a text or a list."""
    return _KINDS[type(expression)](expression, state)


def _is_valid(expression: ex.IsValid, state: State) -> int:
    found = find_header(expression.header, state)
    return int(found is not None and found.valid)


def _unary(expression: ex.Unary, state: State) -> int:
    value = evaluate(expression.operand, state)
    return _of(value).unary(expression.op, value, expression.type)


def _binary(expression: ex.Binary, state: State) -> int:
    op, left, right = expression.op, expression.left, expression.right
    if isinstance(left.type, Varbit):
        same = evaluate_any(left, state) == evaluate_any(right, state)
        return int(same == (op is ex.BinaryOp.EQ))
    a = evaluate(left, state)
    if not isinstance(a, Shadowed) and ((op is _AND and not a) or (op is _OR and a)):
        return int(a)  # whatever the other is
    b = evaluate(right, state)
    return _of(a, b).binary(op, a, b, left.type, right.type)


def _conditional(expression: ex.Conditional, state: State) -> Value:
    return evaluate_any(expression.then if evaluate(expression.condition, state) else expression.otherwise, state)


def _slice(expression: ex.Slice, state: State) -> int:
    value = evaluate(expression.operand, state)
    return _of(value).bits_of(value, expression.high, expression.low)


def _cast(expression: ex.Cast, state: State) -> int:
    value = evaluate(expression.operand, state)
    return _of(value).cast(value, expression.operand.type, expression.type)


_AND, _OR = ex.BinaryOp.LAND, ex.BinaryOp.LOR
_KINDS: dict[type, Callable[[Any, State], Value]] = {
    ex.Const: lambda expression, state: expression.value,
    ex.Read: lambda expression, state: read(expression.place, state),
    ex.IsValid: _is_valid,
    ex.Unary: _unary,
    ex.Binary: _binary,
    ex.Conditional: _conditional,
    ex.Slice: _slice,
    ex.Cast: _cast,
    ex.Text: lambda expression, state: 0,
    ex.ListExpression: lambda expression, state: 0,
}


def _of(a: int, b: int = 0) -> Arithmetic:
    """What computes with these."""
    if isinstance(a, Shadowed):
        return a.arithmetic
    return b.arithmetic if isinstance(b, Shadowed) else arithmetic


# --- places ----------------------------------------------------------------------------------------------------------


def find_header(place: ex.HeaderPlace, state: State) -> HeaderValue | None:
    """The header at a place, None for an element beyond the end of its stack."""
    if isinstance(place, ex.HeaderRef):
        return state.headers[place.name]
    position = arithmetic.number(evaluate(place.index, state), place.index.type)
    declared = state.program.stack[place.stack]
    return state.headers[declared.element(settled(position))] if 0 <= position < declared.size else None


def read(place: ex.Place, state: State) -> Value:
    """What is stored at a place."""
    if isinstance(place, ex.VariableRef):
        return state.variables[place.name]
    header = place.header
    found = find_header(header, state)
    if found is not None:
        return found.fields[place.field]
    assert isinstance(header, ex.ElementRef)
    return zero(state.program.header_type_of[header.stack].field(place.field).type)


def write(place: ex.Place, value: Value, state: State) -> None:
    """Store a value of the place's type."""
    if isinstance(place, ex.VariableRef):
        state.variables[place.name] = value
        return
    found = find_header(place.header, state)
    if found is not None:
        found.fields[place.field] = value


def place_type(place: ex.Place, state: State) -> Type:
    """The type of what a place holds."""
    match place:
        case ex.VariableRef(name=name):
            return state.program.variable[name].type
        case ex.FieldRef(header=header, field=field):
            name = header.name if isinstance(header, ex.HeaderRef) else header.stack
            return state.program.header_type_of[name].field(field).type


def pack(items: tuple[ex.Expression, ...], state: State) -> tuple[int, int]:
    """The items one after the other, nested lists flattened, varbits at their run-time width: (value, width in bits)."""
    value = width = 0
    for item in items:
        if isinstance(item, ex.Conditional) and isinstance(item.then, ex.ListExpression):
            item = item.then if evaluate(item.condition, state) else item.otherwise
        if isinstance(item, ex.ListExpression):
            part, size = pack(item.items, state)
        else:
            content = evaluate_any(item, state)
            if isinstance(content, BitString):
                part, size = content.value, content.width
            else:
                part, size = content, 0 if isinstance(item.type, Varbit) else width_of(item.type)
        value, width = value << size | part, width + size
    return value, width


def to_bytes(value: int, width: int) -> bytes:
    """Bits as whole bytes, zeros appended to the last one."""
    size = (width + 7) // 8
    return (value << (size * 8 - width)).to_bytes(size, "big")
