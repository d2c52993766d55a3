"""Which places of a program generated frames come to: parser states, tables and actions, as the interpreter tells them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from transpiler.diagnostics import Span
from transpiler.interpreter.trace import Event
from transpiler.traffic.plan import Plan, shares

KINDS = ("state", "table", "action")


def ways(plan: Plan) -> Mapping[Span, float]:
    """The share of the frames that come to each, by where it stands in the program; what none comes to is left out."""
    seen: set[Span] = set()

    def note(event: Event) -> None:
        if event.kind in KINDS and event.span is not None:
            seen.add(event.span)

    probe = plan.probe(note)
    share: defaultdict[Span, float] = defaultdict(float)
    for stream, part in zip(plan.streams, shares(plan.streams), strict=True):
        seen.clear()
        probe.run(stream.template.frame.data, stream.template.outcomes)
        for span in seen:
            share[span] += part
    return share
