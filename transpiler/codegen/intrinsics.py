"""Intrinsic values in C: where the runtime has them, how a step sets and reads them."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.ctypes import c_type, is_wide
from transpiler.codegen.outcome import Outcome
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Storage
from transpiler.codegen.views import Line, View, Views
from transpiler.hlir.program import Program
from transpiler.hlir.types import Type
from transpiler.schedule.pipeline import Source

_SOURCES = {
    Source.INGRESS_PORT: "packet->ingress_port",
    Source.EGRESS_PORT: "packet->egress_port",
    Source.LENGTH: "packet->length",
    Source.INSTANCE: "packet->instance_type",
    Source.REPLICA: "packet->replica",
    Source.ARRIVAL_US: "packet->ingress_ns / 1000",
    Source.NOW_US: "worker->now_ns / 1000",
    Source.ZERO: "0",
    Source.ONE: "1",
}


def sourced(source: Source, type_: Type) -> str:
    """The C of a value of that type that comes from the runtime."""
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
                type_ = self.program.variable[variable].type
                text = _SOURCES[source] if isinstance(source, Source) else self.value(source) or "0"
                views.append(Line(f"{self.scope.write(slot)} = {_of_type(text, type_)};"))
        return tuple(views)

    def value(self, name: str) -> str | None:
        """The C of an intrinsic value; None where the program cannot name it."""
        variable = self.program.intrinsic.get(name)
        return None if variable is None else self.scope.read(self.storage.variable(variable))


def _of_type(text: str, type_: Type) -> str:
    return f"{c_type(type_)}_of({text})" if is_wide(type_) else f"({c_type(type_)})({text})"
