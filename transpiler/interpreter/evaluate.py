"""The value of an expression, the reading and writing of places. P4-16 spec 1.2.5 section 8, plainly.

What the specification leaves undefined is what HLIR fixes: division by zero gives 0, an element beyond a stack's end reads
as an invalid header of zeros and swallows writes.
"""

from __future__ import annotations

from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits, Bool, Type, Varbit, width_of
from transpiler.interpreter.state import BitString, HeaderValue, State, Value, zero

_Op = ex.BinaryOp


def mask(width: int) -> int:
    """`width` one bits."""
    return (1 << width) - 1


def to_signed(value: int, width: int) -> int:
    """The two's complement reading of `width` bits."""
    return value - (1 << width) if width and value >> (width - 1) else value


def number(value: int, type_: Type) -> int:
    """The integer that a stored value stands for: negative ones only in signed types."""
    return to_signed(value, type_.width) if isinstance(type_, Bits) and type_.signed else value


def evaluate(expression: ex.Expression, state: State) -> int:
    """The value of an expression that is a number, a bool or an enum."""
    value = evaluate_any(expression, state)
    return value.value if isinstance(value, BitString) else value


def evaluate_any(expression: ex.Expression, state: State) -> Value:
    """The value of any expression but a text or a list."""
    match expression:
        case ex.Const(value=value):
            return value
        case ex.Read(place=place):
            return read(place, state)
        case ex.IsValid(header=place):
            found = find_header(place, state)
            return int(found is not None and found.valid)
        case ex.Unary(op=op, operand=operand, type=type_):
            return _unary(op, evaluate(operand, state), type_)
        case ex.Binary():
            return _binary(expression, state)
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            return evaluate_any(then if evaluate(condition, state) else otherwise, state)
        case ex.Slice(operand=operand, high=high, low=low):
            return evaluate(operand, state) >> low & mask(high - low + 1)
        case ex.Cast(operand=operand, type=type_):
            return _cast(evaluate(operand, state), operand.type, type_)
        case ex.Text() | ex.ListExpression():
            return 0


def _unary(op: ex.UnaryOp, value: int, type_: Type) -> int:
    match op:
        case ex.UnaryOp.NEGATE:
            return -value & mask(width_of(type_))
        case ex.UnaryOp.COMPLEMENT:
            return ~value & mask(width_of(type_))
        case ex.UnaryOp.NOT:
            return int(not value)


def _cast(value: int, source: Type, target: Type) -> int:
    if isinstance(target, Bool):
        return int(value != 0)
    return number(value, source) & mask(width_of(target))


def _binary(expression: ex.Binary, state: State) -> int:
    op, left, right = expression.op, expression.left, expression.right
    if op in (_Op.EQ, _Op.NE):
        same = evaluate_any(left, state) == evaluate_any(right, state)
        return int(same == (op is _Op.EQ))
    a, b = evaluate(left, state), evaluate(right, state)
    if op in ex.COMPARISONS:
        return int(_compare(op, number(a, left.type), number(b, right.type)))
    if op is _Op.LAND:
        return int(bool(a and b))
    if op is _Op.LOR:
        return int(bool(a or b))
    if op is _Op.CONCAT:
        return a << width_of(right.type) | b
    if op in (_Op.SADD, _Op.SSUB):
        x, y = number(a, left.type), number(b, right.type)
        return _saturate(x + y if op is _Op.SADD else x - y, expression.type)
    if op in (_Op.SHL, _Op.SHR):
        return _shift(op, number(a, left.type), b, width_of(expression.type))
    return _wrap(op, a, b) & mask(width_of(expression.type))


def _compare(op: ex.BinaryOp, a: int, b: int) -> bool:
    match op:
        case _Op.LT:
            return a < b
        case _Op.LE:
            return a <= b
        case _Op.GT:
            return a > b
        case _:
            return a >= b


def _wrap(op: ex.BinaryOp, a: int, b: int) -> int:
    match op:
        case _Op.ADD:
            return a + b
        case _Op.SUB:
            return a - b
        case _Op.MUL:
            return a * b
        case _Op.DIV:
            return a // b if b else 0
        case _Op.MOD:
            return a % b if b else 0
        case _Op.AND:
            return a & b
        case _Op.OR:
            return a | b
        case _Op.XOR:
            return a ^ b
    raise AssertionError(f"{op} is not a wrapping operator")


def _shift(op: ex.BinaryOp, value: int, amount: int, width: int) -> int:
    """Amounts at or above the width leave zeros, or copies of the sign; so the amount is cut to keep ints small."""
    amount = min(amount, width)
    return (value << amount if op is _Op.SHL else value >> amount) & mask(width)


def _saturate(value: int, type_: Type) -> int:
    width = width_of(type_)
    low, high = 0, mask(width)
    if isinstance(type_, Bits) and type_.signed and width:
        low, high = -(1 << (width - 1)), mask(width - 1)
    return min(max(value, low), high) & mask(width)


# --- places ----------------------------------------------------------------------------------------------------------


def find_header(place: ex.HeaderPlace, state: State) -> HeaderValue | None:
    """The header at a place, None for an element beyond the end of its stack."""
    match place:
        case ex.HeaderRef(name=name):
            return state.headers[name]
        case ex.ElementRef(stack=stack, index=index):
            position = number(evaluate(index, state), index.type)
            declared = state.program.stack[stack]
            return state.headers[declared.element(position)] if 0 <= position < declared.size else None


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
