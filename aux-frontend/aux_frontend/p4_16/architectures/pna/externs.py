"""PNA's externs: its objects, and the functions that decide about a packet. Source: PNA 0.7, sections 5 and 6."""

from __future__ import annotations

from typing import Protocol, cast

from aux_frontend.p4_16.architectures.pna import learning
from aux_frontend.p4_16.architectures.pna.learning import Wanted
from aux_frontend.p4_16.architectures.portable.checksums import result_type
from aux_frontend.p4_16.architectures.portable.externs import METHODS, instantiate
from aux_frontend.p4_16.elaborate import choices, fold, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall, Externs, Handler, architecture_of
from aux_frontend.p4_16.elaborate.convert import convert
from aux_frontend.p4_16.elaborate.extern_calls import as_number, values_of
from transpiler.architectures.pna.facts import (
    DROPPED,
    MIRROR_SLOTS,
    NEXT_PASS,
    NO_MIRROR,
    PORT,
    RECIRCULATED,
    Direction,
    mirror,
)
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bits, Enum


class Decisions(Protocol):
    """What the architecture's plug keeps for the functions of the main control."""

    @property
    def wanted(self) -> Wanted: ...

    def inputs(self) -> str:
        """What the control that is being elaborated is given: "pre_input" or "main_input"; "" in parsers and deparsers."""
        ...

    def own(self, name: str, span: Span) -> ex.VariableRef:
        """The variable of an intrinsic value that the program cannot name."""
        ...

    def field(self, struct: str, name: str) -> va.ScalarLocation:
        """A field of one of the architecture's structures, whose parameter has been elaborated."""
        ...


def _decisions(call: ExternCall) -> Decisions:
    return cast(Decisions, architecture_of(call.scope.unit))


def _in_main_control(call: ExternCall) -> None:
    if _decisions(call).inputs() != "main_input":
        raise call.scope.unit.failure(call.span, f"'{call.name}' can only be called in the main control")


def _leave(call: ExternCall, name: str, value: ex.Expression) -> None:
    call.scope.unit.emit(st.Assign(_decisions(call).own(name, call.span), value, call.span))


def _drop(call: ExternCall) -> None:
    _in_main_control(call)
    _leave(call, DROPPED, fold.boolean(True, call.span))
    _leave(call, RECIRCULATED, fold.boolean(False, call.span))


def _send(call: ExternCall) -> None:
    _in_main_control(call)
    (port,) = values_of(call, "dest_port")
    _leave(call, PORT, as_number(call.scope.unit, port, call.span))
    _leave(call, DROPPED, fold.boolean(False, call.span))


def _recirculate(call: ExternCall) -> None:
    """The packet begins again, and knows how many times it has. DPDK's backend lets the pre control ask for it, too."""
    plug = _decisions(call)
    if not plug.inputs():
        raise call.scope.unit.failure(
            call.span, f"'{call.name}' can only be called in the pre control and the main control"
        )
    number = plug.field(plug.inputs(), "pass")
    assert isinstance(number.place, ex.VariableRef) and isinstance(number.type, Bits)
    now = ex.Read(ex.VariableRef(number.place.name, call.span), number.type, call.span)
    one = fold.bits(1, number.type.width, call.span)
    _leave(call, NEXT_PASS, fold.binary(ex.BinaryOp.ADD, now, one, call.span))
    _leave(call, DROPPED, fold.boolean(False, call.span))
    _leave(call, RECIRCULATED, fold.boolean(True, call.span))


def _mirror(call: ExternCall) -> None:
    _in_main_control(call)
    unit = call.scope.unit
    slot, session = (
        as_number(unit, value, call.span) for value in values_of(call, "mirror_slot_id", "mirror_session_id")
    )
    if not isinstance(slot, ex.Const) or slot.value >= MIRROR_SLOTS:
        raise unit.failure(call.span, f"the slot of 'mirror_packet' is a number from 0 to {MIRROR_SLOTS - 1}")
    if isinstance(session, ex.Const) and session.value == NO_MIRROR:
        raise unit.failure(call.span, f"mirror session {NO_MIRROR} is reserved for the architecture")
    _leave(call, mirror(slot.value), session)


def _select(call: ExternCall) -> va.Value:
    """SelectByDirection(direction, n2h_value, h2n_value)"""
    unit, span = call.scope.unit, call.span
    direction, *values = values_of(call, "direction", "n2h_value", "h2n_value")
    assert isinstance(direction, va.EXPRESSIONS) and isinstance(direction.type, Enum)
    type_ = result_type(call)
    to_host, to_net = (convert(unit, value, type_, span) for value in values)
    condition = fold.binary(ex.BinaryOp.EQ, direction, ex.Const(int(Direction.NET_TO_HOST), direction.type, span), span)
    return choices.choose(unit, condition, to_host, to_net, span)


FUNCTIONS: dict[str, Handler] = {
    "drop_packet": _drop,
    "send_to_port": _send,
    "recirculate": _recirculate,
    "mirror_packet": _mirror,
    "SelectByDirection": _select,
    "add_entry": lambda call: learning.add(call, _decisions(call).wanted),
    "set_entry_expire_time": learning.set_expire_time,
    "restart_expire_timer": learning.restart,
}
EXTERNS = Externs(instantiate, FUNCTIONS, METHODS)
