"""Which bits of their keys entries match: prefix lengths, masks, and how many entries have which."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random

from transpiler.hlir.program import MatchKind
from transpiler.interpreter.matches import PRIORITY_KINDS
from transpiler.traffic.keys import KeyBit, KeyField, Own, Pattern, Shared, Unknown, capacity

MASKS = 16  # different ones in a table with ternary, range or optional fields

# Parts per thousand of the prefixes of the default-free zone by length: rounded from what public looking glasses and
# reports on the growth of the IPv4 table have shown since 2020. /24 is about 60 %; nothing is longer.
DFZ = {
    8: 0.02, 9: 0.01, 10: 0.04, 11: 0.1, 12: 0.3, 13: 0.6, 14: 1.2, 15: 2.0, 16: 14.0, 17: 8.5, 18: 14.0, 19: 26.0,
    20: 44.0, 21: 54.0, 22: 116.0, 23: 104.0, 24: 615.0,
}  # fmt: skip

Lengths = dict[int, float]
Mend = Callable[[tuple[bool, ...]], tuple[bool, ...] | None]


class LengthsError(ValueError):
    """Not a distribution of prefix lengths."""


def is_dfz(text: str | None, width: int) -> bool:
    """Whether prefixes are to be as in the Internet's routing table, and so below 224.0.0.0 as all unicast addresses."""
    return width == 32 and text in (None, "dfz")


def lengths(text: str | None, width: int) -> Lengths:
    """`dfz`, `24`, `48-64` or `16:1,24:6`: a share for each length. Raises: LengthsError."""
    if text is None:
        return DFZ if width == 32 else _even(max(1, width * 3 // 8), max(1, width // 2))
    try:
        if text == "dfz":
            found = dict(DFZ)
        elif ":" in text:
            found = {int(length): float(share) for length, _, share in (p.partition(":") for p in text.split(","))}
        else:
            low, _, high = text.partition("-")
            found = _even(int(low), min(int(high or low), width + 1))
    except ValueError:
        raise LengthsError(f"'{text}' is neither dfz, nor LENGTH, LOW-HIGH or LENGTH:SHARE,...") from None
    if not found or not all(share >= 0 for share in found.values()) or not 0 < sum(found.values()) < math.inf:
        raise LengthsError(f"'{text}' has no lengths")
    if min(found) < 0 or max(found) > width:
        raise LengthsError(f"'{text}' has lengths beyond the {width} bits of the field")
    return found


def _even(low: int, high: int) -> Lengths:
    return dict.fromkeys(range(low, high + 1), 1.0)


def make(
    fields: Sequence[KeyField], bits: Sequence[KeyBit], marks: Sequence[int], others: int, part: tuple[int, int], count: int,
    wanted: str | None, seed: int, masks: int = MASKS, mend: Mend = lambda cares: cares,
) -> tuple[Pattern, ...]:  # fmt: skip
    """The patterns of `count` entries, or of as many as there are keys for `part` k of n that share them.

    `others`: as in `capacity`; `masks` different ones at most; `mend` makes each one that is allowed. Raises: LengthsError.
    """
    chance = Random(seed)
    width = next((f.width for f in fields if f.kind is MatchKind.LPM), 0)
    spread = lengths(wanted, width) if width else {0: 1.0}
    if not any(isinstance(b, Own) for b in bits):
        spread = {width: 1.0}  # prefixes of other tables' keys might be the same
    shares: dict[tuple[bool, ...], float] = {}
    ternary, found = any(f.kind in PRIORITY_KINDS for f in fields), False
    for turn in range(masks if ternary else 1):
        for length, share in spread.items():
            cares = _cares(fields, bits, marks, length, chance, turn)
            if cares is None:
                continue
            found = True
            allowed = mend(cares)
            if allowed is not None:
                shares[allowed] = shares.get(allowed, 0.0) + share
    if not found:
        raise LengthsError(f"prefixes of {min(spread)} bits leave nothing that misses; --hit 1 takes them")
    number, parts = part
    room = {cares: (capacity(cares, bits, marks, others) + parts - 1 - number) // parts for cares in shares}
    counts = _allot(shares, room, count)
    return tuple(Pattern(cares, counts[cares]) for cares in shares if counts[cares])


def _cares(
    fields: Sequence[KeyField], bits: Sequence[KeyBit], marks: Sequence[int], length: int, chance: Random, turn: int
) -> tuple[bool, ...] | None:
    """One pattern; None where it would leave marks out. The first matches whole fields wherever it can."""
    result: list[bool] = []
    for field in fields:
        part = bits[len(result) : len(result) + field.width]
        need = max((i + 1 for i, b in enumerate(part) if isinstance(b, Own) and b.index in marks), default=0)
        match field.kind:
            case MatchKind.LPM:
                kept = length
            case MatchKind.TERNARY | MatchKind.RANGE:
                kept = field.width if turn == 0 else chance.choice((0, field.width // 2, field.width))
                kept = max(kept, need)
            case MatchKind.OPTIONAL:
                kept = field.width if turn == 0 or need else chance.choice((0, field.width))
            case _:
                kept = field.width
        if kept < need:
            return None
        cares = [i < kept for i in range(field.width)]
        if field.kind in PRIORITY_KINDS:
            cares = _leave_out(field, part, cares, any(isinstance(b, Own) for b in bits))
        result += cares
    return tuple(result)


def _leave_out(field: KeyField, part: Sequence[KeyBit], cares: list[bool], has_own: bool) -> list[bool]:
    """Bits that another table has chosen are not matched where a table has bits of its own; unknown ones never are."""
    foreign = [isinstance(b, Unknown) or (has_own and isinstance(b, Shared)) for b in part]
    if not any(foreign):
        return cares
    if field.kind is MatchKind.TERNARY:
        return [c and not f for c, f in zip(cares, foreign, strict=True)]
    if field.kind is MatchKind.OPTIONAL:
        return [False] * field.width
    return [c and i < foreign.index(True) for i, c in enumerate(cares)]


def _allot(shares: dict[tuple[bool, ...], float], room: dict[tuple[bool, ...], int], count: int) -> dict[
    tuple[bool, ...], int
]:  # fmt: skip
    """Numbers by share as far as there is room; what is left goes to where most room is."""
    total = sum(shares.values()) or 1.0
    counts = {cares: min(room[cares], int(count * share / total)) for cares, share in shares.items()}
    for cares in sorted(shares, key=lambda c: room[c] - counts[c], reverse=True):
        counts[cares] += max(0, min(room[cares] - counts[cares], count - sum(counts.values())))
    return counts
