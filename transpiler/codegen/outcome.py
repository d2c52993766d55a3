"""The verdict on a packet, as statements: in its record or, in a pipeline that runs to completion, in the burst's array."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.c.build import LIVE, call, infix, packet
from transpiler.codegen.c.nodes import Assign, Body, Call, Do, Expression, Literal, Name, Return, Statement, Unary
from transpiler.codegen.c.walk import map_bodies

VERDICT = Unary("*", Name("verdict"))
GO_ON = "macs_go_on"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a generated function says it. `gives_verdicts`: it has `verdict`, in the burst's array; `record_is_read`: the runtime
    or others read it in the record."""

    gives_verdicts: bool
    record_is_read: bool

    def drop(self, cause: str = "PROGRAM", at: Expression | None = None) -> Body:
        """Ends the function. `cause`: of enum macs_cause; `at`: the number of a place that dropped it, instead."""
        made: list[Statement] = []
        number = at or Name(f"MACS_CAUSE_{cause}")
        if self.record_is_read:
            made.append(Assign(packet("verdict"), Name("MACS_DROP")))
            made.append(Assign(packet("cause"), number))
        if self.gives_verdicts:
            made.append(Assign(VERDICT, infix("MACS_VERDICT_DROP", "+", number)))
        return (*made, Return())

    def forward(self, port: Expression) -> Body:
        """To the port of that number."""
        made: list[Statement] = [Assign(packet("egress_port"), port)]
        if self.record_is_read:
            made.append(Assign(packet("verdict"), Name("MACS_FORWARD")))
        if self.gives_verdicts:
            made.append(Assign(VERDICT, call("macs_verdict_of_port", "common", port)))
        return tuple(made)

    def go_on(self, verdict: str, group: Expression | None = None) -> Body:
        """To what follows this pipe, which the runtime finds in the record. `group`: a multicast group's number."""
        on = Assign(VERDICT, Name("MACS_VERDICT_CONTINUE"))
        if self.gives_verdicts and not self.record_is_read:
            none = Literal("0")
            return (Do(call(GO_ON, "common", packet("handle"), LIVE, verdict, group or none)), on)
        return (*_in_record(Name(verdict), group), *((on,) if self.gives_verdicts else ()))


def with_lasting_records(body: Body) -> Body:
    """The body where records are kept from stage to stage: who goes on finds in them what `go_on` has filled in else."""

    def rewritten(body: Body) -> Body:
        made: list[Statement] = []
        for statement in body:
            match statement:
                case Do(expression=Call(function=name, arguments=(_, _, _, verdict, group))) if name == GO_ON:
                    made += _in_record(verdict, None if group == Literal("0") else group)
                case _:
                    made.append(map_bodies(statement, rewritten))
        return tuple(made)

    return rewritten(body)


def _in_record(verdict: Expression, group: Expression | None) -> Body:
    grouped = (Assign(packet("multicast_group"), group),) if group is not None else ()
    return (*grouped, Assign(packet("verdict"), verdict))
