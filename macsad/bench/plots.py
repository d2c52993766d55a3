"""Results as pictures, by matplotlib, which is optional."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from macsad.bench.contestants import BenchError
from macsad.bench.packet_io import PMD, SWITCH, Kind, Row
from macsad.bench.report import mpps
from macsad.bench.session import EVERYTHING, Result
from transpiler.optimisations import NAMES


def figures() -> Any:
    """matplotlib's pyplot, drawing to files. Raises: BenchError when it is not installed."""
    try:
        import matplotlib
    except ImportError:
        raise BenchError("plots need matplotlib: pip install 'macsad[bench]'") from None
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "macsad", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt

    return plt


def drawable(path: Path) -> None:
    """Before anything is measured. Raises: click.BadParameter, click.ClickException, where it cannot be drawn there."""
    if path.suffix not in (".svg", ".png", ".pdf"):
        raise click.BadParameter(f"'{path}' is neither .svg nor .png nor .pdf", param_hint="--plot")
    try:
        figures()
    except BenchError as error:
        raise click.ClickException(str(error)) from None


def save(plt: Any, path: Path) -> None:
    """Write the picture; the same figures give the same file."""
    plt.tight_layout()
    plt.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close()


def points(result: Result, path: Path) -> None:
    """Throughput over B, a line for each b, and the limits. Raises: BenchError, OSError."""
    plt = figures()
    plt.figure(figsize=(5.5, 3.5))
    for sub_batch in sorted({b for _, b in result.points}):
        bursts = sorted(burst for burst, b in result.points if b == sub_batch)
        rates = [mpps(result, result.at((burst, sub_batch))) for burst in bursts]
        plt.plot(bursts, rates, marker="o", markersize=3, linewidth=1, label=f"b = {sub_batch}")
    limits = ((result.memory_ns, "limit of memory", "left"), (result.floor("empty")[1].ns, "empty program", "right"))
    for ns, text, side in limits:  # at either end, as both may be as high
        if ns:
            rate = result.workers * 1e3 / ns
            plt.axhline(rate, linestyle="--", linewidth=0.8, color="grey")
            at = 1 if side == "left" else max(burst for burst, _ in result.points)
            plt.annotate(text, (at, rate), ha=side, va="bottom", color="grey")
    plt.xscale("log", base=2)
    plt.ylim(0, plt.ylim()[1] * 1.08)
    plt.xlabel("B, packets of a burst")
    plt.ylabel("million packets a second")
    plt.title(result.name)
    plt.legend(fontsize=7, frameon=False)
    save(plt, path)


def gains(results: Sequence[Result], path: Path) -> None:
    """What each optimisation gains on each program: bars, grouped by optimisation. Raises: BenchError, OSError."""
    plt = figures()
    measured = {name for result in results for name in result.without}
    names = sorted(measured, key=lambda name: (name == EVERYTHING, NAMES.index(name) if name in NAMES else len(NAMES)))
    height = 0.8 / len(results)
    plt.figure(figsize=(5.5, 0.6 + 0.09 * len(names) * (len(results) + 1)))
    for number, result in enumerate(results):
        there = [(at, result.gain_of(name)) for at, name in enumerate(names) if name in result.without]
        places = [at + (number - (len(results) - 1) / 2) * height for at, _ in there]
        bars = plt.barh(places, [gain - 1 for _, gain in there], height, left=1, label=result.name)
        plt.bar_label(bars, [f"{gain:.2f}" for _, gain in there], fontsize=5, padding=2)
    plt.axvline(1, linewidth=0.8, color="grey")
    plt.yticks(range(len(names)), [_label(name) for name in names])
    plt.ylim(len(names) - 0.45, -0.55)
    plt.xscale("log", base=2)
    plt.gca().xaxis.set_major_formatter("{x:g}")
    plt.margins(x=0.12)
    plt.xlabel("times as fast with it as without it")
    plt.legend(fontsize=7, frameon=False)
    save(plt, path)


def buffers(parts: Mapping[str, Mapping[str, float]], faster: Mapping[str, float], path: Path) -> None:
    """Cycles a packet of bare forwarding by what they are spent on, for each kind of buffers; how many times as fast
    programs are with the first kind as with the last. Raises: BenchError, OSError."""
    plt = figures()
    _, (left, right) = plt.subplots(1, 2, figsize=(6.5, 3.2), width_ratios=(2, 3))
    bottoms = dict.fromkeys(parts, 0.0)
    for part in next(iter(parts.values())):
        heights = [cycles[part] for cycles in parts.values()]
        bars = left.bar(list(parts), heights, 0.6, bottom=list(bottoms.values()), label=part)
        left.bar_label(bars, [f"{height:.1f}" for height in heights], label_type="center", fontsize=6)
        bottoms = {kind: bottoms[kind] + cycles[part] for kind, cycles in parts.items()}
    left.set_ylabel("cycles a packet")
    left.legend(fontsize=7, frameon=False, reverse=True)
    bars = right.barh(list(faster), [gain - 1 for gain in faster.values()], 0.6, left=1)
    right.bar_label(bars, [f"{gain:.2f}" for gain in faster.values()], fontsize=6, padding=2)
    right.axvline(1, linewidth=0.8, color="grey")
    right.invert_yaxis()
    right.margins(x=0.15)
    right.set_xlabel("times as fast with self-described buffers")
    save(plt, path)


def _label(name: str) -> str:
    return "all of them" if name == EVERYTHING else name.replace("update_checksums_incrementally", "checksum updates")


def lines(
    drawn: Mapping[str, Sequence[tuple[float, float]]], title: str, label: str, logarithmic: bool, path: Path
) -> None:
    """Throughput over something else, a line for each name. Raises: BenchError, OSError."""
    plt = figures()
    plt.figure(figsize=(5.5, 3.5))
    for name, values in drawn.items():
        plt.plot(*zip(*values, strict=True), marker="o", markersize=3, linewidth=1, label=name)
    if logarithmic:
        plt.xscale("log", base=2)
    plt.ylim(0, plt.ylim()[1] * 1.08)
    plt.xlabel(label)
    plt.ylabel("million packets a second")
    plt.title(title)
    plt.legend(fontsize=7, frameon=False)
    save(plt, path)


def packet_io(rows: Sequence[Row], path: Path) -> None:
    """Frames a second over their size, a colour for each kind of port: from memory at the left, through interfaces at the
    right; the empty program, and testpmd dotted. Raises: BenchError, OSError."""
    plt = figures()
    _, panels = plt.subplots(1, 2, figsize=(7.5, 3.6))
    panels[0].set_title("from memory or files")
    panels[1].set_title("between interfaces")
    colours: dict[Kind, str] = {}
    for kind, name in dict.fromkeys((row.kind, row.name) for row in rows if row.name in (SWITCH, PMD)):
        colour = colours.setdefault(kind, f"C{len(colours)}")
        there = [row for row in rows if (row.kind, row.name) == (kind, name) and row.figure]
        if there:
            label = str(kind) + (", testpmd" if name == PMD else "")
            panels[1 if kind.wires else 0].plot(
                [row.size for row in there],
                [row.mpps for row in there],
                ":" if name == PMD else "-",
                marker="o",
                markersize=2,
                linewidth=1,
                color=colour,
                label=label,
            )
    for panel in panels:
        panel.set_ylim(0, panel.get_ylim()[1] * 1.05)
        panel.set_xlabel("bytes of a frame")
        panel.set_ylabel("million frames a second")
        if panel.has_data():
            panel.legend(fontsize=6, frameon=False)
    save(plt, path)
