"""Long loops ask in every round whether the packet must be dropped, and tell the control thread where they are."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.c.build import call, packet
from transpiler.codegen.c.nodes import Assign, Body, If, Member, Name, String
from transpiler.codegen.outcome import Outcome
from transpiler.codegen.places import at
from transpiler.diagnostics import Span


@dataclass(frozen=True, slots=True)
class LongLoops:
    """The long loops of a program (`analysis/trips.py`), as one generated function has them. `outcome`: how that drops
    the packet; `requests`: whether packets make requests, which one that is dropped so has no more."""

    spans: frozenset[Span]
    outcome: Outcome
    requests: bool

    def begin_round(self, span: Span) -> Body:
        """The first statements of a loop's body; none if the trip count is small."""
        if span not in self.spans:
            return ()
        forget = (
            (Assign(Member(packet("requests"), "flags"), Name("MACS_CLONED"), operator="&="),) if self.requests else ()
        )
        ends = call("macs_loop_ends", "worker", String(at(span)))
        return (If(ends, (*forget, *self.outcome.drop("ENDLESS"))),)
