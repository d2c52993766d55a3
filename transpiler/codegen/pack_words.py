"""Values into whole words of 64 bits, most significant bit first: bytes that are read again at once are written as they are
read. A load of eight bytes from several smaller stores waits until these have left the store buffer.

{ a: 48 bits, b: 48 bits }      →      list[0..7] = a << 16 | b >> 32;  list[8..15] = b << 32;
"""

from __future__ import annotations

from transpiler.codegen.c.build import all_of, call, infix, plus
from transpiler.codegen.c.integers import WORD
from transpiler.codegen.c.nodes import Body, Do, Expression as C, Statement
from transpiler.codegen.ctypes import is_wide
from transpiler.codegen.expressions import Expressions, as_word
from transpiler.hlir.expressions import Expression
from transpiler.hlir.types import width_of

BYTES = WORD // 8


def goes_in_words(values: tuple[Expression, ...]) -> bool:
    """Whether there are several, of which none is wider than a word, in more bytes than a store or two."""
    bits = sum(width_of(value.type) for value in values)
    return len(values) > 1 and bits > WORD // 2 and not any(is_wide(value.type) for value in values)


def pack_words(render: Expressions, buffer: C, values: tuple[Expression, ...], skipped: int) -> tuple[Body, int]:
    """All values one after the other from byte `skipped` on, zeros before and behind; the statements, and how many words they
    fill."""
    at = 8 * skipped
    parts: dict[int, list[C]] = {}
    for value in values:
        given = as_word("uint64_t", value, render(value))
        end = at + width_of(value.type)
        for word in range(at // WORD, -(-end // WORD)):
            left = WORD * (word + 1) - end
            part = infix(given, "<<", left) if left > 0 else infix(given, ">>", -left) if left < 0 else given
            parts.setdefault(word, []).append(part)
        at = end
    made: list[Statement] = [
        Do(call("macs_store_bytes", plus(buffer, BYTES * word), BYTES, all_of("|", together)))
        for word, together in sorted(parts.items())
    ]
    return tuple(made), len(parts)
