"""What PSA decides at the ends of ingress and egress, as statements. Source: PSA 1.2, sections 6.2 and 6.5."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.architectures.psa.facts import PORT_RECIRCULATE, Path
from transpiler.architectures.psa.pipes import (
    DIVERT,
    ENQUEUE,
    FINISH,
    FORWARD,
    LEAVE_EGRESS,
    LEAVE_INGRESS,
    PASS_ON,
    SERVICE_OUT,
    TO_PORT,
    list_number,
    may_be_set,
    reads_service,
    second_passes,
)
from transpiler.codegen.c.build import call, infix, negated, operand, packet
from transpiler.codegen.c.nodes import Assign, Body, Do, Expression, If, Literal, Member, Name, Return
from transpiler.codegen.intrinsics import Intrinsics
from transpiler.schedule.pipeline import DROP, Step

_RECIRCULATE = Literal(f"{PORT_RECIRCULATE:#x}u")


def _leave_ingress(values: Intrinsics) -> Body:
    """A clone is made of the frame as it came: it has not been changed yet."""
    again = (
        Do(call("macs_request_resubmit", "packet", list_number("resubmit"))),
        Assign(packet("verdict"), Name("MACS_FORWARD")),
        Return(),
    )
    dropped = values.value("ingress_output.drop")  # set when ingress begins
    drop: Body = (If(dropped, values.drop()),) if dropped is not None else ()
    return (
        *_clone(values, "ingress", "clone_i2e"),
        *drop,
        *_when(values, "ingress_output.resubmit", again),
    )


def _enqueue(values: Intrinsics) -> Body:
    return (*_replicate(values), *_to_port(values))


def _divert(values: Intrinsics) -> Body:
    return (*_replicate(values), *_forward(values))


def _replicate(values: Intrinsics) -> Body:
    group = _settable(values, "ingress_output.multicast_group")
    if group is None:
        return ()
    copies = (
        *values.before_diverting,
        *values.outcome.go_on("MACS_REPLICATE", call("macs_group", group)),
        *_kept(values),
        Return(),
    )
    return (If(group, copies),)


def _kept(values: Intrinsics) -> Body:
    """What egress has of it."""
    kept = Assign(Member(packet("requests"), "preserved"), operand(list_number("normal")))
    service = values.value(SERVICE_OUT) if reads_service(values.program) else None
    return (kept,) if service is None else (kept, Assign(Member(packet("requests"), "service"), service))


def _to_port(values: Intrinsics) -> Body:
    return (
        *values.outcome.forward(values.value("ingress_output.egress_port") or Literal("0")),
        Assign(packet("instance_type"), operand(int(Path.UNICAST))),
        *_kept(values),
    )


def _forward(values: Intrinsics) -> Body:
    """What recirculates goes on at egress."""
    again = (*values.before_diverting, *values.outcome.go_on("MACS_EGRESS"))
    return (*_to_port(values), If(infix(packet("egress_port"), "==", _RECIRCULATE), again))


def _leave_egress(values: Intrinsics) -> Body:
    drop = _settable(values, "egress_output.drop")
    if drop is None:
        return ()
    clone = _settable(values, "egress_output.clone")
    return (If(infix(drop, "&&", negated(clone)) if clone is not None else drop, values.drop()),)


def _finish(values: Intrinsics) -> Body:
    cloned = _clone(values, "egress", "clone_e2e")
    drop = _when(values, "egress_output.drop", values.drop()) if cloned else ()  # else done by _leave_egress
    return (*cloned, *drop, *_pass_on(values))


def _pass_on(values: Intrinsics) -> Body:
    if not second_passes(values.program):
        return ()
    again = (
        Assign(packet("ingress_port"), _RECIRCULATE),
        Do(call("macs_request_recirculate", "packet", list_number("recirculate"))),
    )
    return (If(infix(packet("egress_port"), "==", _RECIRCULATE), again),)


def _clone(values: Intrinsics, pipe: str, path: str) -> Body:
    clone = _settable(values, f"{pipe}_output.clone")
    if clone is None:
        return ()
    session = values.value(f"{pipe}_output.clone_session_id") or Literal("0")
    cloned = (
        Do(call(f"macs_request_clone_{pipe}", "packet", session, list_number(path))),
        Do(call(f"macs_clone_{pipe}", "worker", "packet")),
    )
    return (If(clone, cloned),)


def _when(values: Intrinsics, name: str, then: Body) -> Body:
    """Do something where an intrinsic value is not zero; nothing where it never is."""
    condition = _settable(values, name)
    return () if condition is None else (If(condition, then),)


def _settable(values: Intrinsics, name: str) -> Expression | None:
    """An intrinsic value; None where it is always zero."""
    return values.value(name) if may_be_set(values.program, name) else None


DECISIONS: dict[Step, Callable[[Intrinsics], Body]] = {
    LEAVE_INGRESS: _leave_ingress,
    ENQUEUE: _enqueue,
    DIVERT: _divert,
    TO_PORT: _to_port,
    FORWARD: _forward,
    LEAVE_EGRESS: _leave_egress,
    FINISH: _finish,
    PASS_ON: _pass_on,
    DROP: lambda values: values.drop(),
}
