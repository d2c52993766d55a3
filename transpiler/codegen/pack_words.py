"""Values into whole words of 64 bits, most significant bit first: bytes that are read again at once are written as they are
read. A load of eight bytes from several smaller stores waits until these have left the store buffer.

{ a: 48 bits, b: 48 bits }      →      list[0..7] = a << 16 | b >> 32;  list[8..15] = b << 32;

The key of a table that is looked up at once is packed so, too, where each value is right-aligned in whole bytes.
"""

from __future__ import annotations

from transpiler.codegen.c.build import all_of, call, infix, plus
from transpiler.codegen.c.integers import WORD
from transpiler.codegen.c.nodes import Body, Do, Expression as C, Statement
from transpiler.codegen.ctypes import bytes_of, is_wide
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
    placed: list[tuple[Expression, int]] = []
    for value in values:
        placed.append((value, at))
        at += width_of(value.type)
    return _stored(render, buffer, placed)


def key_goes_in_words(values: tuple[Expression, ...]) -> bool:
    """Whether the key's bytes would be stored in other pieces than they are read in: all but one value of a power of two of
    bytes. None is wider than a word."""
    sizes = [bytes_of(width_of(value.type)) for value in values]
    return sizes not in ([], [1], [2], [4], [8]) and not any(is_wide(value.type) for value in values)


def pack_key_words(render: Expressions, buffer: C, values: tuple[Expression, ...]) -> Body:
    """Each value right-aligned in whole bytes, into a buffer of whole words: zeros behind the last one."""
    at = 0
    placed: list[tuple[Expression, int]] = []
    for value in values:
        at += 8 * bytes_of(width_of(value.type))
        placed.append((value, at - width_of(value.type)))
    return _stored(render, buffer, placed)[0]


def _stored(render: Expressions, buffer: C, placed: list[tuple[Expression, int]]) -> tuple[Body, int]:
    """The statements that store values, each from a bit on, in this order; and how many words they fill."""
    parts: dict[int, list[C]] = {}
    for value, at in placed:
        given = as_word("uint64_t", value, render(value))
        end = at + width_of(value.type)
        for word in range(at // WORD, -(-end // WORD)):
            left = WORD * (word + 1) - end
            part = infix(given, "<<", left) if left > 0 else infix(given, ">>", -left) if left < 0 else given
            parts.setdefault(word, []).append(part)
    made: list[Statement] = [
        Do(call("macs_store_bytes", plus(buffer, BYTES * word), BYTES, all_of("|", together)))
        for word, together in sorted(parts.items())
    ]
    return tuple(made), len(parts)
