"""The page: what is known of a program as one file of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from typing import Any

import jinja2

from macsad.bench.contestants import BenchError
from macsad.explain import advice, charts, stage_drawing
from macsad.explain.curves import Chart, charts as all_charts
from macsad.explain.explained import Explained
from macsad.explain.lines import Line, by_line
from macsad.explain.pictures import inline
from macsad.place import place_file
from transpiler.diagnostics import read_lines
from transpiler.graph import dot
from transpiler.graph.drawing import Drawing
from transpiler.graph.graphviz import GraphvizError, render
from transpiler.placement.drawing import draw as draw_placement
from transpiler.shown import shown, shown_lines

WIDE = 2_000  # characters of a line that are shown
FAR, NEAR = 400, 20  # lines without code: of more than FAR the first and last NEAR are shown
# dot.py's colours → classes of the page
GRAPH_COLOURS = {
    "white": "var(--page)", "black": "var(--ink)", "#37474f": "var(--ink)", "#546e7a": "var(--faint)", "#b0bec5": "var(--line)",
    "#fff8e1": "var(--table)", "#ef8f00": "var(--table-edge)", "#fafafa": "var(--code)", "#90a4ae": "var(--line)",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a file. `heat`: the square root of its cycles' share of those of the one that takes the most; `gap`: lines that
    are left out in front of it."""

    number: int
    text: str
    line: Line | None
    heat: float = 0.0
    gap: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the program; `cycles` of all its lines."""

    name: str
    rows: tuple[Row, ...]
    cycles: float


@dataclass(frozen=True, slots=True)
class Picture:
    """`svg` is "" where there is none; then `why`, and a `notice` where something is not installed that draws it."""

    svg: str
    why: str = ""
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """`text`: of the file; `notices`: what is lacking of it, for people."""

    text: str
    notices: tuple[str, ...]


def render_page(explained: Explained) -> Page:
    """The page of a program."""
    lines = by_line(explained)
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("macsad.explain", "page"), undefined=jinja2.StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters.update(shown=shown, size=stage_drawing.size, shortened=lambda name: name.rpartition(".")[2])
    drawn = _drawing(stage_drawing.draw(explained), "stages")
    found = [(chart, _chart(chart), _table(chart)) for chart in all_charts(explained)]
    placement = _drawing(draw_placement("placement", explained.placed.best, explained.placed.stages), "placement")
    pictures = (drawn, placement, *(picture for _, picture, _ in found))
    notices = tuple(dict.fromkeys(one.notice for one in pictures if one.notice))
    text = made.get_template("page.html.j2").render(
        e=explained, sources=sources(lines), prediction=explained.predict(), terms=advice.terms(explained),
        limiting=advice.limiting(explained), trials=advice.trials(explained),
        pages_gain=advice.pages_gain(explained), stages=_stages(explained), placements=place_file.rows(explained.placed),
        placed=_placements(explained), charts=found, drawn=drawn, hottest=_hottest(lines),
        placement=placement,
        chosen=str(place_file.chosen(explained.placed, explained.placed.best)), notices=notices,
        explained_lines=sum(line.cycles for line in lines.values()),
    )  # fmt: skip
    return Page(text, notices)


# --- the program ------------------------------------------------------------------------------------------------------


def sources(lines: dict[tuple[str, int], Line]) -> list[Source]:
    """The files that have code, those with the most cycles first."""
    most = max((line.cycles for line in lines.values()), default=0.0) or 1.0
    found = []
    for file in dict.fromkeys(file for file, _ in lines):
        own = {number: line for (name, number), line in lines.items() if name == file}
        found.append(
            Source(shown(file), tuple(_rows(read_lines(file), own, most)), sum(one.cycles for one in own.values()))
        )
    return sorted(found, key=lambda source: -source.cycles)


def _rows(texts: Sequence[str], own: dict[int, Line], most: float) -> Iterator[Row]:
    count = len(texts) - bool(texts and not texts[-1])  # no line is behind the last line feed
    numbers = range(1, max(count, max(own)) + 1)
    kept = set(numbers)
    for bare, run in groupby(numbers, lambda number: number not in own):
        if bare and len(there := list(run)) > FAR:
            kept -= set(there[NEAR:-NEAR])
    before = 0
    for number in sorted(kept):
        text = texts[number - 1] if number <= len(texts) else ""
        cut = text if len(text) <= WIDE else text[:WIDE] + "…"
        line = own.get(number)
        yield Row(number, shown_lines(cut), line, sqrt(line.cycles / most) if line else 0.0, number - before - 1)
        before = number


def _hottest(lines: dict[tuple[str, int], Line]) -> list[tuple[str, int, Line, str]]:
    """The lines that take the most: file, number, figures and text."""
    order = sorted(lines, key=lambda place: -lines[place].cycles)[:5]
    return [
        (shown(file), number, lines[file, number], shown(_text(file, number).strip()))
        for file, number in order
        if lines[file, number].cycles
    ]


def _text(file: str, number: int) -> str:
    texts = read_lines(file)
    return texts[number - 1][:WIDE] if number <= len(texts) else ""


# --- pipeline, placement, curves --------------------------------------------------------------------------------------


def _stages(explained: Explained) -> list[dict[str, Any]]:
    facts = {table.name: table for table in explained.tables}
    return [
        {
            "number": number, "pipe": cost.pipe, "name": cost.name, "cycles": cost.cycles, "share": cost.share,
            "waits": max(0.0, cost.cycles - alone.cycles), "tables": [facts[name] for name in cost.tables if name in facts],
            "state": cost.state, "looks_up": bool(cost.tables),
        }
        for number, (cost, alone) in enumerate(zip(explained.costs, explained.alone, strict=True))
    ]  # fmt: skip


def _placements(explained: Explained) -> list[dict[str, Any]]:
    placed = explained.placed
    return [
        {
            "what": f"cut at {cut}" if (cut := placed.cut(one)) else "cloned",
            "cores": " + ".join(str(part.cores) for part in one.parts),
            "cycles": " + ".join(f"{part.cycles:.0f}" for part in one.parts), "mpps": placed.mpps(one),
            "limit": place_file.limit(one), "chosen": one == placed.best,
        }
        for one in placed.placements
    ]  # fmt: skip


def _drawing(drawing: Drawing, name: str) -> Picture:
    try:
        text = render(dot.write(drawing), "svg")
    except GraphvizError as error:
        return Picture("", notice=f"Drawings are left out: {error}")
    return Picture(inline(text, name, drawing.title, GRAPH_COLOURS))


def _chart(chart: Chart) -> Picture:
    if not any(curve.points for curve in chart.curves):
        return Picture("", "The program has no tables whose entries can differ.")
    try:
        return Picture(charts.picture(chart))
    except BenchError as error:
        return Picture("", "Not drawn: its figures are below.", f"Charts are left out: {error}")


def _table(chart: Chart) -> list[tuple[float, list[float | None]]]:
    """The figures of a chart: a row for each place, a column for each curve."""
    places = sorted({x for curve in chart.curves for x, _ in curve.points})
    values = [dict(curve.points) for curve in chart.curves]
    return [(x, [value.get(x) for value in values]) for x in places]
