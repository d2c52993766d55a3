"""clone: copies of the packet, as it was received or as it is sent, go where the control plane sends those of a session."""

from __future__ import annotations

from transpiler.externs.row import PACKET, WORD, Interpreted, Method


def _ingress(call: Interpreted) -> None:
    call.requests.clone_ingress = (call.input(0), call.fields)


def _egress(call: Interpreted) -> None:
    call.requests.clone_egress = (call.input(0), call.fields)


ROWS = (
    Method(
        name="clone.ingress",
        inputs=(WORD,),
        effect=PACKET,
        doc="(session), fields preserved: a copy of the packet as received",
        run=_ingress,
        c=lambda call: call.do("macs_request_clone_ingress", "packet", call.amount(0), call.preserved),
        keeps=True,
    ),
    Method(
        name="clone.egress",
        inputs=(WORD,),
        effect=PACKET,
        doc="(session), fields preserved: a copy of the packet as sent",
        run=_egress,
        c=lambda call: call.do("macs_request_clone_egress", "packet", call.amount(0), call.preserved),
        keeps=True,
    ),
)
