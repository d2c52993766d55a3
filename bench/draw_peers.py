"""Draw how many times as fast macsad is as DPDK: docs/performance/peers.svg, from the tables of docs/performance.md.

    python bench/draw_peers.py

A table's row is drawn if its last cell is a range, "1.79 to 2.06": a bar from the one to the other, on a logarithmic scale.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import log2
from pathlib import Path

PERFORMANCE = Path(__file__).parents[1] / "docs" / "performance.md"
PICTURE = PERFORMANCE.parent / "performance" / "peers.svg"
SECTION = re.compile(r"^## How fast is it beside DPDK\?$(.*?)^##", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (?P<what>[^|]+) \| (?P<machine>[AB]) \|.* (?P<low>[\d.]+) to (?P<high>[\d.]+) \|$", re.MULTILINE)
TICKS = (0.5, 1, 2, 4, 8)
WIDTH, LEFT, RIGHT, LINE, TOP = 900, 490, 780, 24, 40
FONT = 'font-family="sans-serif" font-size="13"'


@dataclass(frozen=True)
class Bar:
    """What is compared, on which machine, and how many times as fast macsad is, from the least to the most."""

    what: str
    low: float
    high: float


def bars(page: str) -> list[Bar]:
    """The rows of the section's tables."""
    section = SECTION.search(page)
    assert section, "docs/performance.md has no such section"
    return [
        Bar(f"{row['what'].replace('`', '')} ({row['machine']})", float(row["low"]), float(row["high"]))
        for row in ROW.finditer(section[1])
    ]


def across(times: float) -> float:
    """Where a ratio is on the horizontal axis."""
    return LEFT + (RIGHT - LEFT) * log2(times / TICKS[0]) / log2(TICKS[-1] / TICKS[0])


def text(x: float, y: float, anchor: str, words: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" {FONT}>{escape(words)}</text>'


def axis(bottom: int) -> list[str]:
    lines = [text((LEFT + RIGHT) / 2, 16, "middle", "times as fast as DPDK, one core")]
    for times in TICKS:
        colour = "black" if times == 1 else "#cccccc"
        x = across(times)
        lines.append(f'<line x1="{x:.0f}" y1="{TOP}" x2="{x:.0f}" y2="{bottom}" stroke="{colour}"/>')
        lines.append(text(x, TOP - 6, "middle", f"{times:g} ×"))
    return lines


def draw(rows: Sequence[Bar]) -> str:
    """The picture as SVG."""
    bottom = TOP + LINE * len(rows)
    lines = axis(bottom)
    for number, bar in enumerate(rows):
        y = TOP + LINE * number
        begin, end = across(bar.low), across(bar.high)
        lines.append(text(LEFT - 8, y + 17, "end", bar.what))
        lines.append(f'<rect x="{begin:.1f}" y="{y + 5}" width="{end - begin:.1f}" height="14" fill="#1f77b4"/>')
        lines.append(text(RIGHT + 8, y + 17, "start", f"{bar.low:g} to {bar.high:g}"))
    size = f'width="{WIDTH}" height="{bottom + 8}" viewBox="0 0 {WIDTH} {bottom + 8}"'
    paper = f'<rect width="{WIDTH}" height="{bottom + 8}" fill="white"/>'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', paper, *lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw(bars(PERFORMANCE.read_text())))
