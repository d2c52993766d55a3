"""region: what a packet does to registers without anybody in between. No program calls it: the scheduler puts a hold before each
such region (schedule/atomic_regions.py)."""

from __future__ import annotations

from transpiler.codegen.c.nodes import Body, Compound, Literal
from transpiler.externs.row import LIST, STATE, Compiled, Interpreted, Method


def _run(call: Interpreted) -> None:
    """Nothing: packets are interpreted one after the other."""


def _hold(call: Compiled) -> Body:
    indexes = call.held(0)
    if len(indexes) > 1:
        return call.do("macs_hold_several", "worker", call.locks, Compound("const uint64_t[]", indexes), len(indexes))
    return call.do("macs_hold", "worker", call.locks, *(indexes or (Literal("0"),)))


ROWS = (
    Method(
        name="region.hold",
        instance_kind="register",
        inputs=(LIST, LIST),
        effect=STATE,
        doc="(indexes, names of registers): until the packet's next one, nobody else touches these cells",
        run=_run,
        c=_hold,
    ),
)
