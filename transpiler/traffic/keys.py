"""A table's entries by number: the key of entry j is computed from j, so that millions need no memory.

A key's bits are *own* (they come from the frame and are this table's to choose), *shared* (from a part of the frame
that another table has chosen already), *data* (from another table's action data) or constant. The own bits that an entry cares
about are a permutation of its number: no two entries are the same. A *pattern* says which bits those are: all in exact
fields, a prefix in LPM fields, and so on. The first own bits of the widest field, its *marks*, are never all ones
in an entry; frames that shall miss have ones there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np

from transpiler.hlir.program import MatchKind
from transpiler.traffic.bits import Numbers, Rows, Wiring, mixed, permuted, to_rows

RANK_BITS = 64  # of a number that is permuted


@dataclass(frozen=True, slots=True)
class Own:
    """Own bit number `index`."""

    index: int


@dataclass(frozen=True, slots=True)
class Shared:
    """Own bit `index` of another table's entry of the same number."""

    table: str
    index: int


@dataclass(frozen=True, slots=True)
class Data:
    """Bit `index` of what another table's action data give this key."""

    index: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something else: entries cannot match it."""


KeyBit = Own | Shared | Data | Unknown | int  # int: 0 or 1, always


@dataclass(frozen=True, slots=True)
class KeyField:
    kind: MatchKind
    width: int


@dataclass(frozen=True)
class Pattern:
    """`cares`: for each key bit, whether entries of this pattern match it; `count` of them."""

    cares: tuple[bool, ...]
    count: int


@dataclass(frozen=True)
class KeySet:
    """The keys of `count` entries of a table. `marks`: own bits that are not all ones in entries, the highest first.

    `part` k of n: the table has other entries with such keys, which are parts 0 … n-1 without k. Data bits of the same group
    and `data_salt` are the same. `fed`: keys that have some of the data bits, too, with (their data bit, the one here).
    """

    table: str
    fields: tuple[KeyField, ...]
    bits: tuple[KeyBit, ...]
    marks: tuple[int, ...]
    patterns: tuple[Pattern, ...]
    groups: int  # different values of the data bits
    salt: int
    part: tuple[int, int] = (0, 1)
    data_salt: int = 0
    fed: tuple[tuple[KeySet, tuple[tuple[int, int], ...]], ...] = ()

    @cached_property
    def count(self) -> int:
        return sum(p.count for p in self.patterns)

    @cached_property
    def own_count(self) -> int:
        return sum(isinstance(b, Own) for b in self.bits)

    @cached_property
    def data_count(self) -> int:
        return sum(isinstance(b, Data) for b in self.bits)

    @cached_property
    def follows(self) -> str | None:
        """The table whose choice of entry is this table's too."""
        return next((b.table for b in self.bits if isinstance(b, Shared) and self._cared(b)), None)

    def _cared(self, bit: KeyBit) -> bool:
        return any(p.cares[self.bits.index(bit)] for p in self.patterns)

    def pattern_of(self, entries: Numbers) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], Numbers]:
        """The pattern of each entry and its rank within it; patterns are spread over the numbers."""
        if len(self.patterns) == 1:
            return np.zeros(len(entries), dtype=np.int64), entries
        slots = entries * np.uint64(_stride(self.count)) % np.uint64(self.count)
        ends = np.cumsum([p.count for p in self.patterns]).astype(np.uint64)
        which = np.searchsorted(ends, slots, side="right")
        starts = np.concatenate((np.zeros(1, np.uint64), ends[:-1]))
        return which, slots - starts[which]

    def own(self, entries: Numbers) -> Rows:
        """The own bits of entries side by side; those that an entry does not care about are by chance."""
        rows = self._by_chance(entries, self.salt)
        which, ranks = self.pattern_of(entries)
        ranks = ranks * np.uint64(self.part[1]) + np.uint64(self.part[0])
        for number, (wiring, width, marks) in enumerate(self._wirings):
            chosen = slice(None) if len(self._wirings) == 1 else np.nonzero(which == number)[0]
            part = rows[chosen]
            if len(part):
                wiring.copy(_ranked(ranks[chosen], width, marks, self.salt), part)
                rows[chosen] = part
        return rows

    def missing(self, numbers: Numbers) -> Rows:
        """Own bits that no entry has."""
        rows = self._by_chance(numbers, self.salt + 1)
        for bit in self.marks:
            rows[:, bit // 8] |= np.uint8(0x80 >> bit % 8)
        return rows

    def _by_chance(self, numbers: Numbers, salt: int) -> Rows:
        return to_rows([mixed(numbers, salt * 64 + word) for word in range(self.own_count // 64 + 1)])

    def group_rows(self, groups: Numbers) -> Rows:
        """The data bits side by side for groups by number."""
        width = self.data_count
        low = min(width, RANK_BITS)
        words = [permuted(groups, low, self.data_salt)]
        words += [mixed(groups, self.data_salt + i) for i in range(width // RANK_BITS)]
        rows = np.zeros((len(groups), (width + 7) // 8), dtype=np.uint8)
        pairs = [(RANK_BITS - low + i, i) for i in range(low)]
        pairs += [(RANK_BITS + i, low + i) for i in range(width - low)]
        Wiring(pairs).copy(to_rows(words), rows)
        for keys, bits in self.fed:
            Wiring(bits).copy(keys.group_rows(groups), rows)
        return rows

    def indifferent(self, held: Collection[int]) -> Rows:
        """For each pattern the own bits, as in `own`, that its entries do not match and that are not `held`."""
        result = np.zeros((len(self.patterns), (self.own_count // 64 + 1) * 64), dtype=np.uint8)
        for row, pattern in zip(result, self.patterns, strict=True):
            for bit, cares in zip(self.bits, pattern.cares, strict=True):
                if isinstance(bit, Own) and not cares and bit.index not in held:
                    row[bit.index] = 1
        return np.packbits(result, axis=1)

    def matches(self, table: str) -> set[int]:
        """The own bits of another table that entries match."""
        shared = {b for b in self.bits if isinstance(b, Shared) and b.table == table}
        return {b.index for b in shared if self._cared(b)}

    @cached_property
    def _wirings(self) -> tuple[tuple[Wiring, int, int], ...]:
        """For each pattern: from the bits of a rank to own bits; how many bits; how many of them are marks."""
        result = []
        for pattern in self.patterns:
            cared = [b.index for b, cares in zip(self.bits, pattern.cares, strict=True) if cares and isinstance(b, Own)]
            marks = [b for b in self.marks if b in cared]
            order = marks + [b for b in cared if b not in marks]
            result.append((Wiring(enumerate(order)), len(order), len(marks)))
        return tuple(result)


def _stride(count: int) -> int:
    """A number that has no factor in common with `count`, about 0.6 of it: steps of it reach everything, far apart."""
    stride = max(1, int(count * 0.6180339887))
    while gcd(stride, count) != 1:
        stride += 1
    return stride


def _ranked(ranks: Numbers, width: int, marks: int, salt: int) -> Rows:
    """Ranks as rows of `width` bits: the marks (not all ones), a permutation of the rest, and what is left by chance."""
    free = width - marks
    kinds = np.uint64((1 << marks) - 1) if marks else np.uint64(1)
    rest = ranks // kinds
    head = (ranks + mixed(rest, salt + 2)) % kinds
    low = min(free, RANK_BITS)
    keep = np.uint64((1 << low) - 1)
    tail = permuted(rest, low, salt) ^ (mixed(head, salt + 4) & keep)  # other marks, other keys
    rows = to_rows([head, tail, *(mixed(rest, salt + 3 + i) for i in range((free - low + 63) // 64))])
    packed = np.zeros((len(ranks), (width + 7) // 8 + 1), dtype=np.uint8)
    pairs = [(64 - marks + i, i) for i in range(marks)]
    pairs += [(128 - low + i, marks + i) for i in range(low)]
    pairs += [(128 + i, marks + low + i) for i in range(free - low)]
    Wiring(pairs).copy(rows, packed)
    return packed


def capacity(cares: Sequence[bool], bits: Sequence[KeyBit], marks: Sequence[int], others: int) -> int:
    """How many different entries a pattern has room for; as many as `others` come from other tables' entries, which need
    not all be different."""
    cared = {b.index for b, c in zip(bits, cares, strict=True) if c and isinstance(b, Own)}
    marked = sum(m in cared for m in marks)
    low = min(len(cared) - marked, RANK_BITS - 1)
    own = max(1, (1 << marked) - 1) << low
    foreign = any(c and isinstance(b, Shared | Data) for b, c in zip(bits, cares, strict=True))
    return max(own, others) if foreign else own
