"""Header fields that are read where they lie in the frame."""

from __future__ import annotations

from transpiler.codegen.c.build import call, cast, choose, infix, packet, plus
from transpiler.codegen.c.nodes import Expression, Literal
from transpiler.codegen.ctypes import bytes_of, c_type, is_wide
from transpiler.hlir.types import Bits, HeaderType, width_of


def loaded(type_: Bits, start: Expression, offset: int, readable: int) -> Expression:
    """`type_` from bit `offset` behind byte `start` of the frame, where `readable` bytes are there to be read."""
    width, base = type_.width, infix(packet("data"), "+", start)
    if is_wide(type_):
        return call(f"{c_type(type_)}_load", base, offset, width)
    if (word := word_around(offset, width, readable)) is not None:
        first, size = word
        return as_type(type_, call("macs_load_from_word", plus(base, first), size, offset - 8 * first, width))
    if offset % 8 == 0 and width % 8 == 0:
        return as_type(type_, call("macs_load_bytes", plus(base, offset // 8), width // 8))
    return as_type(type_, call("macs_load_bits", base, offset, width))


def word_around(first_bit: int, bits: int, readable: int) -> tuple[int, int] | None:
    """A word of 4 or 8 bytes, the first byte and the size, that holds bits which stand in 3, 5, 6 or 7 of `readable` bytes:
    one load then reads them. None for others, and where there are not as many bytes."""
    first, end = first_bit // 8, bytes_of(first_bit + bits)
    size = {3: 4, 5: 8, 6: 8, 7: 8}.get(end - first, readable + 1)
    return (min(first, readable - size), size) if size <= readable else None


def as_type(type_: Bits, value: Expression) -> Expression:
    """What was loaded, 64 bits, as the C type of `type_`."""
    c = c_type(type_)
    return value if c == "uint64_t" else cast(c, value)


def field_of(layout: HeaderType, name: str, start: Expression) -> Expression:
    """A field, in front of any varbit, of a header that begins at byte `start` of the frame."""
    offset = 0
    for field in layout.fields:
        assert isinstance(field.type, Bits)
        if field.name == name:
            return loaded(field.type, start, offset, layout.fixed_bits // 8)
        offset += field.type.width
    raise KeyError(name)


def received(layout: HeaderType, name: str, at: Expression, zero: Expression, *, sure: bool) -> Expression:
    """The same of a header whose place in the frame is `at`: zero where it was not received, which `sure` excludes."""
    value = field_of(layout, name, at)
    return value if sure else choose(infix(at, "!=", "MACS_NOWHERE"), value, zero)


def received_run(layout: HeaderType, first: int, count: int, at: Expression, *, sure: bool) -> Expression | None:
    """Fields of a header from number `first` on, as one number; None where these do not fill bytes. The rest as of `received`."""
    offset, width = (
        sum(width_of(f.type) for f in fields) for fields in (layout.fields[:first], layout.fields[first:][:count])
    )
    if offset % 8 or width % 8:
        return None
    value = loaded(Bits(width), at, offset, layout.fixed_bits // 8)
    return value if sure else choose(infix(at, "!=", "MACS_NOWHERE"), value, Literal("0"))
