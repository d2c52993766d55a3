"""custom_crc: a CRC whose parameters the control plane can set: crc16_custom and crc32_custom of v1model's hash().

An instance is a calculation of the program. Its parameters are those of the plain form until others are set, which the
interpreter cannot do.
"""

from __future__ import annotations

from transpiler.codegen.c.build import infix, packet
from transpiler.codegen.c.nodes import Body
from transpiler.externs import algorithms
from transpiler.externs.row import LIST, NUMBER, Compiled, Effect, Interpreted, Kind, Method
from transpiler.hlir.program import ExternInstance


class Crc:
    """The algorithm of an instance."""

    def __init__(self, instance: ExternInstance) -> None:
        self.compute = algorithms.crc16 if instance.attribute("width") == 16 else algorithms.crc32


def _compute(call: Interpreted, payload: bytes = b"") -> None:
    call.output(call.state(Crc).compute(call.packed(0) + payload))


def _with_payload(call: Compiled) -> Body:
    offset = packet("payload_offset")
    return call.custom_crc(0, (infix(packet("data"), "+", offset), infix(packet("length"), "-", offset)))


ROWS = (
    Kind(name="custom_crc", attributes=("width",), c="MACS_CUSTOM_CRC", state=Crc),
    Method(
        name="custom_crc.compute",
        instance_kind="custom_crc",
        inputs=(LIST,),
        outputs=(NUMBER,),
        effect=Effect.NONE,
        doc="(list) -> the hash, cut or extended to the output",
        run=_compute,
        c=lambda call: call.custom_crc(0),
    ),
    Method(
        name="custom_crc.compute_with_payload",
        instance_kind="custom_crc",
        inputs=(LIST,),
        outputs=(NUMBER,),
        effect=Effect.NONE,
        doc="like custom_crc.compute, the payload appended to the list",
        run=lambda call: _compute(call, call.payload),
        c=_with_payload,
    ),
)
