"""Internet checksums (RFC 1071) as C: values are added up where they are, nothing is packed.

Packed, a value would lie across 16-bit words. A word counts by its remainder modulo 65535, to which 2^16 is 1: so a value
may be added as it is, shifted by where its lowest bit lies in a word. The sum is the same modulo 65535, and zero only if
all values are: its fold is the very one that the words have.
"""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.codegen.c.build import all_of, call, cast, infix
from transpiler.codegen.c.nodes import Assign, Body, Declare, Expression as C, Literal, Name, Statement, Unary
from transpiler.codegen.ctypes import literal
from transpiler.codegen.expressions import Expressions
from transpiler.hlir.expressions import Const, Expression
from transpiler.hlir.types import Bits, Bool, width_of

WORD_BITS = 16
FILLED_BITS = 32  # values that fill so many are added as one, which the C compiler may have as such from the packet
ADDED_BITS = 48  # of a value at most, so that 2^16 of them can be added in 64 bits


def can_be_summed(values: tuple[Expression, ...]) -> bool:
    """Whether all of them are C integers."""
    return all(isinstance(v.type, Bits | Bool) and width_of(v.type) <= 64 for v in values)


def sum_of(render: Expressions, values: tuple[Expression, ...], before: C | None) -> tuple[Body, C]:
    """The statements that add up values in `sum`, which they declare, and the checksum, a uint64_t. `before`: the one that
    it extends."""
    total = Name("sum")
    begin = Literal("0") if before is None else infix(Unary("~", before), "&", Literal("0xffff"))
    added: list[Statement] = [Declare("uint64_t", "sum", begin)]
    at = 0
    for together in _filling(values):
        at += sum(width_of(value.type) for value in together)
        terms = _terms(render, together[0], -at % WORD_BITS) if len(together) == 1 else [_joined(render, together)]
        added += [Assign(total, term, operator="+=") for term in terms]
    return tuple(added), call("macs_checksum_of_sum", total)


def _filling(values: tuple[Expression, ...]) -> Iterator[tuple[Expression, ...]]:
    """The values, those together that fill FILLED_BITS where these begin."""
    start = at = 0
    while start < len(values):
        end, bits = start, 0
        while end < len(values) and bits < FILLED_BITS and not isinstance(values[end], Const):
            bits += width_of(values[end].type)
            end += 1
        if at % FILLED_BITS or bits != FILLED_BITS:
            end = start + 1
        yield values[start:end]
        at += sum(width_of(value.type) for value in values[start:end])
        start = end


def _joined(render: Expressions, values: tuple[Expression, ...]) -> C:
    """The values side by side, in FILLED_BITS: as they stand in the frame, where they do."""
    if (whole := render.together(values)) is not None:
        return whole
    parts: list[C] = []
    below = FILLED_BITS
    for value in values:
        below -= width_of(value.type)
        part = cast("uint32_t", render(value))
        parts.append(infix(part, "<<", below) if below else part)
    return all_of("|", parts)


def _terms(render: Expressions, value: Expression, shift: int) -> list[C]:
    """What one value adds, its lowest bit `shift` bits above that of a word."""
    if isinstance(value, Const):
        return [literal((value.value << shift) % 0xFFFF or 0xFFFF, Bits(WORD_BITS))] if value.value else []
    number, width = render(value), width_of(value.type)
    if width + shift <= ADDED_BITS:
        return [_shifted(number, width, shift)]
    low = infix(number, "&", Literal("0xffffffff"))
    return [_shifted(low, 64, shift), _shifted(infix(number, ">>", 32), 64, shift)]


def _shifted(number: C, width: int, shift: int) -> C:
    if not shift:
        return number
    wide = number if width + shift <= 31 or width > 32 else cast("uint64_t", number)
    return infix(wide, "<<", shift)
