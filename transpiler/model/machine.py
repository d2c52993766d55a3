"""The profile of a machine, as `macsad profile` measures it (bench/profile.c): costs in cycles of the counter.

Between measured points costs are interpolated, linearly over the logarithm of what they depend on; beyond them they are those
of the last point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2
from typing import Any

VERSION = 1
Curve = tuple[tuple[float, float], ...]  # points, by what the cost depends on


class BadProfile(Exception):
    """A file is no profile of a machine; the message says why."""


@dataclass(frozen=True, slots=True)
class MachineProfile:
    """`hz`: of the counter; `caches`: bytes of the levels, 0 where it is not known. `receive_transmit`: cycles a packet over B,
    by the length of frames; `reads`: cycles a read over the bytes that are read of, by the kind of pages and reads in flight;
    `handover`: cycles a burst over its packets, empty on one CPU; `copy`: cycles a frame over its length."""

    hz: float
    caches: tuple[int, ...]
    receive_transmit: Mapping[int, Curve]
    reads: Mapping[tuple[str, int], Curve]
    handover: Curve
    copy: Curve

    def upsilon(self, burst: int, length: int = 64) -> float:
        """Υ(B): receive and transmit, cycles a packet. Source: "Compiler Based Optimization For Software Packet Processing",
        equation 3."""
        over_length = tuple((size, at(curve, burst)) for size, curve in sorted(self.receive_transmit.items()))
        return at(over_length, length)

    def read(self, footprint: float, in_flight: float, pages: str = "huge") -> float:
        """1 / f_mem: cycles a random read, of so many bytes, so many reads in flight; 0: each depends on the one before, which is
        what a miss takes (O_m). Source: "A Performance Model for Automatic Optimization", section 3.5."""
        if in_flight < 1:
            return at(self.reads[pages, 0], footprint)
        over_flight = tuple(
            (number, at(curve, footprint))
            for (kind, number), curve in sorted(self.reads.items())
            if kind == pages and number
        )
        return at(over_flight, in_flight)

    @property
    def nearest(self) -> float:
        """Cycles of a read of the first cache, as many in flight as is best: what a read is in straight code."""
        return min(curve[0][1] for (_, number), curve in self.reads.items() if number)


def at(curve: Curve, where: float) -> float:
    """The cost there."""
    if where <= curve[0][0]:
        return curve[0][1]
    for (low, before), (high, after) in pairwise(curve):
        if where <= high:
            return before + (after - before) * (log2(where) - log2(low)) / (log2(high) - log2(low))
    return curve[-1][1]


def machine_profile(data: Mapping[str, Any]) -> MachineProfile:
    """A profile from its JSON. Raises: BadProfile."""
    try:
        if data["version"] != VERSION:
            raise BadProfile(f"it is of version {data['version']}, not {VERSION}: make it anew by 'macsad profile'")
        return MachineProfile(
            float(data["hz"]),
            tuple(int(size) for size in data["caches"]),
            {length: _curve(data["io"], "burst", length=length) for length in _values(data["io"], "length")},
            {
                (pages, number): _curve(data["reads"], "bytes", pages=pages, in_flight=number)
                for pages in _values(data["reads"], "pages")
                for number in _values(data["reads"], "in_flight")
            },
            _curve(data["handover"], "burst") if data["handover"] else (),
            _curve(data["copy"], "length"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadProfile(f"it is no profile of a machine: {error}") from None


def _values(points: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    return sorted({point[name] for point in points})


def _curve(points: Sequence[Mapping[str, Any]], over: str, **chosen: object) -> Curve:
    """Raises: ValueError, where there is no point of it."""
    of = [point for point in points if all(point[name] == value for name, value in chosen.items())]
    if not of:
        raise ValueError(
            f"there are no cycles over {over}{''.join(f', {name} {value}' for name, value in chosen.items())}"
        )
    return tuple(sorted((float(point[over]), float(point["cycles"])) for point in of))
