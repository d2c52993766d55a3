"""Values into bytes: the C that packs keys, records and checksum data, most significant bit first."""

from __future__ import annotations

from itertools import groupby

from transpiler.codegen.c.build import address, call, infix, packed as packed_list, plus
from transpiler.codegen.c.integers import WORD
from transpiler.codegen.c.nodes import (
    Assign,
    Block,
    Body,
    Declare,
    Do,
    Expression as C,
    If,
    Index,
    Literal,
    Name,
    Statement,
)
from transpiler.codegen.ctypes import bytes_of, c_type, is_wide
from transpiler.codegen.expressions import Expressions, as_word
from transpiler.hlir.expressions import Conditional, Expression, ListExpression
from transpiler.hlir.types import Type, Varbit, width_of

KEY = Name("key")
USED = Name("used")  # bits of a buffer that is filled with what varies


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


def is_list(value: Expression) -> bool:
    """Whether it is one list or another, as the run time decides."""
    return isinstance(value, Conditional) and isinstance(value.then, ListExpression)


def varies(values: tuple[Expression, ...]) -> bool:
    """Whether their length is known at run time only."""
    return any(isinstance(value.type, Varbit) for value in values)


def pack_varying(render: Expressions, buffer: C, values: tuple[Expression, ...]) -> tuple[Body, int]:
    """All values one after the other, varbits and conditional lists among them; the statements, which add the number of
    bits to `used`, and how many there are at most."""
    made: list[Statement] = []
    most = 0
    for run, group in groupby(values, lambda value: not isinstance(value.type, Varbit)):
        if run:
            fixed = tuple(group)
            part = Name("part")
            stores, bits = pack_dense(render, part, fixed)
            zeros = packed_list([Literal("0")]) if unaligned(fixed) else None
            declare = Declare("uint8_t", part.name, zeros, size=bytes_of(bits))
            append = Do(call("macs_append_bits", buffer, address(USED), part, bits))
            made += [Block((declare, *stores, append))] if bits else []
            most += bits
            continue
        for value in group:
            appended, bits = _varying(render, buffer, value)
            made += appended
            most += bits
    return tuple(made), most


def _varying(render: Expressions, buffer: C, value: Expression) -> tuple[Body, int]:
    """A varbit or a conditional list."""
    if isinstance(value, Conditional) and is_list(value):
        then, bits = pack_varying(render, buffer, flattened(value.then))
        otherwise, others = pack_varying(render, buffer, flattened(value.otherwise))
        return (If(render(value.condition), then, otherwise),), max(bits, others)
    assert isinstance(value.type, Varbit)
    append = call("macs_varbit_append_bits", "packet", buffer, address(USED), render(value))
    return (Do(append),), value.type.max_width


def unaligned(values: tuple[Expression, ...]) -> bool:
    """Whether one does not fill whole bytes: the bits beside it are read when it is stored."""
    return any(not isinstance(value.type, Varbit) and width_of(value.type) % 8 for value in values)


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


def pack_key(render: Expressions, buffer: C, values: tuple[Expression, ...]) -> Body:
    """Each value right-aligned in whole bytes, for a table. For all that C knows a store of bytes may change anything: `restrict`
    says that it does not, so that what several values are computed from is loaded once."""
    place = buffer if isinstance(buffer, Name) or len(values) == 1 else KEY
    sizes = [bytes_of(width_of(value.type)) for value in values]
    packed: list[Statement] = []
    at = 0
    for value, size in zip(values, sizes, strict=True):
        packed += _key_field(render, place, at, value, room=sum(sizes) - at)
        at += size
    if place is buffer:
        return tuple(packed)
    return (Block((Declare("uint8_t *restrict", KEY.name, buffer), *packed)),)


def _key_field(render: Expressions, place: C, at: int, value: Expression, room: int) -> Body:
    """A value of 3, 5, 6 or 7 bytes is stored with one store of a word, where those behind it are stored later."""
    size = bytes_of(width_of(value.type))
    if size not in (3, 5, 6, 7) or 8 * room < WORD:
        return store_padded(place, at, value.type, render(value))
    word = infix(as_word("uint64_t", value, render(value)), "<<", WORD - 8 * size)
    return (Do(call("macs_store_bytes", plus(place, at), WORD // 8, word)),)
