"""meter: marks packets green, yellow or red by their rate (RFC 2698, 2697); direct meters do, for each entry of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from transpiler.codegen.c.build import call as c_call, choose, infix, packet
from transpiler.codegen.c.nodes import Body, Expression as C
from transpiler.externs.row import NUMBER, SCALAR, STATE, Compiled, Interpreted, Kind, Method
from transpiler.hlir.program import ExternInstance


@dataclass(slots=True)
class Bucket:
    """A token bucket: `rate` in units per microsecond, `burst` and `tokens` in units."""

    rate: float
    burst: int
    tokens: float
    since_us: int

    def refill(self, now_us: int) -> None:
        self.tokens = min(self.burst, self.tokens + max(0, now_us - self.since_us) * self.rate)
        self.since_us = now_us


GREEN, YELLOW, RED = 0, 1, 2
CELL_BYTES = 64  # of a meter in C


@dataclass(slots=True)
class Meter:
    """A two-rate three-colour marker (RFC 2698 section 3). It changes no colour as long as it has no rates."""

    committed: Bucket | None = None
    peak: Bucket | None = None

    def set_rates(self, committed: tuple[float, int], peak: tuple[float, int], now_us: int) -> None:
        """Each rate is (units per microsecond, burst size); the buckets start full."""
        self.committed = Bucket(*committed, float(committed[1]), now_us)
        self.peak = Bucket(*peak, float(peak[1]), now_us)

    def colour(self, units: int, now_us: int, before: int = GREEN) -> int:
        """Mark a packet of so many units. With the colour that it had before: colour-aware."""
        if self.committed is None or self.peak is None:
            return before
        self.committed.refill(now_us)
        self.peak.refill(now_us)
        if before == RED or self.peak.tokens < units:
            return RED
        self.peak.tokens -= units
        if before == YELLOW or self.committed.tokens < units:
            return YELLOW
        self.committed.tokens -= units
        return GREEN


@dataclass(slots=True)
class MeterArray:
    """Meters by index (or by entry handle, for direct ones, where they appear as entries do)."""

    unit: str
    size: int | None
    meters: dict[int, Meter] = field(default_factory=dict)

    def colour(self, index: int, length: int, now_us: int, before: int = GREEN) -> int:
        meter = self.meters.get(index)
        return meter.colour(length if self.unit == "bytes" else 1, now_us, before) if meter else before


def _state(instance: ExternInstance) -> MeterArray:
    return MeterArray(str(instance.attribute("unit")), int(instance.attribute("size")))


def _direct_state(instance: ExternInstance) -> MeterArray:
    return MeterArray(str(instance.attribute("unit")), None)


def _execute(call: Interpreted, index: int) -> None:
    call.output(call.state(MeterArray).colour(index, call.length, call.now_us))


def _execute_aware(call: Interpreted, index: int, before: int, length: int) -> None:
    call.output(call.state(MeterArray).colour(index, length, call.now_us, before))


def _read(call: Interpreted) -> None:
    call.output(call.input(0) if call.colour is None else call.colour)


def _execute_c(index: Callable[[Compiled], C]) -> Callable[[Compiled], Body]:
    def made(call: Compiled) -> Body:
        colour = c_call("macs_meter_execute", call.state, "worker", index(call), packet("length"))
        return call.assign_effect(call.number(colour))

    return made


def _execute_aware_c(call: Compiled, *arguments: C) -> Body:
    return call.assign_effect(call.number(c_call("macs_meter_execute_aware", call.state, "worker", *arguments)))


def _read_c(call: Compiled) -> Body:
    if call.colour is None:  # an action that several tables share: it has not run for the meter's
        return () if call.assigns_itself(0) else call.assign_output(call.input(0))
    missed = infix(call.colour, "==", "MACS_NO_COLOUR")
    return call.assign_output(choose(missed, call.input(0), call.number(call.colour)))


ROWS = (
    Kind(
        name="meter",
        attributes=("size", "unit"),
        c="MACS_METER",
        state=_state,
        cell_bytes=lambda instance: CELL_BYTES,
        prefetch=lambda instance: "macs_meter_prefetch",
    ),
    Kind(
        name="direct_meter",
        attributes=("unit", "automatic"),  # automatic: as of a direct counter
        c="MACS_DIRECT_METER",
        state=_direct_state,
        cell_bytes=lambda instance: CELL_BYTES,
        prefetch=lambda instance: "macs_meter_prefetch",
        direct=True,
    ),
    Method(
        name="meter.execute",
        instance_kind="meter",
        inputs=(NUMBER,),
        outputs=(SCALAR,),
        effect=STATE,
        doc="(index) -> colour 0 green, 1 yellow, 2 red (RFC 2698, 2697)",
        run=lambda call: _execute(call, call.input(0)),
        c=_execute_c(lambda call: call.amount(0)),
        timed=True,
    ),
    Method(
        name="meter.execute_aware",
        instance_kind="meter",
        inputs=(NUMBER, SCALAR, NUMBER),
        outputs=(SCALAR,),
        effect=STATE,
        doc="(index, colour so far, bytes) -> colour; never better than the one so far",
        run=lambda call: _execute_aware(call, call.input(0), call.input(1), call.input(2)),
        c=lambda call: _execute_aware_c(call, call.amount(0), call.amount(1), call.amount(2)),
        timed=True,
    ),
    Method(
        name="direct_meter.read",
        instance_kind="direct_meter",
        inputs=(SCALAR,),
        outputs=(SCALAR,),
        effect=STATE,
        doc="(value on a miss) -> the colour that the hit gave; of a meter that works by itself",
        run=_read,
        c=_read_c,
        timed=True,
    ),
    Method(
        name="direct_meter.execute",
        instance_kind="direct_meter",
        outputs=(SCALAR,),
        effect=STATE,
        doc="() -> colour of the entry that was hit",
        run=lambda call: _execute(call, call.entry),
        c=_execute_c(lambda call: call.own_index),
        timed=True,
    ),
    Method(
        name="direct_meter.execute_aware",
        instance_kind="direct_meter",
        inputs=(SCALAR, NUMBER),
        outputs=(SCALAR,),
        effect=STATE,
        doc="(colour so far, bytes) -> colour",
        run=lambda call: _execute_aware(call, call.entry, call.input(0), call.input(1)),
        c=lambda call: _execute_aware_c(call, call.own_index, call.amount(0), call.amount(1)),
        timed=True,
    ),
)
