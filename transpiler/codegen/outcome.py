"""What becomes of a packet, as statement views: in its record or, in a straight pipe, as its fate."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.views import Line, Views


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a generated function says it. `fated`: it is given `fate` (macs/straight.h); `recorded`: the runtime or others
    read it in the record; `lasting`: as the Maker's; `names_port`: the program reads the egress port there."""

    fated: bool
    recorded: bool
    lasting: bool
    names_port: bool

    def drop(self, cause: str = "PROGRAM") -> Views:
        """Ends the function. `cause`: of enum macs_cause."""
        texts: list[str] = []
        if self.recorded:
            texts += ["packet->verdict = MACS_DROP;", f"packet->cause = MACS_CAUSE_{cause};"]
        if self.fated:
            texts.append(f"*fate = MACS_FATE_DROP + MACS_CAUSE_{cause};")
        return tuple(map(Line, [*texts, "return;"]))

    def forward(self, port: str) -> Views:
        """`port`: the C of its number."""
        texts: list[str] = []
        if self.recorded or self.names_port:
            texts.append(f"packet->egress_port = {port};")
        if self.recorded:
            texts.append("packet->verdict = MACS_FORWARD;")
        if self.fated:
            texts.append(f"*fate = macs_fate_of_port(common, {port});")
        return tuple(map(Line, texts))

    def go_on(self, verdict: str, group: str = "") -> Views:
        """To what follows this pipe, which the runtime finds in the record. `group`: the C of a multicast group's number."""
        on = Line("*fate = MACS_FATE_ON;")
        if self.fated and not self.lasting:
            return Line(f"macs_go_on(common, packet->handle, kept, {verdict}, {group or 0});"), on
        texts = [f"packet->multicast_group = {group};"] if group else []
        texts.append(f"packet->verdict = {verdict};")
        return (*map(Line, texts), *((on,) if self.fated else ()))
