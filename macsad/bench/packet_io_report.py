"""What packet I/O gave, as a table on the screen and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from macsad.bench.packet_io import LOOP, ODP, PMD, SWITCH, Row

NAMES = {SWITCH: "empty program", LOOP: "bare loop", ODP: "loop, libodp", PMD: "testpmd"}


def screen(rows: Sequence[Row]) -> RenderableType:
    """A line for each kind of port and size: million frames a second, and CPU time of a frame; then what was not measured."""
    shown = Table(box=None, pad_edge=False, header_style="")
    shown.add_column("Mpps (ns of CPU)", no_wrap=True)
    shown.add_column("bytes", justify="right")
    for name in NAMES.values():
        shown.add_column(name, justify="right", no_wrap=True)
    for kind, size in dict.fromkeys((row.kind, row.size) for row in rows):
        of = {row.name: row for row in rows if (row.kind, row.size) == (kind, size)}
        shown.add_row(str(kind), str(size), *(_cell(of[name]) if name in of else "" for name in NAMES))
    missing = dict.fromkeys(f"not measured: {row.kind}, {NAMES[row.name]}: {row.reason}" for row in rows if row.reason)
    return Group(shown, *map(Text, missing))


def _cell(row: Row) -> str:
    if row.figure is None:
        return "-"
    cpu = "" if row.cpu_ns is None else f" ({row.cpu_ns:.0f})" if row.crossed else f" ({row.cpu_ns:.1f})"
    return f"{row.mpps:.2f}{cpu}"


def data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """`mpps`, `cpu_ns` with its quartiles; of interfaces `lost`, and in each round what was sent and arrived in `seconds`."""
    return [_data(row) for row in rows]


def _data(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {
        "platform": row.kind.platform,
        "port": row.kind.name,
        "bytes": row.size,
        "program": row.name,
    }
    if row.figure is None:
        return found | {"reason": row.reason}
    found |= {"mpps": row.mpps, "cpu_ns": row.cpu_ns, "rounds": row.figure.rounds}
    if row.cpu_ns is not None:
        found |= {"cpu_ns_low": row.figure.low, "cpu_ns_high": row.figure.high}
    if row.crossed:
        found |= {"lost": row.lost, "crossed": [asdict(one) for one in row.crossed]}
    return found
