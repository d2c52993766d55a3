"""hash: a hash of values, by an algorithm of `algorithms.py`."""

from __future__ import annotations

from transpiler.codegen.c.build import infix, packet
from transpiler.codegen.c.nodes import Body
from transpiler.externs import algorithms
from transpiler.externs.row import LIST, NUMBER, TEXT, Compiled, Effect, Interpreted, Method


def _hash(call: Interpreted, payload: bytes = b"") -> None:
    value = algorithms.compute(call.text(0), call.packed(1) + payload)
    call.output(call.random(0, (1 << 64) - 1) if value is None else value)


def _with_payload(call: Compiled) -> Body:
    offset = packet("payload_offset")
    return call.hash(0, 1, (infix(packet("data"), "+", offset), infix(packet("length"), "-", offset)))


ROWS = (
    Method(
        name="hash.compute",
        inputs=(TEXT, LIST),
        outputs=(NUMBER,),
        effect=Effect.NONE,
        doc="(algorithm, list) -> the hash, cut or extended to the output",
        run=_hash,
        c=lambda call: call.hash(0, 1),
    ),
    Method(
        name="hash.compute_with_payload",
        inputs=(TEXT, LIST),
        outputs=(NUMBER,),
        effect=Effect.NONE,
        doc="like hash.compute, the payload appended to the list",
        run=lambda call: _hash(call, call.payload),
        c=_with_payload,
    ),
    Method(
        name="hash.extend",
        inputs=(TEXT, NUMBER, LIST),
        outputs=(NUMBER,),
        effect=Effect.NONE,
        doc="(algorithm, hash of what came before, list) -> the hash of both; csum16, xor16 and the CRCs only",
        run=lambda call: call.output(algorithms.extend(call.text(0), call.input(1), call.packed(2))),
        c=lambda call: call.hash(0, 2, before=call.amount(1)),
    ),
)
