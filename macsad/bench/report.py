"""A result as a table on the screen and as JSON."""

from __future__ import annotations

import os
import platform
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table as Shown
from rich.text import Text

from macsad.bench.lookups import BURST
from macsad.bench.samples import Figure, figure
from macsad.bench.session import EVERYTHING, VANILLA, Point, Result

MIB = 1 << 20
ALIKE = BURST, BURST
FEW_LOOKUPS = 0.5  # a packet: decisions that are remembered take the place of the others


def screen(result: Result) -> RenderableType:
    """All of it: what was measured, each point beside its limit, the limits."""
    parts: list[RenderableType] = [*map(Text, head(result)), "", points(result)]
    if len(result.points) > 1:
        burst, sub_batch = result.best
        parts.append(
            Text(f"fastest: --burst {burst} --sub-batch {sub_batch}, options of the switch and of `macsad run`")
        )
    if result.looked:
        parts += ["", lookups(result), Text(lookups_sum(result))]
    if result.without or result.unused:
        parts += ["", without(result)]
    if result.peers:
        parts += ["", beside(result)]
    return Group(*parts, "", limits(result))


def head(result: Result) -> list[str]:
    """Lines that say what was measured."""
    lines = [
        f"{result.name}: {result.frames:,} frames of {result.sizes}, {result.flows} flows, {result.hit:.0%} hits; "
        f"{result.workers} {'core' if result.workers == 1 else 'cores'}, platform {result.platform}; "
        f"medians of {result.rounds} rounds of {result.seconds:g} s each"
    ]
    for table in result.tables:
        if table.reach:
            size = f"{table.memory_bytes / MIB:,.1f} MiB, lookups read {table.read_bytes / MIB:,.3g} MiB"
            lines.append(f"  {table.name}: {table.entries:,} entries, {table.kernel}, {size}")
    for state in result.state:
        size = f"{state.memory_bytes / MIB:,.1f} MiB, {state.reads:.3g} reads a packet in {state.read_bytes / MIB:,.3g} MiB"
        if state.bundle:
            size = f"in the lines of {state.bundle}"
        lines.append(
            f"  {state.name}: {state.kind.replace('_', ' ')}, {state.cells:,} cells of {state.cell_bytes} bytes, {size}"
        )
    if result.dropped > 0.01:
        lines.append(f"  {result.dropped:.0%} of the frames were dropped")
    if result.small_pages:
        lines.append("  too few huge pages are free: the packets are on small ones, which costs time")
    return lines


def points(result: Result) -> Shown:
    """A row for each (B, b)."""
    shown = Shown(box=None, pad_edge=False, header_style="")
    names = ["B", "b", "Mpps", "ns/packet", "±", "cycles/packet"]
    names += ["over B=1,b=1"] if VANILLA in result.points else []
    names += ["of memory's limit"] if result.memory_ns else []
    for name in names:
        shown.add_column(name, justify="right")
    for point in result.points:
        found = result.at(point)
        cells = [*map(str, point), f"{mpps(result, found):.2f}", f"{found.ns:.1f}", f"{found.spread / 2:.0%}"]
        cells.append(f"{found.cycles:.0f}")
        cells += [f"{result.gain(VANILLA, point):.2f} ×"] if VANILLA in result.points else []
        cells += [f"{result.of_memory(point):.0%}"] if result.memory_ns else []
        shown.add_row(*cells, style="bold" if point == result.best else "")
    return shown


def lookups(result: Result) -> Shown:
    """A row for each table that packets look up: what a lookup in it takes alone."""
    shown = Shown(box=None, pad_edge=False, header_style="")
    shown.add_column("lookups alone, 64 at once")
    shown.add_column("kernel")
    for name in ("a packet", "hit", "cycles each"):
        shown.add_column(name, justify="right")
    for looked in result.looked:
        cells = [f"{looked.each:.3g}", f"{looked.hits:.0%}", f"{result.lookup(looked).cycles:.1f}"]
        shown.add_row(looked.name, looked.kernel, *cells)
    return shown


def lookups_sum(result: Result) -> str:
    """All of them, and the program beside that."""
    burst, sub_batch = point = _beside_lookups(result)
    each = sum(looked.each for looked in result.looked)
    if each < FEW_LOOKUPS:
        return f"a packet makes {each:.2g} lookups: the program is not compared with these alone"
    return (
        f"sum of the lookups alone: {result.lookup_cycles:.0f} cycles a packet; the program takes "
        f"{result.over_lookups(point):.2f} times as long at B={burst}, b={sub_batch}"
    )


def _beside_lookups(result: Result) -> Point:
    """The point that lookups alone are compared with: with as many in flight, or the last."""
    return ALIKE if ALIKE in result.points else result.points[-1]


def without(result: Result) -> Shown:
    """A row for each optimisation that was left out: how fast the program is then."""
    shown = Shown(box=None, pad_edge=False, header_style="")
    shown.add_column(f"without, at B={result.points[-1][0]}, b={result.points[-1][1]}")
    for name in ("Mpps", "ns/packet", "±", "gained by it"):
        shown.add_column(name, justify="right")
    for name in result.without:
        found = result.left_out(name)
        cells = [f"{mpps(result, found):.2f}", f"{found.ns:.1f}", f"{found.spread / 2:.0%}"]
        shown.add_row(_switch(name), *cells, f"{result.gain_of(name):.2f} ×")
    for name in result.unused:
        shown.add_row(_switch(name), "", "", "", "no difference")
    return shown


def beside(result: Result) -> Shown:
    """A row for each program of others."""
    shown = Shown(box=None, pad_edge=False, header_style="")
    shown.add_column("beside it, on devices like its own")
    for name in ("Mpps", "ns/packet", "±", f"{result.name} is"):
        shown.add_column(name, justify="right")
    for name, dropped in result.peers:
        found = result.beside(name)
        cells = [f"{found.millions:.2f}", f"{found.ns:.1f}", f"{found.spread / 2:.0%}", f"{result.over(name):.2f} ×"]
        shown.add_row(f"{name} (drops {dropped:.0%})" if dropped > 0.01 else name, *cells)
    return shown


def _switch(name: str) -> str:
    return "anything" if name == EVERYTHING else name


def limits(result: Result) -> Shown:
    """What this machine allows."""
    shown = Shown(box=None, pad_edge=False, header_style="")
    shown.add_column("limits, measured in the same rounds")
    for name in ("ns/packet", "Mpps"):
        shown.add_column(name, justify="right")
    if result.memory_ns:
        lines = sum(mask.bit_count() * share for mask, share in result.reads.masks)
        text = f"memory: {lines:.3g} random cache {'line' if lines == 1 else 'lines'} a packet"
        shown.add_row(text, f"{result.memory_ns:.1f}", _rate(result, result.memory_ns))
    for what, text in (("empty", "an empty program"), ("loop", "bare ODP receive and send")):
        burst, found = result.floor(what)
        shown.add_row(f"{text}, B={burst}", f"{found.ns:.1f}", _rate(result, found.ns))
    return shown


def _rate(result: Result, ns: float) -> str:
    return f"{result.workers * 1e3 / ns:.2f}"


def mpps(result: Result, found: Figure) -> float:
    """Million packets a second, all cores together."""
    return result.workers * found.millions


def data(result: Result) -> dict[str, Any]:
    """The same as JSON has it; times in nanoseconds."""
    return {
        "program": result.name,
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "frames": result.frames,
        "frame_size": result.sizes,
        "flows": result.flows,
        "hit": result.hit,
        "dropped": result.dropped,
        "workers": result.workers,
        "platform": result.platform,
        "small_pages": result.small_pages,
        "rounds": result.rounds,
        "seconds": result.seconds,
        "tables": [asdict(table) for table in result.tables],
        "state": [asdict(state) for state in result.state],
        "points": [_point(result, point) for point in result.points],
        "lookups": _lookups(result) if result.looked else None,
        "without": [
            {"name": name, "gain": result.gain_of(name), **_figure(result, (f"without {name}", *result.points[-1]))}
            for name in result.without
        ],
        "without_difference": list(result.unused),
        "beside": [
            {"name": name, "over": result.over(name), "dropped": dropped, **_figure(result, (f"beside {name}", 0, 0))}
            for name, dropped in result.peers
        ],
        "limits": {
            "memory_ns": result.memory_ns,
            "reads": [
                {"of": _owners(result, mask), "share": share, **_figure(result, ("read", mask, 0))}
                for mask, share in result.reads.masks
            ],
            "empty": _floors(result, "empty"),
            "loop": _floors(result, "loop"),
        },
    }


def _point(result: Result, point: Point) -> dict[str, Any]:
    made = {"burst": point[0], "sub_batch": point[1], "mpps": mpps(result, result.at(point))}
    made |= _figure(result, ("program", *point))
    made["of_memory"] = result.of_memory(point)
    if VANILLA in result.points:
        made["gain"] = result.gain(VANILLA, point)
    return made


def _lookups(result: Result) -> dict[str, Any]:
    """Lookups alone, and the program beside their sum at each point."""
    return {
        "tables": [asdict(looked) | _figure(result, ("lookup", looked.number, 0)) for looked in result.looked],
        "cycles": result.lookup_cycles,
        "program_over": [
            {"burst": point[0], "sub_batch": point[1], "times": result.over_lookups(point)} for point in result.points
        ],
    }


def _owners(result: Result, mask: int) -> list[str]:
    """The names of what the lines of a mask are of."""
    names = [table.name for table in result.tables] + [state.name for state in result.state]
    return [names[owner] for bit, owner in enumerate(result.reads.owners) if mask >> bit & 1]


def _floors(result: Result, what: str) -> list[dict[str, Any]]:
    return [{"burst": key[1], **_figure(result, key)} for key in result.samples if key[0] == what]


def _figure(result: Result, key: tuple[str, int, int]) -> dict[str, Any]:
    found = figure(result.samples[key])
    return {"ns": found.ns, "ns_low": found.low, "ns_high": found.high, "cycles": found.cycles}


def machine() -> dict[str, Any]:
    """What matters of this machine, in general terms."""
    cpuinfo = Path("/proc/cpuinfo")
    words = set(cpuinfo.read_text().split()) if cpuinfo.exists() else set()
    wide = [name for flag, name in (("avx512bw", "AVX-512"), ("avx2", "AVX2"), ("asimd", "NEON")) if flag in words]
    return {"arch": platform.machine(), "cpus": os.cpu_count(), "vectors": wide[0] if wide else "none"}
