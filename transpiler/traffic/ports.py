"""Frames that leave by ports that the switch has.

A search tries small numbers by chance, and what leads a frame nowhere else may become any number: the port that it leaves by,
too. So where a frame leaves by a port that is not there, each parameter of the actions that it runs is tried as one that is: a
port may be the parameter, or be made of it. Those of entries that are there already stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from transpiler.traffic.plan import Wishes
from transpiler.traffic.probe import Fixed, Observation, Outcomes, Probe
from transpiler.traffic.search import Frame


def missing(seen: Observation, wishes: Wishes) -> int:
    """How many of the ports that a frame was sent to are not there."""
    return sum(port >= wishes.ports for port in seen.ports)


def within(probe: Probe, wishes: Wishes, frame: Frame, outcomes: Outcomes, fixed: Fixed) -> Outcomes:
    """The outcomes, with ports in their action data that are there. They are as they were where none is found with which the
    frame goes the same way and hits the same tables."""
    seen = first = probe.run(frame.data, outcomes, fixed)
    hits = _hits(probe)
    for name, key in reversed(first.applied):
        if not missing(seen, wishes):
            break
        if (name, key) in fixed:
            continue
        for tried in _with_ports(outcomes, name, wishes):
            now = probe.run(frame.data, tried, fixed)
            if (now.way, _hits(probe)) == (first.way, hits) and missing(now, wishes) < missing(seen, wishes):
                outcomes, seen = tried, now
                break
    return outcomes


def _hits(probe: Probe) -> set[str]:
    """The tables that the last frame hit."""
    return {name for (name, _), call in probe.lookups.items() if call is not None}


def _with_ports(outcomes: Outcomes, name: str, wishes: Wishes) -> Iterator[Outcomes]:
    """With a port for each parameter of a table's action in turn."""
    call = outcomes.get(name)
    for number in range(len(call.arguments) if call is not None else 0):
        for port in (wishes.outward, wishes.port):
            assert call is not None
            arguments = (*call.arguments[:number], port, *call.arguments[number + 1 :])
            yield {**outcomes, name: replace(call, arguments=arguments)}
