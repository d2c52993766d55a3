"""random: numbers that are the same from the same seed, in the interpreter as in the compiled switch."""

from __future__ import annotations

from transpiler.codegen.c.build import call as c_call
from transpiler.codegen.c.nodes import Body
from transpiler.externs.row import NUMBER, STATE, Compiled, Method


def _c(call: Compiled) -> Body:
    return call.assign_effect(call.trimmed(c_call("macs_random_range", "worker", call.input(0), call.input(1))))


ROWS = (
    Method(
        name="random.range",
        inputs=(NUMBER, NUMBER),
        outputs=(NUMBER,),
        effect=STATE,
        doc="(low, high) -> a number between them, both included",
        run=lambda call: call.output(call.random(call.input(0), call.input(1))),
        c=_c,
    ),
)
