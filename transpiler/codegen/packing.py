"""Values into bytes: the C that packs keys, records and checksum data, most significant bit first."""

from __future__ import annotations

from transpiler.codegen.c.build import address, call, infix, plus
from transpiler.codegen.c.nodes import Assign, Body, Declare, Do, Expression as C, Index, Literal, Name, Statement
from transpiler.codegen.ctypes import c_type, is_wide
from transpiler.codegen.expressions import Expressions
from transpiler.hlir.expressions import Expression, ListExpression
from transpiler.hlir.types import Type, Varbit, width_of


def bytes_of(bits: int) -> int:
    return -(-bits // 8)


def word_around(first_bit: int, bits: int, readable: int) -> tuple[int, int] | None:
    """A word of 4 or 8 bytes, the first byte and the size, that holds bits which stand in 3, 5, 6 or 7 of `readable` bytes:
    one load then reads them. None for others, and where there are not as many bytes."""
    first, end = first_bit // 8, bytes_of(first_bit + bits)
    size = {3: 4, 5: 8, 6: 8, 7: 8}.get(end - first, readable + 1)
    return (min(first, readable - size), size) if size <= readable else None


def flattened(expression: Expression) -> tuple[Expression, ...]:
    """The values of a list, nested lists included; anything else is one value."""
    if isinstance(expression, ListExpression):
        return tuple(value for item in expression.items for value in flattened(item))
    return (expression,)


def store(render: Expressions, buffer: C, first_bit: int, value: Expression) -> Statement:
    """Store one value's bits from bit `first_bit` of a byte array on."""
    return stored(buffer, first_bit, value.type, render(value))


def stored(buffer: C, first_bit: int, type_: Type, value: C) -> Statement:
    """The same of a value in C."""
    bits = width_of(type_)
    if is_wide(type_):
        return Do(call(f"{c_type(type_)}_store", buffer, first_bit, bits, value))
    if first_bit % 8 == 0 and bits % 8 == 0:
        return Do(call("macs_store_bytes", plus(buffer, first_bit // 8), bits // 8, value))
    return Do(call("macs_store_bits", buffer, first_bit, bits, value))


def pack_dense(render: Expressions, buffer: C, values: tuple[Expression, ...]) -> tuple[Body, int]:
    """All values one after the other without padding; the statements and the number of bits."""
    packed: list[Statement] = []
    at = 0
    for value in values:
        packed.append(store(render, buffer, at, value))
        at += width_of(value.type)
    return tuple(packed), at


def has_varbit(values: tuple[Expression, ...]) -> bool:
    return any(isinstance(value.type, Varbit) for value in values)


def pack_varying(render: Expressions, buffer: C, values: tuple[Expression, ...]) -> tuple[Body, int]:
    """All values one after the other, varbits among them, each beginning at a byte; the statements, which leave the
    number of bytes in `used`, and how many bits there are at most."""
    used = Name("used")
    packed: list[Statement] = [Declare("uint32_t", "used", Literal("0"))]
    at = most = 0

    def end_run() -> None:
        nonlocal at
        if at:
            packed.append(Assign(used, Literal(str(bytes_of(at))), operator="+="))
        at = 0

    for value in values:
        if isinstance(value.type, Varbit):
            end_run()
            packed.append(Do(call("macs_varbit_append", "packet", buffer, address(used), render(value))))
            most += value.type.max_width
        else:
            packed.append(store(render, infix(buffer, "+", used), at, value))
            at += width_of(value.type)
            most += width_of(value.type)
    end_run()
    return tuple(packed), most


def pack_padded(render: Expressions, buffer: C, values: tuple[Expression, ...]) -> tuple[Body, int]:
    """Each value right-aligned in whole bytes; the statements and the number of bytes."""
    packed: list[Statement] = []
    at = 0
    for value in values:
        packed += store_padded(buffer, at, value.type, render(value))
        at += bytes_of(width_of(value.type))
    return tuple(packed), at


def store_padded(buffer: C, at: int, type_: Type, value: C) -> Body:
    """Store one value right-aligned in whole bytes, from byte `at` on."""
    bits = width_of(type_)
    place = plus(buffer, at)
    if not is_wide(type_):
        return (Do(call("macs_store_bytes", place, bytes_of(bits), value)),)
    padding = bytes_of(bits) * 8 - bits
    cleared = (Assign(Index(buffer, Literal(str(at))), Literal("0")),) if padding else ()
    return (*cleared, Do(call(f"{c_type(type_)}_store", place, padding, bits, value)))
