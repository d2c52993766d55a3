"""What `macsad tune` has found, as P.tune.toml, as lines for people and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from macsad.tune.tuned import VERSION
from transpiler.shown import shown

if TYPE_CHECKING:
    from macsad.tune.tuning import Row, Tuning

SHOWN = 12  # rows of a file


def toml(tuning: Tuning, program: str, where: str) -> str:
    """The file: settings, and in comments what they gain and what was measured."""
    settings = tuning.settings
    names = ", ".join(f'"{name}"' for name in settings.without)
    kernels = ", ".join(map(json.dumps, settings.kernels))
    lines = [
        f"# How `macsad tune` has set {shown(program)} for {where}.",
        f"# Traffic: {shown(tuning.traffic)}.",
        "# `macsad build` and `macsad run` take this file where it lies beside the program; --no-tune leaves it.",
        "",
        f"version = {VERSION}",
        f"burst = {settings.burst}  # B, packets that are received at once",
        f"sub_batch = {settings.sub_batch}  # b, lookups in flight at once",
        f"without = [{names}]  # optimisations that cost more than they gain here",
        f"kernels = [{kernels}]  # of tables, where another one than the compiler's choice gains",
        "",
        *(f"# {shown(name)}: {kernel}" for name, kernel in tuning.kernels),
        *(["#"] if tuning.kernels else []),
        *(f"# {line}" for line in gains(tuning)),
        "#",
        *(f"# {line}" for line in rows(tuning)),
    ]
    return "\n".join(lines) + "\n"


def gains(tuning: Tuning) -> list[str]:
    """What the settings gain, predicted and measured."""
    predicted = f"Predicted: {_speed(tuning.predicted, tuning.hz)}, limited by {tuning.limit}."
    if tuning.chosen is None:
        return [predicted, "Chosen by the model alone: nothing was measured on that machine."]
    measured = tuning.chosen
    return [
        predicted,
        f"Measured:  {_speed(measured, tuning.hz)}.",
        f"That is {tuning.usual / measured:.2f} times as fast as B=64, b=64, and {tuning.vanilla / measured:.2f} times as "
        "fast as one packet at a time.",
    ]


def rows(tuning: Tuning) -> list[str]:
    """What was looked at, the fastest first."""
    head = f"{'B':>3} {'b':>3} {'predicted':>9} {'measured':>8}  cycles a packet"
    return [head, *map(_row, tuning.rows[:SHOWN])]


def _row(row: Row) -> str:
    predicted, measured = ("" if cycles is None else f"{cycles:.0f}" for cycles in (row.predicted, row.measured))
    less = f"  {'with' if '=' in row.without else 'without'} {shown(row.without)}" if row.without else ""
    return f"{row.point[0]:>3} {row.point[1]:>3} {predicted:>9} {measured:>8}{less}"


def _speed(cycles: float, hz: float) -> str:
    return f"{cycles:.0f} cycles a packet, {hz / cycles / 1e6:.1f} million a second"


def data(tuning: Tuning) -> dict[str, Any]:
    """For JSON."""
    return {
        "burst": tuning.settings.burst, "sub_batch": tuning.settings.sub_batch, "without": tuning.settings.without,
        "kernels": tuning.settings.kernels, "tables": dict(tuning.kernels),
        "limit": tuning.limit, "predicted": tuning.predicted, "measured": tuning.chosen, "usual": tuning.usual,
        "vanilla": tuning.vanilla, "seconds": tuning.seconds, "hz": tuning.hz, "traffic": tuning.traffic,
        "points": [
            {"without": row.without, "burst": row.point[0], "sub_batch": row.point[1], "predicted": row.predicted,
             "measured": row.measured}
            for row in tuning.rows
        ],
    }  # fmt: skip
