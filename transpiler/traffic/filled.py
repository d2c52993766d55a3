"""A table's entries: whole keys by number, and which of them are the same.

Own bits make keys different. Bits that are another table's choice need not: it may match more of the frame than this table
does. So keys that have such bits are compared, and of those that are the same only the first is an entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from transpiler.hlir.program import Table
from transpiler.interpreter.tables import Call
from transpiler.traffic.bits import Numbers, Rows, Wiring
from transpiler.traffic.keys import Data, KeySet, Own, Pattern, Shared
from transpiler.traffic.restrictions import Flags, rule_of


@dataclass(frozen=True)
class TableEntries:
    """A table's entries as one or more templates hit them: keys, the keys that shared bits are part of by table, and
    the action with its data; `ports` are parameters that are the port to leave by, `rigid` those that stay as they are,
    `indexes` those that are an index, with the number of cells."""

    table: Table
    keys: KeySet
    owners: Mapping[str, KeySet]
    call: Call
    ports: frozenset[int]
    rigid: frozenset[int]
    indexes: Mapping[int, int]

    @cached_property
    def count(self) -> int:
        """How many entries there are, without those that are left out."""
        return self._different - self.left_out

    @cached_property
    def _different(self) -> int:
        return self.keys.count if self._first is None else len(np.unique(self._first))

    @cached_property
    def left_out(self) -> int:
        """How many there are not, as the program's @entry_restriction forbids them."""
        if rule_of(self.table) is None:
            return 0
        numbers = np.arange(self.keys.count, dtype=np.uint64)
        return int(np.count_nonzero(~self.allowed(np.unique(self.alike(numbers)))))

    def allowed(self, numbers: Numbers) -> Flags:
        """Whether the program's @entry_restriction allows these entries."""
        rule, result = rule_of(self.table), np.ones(len(numbers), dtype=np.bool_)
        if rule is None or not len(numbers):
            return result
        values, (which, _) = self.values(numbers), self.keys.pattern_of(numbers)
        for number, pattern in enumerate(self.keys.patterns):
            chosen = np.nonzero(which == number)[0]
            priority = numbers[chosen].astype(object) + 1
            masks = self.masks(pattern.cares)
            held = rule.judged(chosen.shape, [value[chosen] for value in values], masks, priority)
            result[chosen] = (held == 1).all(axis=0)
        return result

    def values(self, numbers: Numbers) -> list[Any]:
        """Of each field; bits that an entry does not care about are by chance."""
        rows, result, at = self.key_rows(numbers), [], 0
        for field in self.keys.fields:
            part, at = rows[:, at : at + (field.width + 7) // 8], at + (field.width + 7) // 8
            padded = np.zeros((len(rows), -part.shape[1] % 8), dtype=np.uint8)
            words = np.hstack((padded, part)).view(">u8")
            values = words[:, 0].astype(np.uint64 if words.shape[1] == 1 else object)
            for word in range(1, words.shape[1]):
                values = (values << 64) + words[:, word].astype(object)
            result.append(values)
        return result

    def masks(self, cares: Sequence[bool]) -> tuple[int, ...]:
        """Of each field the bits that a pattern matches."""
        result, at = [], 0
        for field in self.keys.fields:
            result.append(int("".join("01"[care] for care in cares[at : at + field.width]) or "0", 2))
            at += field.width
        return tuple(result)

    def with_patterns(self, patterns: tuple[Pattern, ...]) -> TableEntries:
        """The entries of other patterns."""
        return replace(self, keys=replace(self.keys, patterns=patterns))

    def alike(self, numbers: Numbers) -> Numbers:
        """For each key by number the first one that is the same: the number of its entry."""
        return numbers if self._first is None else self._first[numbers]

    @cached_property
    def _first(self) -> Numbers | None:
        """For all keys the first that is the same; None where all differ."""
        if not self.keys.patterns or not any(isinstance(b, Shared | Data) for b in self.keys.bits):
            return None
        numbers = np.arange(self.keys.count, dtype=np.uint64)
        which, _ = self.keys.pattern_of(numbers)
        rows = self.key_rows(numbers) & np.vstack([self.mask(p) for p in self.keys.patterns])[which]
        whole = np.ascontiguousarray(np.hstack((rows, which.astype(">u2")[:, None].view(np.uint8))))
        _, first, same = np.unique(whole.view(f"V{whole.shape[1]}")[:, 0], return_index=True, return_inverse=True)
        return None if len(first) == len(numbers) else first[same].astype(np.uint64)

    def mask(self, pattern: Pattern) -> Rows:
        """The bits of a key, laid out as `key_rows` are, that entries of a pattern match."""
        bits: list[int] = []
        at = 0
        for field in self.keys.fields:
            bits += [0] * (-field.width % 8) + [int(c) for c in pattern.cares[at : at + field.width]]
            at += field.width
        return np.packbits(np.array(bits, dtype=np.uint8))

    def key_rows(self, numbers: Numbers) -> Rows:
        """Whole keys, each field in whole bytes; bits that an entry does not care about are by chance."""
        keys = self.keys
        places: list[int] = []
        at = 0
        for field in keys.fields:
            at += (field.width + 7) // 8 * 8
            places += range(at - field.width, at)
        rows = np.zeros((len(numbers), at // 8), dtype=np.uint8)
        for bit, place in zip(keys.bits, places, strict=True):
            if bit == 1 and isinstance(bit, int):
                rows[:, place // 8] |= np.uint8(0x80 >> place % 8)
        pairs = list(zip(keys.bits, places, strict=True))
        Wiring((b.index, p) for b, p in pairs if isinstance(b, Own)).copy(keys.own(numbers), rows)
        for name, owner in self.owners.items():
            shared = [(b.index, p) for b, p in pairs if isinstance(b, Shared) and b.table == name]
            Wiring(shared).copy(owner.own(numbers % np.uint64(owner.count)), rows)
        groups = numbers % np.uint64(keys.groups)
        Wiring((b.index, p) for b, p in pairs if isinstance(b, Data)).copy(keys.group_rows(groups), rows)
        return rows
