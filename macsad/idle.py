"""Entries that time out, as `macsad ctl idle` shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from macsad.described import Match, Reader, tables_of
from macsad.protocol import Idle

_MS = 1_000_000


def shown(told: dict[str, Any], idle: Idle) -> Iterator[dict[str, Any]]:
    """The entries of a message, of a switch that DESCRIBE tells of: table, handle, key as dumps have it, milliseconds."""
    table = tables_of(told)[idle.table]
    reader = Reader(table, idle.entries)
    for handle, timeout, since in idle.ages:
        matches, _, _ = reader.key()
        reader.number(4)  # the index
        reader.call()
        yield {
            "table": table.name,
            "handle": handle,
            "key": [_word(match) for match in matches],
            "idle_ms": since // _MS,
            "timeout_ms": timeout // _MS,
        }


def _word(match: Match) -> str:
    value, second = match.value.hex(), match.second
    match match.field.kind:
        case "exact":
            return value
        case "lpm":
            return f"{value}/{int.from_bytes(second, 'big')}"
        case "range":
            return f"{value} -> {second.hex()}"
    return f"{value} &&& {second.hex()}"
