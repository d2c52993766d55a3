"""The value of an expression, the reading and writing of places. P4-16 spec 1.2.5 section 8, plainly.

What the specification leaves undefined is what HLIR fixes: division by zero gives 0, an element beyond a stack's end reads
as an invalid header of zeros and swallows writes.
"""

from __future__ import annotations

from transpiler.hlir import arithmetic, expressions as ex
from transpiler.hlir.types import Type, Varbit, width_of
from transpiler.interpreter.shadowed import Arithmetic, Shadowed, settled
from transpiler.interpreter.state import BitString, HeaderValue, State, Value, zero


def evaluate(expression: ex.Expression, state: State) -> int:
    """The value of an expression that is a number, a bool or an enum."""
    value = evaluate_any(expression, state)
    return value.value if isinstance(value, BitString) else value


def evaluate_any(expression: ex.Expression, state: State) -> Value:
    """The value of any expression but a text or a list."""
    match expression:
        case ex.Const(value=known):
            return known
        case ex.Read(place=place):
            return read(place, state)
        case ex.IsValid(header=place):
            found = find_header(place, state)
            return int(found is not None and found.valid)
        case ex.Unary(op=op, operand=operand, type=type_):
            value = evaluate(operand, state)
            return _of(value).unary(op, value, type_)
        case ex.Binary():
            return _binary(expression, state)
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            return evaluate_any(then if evaluate(condition, state) else otherwise, state)
        case ex.Slice(operand=operand, high=high, low=low):
            value = evaluate(operand, state)
            return _of(value).bits_of(value, high, low)
        case ex.Cast(operand=operand, type=type_):
            value = evaluate(operand, state)
            return _of(value).cast(value, operand.type, type_)
        case ex.Text() | ex.ListExpression():
            return 0


def _binary(expression: ex.Binary, state: State) -> int:
    op, left, right = expression.op, expression.left, expression.right
    if isinstance(left.type, Varbit):
        same = evaluate_any(left, state) == evaluate_any(right, state)
        return int(same == (op is ex.BinaryOp.EQ))
    a, b = evaluate(left, state), evaluate(right, state)
    return _of(a, b).binary(op, a, b, left.type, right.type)


def _of(*values: int) -> Arithmetic:
    """What computes with these."""
    return next((value.arithmetic for value in values if isinstance(value, Shadowed)), arithmetic)


# --- places ----------------------------------------------------------------------------------------------------------


def find_header(place: ex.HeaderPlace, state: State) -> HeaderValue | None:
    """The header at a place, None for an element beyond the end of its stack."""
    match place:
        case ex.HeaderRef(name=name):
            return state.headers[name]
        case ex.ElementRef(stack=stack, index=index):
            position = arithmetic.number(evaluate(index, state), index.type)
            declared = state.program.stack[stack]
            return state.headers[declared.element(settled(position))] if 0 <= position < declared.size else None


def read(place: ex.Place, state: State) -> Value:
    """What is stored at a place."""
    match place:
        case ex.VariableRef(name=name):
            return state.variables[name]
        case ex.FieldRef(header=header, field=field):
            found = find_header(header, state)
            if found is not None:
                return found.fields[field]
            assert isinstance(header, ex.ElementRef)
            return zero(state.program.header_type_of[header.stack].field(field).type)


def write(place: ex.Place, value: Value, state: State) -> None:
    """Store a value of the place's type."""
    match place:
        case ex.VariableRef(name=name):
            state.variables[name] = value
        case ex.FieldRef(header=header, field=field):
            found = find_header(header, state)
            if found is not None:
                found.fields[field] = value


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
