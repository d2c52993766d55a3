"""What v1model decides, as statements: v1model as BMv2's simple_switch has it.

Source: simple_switch documentation of intrinsic metadata and of what happens after ingress and egress.
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.architectures.v1model.facts import DROP_PORT
from transpiler.architectures.v1model.pipes import (
    AGAIN,
    DECIDE,
    DIVERT,
    EGRESS_SPEC,
    ENQUEUE,
    FINISH,
    FORWARD,
    MULTICAST_GROUP,
    PRIORITY,
    TO_PORT,
)
from transpiler.codegen.c.build import PACKET, call, infix, packet
from transpiler.codegen.c.nodes import Assign, Body, Do, If, Literal, Member, Name, Return
from transpiler.codegen.ctypes import literal
from transpiler.codegen.intrinsics import Intrinsics
from transpiler.hlir.types import Bits
from transpiler.schedule.pipeline import DROP, Step, calls

PORT = Bits(9)


def _forward(values: Intrinsics) -> Body:
    return (*_drop_if_wished(values), *_to_port(values))


def _decide(values: Intrinsics) -> Body:
    """Multicast goes before the drop port."""
    group = values.value(MULTICAST_GROUP)
    replicate = (
        *values.before_diverting,
        *values.outcome.go_on("MACS_REPLICATE", group),
        Return(),
    )
    first: Body = (If(infix(group, "!=", 0), replicate),) if group is not None else ()
    return (*first, *_drop_if_wished(values), *_to_port(values))


def _enqueue(values: Intrinsics) -> Body:
    """The queue is chosen by the priority that ingress leaves."""
    priority = values.value(PRIORITY)
    given = () if priority is None else (Do(call("macs_set_priority", PACKET, priority)),)
    return (*given, *_decide(values))


def _finish(values: Intrinsics) -> Body:
    """An egress clone is a copy of the packet before it is deparsed."""
    clone: Body = ()
    if calls(values.program, frozenset({"clone.egress"})):
        cloned = (Do(call("macs_clone_egress", "worker", "packet")),)
        clone = (If(infix(Member(packet("requests"), "flags"), "&", "MACS_CLONE_EGRESS"), cloned),)
    return (*clone, *_drop_if_wished(values))


def _drop_if_wished(values: Intrinsics) -> Body:
    """mark_to_drop has set egress_spec to the drop port."""
    spec = values.value(EGRESS_SPEC)
    return () if spec is None else (If(infix(spec, "==", literal(DROP_PORT, PORT)), values.drop()),)


def _to_port(values: Intrinsics) -> Body:
    again = calls(values.program, AGAIN)  # then the packet may be another instance than a normal one
    return (
        *((Assign(packet("instance_type"), Name("MACS_NORMAL")),) if again else ()),
        *values.outcome.forward(values.value(EGRESS_SPEC) or Literal("0")),
    )


DECISIONS: dict[Step, Callable[[Intrinsics], Body]] = {
    FORWARD: _forward,
    DECIDE: _decide,
    DIVERT: _decide,
    ENQUEUE: _enqueue,
    FINISH: _finish,
    DROP: lambda values: values.drop(),
    TO_PORT: _to_port,
}
