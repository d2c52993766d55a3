"""What loops that may go on for long do in every round: look whether the control thread has something to say."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.outcome import Outcome
from transpiler.codegen.outside import string
from transpiler.codegen.tables import cite
from transpiler.codegen.views import IfView, Line, Views
from transpiler.diagnostics import Span


@dataclass(frozen=True, slots=True)
class LongLoops:
    """The long loops of a program (`analysis/trips.py`), as one generated function has them. `outcome`: how that drops
    the packet; `requests`: whether packets make requests, which one that is dropped so has no more."""

    spans: frozenset[Span]
    outcome: Outcome
    requests: bool

    def begin_round(self, span: Span) -> Views:
        """The first statements of a loop's body; none where the loop surely ends soon."""
        if span not in self.spans:
            return ()
        place = string(cite(span.file, span.line))
        forget = (Line("packet->requests.flags &= MACS_CLONED;"),) if self.requests else ()
        return (IfView(f"macs_loop_ends(worker, {place})", (*forget, *self.outcome.drop("ENDLESS")), ()),)
