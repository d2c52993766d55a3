"""Intrinsic values in C: where the runtime has them, how a step sets and reads them."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.ctypes import c_type, is_wide, literal
from transpiler.codegen.expressions import C, cast, infix
from transpiler.codegen.outcome import Outcome
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Storage
from transpiler.codegen.views import Line, View, Views
from transpiler.hlir.program import Program
from transpiler.hlir.types import Type
from transpiler.schedule.pipeline import Source

_SOURCES = {  # the runtime's, in C
    Source.INGRESS_PORT: C("packet->ingress_port"),
    Source.EGRESS_PORT: C("packet->egress_port"),
    Source.LENGTH: C("packet->length"),
    Source.INSTANCE: C("packet->instance_type"),
    Source.REPLICA: C("packet->replica"),
    Source.ARRIVAL_US: infix(C("packet->ingress_ns"), "/", C("1000")),
    Source.NOW_US: infix(C("worker->now_ns"), "/", C("1000")),
}
_CONSTANTS = {Source.ZERO: 0, Source.ONE: 1}


def sourced(source: Source, type_: Type) -> str:
    """The C of a value of that type that comes from the runtime."""
    if source in _CONSTANTS:
        return literal(_CONSTANTS[source], type_)
    return _of_type(_SOURCES[source], type_)


@dataclass(frozen=True, slots=True)
class Intrinsics:
    """The intrinsic values of a program within one generated function. `parting`: what a packet does first that leaves its
    pipe for the one aside."""

    program: Program
    storage: Storage
    scope: Scope
    outcome: Outcome
    parting: Views = ()

    def fill(self, values: tuple[tuple[str, Source | str], ...]) -> Views:
        """Set the intrinsic values that the program can name and this function or a later stage reads."""
        views: list[View] = []
        for name, source in values:
            variable = self.program.intrinsic.get(name)
            if variable is None:
                continue
            slot = self.storage.variable(variable)
            if not self.scope.is_dead(slot):
                views.append(Line(f"{self.scope.write(slot)} = {self._filled(source, variable)};"))
        return tuple(views)

    def _filled(self, source: Source | str, variable: str) -> str:
        """The C of a source's value, of the variable's type."""
        type_ = self.program.variable[variable].type
        if isinstance(source, Source):
            return sourced(source, type_)
        if (value := self.value(source)) is None:
            return literal(0, type_)
        same = c_type(type_) == c_type(self.program.variable[self.program.intrinsic[source]].type)
        return value if same else _of_type(C(value), type_)

    def value(self, name: str) -> str | None:
        """The C of an intrinsic value; None where the program cannot name it."""
        variable = self.program.intrinsic.get(name)
        return None if variable is None else self.scope.read(self.storage.variable(variable))


def _of_type(value: C, type_: Type) -> str:
    return f"{c_type(type_)}_of({value})" if is_wide(type_) else cast(c_type(type_), value).text
