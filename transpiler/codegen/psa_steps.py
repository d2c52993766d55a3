"""What PSA decides at the ends of ingress and egress, as statement views. Source: PSA 1.2, sections 6.2 and 6.5."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.codegen.intrinsics import Intrinsics
from transpiler.codegen.views import IfView, Line, Views
from transpiler.schedule.pipeline import DROP, Step
from transpiler.schedule.psa import (
    ENQUEUE,
    FINISH,
    FORWARD,
    LEAVE_EGRESS,
    LEAVE_INGRESS,
    PART,
    PASS_ON,
    PORT_RECIRCULATE,
    TO_PORT,
    UNICAST,
    list_number,
    may_be_set,
    second_lives,
)

_KEPT = Line(f"packet->requests.preserved = {list_number('normal')};")


def _leave_ingress(values: Intrinsics) -> Views:
    """A clone is made of the frame as it came: it has not been changed yet."""
    again = (
        Line(f"macs_request_resubmit(packet, {list_number('resubmit')});"),
        Line("packet->verdict = MACS_FORWARD;"),
        Line("return;"),
    )
    dropped = values.value("ingress_output.drop")  # set when ingress begins
    drop: Views = (IfView(dropped, values.outcome.drop(), ()),) if dropped is not None else ()
    return (
        *_clone(values, "ingress", "clone_i2e"),
        *drop,
        *_when(values, "ingress_output.resubmit", again),
    )


def _enqueue(values: Intrinsics) -> Views:
    return (*_replicate(values), *_to_port(values))


def _part(values: Intrinsics) -> Views:
    return (*_replicate(values), *_forward(values))


def _replicate(values: Intrinsics) -> Views:
    group = _settable(values, "ingress_output.multicast_group")
    if group is None:
        return ()
    copies = (
        *values.parting,
        *values.outcome.go_on("MACS_REPLICATE", f"macs_group({group})"),
        _KEPT,
        Line("return;"),
    )
    return (IfView(group, copies, ()),)


def _to_port(values: Intrinsics) -> Views:
    return (
        *values.outcome.forward(values.value("ingress_output.egress_port") or "0"),
        Line(f"packet->instance_type = {UNICAST};"),
        _KEPT,
    )


def _forward(values: Intrinsics) -> Views:
    """What recirculates goes on at egress."""
    again = (*values.parting, *values.outcome.go_on("MACS_EGRESS"))
    return (*_to_port(values), IfView(f"packet->egress_port == {PORT_RECIRCULATE:#x}u", again, ()))


def _leave_egress(values: Intrinsics) -> Views:
    drop = _settable(values, "egress_output.drop")
    if drop is None:
        return ()
    clone = _settable(values, "egress_output.clone")
    return (IfView(f"{drop} && !{clone}" if clone else drop, values.outcome.drop(), ()),)


def _finish(values: Intrinsics) -> Views:
    cloned = _clone(values, "egress", "clone_e2e")
    drop = _when(values, "egress_output.drop", values.outcome.drop()) if cloned else ()  # else done by _leave_egress
    return (*cloned, *drop, *_pass_on(values))


def _pass_on(values: Intrinsics) -> Views:
    if not second_lives(values.program):
        return ()
    port = f"{PORT_RECIRCULATE:#x}u"
    again = (
        Line(f"packet->ingress_port = {port};"),
        Line(f"macs_request_recirculate(packet, {list_number('recirculate')});"),
    )
    return (IfView(f"packet->egress_port == {port}", again, ()),)


def _clone(values: Intrinsics, pipe: str, path: str) -> Views:
    clone = _settable(values, f"{pipe}_output.clone")
    if clone is None:
        return ()
    session = values.value(f"{pipe}_output.clone_session_id") or "0"
    cloned = (
        Line(f"macs_request_clone_{pipe}(packet, {session}, {list_number(path)});"),
        Line(f"macs_clone_{pipe}(worker, packet);"),
    )
    return (IfView(clone, cloned, ()),)


def _when(values: Intrinsics, name: str, then: Views) -> Views:
    """Do something where an intrinsic value is not zero; nothing where it never is."""
    condition = _settable(values, name)
    return () if condition is None else (IfView(condition, then, ()),)


def _settable(values: Intrinsics, name: str) -> str | None:
    """The C of an intrinsic value; None where it is always zero."""
    return values.value(name) if may_be_set(values.program, name) else None


DECISIONS: dict[Step, Callable[[Intrinsics], Views]] = {
    LEAVE_INGRESS: _leave_ingress,
    ENQUEUE: _enqueue,
    PART: _part,
    TO_PORT: _to_port,
    FORWARD: _forward,
    LEAVE_EGRESS: _leave_egress,
    FINISH: _finish,
    PASS_ON: _pass_on,
    DROP: lambda values: values.outcome.drop(),
}
