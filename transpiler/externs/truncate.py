"""truncate: cuts the packet as it is sent. Of several lengths the smallest counts, as in BMv2."""

from __future__ import annotations

from transpiler.externs.row import PACKET, WORD, Interpreted, Method, Spelling
from transpiler.hlir.program import Architecture


def _run(call: Interpreted) -> None:
    length, before = call.input(0), call.requests.truncate
    call.requests.truncate = length if before is None else min(length, before)


ROWS = (
    Method(
        name="truncate.request",
        inputs=(WORD,),
        effect=PACKET,
        doc="(bytes): cut the packet as sent to that length",
        run=_run,
        c=lambda call: call.do("macs_request_truncate", "packet", call.amount(0)),
        p4=(Spelling("truncate", ("length",), (Architecture.V1MODEL,)),),
        cuts=True,
    ),
)
