"""What becomes of a packet, as statement views: in its record or, in a straight pipe, as its fate."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.views import Line, Views


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a generated function says it. `fated`: it is given `fate` (macs/straight.h); `recorded`: the runtime or others
    read it in the record; `names_port`: the program reads the egress port there."""

    fated: bool
    recorded: bool
    names_port: bool

    def drop(self, cause: str = "PROGRAM") -> Views:
        """Ends the function. `cause`: of enum macs_cause."""
        recorded = (Line("packet->verdict = MACS_DROP;"), Line(f"packet->cause = MACS_CAUSE_{cause};"))
        fated = Line(f"*fate = MACS_FATE_DROP + MACS_CAUSE_{cause};")
        return (*recorded * self.recorded, *(fated,) * self.fated, Line("return;"))

    def forward(self, port: str) -> Views:
        """`port`: the C of its number."""
        named = Line(f"packet->egress_port = {port};")
        recorded = Line("packet->verdict = MACS_FORWARD;")
        fated = Line(f"*fate = macs_fate_of_port(worker, {port});")
        names = self.recorded or self.names_port
        return (*(named,) * names, *(recorded,) * self.recorded, *(fated,) * self.fated)

    def go_on(self, verdict: str) -> Views:
        """To what follows this pipe, which the runtime finds in the record."""
        return (Line(f"packet->verdict = {verdict};"), *(Line("*fate = MACS_FATE_ON;"),) * self.fated)
