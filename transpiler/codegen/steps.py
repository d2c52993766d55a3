"""The architecture's steps → statement views: v1model as BMv2's simple_switch has it.

Source: simple_switch documentation of intrinsic metadata and of what happens after ingress and egress.
"""

from __future__ import annotations

from transpiler.codegen.ctypes import c_type, is_wide
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Storage
from transpiler.codegen.views import IfView, Line, View, Views
from transpiler.hlir.program import Program
from transpiler.schedule.pipeline import AGAIN, MULTICAST_GROUP, Step, calls

DROP_PORT = 511

# intrinsic value → where the runtime has it
INGRESS_VALUES = {
    "ingress_port": "packet->ingress_port",
    "packet_length": "packet->length",
    "instance_type": "packet->instance_type",
    "ingress_global_timestamp": "packet->ingress_ns / 1000",
}
CLONE_VALUES = {name: INGRESS_VALUES[name] for name in ("ingress_port", "ingress_global_timestamp")}
EGRESS_VALUES = {
    "egress_port": "packet->egress_port",
    "egress_spec": "0",
    "egress_rid": "packet->replica",
    "packet_length": "packet->length",
    "instance_type": "packet->instance_type",
    "egress_global_timestamp": "worker->now_ns / 1000",
}


def step(what: Step, program: Program, storage: Storage, scope: Scope) -> Views:
    """The statements of a step."""
    steps = Steps(program, storage, scope)
    match what:
        case Step.BEGIN_INGRESS:
            return steps.fill(INGRESS_VALUES)
        case Step.BEGIN_CLONE:
            return steps.fill(CLONE_VALUES)
        case Step.BEGIN_EGRESS:
            return steps.fill(EGRESS_VALUES)
        case Step.FORWARD:
            return (*steps.drop_if_wished(), *steps.to_port(), *steps.fill(EGRESS_VALUES))
        case Step.DECIDE:
            return steps.decide()
        case Step.FINISH:
            return (*steps.clone(), *steps.drop_if_wished())


class Steps:
    def __init__(self, program: Program, storage: Storage, scope: Scope) -> None:
        self.program = program
        self.storage = storage
        self.scope = scope

    def fill(self, values: dict[str, str]) -> Views:
        """Set the intrinsic values that the program can name and this function or a later stage reads."""
        views: list[View] = []
        for name, source in values.items():
            variable = self.program.intrinsic.get(name)
            if variable is None:
                continue
            slot = self.storage.variable(variable)
            if not self.scope.is_dead(slot):
                type_ = self.program.variable[variable].type
                value = f"{c_type(type_)}_of({source})" if is_wide(type_) else f"({c_type(type_)})({source})"
                views.append(Line(f"{self.scope.write(slot)} = {value};"))
        return tuple(views)

    def drop_if_wished(self) -> Views:
        """mark_to_drop has set egress_spec to the drop port."""
        spec = self._value("egress_spec")
        if spec is None:
            return ()
        return (IfView(f"{spec} == {DROP_PORT}", _DROPPED, (), ""),)

    def clone(self) -> Views:
        """An egress clone is a copy of the packet before it is deparsed."""
        if not calls(self.program, frozenset({"clone.egress"})):
            return ()
        cloned = (Line("macs_clone_egress(worker, packet);"),)
        return (IfView("packet->requests.flags & MACS_CLONE_EGRESS", cloned, (), ""),)

    def to_port(self) -> Views:
        again = calls(self.program, AGAIN)  # then the packet may be another instance than a normal one
        return (
            *((Line("packet->instance_type = MACS_NORMAL;"),) if again else ()),
            Line(f"packet->egress_port = {self._value('egress_spec') or '0'};"),
            Line("packet->verdict = MACS_FORWARD;"),
        )

    def decide(self) -> Views:
        """Multicast goes before the drop port."""
        group = self._value(MULTICAST_GROUP)
        replicate = (
            Line(f"packet->multicast_group = {group};"),
            Line("packet->verdict = MACS_REPLICATE;"),
            Line("return;"),
        )
        first: Views = (IfView(f"{group} != 0", replicate, (), ""),) if group else ()
        return (*first, *self.drop_if_wished(), *self.to_port())

    def _value(self, name: str) -> str | None:
        variable = self.program.intrinsic.get(name)
        return None if variable is None else self.scope.read(self.storage.variable(variable))


_DROPPED: Views = (
    Line("packet->verdict = MACS_DROP;"),
    Line("packet->cause = MACS_CAUSE_PROGRAM;"),
    Line("return;"),
)
