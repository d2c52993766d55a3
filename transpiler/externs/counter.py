"""counter: counts packets and bytes; direct counters do, for each entry of a table. Beyond its end a counter counts nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.codegen.c.build import packet
from transpiler.externs.row import COMMUTES, DEFAULT_ENTRY, NUMBER, Interpreted, Kind, Method
from transpiler.hlir.program import ExternInstance


@dataclass(slots=True)
class Count:
    """One counter element. Both numbers are kept whatever the counter's unit; the unit says what is shown."""

    packets: int = 0
    bytes: int = 0

    def add(self, length: int) -> None:
        self.packets += 1
        self.bytes += length


@dataclass(slots=True)
class Counters:
    """Elements by index, or by entry's handle where there is no size. They appear with the first packet."""

    size: int | None = None
    elements: dict[int, Count] = field(default_factory=dict)

    def count(self, index: int, length: int) -> None:
        """Count a packet of so many bytes."""
        if self.size is None or index < self.size:
            self.elements.setdefault(index, Count()).add(length)


def _state(instance: ExternInstance) -> Counters:
    return Counters(int(instance.attribute("size")))


def _direct_state(instance: ExternInstance) -> Counters:
    return Counters(None, {DEFAULT_ENTRY: Count()})


def _count(call: Interpreted, index: int, length: int) -> None:
    call.state(Counters).count(index, length)


LENGTH = packet("length")
CELL_BYTES = 16  # of an element in C, for each worker
ROWS = (
    Kind(
        name="counter",
        attributes=("size", "unit"),  # unit: "packets", "bytes" or "packets_and_bytes"
        c="MACS_COUNTER",
        state=_state,
        cell_bytes=lambda instance: CELL_BYTES,
        deferred=True,
    ),
    Kind(
        name="direct_counter",
        attributes=("unit", "automatic"),  # automatic 1: every hit counts; 0: only calls count
        c="MACS_DIRECT_COUNTER",
        state=_direct_state,
        cell_bytes=lambda instance: CELL_BYTES,
        deferred=True,
        direct=True,
    ),
    Method(
        name="counter.count",
        instance_kind="counter",
        inputs=(NUMBER,),
        effect=COMMUTES,
        doc="(index): one packet and its length; out of range: nothing",
        run=lambda call: _count(call, call.input(0), call.length),
        c=lambda call: call.count(call.amount(0), LENGTH),
    ),
    Method(
        name="counter.count_length",
        instance_kind="counter",
        inputs=(NUMBER, NUMBER),
        effect=COMMUTES,
        doc="(index, bytes): like count, of a given length",
        run=lambda call: _count(call, call.input(0), call.input(1)),
        c=lambda call: call.count(call.amount(0), call.amount(1)),
    ),
    Method(
        name="direct_counter.count",
        instance_kind="direct_counter",
        effect=COMMUTES,
        doc="(): counts on the entry that was hit",
        run=lambda call: _count(call, call.entry, call.length),
        c=lambda call: call.count(call.own_index, LENGTH),
    ),
    Method(
        name="direct_counter.count_length",
        instance_kind="direct_counter",
        inputs=(NUMBER,),
        effect=COMMUTES,
        doc="(bytes): likewise",
        run=lambda call: _count(call, call.entry, call.input(0)),
        c=lambda call: call.count(call.own_index, call.amount(0)),
    ),
)
