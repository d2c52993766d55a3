"""recirculate: the packet goes through ingress again, as it would be sent."""

from __future__ import annotations

from transpiler.externs.row import PACKET, Interpreted, Method


def _run(call: Interpreted) -> None:
    call.requests.recirculate = call.fields


ROWS = (
    Method(
        name="recirculate.request",
        effect=PACKET,
        doc="fields preserved: again through ingress, as sent",
        run=_run,
        c=lambda call: call.do("macs_request_recirculate", "packet", call.preserved),
        keeps=True,
    ),
)
