"""Values into whole words of 64 bits, most significant bit first: bytes that are read again at once are written as they are
read. A load of eight bytes from several smaller stores waits until these have left the store buffer.

{ a: 48 bits, b: 48 bits }      →      list[0..7] = a << 16 | b >> 32;  list[8..15] = b << 32;

The key of a table that is looked up at once is packed so, too, where each value is right-aligned in whole bytes.
"""

from __future__ import annotations

from transpiler.codegen.c.build import all_of, call, infix, operand, plus
from transpiler.codegen.c.integers import WORD
from transpiler.codegen.c.nodes import Body, Declare, Do, Expression as C, Index, Member, Name, Statement
from transpiler.codegen.ctypes import bytes_of, c_type, is_wide
from transpiler.codegen.expressions import Expressions, as_word
from transpiler.hlir.expressions import Expression
from transpiler.hlir.types import width_of

BYTES = WORD // 8


def goes_in_words(values: tuple[Expression, ...]) -> bool:
    """Whether they are stored in other pieces than they are read in: there are several, or a wide one, in more bytes than a
    store or two."""
    bits = sum(width_of(value.type) for value in values)
    return bits > WORD // 2 and (len(values) > 1 or any(is_wide(value.type) for value in values))


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
    made: list[Statement] = []
    for value, at in placed:
        declared, pieces = _pieces(render, value, at)
        made += declared
        for given, begin, end in pieces:
            for word in range(begin // WORD, -(-end // WORD)):
                left = WORD * (word + 1) - end
                part = infix(given, "<<", left) if left > 0 else infix(given, ">>", -left) if left < 0 else given
                parts.setdefault(word, []).append(part)
    made += [
        Do(call("macs_store_bytes", plus(buffer, BYTES * word), BYTES, all_of("|", together)))
        for word, together in sorted(parts.items())
    ]
    return tuple(made), len(parts)


def _pieces(render: Expressions, value: Expression, at: int) -> tuple[Body, list[tuple[C, int, int]]]:
    """A value from a bit on as numbers of a word at most, each with where it begins and ends: the limbs of a wide one, the
    highest first. What is declared before."""
    end = at + width_of(value.type)
    given = render(value)
    if not is_wide(value.type):
        return (), [(as_word("uint64_t", value, given), at, end)]
    declared: Body = ()
    if not isinstance(given, Name):
        wide = Name(f"wide_{at}")
        declared, given = (Declare(c_type(value.type), wide.name, given, constant=True),), wide
    ends = range(end, at, -WORD)
    limbs: list[tuple[C, int, int]] = [
        (Index(Member(given, "limb"), operand(number)), max(at, end - WORD), end) for number, end in enumerate(ends)
    ]
    return declared, limbs[::-1]
