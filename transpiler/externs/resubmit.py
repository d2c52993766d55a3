"""resubmit: the packet goes through ingress again, as it was received."""

from __future__ import annotations

from transpiler.externs.row import PACKET, Interpreted, Method


def _run(call: Interpreted) -> None:
    call.requests.resubmit = call.fields


ROWS = (
    Method(
        name="resubmit.request",
        effect=PACKET,
        doc="fields preserved: again through ingress, as received",
        run=_run,
        c=lambda call: call.do("macs_request_resubmit", "packet", call.preserved),
        keeps=True,
    ),
)
