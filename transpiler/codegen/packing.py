"""Values into bytes: the C that packs keys, records and checksum data, most significant bit first."""

from __future__ import annotations

from transpiler.codegen.ctypes import c_type, is_wide
from transpiler.codegen.expressions import Expressions
from transpiler.codegen.outside import Outside
from transpiler.codegen.views import NOWHERE, Line, Views
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


def store(render: Expressions, buffer: str, first_bit: int, value: Expression, cite: Outside = NOWHERE) -> Line:
    """Store one value's bits from bit `first_bit` of a byte array on."""
    bits, text = width_of(value.type), render(value).text
    if is_wide(value.type):
        return Line(f"{c_type(value.type)}_store({buffer}, {first_bit}, {bits}, {text});", cite)
    if first_bit % 8 == 0 and bits % 8 == 0:
        place = f"{buffer} + {first_bit // 8}" if first_bit else buffer
        return Line(f"macs_store_bytes({place}, {bits // 8}, {text});", cite)
    return Line(f"macs_store_bits({buffer}, {first_bit}, {bits}, {text});", cite)


def pack_dense(render: Expressions, buffer: str, values: tuple[Expression, ...]) -> tuple[Views, int]:
    """All values one after the other without padding; the statements and the number of bits."""
    lines: list[Line] = []
    at = 0
    for value in values:
        lines.append(store(render, buffer, at, value))
        at += width_of(value.type)
    return tuple(lines), at


def has_varbit(values: tuple[Expression, ...]) -> bool:
    return any(isinstance(value.type, Varbit) for value in values)


def pack_varying(render: Expressions, buffer: str, values: tuple[Expression, ...]) -> tuple[Views, int]:
    """All values one after the other, varbits among them, each beginning at a byte; the statements, which leave the
    number of bytes in `used`, and how many bits there are at most."""
    lines: list[Line] = [Line("uint32_t used = 0;")]
    at = most = 0

    def end_run() -> None:
        nonlocal at
        if at:
            lines.append(Line(f"used += {bytes_of(at)};"))
        at = 0

    for value in values:
        if isinstance(value.type, Varbit):
            end_run()
            lines.append(Line(f"macs_varbit_append(packet, {buffer}, &used, {render(value)});"))
            most += value.type.max_width
        else:
            lines.append(store(render, f"({buffer} + used)", at, value))
            at += width_of(value.type)
            most += width_of(value.type)
    end_run()
    return tuple(lines), most


def pack_padded(render: Expressions, buffer: str, values: tuple[Expression, ...]) -> tuple[Views, int]:
    """Each value right-aligned in whole bytes; the statements and the number of bytes."""
    lines: list[Line] = []
    at = 0
    for value in values:
        lines += store_padded(buffer, at, value.type, render(value).text)
        at += bytes_of(width_of(value.type))
    return tuple(lines), at


def store_padded(buffer: str, at: int, type_: Type, text: str) -> list[Line]:
    """Store one value right-aligned in whole bytes, from byte `at` on."""
    bits = width_of(type_)
    place = f"{buffer} + {at}" if at else buffer
    if not is_wide(type_):
        return [Line(f"macs_store_bytes({place}, {bytes_of(bits)}, {text});")]
    padding = bytes_of(bits) * 8 - bits
    lines = [Line(f"{buffer}[{at}] = 0;")] if padding else []
    return [*lines, Line(f"{c_type(type_)}_store({place}, {padding}, {bits}, {text});")]
