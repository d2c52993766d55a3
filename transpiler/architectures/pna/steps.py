"""What PNA decides at the end of its pipe, as statements. Source: as in pipes.py."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.architectures.pna.facts import DROPPED, PORT, RECIRCULATED
from transpiler.architectures.pna.pipes import (
    FINISH,
    LEAVE,
    MIRRORS,
    RECIRCULATION_LIST,
    SEND,
    may_be_set,
)
from transpiler.codegen.c.build import call, infix
from transpiler.codegen.c.nodes import Body, Do, Expression, If, Literal
from transpiler.codegen.intrinsics import Intrinsics
from transpiler.schedule.pipeline import DROP, Step


def _leave(values: Intrinsics) -> Body:
    """The frame of a packet that is mirrored is deparsed, whatever becomes of it."""
    dropped = _dropped(values)
    for slot in MIRRORS:
        session = _settable(values, slot)
        dropped = dropped if session is None else infix(dropped, "&&", infix(session, "==", 0))
    return (If(dropped, values.drop()),)


def _finish(values: Intrinsics) -> Body:
    return (*_mirrors(values), If(_dropped(values), values.drop()), *_send(values))


def _mirrors(values: Intrinsics) -> Body:
    """A copy of the frame as it is now for each slot that has a session."""
    made: list[If] = []
    for slot in MIRRORS:
        session = _settable(values, slot)
        if session is not None:
            copied = (
                Do(call("macs_request_clone_egress", "packet", session, 0)),
                Do(call("macs_clone_egress", "worker", "packet")),
            )
            made.append(If(infix(session, "!=", 0), copied))
    return tuple(made)


def _send(values: Intrinsics) -> Body:
    again: Body = ()
    recirculated = _settable(values, RECIRCULATED)
    if recirculated is not None:
        again = (If(recirculated, (Do(call("macs_request_recirculate", "packet", RECIRCULATION_LIST)),)),)
    return (*again, *values.outcome.forward(values.value(PORT) or Literal("0")))


def _dropped(values: Intrinsics) -> Expression:
    dropped = values.value(DROPPED)
    assert dropped is not None, "the frontend always declares it"
    return dropped


def _settable(values: Intrinsics, name: str) -> Expression | None:
    """An intrinsic value; None where it is always zero."""
    return values.value(name) if may_be_set(values.program, name) else None


DECISIONS: dict[Step, Callable[[Intrinsics], Body]] = {
    LEAVE: _leave,
    FINISH: _finish,
    SEND: _send,
    DROP: lambda values: values.drop(),
}
