"""Charts as SVG, by matplotlib: curves that are predicted are lines, what was measured are dots."""

from __future__ import annotations

import io
from typing import Any

from macsad.bench.plots import figures
from macsad.explain.curves import Chart, Curve
from macsad.explain.pictures import inline

# Colours that stand for the page's own; `pictures` puts these in their place.
INK, FAINT = "#010203", "#040506"
SERIES = ("#0a0001", "#0a0002", "#0a0003")
COLOURS = {INK: "var(--ink)", FAINT: "var(--line)"} | {
    colour: f"var(--series-{number})" for number, colour in enumerate(SERIES)
}
MARKS, WIDTHS = ("o", "s", "^"), (4.0, 2.6, 1.4)


def picture(chart: Chart) -> str:
    """As an element of HTML. Raises: BenchError without matplotlib."""
    plt = figures()
    figure, axes = plt.subplots(figsize=(5.2, 3.3))
    names = list(dict.fromkeys(curve.name for curve in chart.curves))
    for curve in chart.curves:
        xs, ys = zip(*curve.points, strict=True)
        axes.plot(xs, ys, **drawn(curve, names.index(curve.name)))
    if chart.logarithmic:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(lambda value, _: _short(value))
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.08)
    axes.set_xlabel(chart.over, color=INK)
    axes.set_ylabel("million packets a second", color=INK)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.tick_params(colors=INK)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    figure.patch.set_visible(False)
    axes.patch.set_visible(False)
    if chart.curves:
        axes.legend(fontsize=8, frameon=False, labelcolor=INK, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
    made = io.BytesIO()
    figure.savefig(made, format="svg", metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)
    return inline(made.getvalue(), chart.key, f"{chart.title}: {spoken(chart)}", COLOURS)


def drawn(curve: Curve, name: int) -> dict[str, Any]:
    """How the curves of the name of that number are drawn: in one colour, what was measured as dots."""
    name %= len(SERIES)
    if curve.measured:
        dots = {"linestyle": "none", "marker": MARKS[name], "markersize": 6}
        return {"color": SERIES[name], "label": f"{curve.name}, measured", **dots}
    return {"color": SERIES[name], "label": f"{curve.name}, predicted", "linewidth": WIDTHS[name]}


def spoken(chart: Chart) -> str:
    """What a reader who does not see the chart is told of it."""
    return "; ".join(
        f"{curve.name}, {'measured' if curve.measured else 'predicted'}: {curve.points[0][1]:.1f} million packets a second at "
        f"{_short(curve.points[0][0])}, {curve.points[-1][1]:.1f} at {_short(curve.points[-1][0])}"
        for curve in chart.curves
    )


def _short(value: float) -> str:
    """16, 64 K, 1 M: powers of two."""
    for unit, size in (("M", 1 << 20), ("K", 1 << 10)):
        if value >= size:
            return f"{value / size:.0f} {unit}"
    return f"{value:.0f}"
