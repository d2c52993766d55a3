"""The time that packets spend in a switch, over its load: the port paced: makes them arrive at random times, and counts how long
each takes until it is sent."""

from __future__ import annotations

import mmap
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from statistics import median
from struct import Struct
from types import TracebackType
from typing import Any

from rich.table import Table as Shown

from macsad import compilation, generation
from macsad.bench.contestants import BenchError, Closing, Switch
from macsad.bench.session import Point, Wanted, build
from macsad.progress import counting

LOADS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)  # of the most that the switch forwards
SHARES = (0.5, 0.99, 0.999)
GAP_PARTS = 1024  # of a nanosecond
# struct control and the buckets of aux-backend/platform/linux/src/pktio/pktio_paced.c
HEAD = Struct("=7Q")
PARTS, BUCKETS = 32, 40 * 32
SIZE = HEAD.size + 8 * BUCKETS
SETTLE_S = 0.05
PATIENCE_S = 5.0
NO_POINT: Point = (0, 0)  # of a program of others
FASTER_NS = 1  # between arrivals: more than any switch forwards


@dataclass(frozen=True)
class Row:
    """At a share `load` of the most: packets a second that came, quantiles of the time in the switch in microseconds by SHARES,
    the shares of the frames that were missed, and of the time that the worker was without its CPU, which does not count. `name`:
    of the program, where others are measured beside it."""

    point: Point
    load: float
    mpps: float
    times: tuple[float, ...]
    missed: float
    interrupted: float
    name: str = ""


@dataclass(frozen=True)
class Counted:
    """`times`: of frames, by bucket. `interrupted`: seconds, of `seconds` by the worker's clock: one that is without its CPU
    when it is looked at has not told of that yet."""

    times: tuple[int, ...]
    missed: int
    interrupted: float
    seconds: float


def run(wanted: Wanted) -> list[Row]:
    """Measure a program. Raises: BenchError, SampleError, Rejected, ToolchainError, click.ClickException."""
    with tempfile.TemporaryDirectory(prefix="macsad-latency-") as scratch, Closing() as closing:
        folder = Path(scratch)
        hlir = compilation.load(wanted.request)
        made = generation.make(wanted.request, hlir, wanted.order(folder / "traffic"))
        binary = build(wanted.request, hlir, folder, wanted.machine)
        with Control(folder / "control") as control, counting("measuring") as advance:
            ports = [f"0=paced:{made.packets},{control.path}", f"1=paced:,{control.path}"]
            switch = Switch(binary, [word for port in ports for word in ("--port", port)], made.entries, folder)
            closing.add([switch])
            return measure(switch, control, wanted.points, wanted.rounds, wanted.seconds, advance)


class Control:
    """The file that the port paced: maps."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(SIZE))
        self._file = path.open("r+b")
        self._map = mmap.mmap(self._file.fileno(), SIZE)
        self.path = path

    def __enter__(self) -> Control:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._map.close()
        self._file.close()

    def begin(self, gap_ns: float) -> None:
        """Let frames come so far apart on average, 0: as fast as they are taken; count anew."""
        epoch = HEAD.unpack_from(self._map)[1]
        Struct("=Q").pack_into(self._map, 0, round(gap_ns * GAP_PARTS))
        Struct("=Q").pack_into(self._map, 8, epoch + 1)

    def _has_begun(self) -> bool:
        _, epoch, begun, *_ = HEAD.unpack_from(self._map)
        return bool(begun == epoch)

    def wait(self, seconds: float = PATIENCE_S) -> None:
        """Until it is counted anew, which begins with the next reception. Raises: BenchError."""
        deadline = time.monotonic() + seconds
        while not self._has_begun():
            if time.monotonic() > deadline:
                raise BenchError("the switch does not receive")
            time.sleep(SETTLE_S / 10)

    def read(self) -> Counted:
        """What was counted since."""
        *_, missed, interrupted, since, called = HEAD.unpack_from(self._map)
        times = Struct(f"={BUCKETS}Q").unpack_from(self._map, HEAD.size)
        return Counted(tuple(times), missed, interrupted / 1e9, (called - since) / 1e9)


def middle(bucket: int) -> float:
    """Nanoseconds in the middle of a bucket."""
    power, part = divmod(bucket, PARTS)
    return float(bucket) if power == 0 else (PARTS + part + 0.5) * (1 << (power - 1))


def quantiles(counts: Sequence[int], shares: Sequence[float] = SHARES) -> tuple[float, ...]:
    """The times in microseconds that these shares of the frames are below. Raises: BenchError, where there are none."""
    total = sum(counts)
    if not total:
        raise BenchError("no frame was sent while the time in the switch was measured")
    sums = list(accumulate(counts))
    return tuple(middle(next(at for at, below in enumerate(sums) if below >= share * total)) / 1000 for share in shares)


def measure(
    switch: Switch, control: Control, points: Sequence[Point], rounds: int, seconds: float,
    advance: Callable[[int, int], None], loads: Sequence[float] = LOADS,
) -> list[Row]:  # fmt: skip
    """At each B and b the most that the switch forwards, and the times at shares of that: of all rounds together, in which the
    loads follow each other. Raises: BenchError, SampleError."""
    rows = []
    done, total = 0, len(points) * rounds * len(loads)
    for point in points:
        control.begin(FASTER_NS)
        gap = median(switch.measure("", *point, seconds).ns for _ in range(3))
        found: dict[float, list[Counted]] = {load: [] for load in loads}
        for _ in range(rounds):
            for load in loads:
                found[load].append(_one(switch, control, gap / load, seconds))
                done += 1
                advance(done, total)
        rows += [row(point, load, found[load]) for load in loads]
    return rows


def _one(switch: Switch, control: Control, gap_ns: float, seconds: float) -> Counted:
    """What is counted at one load."""
    switch.resume()
    control.begin(gap_ns)
    time.sleep(SETTLE_S)
    control.begin(gap_ns)
    control.wait()
    time.sleep(seconds)
    counted = control.read()
    switch.pause()
    return counted


def row(point: Point, load: float, rounds: Sequence[Counted], name: str = "") -> Row:
    """Of all rounds together. Raises: BenchError."""
    times = [sum(column) for column in zip(*(one.times for one in rounds), strict=True)]
    sent, missed = sum(times), sum(one.missed for one in rounds)
    took, lost = sum(one.seconds for one in rounds), sum(one.interrupted for one in rounds)
    on_cpu = max(took - lost, 1e-9)
    return Row(point, load, sent / on_cpu / 1e6, quantiles(times), missed / max(1, missed + sent), lost / took, name)


def screen(rows: Sequence[Row]) -> Shown:
    """A row for each load."""
    shown = Shown(box=None, pad_edge=False, header_style="")
    named = any(row.name for row in rows)
    if named:
        shown.add_column("program")
    for name in ("B", "b", "load", "Mpps", "p50 µs", "p99 µs", "p99.9 µs", "missed", "no CPU"):
        shown.add_column(name, justify="right")
    for row in rows:
        times = (f"{each:.2f}" if each < 100 else f"{each:,.0f}" for each in row.times)
        missed = f"{row.missed:.2%}" if row.missed else ""
        shown.add_row(
            *([row.name] if named else []),
            *_point(row),
            f"{row.load:.0%}",
            f"{row.mpps:.2f}",
            *times,
            missed,
            f"{row.interrupted:.1%}",
        )
    return shown


def _point(row: Row) -> tuple[str, str]:
    """B and b; a program of others has its own."""
    return ("", "") if row.point == NO_POINT else (str(row.point[0]), str(row.point[1]))


def data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """For JSON."""
    return [
        ({"program": row.name} if row.name else {})
        | {"burst": row.point[0], "sub_batch": row.point[1], "load": row.load, "mpps": row.mpps,
         "p50_us": row.times[0], "p99_us": row.times[1], "p999_us": row.times[2], "missed": row.missed,
         "interrupted": row.interrupted}
        for row in rows
    ]  # fmt: skip
