"""Misses of a frame that may as well be hits: with an entry for its key the frame comes out as before, and hits what it hit."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from transpiler.hlir.program import Program
from transpiler.interpreter.tables import Call
from transpiler.traffic.probe import Fixed, Observation, Outcomes, Probe
from transpiler.traffic.search import uses


def fuller(
    probe: Probe, frame: bytes, outcomes: Outcomes, fixed: Fixed, names: Collection[str]
) -> dict[str, Call | None]:
    """The outcomes with hits of some of the tables `names` that the frame misses. `fixed`: those that stay as they are."""
    outcomes = dict(outcomes)
    seen = probe.run(frame, outcomes, fixed)
    tried: set[str] = set()
    while place := next((p for p in seen.applied if _open(p, outcomes, fixed, names) and p[0] not in tried), None):
        name = place[0]
        tried.add(name)
        for call in calls(probe.program, name):
            now = probe.run(frame, {**outcomes, name: call}, fixed)
            if _hits(now, {**outcomes, name: call}, fixed) > _hits(seen, outcomes, fixed) and now.ports == seen.ports:
                outcomes[name], seen = call, now
                break
    return outcomes


def calls(program: Program, table: str) -> list[Call]:
    """Each action that entries of a table can have, with small arguments."""
    return [
        Call(action, tuple(min(1, width) for width in widths)) for action, widths in uses(program, program.table[table])
    ]


def _open(place: tuple[str, tuple[int, ...]], outcomes: Outcomes, fixed: Fixed, names: Collection[str]) -> bool:
    return place[0] in names and outcomes.get(place[0]) is None and place not in fixed


def _hits(seen: Observation, outcomes: Mapping[str, Call | None], fixed: Fixed) -> set[str]:
    """The tables that are hit by a frame's first lookup."""
    return {
        place[0] for place in seen.applied if (fixed[place] if place in fixed else outcomes.get(place[0])) is not None
    }
