"""digest: records for who subscribed to them. A digest has one message format, that of its calls."""

from __future__ import annotations

from transpiler.codegen.c.build import call as c_call
from transpiler.codegen.c.nodes import Block, Body, Declare, Do, Name
from transpiler.externs.row import LIST, STREAM, Compiled, Kind, Method


def _c(call: Compiled) -> Body:
    stores, size = call.padded(0, Name("list"))
    declare = Declare("uint8_t", "list", size=max(size, 1))
    return (Block((declare, *stores, Do(c_call("macs_digest_send", call.state, "list", size))), cite=call.cite),)


ROWS = (
    Kind(
        name="digest", attributes=(), c="MACS_DIGEST"
    ),  # "fields", where there, names those of its records: "mac,port"
    Method(
        name="digest.send",
        instance_kind="digest",
        inputs=(LIST,),
        effect=STREAM,
        doc="(list): the record goes to who subscribed",
        run=lambda call: call.send_digest(call.values(0)),
        c=_c,
    ),
)
