"""How much memory a table kernel takes at a size, and how much of it lookups read: from figures of its description.

They are close enough to choose and to plan by; what a running switch really has, it tells (`show_memory`).
"""

from __future__ import annotations

from dataclasses import dataclass

LINE_BYTES = 64
HEAD_BYTES = 8  # of a value: struct macs_entry
HUGE_PAGE_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class Entries:
    """What a table keeps: bits and bytes of its key, bits of its action's number and data, bytes of its action data."""

    size: int
    key_bits: int
    key_bytes: int
    data_bits: int
    data_bytes: int


@dataclass(frozen=True, slots=True)
class Footprint:
    """`base`: of the empty table. `index_bits`, `index_bytes`: an array by the first bits of the key, of cells of so many
    bytes, or, at 0, as many as hold the data and a mark; `index_more`: bytes beside each cell that lookups do not read.
    `entry` and `keys`: what each entry adds, and how many copies of its key. `slot`: the value has a slot of its own, a power
    of two up to a line, with `slot_keys` copies of the key. Lookups read the cells, the slots, and `read` of each entry."""

    base: int = 0
    index_bits: int = 0
    index_bytes: int = 0
    index_more: int = 0
    entry: int = 0
    keys: int = 0
    slot: bool = False
    slot_keys: int = 0
    read: int = 0

    def total_bytes(self, entries: Entries) -> int:
        each = self.entry + self.keys * entries.key_bytes + self._slot_bytes(entries)
        more = self.index_more << min(self.index_bits, entries.key_bits)
        return self.base + self._index_bytes(entries) + more + entries.size * each

    def read_bytes(self, entries: Entries) -> int:
        return self._index_bytes(entries) + entries.size * (self.read + self._slot_bytes(entries))

    def _index_bytes(self, entries: Entries) -> int:
        if not self.index_bits:
            return 0
        return (self.index_bytes or cell_bytes(entries.data_bits)) << min(self.index_bits, entries.key_bits)

    def _slot_bytes(self, entries: Entries) -> int:
        if not self.slot:
            return 0
        used = HEAD_BYTES + entries.data_bytes + self.slot_keys * entries.key_bytes
        return 1 << (used - 1).bit_length() if used <= LINE_BYTES else -(-used // LINE_BYTES) * LINE_BYTES


NOTHING = Footprint()


def cell_bytes(data_bits: int) -> int:
    """Of the smallest C integer that holds the data and a mark."""
    return next((size for size in (1, 2, 4) if data_bits < 8 * size), 8)
