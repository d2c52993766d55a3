"""The profile of a machine as a picture, by matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from macsad.bench.plots import figures, save
from transpiler.model.machine import Curve, MachineProfile


def draw(profile: MachineProfile, path: Path) -> None:
    """Receive and transmit, reads, handing over and copying, each over what it depends on. Raises: BenchError, OSError."""
    plt = figures()
    _, ((io, reads), (handover, copy)) = plt.subplots(2, 2, figsize=(9, 6.5))
    for length, curve in sorted(profile.receive_transmit.items()):
        _line(io, curve, f"{length} bytes")
    for (pages, number), curve in sorted(profile.reads.items()):
        if number in (0, 1, 8, 64):
            label = f"{'a miss' if not number else f'{number} in flight'}, {pages} pages"
            _line(reads, curve, label, "-" if pages == "huge" else "--")
    reads.set_yscale("log")
    _line(handover, profile.handover, "")
    _line(copy, profile.copy, "")
    _label(io, "receive and transmit", "B, packets of a burst", "cycles a packet")
    _label(reads, "random reads", "bytes that are read of", "cycles a read")
    _label(handover, "handing over to another core", "packets of a burst", "cycles a burst")
    _label(copy, "copying in the cache", "bytes of a frame", "cycles a frame")
    save(plt, path)


def _line(axes: Any, curve: Curve, label: str, style: str = "-") -> None:
    if curve:
        places, costs = zip(*curve, strict=True)
        axes.plot(places, costs, style, marker="o", markersize=2, linewidth=1, label=label)


def _label(axes: Any, title: str, over: str, cost: str) -> None:
    axes.set_title(title)
    axes.set_xscale("log", base=2)
    axes.set_xlabel(over)
    axes.set_ylabel(cost)
    if axes.get_legend_handles_labels()[1] and title in ("receive and transmit", "random reads"):
        axes.legend(fontsize=6, frameon=False)
