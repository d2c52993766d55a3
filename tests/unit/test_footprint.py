"""The memory that a table takes, and that its lookups read, by the figures of its kernel's description."""

from __future__ import annotations

import pytest

from transpiler.targets.footprint import NOTHING, Entries, Footprint, cell_bytes

TEN = Entries(size=10, key_bits=12, key_bytes=2, data_bits=9, data_bytes=5)


@pytest.mark.parametrize(
    ("memory", "entries", "total", "read"),
    [
        (NOTHING, TEN, 0, 0),
        (Footprint(base=100), TEN, 100, 0),
        (Footprint(entry=7), TEN, 70, 0),
        (Footprint(entry=7, keys=3, base=1), TEN, 1 + 10 * (7 + 3 * 2), 0),
        (Footprint(read=4), TEN, 0, 40),
        (Footprint(index_bits=8, index_bytes=4), TEN, 4 << 8, 4 << 8),
        (Footprint(index_bits=16, index_bytes=4), TEN, 4 << 12, 4 << 12),  # no longer than the key
        (Footprint(index_bits=8), TEN, 2 << 8, 2 << 8),  # cells that hold 9 bits and a mark
        (Footprint(index_bits=8, index_bytes=1, index_more=3), TEN, 4 << 8, 1 << 8),
        (Footprint(index_bits=16, index_bytes=1, index_more=3), TEN, 4 << 12, 1 << 12),
        (Footprint(index_more=3), TEN, 3, 0),
        (Footprint(slot=True), TEN, 10 * 16, 10 * 16),  # 13 bytes: the head and the data
        (Footprint(slot=True, slot_keys=2, read=1, entry=1), TEN, 10 * 33, 10 * 33),  # 17 bytes
        (Footprint(slot=True), Entries(1, 8, 1, 0, 56), 64, 64),
        (Footprint(slot=True), Entries(1, 8, 1, 0, 57), 128, 128),
        (Footprint(slot=True), Entries(1, 8, 1, 0, 121), 192, 192),
    ],
)
def test_bytes(memory: Footprint, entries: Entries, total: int, read: int) -> None:
    assert (memory.total_bytes(entries), memory.read_bytes(entries)) == (total, read)


@pytest.mark.parametrize(("bits", "cell"), [(0, 1), (7, 1), (8, 2), (15, 2), (16, 4), (31, 4), (32, 8), (63, 8)])
def test_cells_hold_the_data_and_a_mark(bits: int, cell: int) -> None:
    assert cell_bytes(bits) == cell
