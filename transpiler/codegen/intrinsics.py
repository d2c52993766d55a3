"""Intrinsic values in C: where the runtime has them, how a step sets and reads them."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.c.build import PACKET, WORKER, call, cast, infix, packet
from transpiler.codegen.c.nodes import Assign, Body, Expression, Member, Statement
from transpiler.codegen.ctypes import c_type, is_wide, literal
from transpiler.codegen.outcome import Outcome
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Storage
from transpiler.hlir.program import Program
from transpiler.hlir.types import Type
from transpiler.schedule.pipeline import DROPPED_AT, Source


def _waited(member: str) -> Expression:
    """What the packet's buffer has of its time in a queue."""
    return Member(call("macs_waited_of", PACKET), member, arrow=True)


_SOURCES: dict[Source, Expression] = {  # the runtime's
    Source.INGRESS_PORT: packet("ingress_port"),
    Source.EGRESS_PORT: packet("egress_port"),
    Source.LENGTH: packet("length"),
    Source.INSTANCE: packet("instance_type"),
    Source.DIRECTION: call("macs_direction_of", WORKER, packet("ingress_port")),
    Source.REPLICA: packet("replica"),
    Source.SERVICE: Member(packet("requests"), "service"),
    Source.ARRIVAL_US: infix(packet("ingress_ns"), "/", 1000),
    Source.NOW_US: infix(Member(WORKER, "now_ns", arrow=True), "/", 1000),
    Source.ENQUEUED_US: infix(_waited("enqueued_ns"), "/", 1000),
    Source.WAITED_US: infix(_waited("waited_ns"), "/", 1000),
    Source.DEPTH_BEFORE: _waited("depth_before"),
    Source.DEPTH_BEHIND: _waited("depth_behind"),
    Source.QUEUE: _waited("queue"),
}
_CONSTANTS = {Source.ZERO: 0, Source.ONE: 1}


def sourced(source: Source, type_: Type) -> Expression:
    """A value of that type that comes from the runtime."""
    if source in _CONSTANTS:
        return literal(_CONSTANTS[source], type_)
    return _of_type(_SOURCES[source], type_)


@dataclass(frozen=True, slots=True)
class Intrinsics:
    """The intrinsic values of a program within one generated function. `before_diverting`: statements for a
    packet that leaves its pipe for the replication pipeline."""

    program: Program
    storage: Storage
    scope: Scope
    outcome: Outcome
    before_diverting: Body = ()

    def fill(self, values: tuple[tuple[str, Source | str], ...]) -> Body:
        """Set the intrinsic values that the program can name."""
        made: list[Statement] = []
        for name, source in values:
            if (variable := self.program.intrinsic.get(name)) is not None:
                slot = self.storage.variable(variable)
                made.append(Assign(self.scope.read(slot), self._filled(source, variable)))
        return tuple(made)

    def _filled(self, source: Source | str, variable: str) -> Expression:
        """A source's value, of the variable's type."""
        type_ = self.program.variable[variable].type
        if isinstance(source, Source):
            return sourced(source, type_)
        if (value := self.value(source)) is None:
            return literal(0, type_)
        same = c_type(type_) == c_type(self.program.variable[self.program.intrinsic[source]].type)
        return value if same else _of_type(value, type_)

    def value(self, name: str) -> Expression | None:
        """An intrinsic value; None where the program cannot name it."""
        variable = self.program.intrinsic.get(name)
        return None if variable is None else self.scope.read(self.storage.variable(variable))

    def drop(self) -> Body:
        """The packet is dropped, by the place that was noted last. Ends the function."""
        return self.outcome.drop(at=self.value(DROPPED_AT))


def _of_type(value: Expression, type_: Type) -> Expression:
    return call(f"{c_type(type_)}_of", value) if is_wide(type_) else cast(c_type(type_), value)
