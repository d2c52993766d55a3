"""log: lines with values of the program's."""

from __future__ import annotations

from transpiler.codegen.c.build import NULL
from transpiler.codegen.c.nodes import Body, Compound
from transpiler.externs.row import LIST, STREAM, TEXT, Compiled, Interpreted, Method


def _run(call: Interpreted) -> None:
    text = call.text(0)
    for value in call.values(1, signed=True):
        text = text.replace("{}", str(value), 1)
    call.log(text)


def _c(call: Compiled) -> Body:
    words = call.words(1)
    array = Compound("const uint64_t[]", words) if words else NULL
    return call.do("macs_log_message", "worker", call.input(0), array, len(words))


ROWS = (
    Method(
        name="log.message",
        inputs=(TEXT, LIST),
        effect=STREAM,
        doc="(format, list): {} in the format are the list's values",
        run=_run,
        c=_c,
        timed=True,
    ),
)
