"""What the page shows, as data for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from macsad.explain import advice, curves
from macsad.explain.explained import Explained
from macsad.explain.lines import by_line
from macsad.place import place_file


def data(explained: Explained) -> dict[str, Any]:
    """All figures."""
    made = explained.predict()
    limiting = advice.limiting(explained)
    return {
        "program": explained.name, "machine": explained.where, "traffic": explained.told, "ran": explained.ran,
        "elsewhere": explained.elsewhere, "hz": explained.machine.hz, "burst": explained.point[0],
        "sub_batch": explained.point[1],
        "measured": [{"burst": b, "sub_batch": s, "cycles": c} for (b, s), c in sorted(explained.measured.items())],
        "predicted": {"cycles": made.cycles, "io": made.upsilon, "compute": made.compute, "stall": made.stall},
        "limit": {"what": limiting.limit.value, "alone": limiting.alone, "times": advice.how_far(explained)},
        "try": [asdict(trial) for trial in advice.trials(explained)],
        "stages": [
            {"pipe": cost.pipe, "number": cost.number, "name": cost.name, "cycles": cost.cycles, "share": cost.share,
             "waits": max(0.0, cost.cycles - alone.cycles), "tables": cost.tables, "state": cost.state}
            for cost, alone in zip(explained.costs, explained.alone, strict=True)
        ],
        "receive": explained.runtime.receive, "send": explained.runtime.send,
        "tables": [asdict(table) for table in explained.tables],
        "placement": place_file.data(explained.placed),
        "curves": [
            {"over": chart.key, "name": curve.name, "measured": curve.measured, "points": curve.points}
            for chart in curves.charts(explained)
            for curve in chart.curves
        ],
        "lines": [
            {"file": file, "line": number, "cycles": line.cycles, "waits": line.waits, "if_comes": line.if_comes,
             "share": line.share, "dropped": line.dropped, "stages": line.stages}
            for (file, number), line in sorted(by_line(explained).items())
        ],
    }  # fmt: skip
