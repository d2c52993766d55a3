"""Entries that time out, as `macsad ctl idle` shows them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from macsad.control import Idle

_MS = 1_000_000


def shown(told: dict[str, Any], idle: Idle) -> Iterator[dict[str, Any]]:
    """The entries of a message, of a switch that DESCRIBE tells of: table, handle, key as dumps have it, milliseconds."""
    table = told["tables"][idle.table]
    at = 0
    for handle, timeout, since in idle.ages:
        key, at = _key(table["key"], idle.entries, at)
        at = _behind(table, idle.entries, at)
        yield {
            "table": table["name"],
            "handle": handle,
            "key": key,
            "idle_ms": since // _MS,
            "timeout_ms": timeout // _MS,
        }


def _key(fields: list[dict[str, Any]], entries: bytes, at: int) -> tuple[list[str], int]:
    key = []
    for field in fields:
        size = (field["bits"] + 7) // 8
        value, at = entries[at : at + size].hex(), at + size
        if field["match"] == "exact":
            key.append(value)
            continue
        length = 2 if field["match"] == "lpm" else size
        second, at = entries[at : at + length], at + length
        match field["match"]:
            case "lpm":
                key.append(f"{value}/{int.from_bytes(second, 'big')}")
            case "range":
                key.append(f"{value} -> {second.hex()}")
            case _:
                key.append(f"{value} &&& {second.hex()}")
    if any(field["match"] in ("ternary", "range", "optional") for field in fields):
        at += 4  # the priority
    return key, at


def _behind(table: dict[str, Any], entries: bytes, at: int) -> int:
    """Where the entry ends whose index stands there, and then its action."""
    (action,) = struct.unpack_from(">I", entries, at + 4)
    if action >= len(table["actions"]):
        return at + 12  # the handle of a member or group
    sizes: list[int] = [(parameter["bits"] + 7) // 8 for parameter in table["actions"][action]["params"]]
    return at + 8 + sum(sizes)
