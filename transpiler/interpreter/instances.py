"""The state of extern instances: counters, meters, registers, random numbers. Their meaning is in `hlir.externs`."""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.hlir.arithmetic import ones


@dataclass(slots=True)
class Count:
    """One counter element. Both numbers are kept whatever the counter's unit; the unit says what is shown."""

    packets: int = 0
    bytes: int = 0

    def add(self, length: int) -> None:
        self.packets += 1
        self.bytes += length


@dataclass(slots=True)
class Register:
    """An array of `size` elements of `width` bits; `elements` are those that were written, the others are `initial`."""

    width: int
    size: int
    initial: int = 0
    elements: dict[int, int] = field(default_factory=dict)

    def read(self, index: int) -> int:
        return self.elements.get(index, self.initial) if index < self.size else 0

    def write(self, index: int, value: int) -> None:
        if index < self.size:
            self.elements[index] = value & ones(self.width)

    def reset(self) -> None:
        """Zero, whatever it began with."""
        self.initial = 0
        self.elements.clear()


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


_WORD = ones(64)


@dataclass(slots=True)
class Random:
    """SplitMix64 (Steele et al. 2014), the generator of the compiled switch: the same seed gives the same numbers."""

    state: int = 0

    def next(self) -> int:
        """64 bits."""
        self.state = mixed = (self.state + 0x9E3779B97F4A7C15) & _WORD
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _WORD
        return mixed ^ mixed >> 31

    def between(self, low: int, high: int) -> int:
        """A number between low and high, both included; low if they are the wrong way round."""
        return low if high <= low else low + self.next() % (high - low + 1)
