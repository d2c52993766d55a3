"""assert: reports that what the program takes for granted is not so."""

from __future__ import annotations

from transpiler.codegen.c.build import call as c_call, negated
from transpiler.codegen.c.nodes import Body, Do, If, String
from transpiler.externs.row import BOOL, STREAM, Compiled, Interpreted, Method, Spelling


def _run(call: Interpreted) -> None:
    if not call.input(0):
        call.fail()


def _c(call: Compiled) -> Body:
    failed = Do(c_call("macs_assert_failed", "worker", String(call.cite)))
    return (If(negated(call.input(0)), (failed,), cite=call.cite),)


ROWS = (
    Method(
        name="assert.check",
        inputs=(BOOL,),
        effect=STREAM,
        doc="(condition): reports where it is false",
        run=_run,
        c=_c,
        p4=(Spelling("assert", ("check",)), Spelling("assume", ("check",))),
        timed=True,
    ),
)
