"""What packets touch of a table that has another number of entries than was measured."""

from __future__ import annotations

LINE = 64  # bytes of a cache line


def footprint(entries: float, touched: int, at_entries: int) -> int:
    """Bytes, where `touched` were at so many entries, and all entries are in use. Touched memory grows as entries do, but an
    entry is a cache line at most: large arrays of which packets touch little (as those of DIR-24-8) do not count whole."""
    if not at_entries:
        return touched
    return max(LINE, round(entries * min(LINE, touched / at_entries)))
