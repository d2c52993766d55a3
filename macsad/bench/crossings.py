"""The time that packets take from interface to interface, over the load of a switch and of programs of DPDK's beside it: each
has two veth pairs in a network namespace of its own.

bench/crossing.c, on another CPU, sends frames into one pair, at the same random times to each program, and times what comes
out of the other. The kernel's part is in these times: it hands each frame over twice.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Protocol

from macsad import compilation, generation
from macsad.bench.beside import Beside, Peer
from macsad.bench.contestants import BenchError, Probe, Switch
from macsad.bench.feeds import BUFFERS, ROOM, Feed
from macsad.bench.latency import FASTER_NS, LOADS, NO_POINT, SETTLE_S, Control, Counted, Row, row
from macsad.bench.programs import program
from macsad.bench.session import Point, Wanted, build
from macsad.bench.wires import Crossed, Wires, own_network, sending_cpu
from macsad.progress import counting

BURST = 32
FOR_EVER_S = 1e6
START_GAP_NS = 10_000  # while a program starts
DRIVERS = {"linux": "af_packet:{interface}", "dpdk": "dpdk:net_af_packet{number},iface={interface}"}


class Stoppable(Protocol):
    """A program that forwards."""

    def resume(self) -> None: ...

    def pause(self) -> None: ...


@dataclass(frozen=True)
class Tester:
    """What sends and times."""

    probe: Probe
    control: Control
    wires: Wires

    def crossed(self) -> Crossed:
        return self.wires.counts(self.probe.pid)


@dataclass(frozen=True)
class Way:
    """A program between its interfaces; `switch`: its B and b are set. Nothing runs unless it is measured."""

    name: str
    program: Stoppable
    tester: Tester
    switch: Switch | None = None

    def count(self, point: Point, gap_ns: float, seconds: float) -> tuple[Counted, Crossed]:
        """With frames that come so far apart on average. Raises: BenchError."""
        self.tester.control.begin(gap_ns)
        self.program.resume()
        self.tester.probe.resume()
        if self.switch is not None:
            self.switch.set_batch(*point)
        time.sleep(SETTLE_S)
        self.tester.control.begin(gap_ns)
        self.tester.control.wait()
        before = self.tester.crossed()
        time.sleep(seconds)
        counted, crossed = self.tester.control.read(), self.tester.crossed().since(before)
        self.tester.probe.pause()
        self.program.pause()
        lost = max(0, crossed.sent - crossed.arrived)
        return replace(counted, missed=counted.missed + lost, seconds=crossed.seconds), crossed

    def most(self, point: Point, seconds: float) -> float:
        """Frames a second that come out when more are sent than can be. Raises: BenchError."""
        found = (self.count(point, FASTER_NS, seconds)[1] for _ in range(3))
        return median(crossed.arrived / crossed.seconds for crossed in found)


def run(wanted: Wanted) -> list[Row]:
    """Measure a program and those beside it. Raises: BenchError, Rejected, ToolchainError, click.ClickException."""
    with tempfile.TemporaryDirectory(prefix="macsad-crossings-") as scratch, ExitStack() as started:
        folder = Path(scratch)
        hlir = compilation.load(wanted.request)
        made = generation.make(wanted.request, hlir, wanted.order(folder / "traffic"))
        binary = build(wanted.request, hlir, folder, wanted.machine)
        tester = program("crossing", folder)

        entries, frames = made.entries, made.packets
        switch = partial(_switch, binary, entries, wanted.machine.platform)
        ways = [started.enter_context(_way(wanted.request.path.stem, switch, tester, frames, folder / "switch"))]
        for number, peer in enumerate(wanted.peers):
            with counting(f"starting {peer.name}"):
                way = _way(peer.name, partial(_beside, peer, frames), tester, frames, folder / f"peer-{number}")
                ways.append(started.enter_context(way))
        with counting("measuring") as advance:
            return measure(ways, wanted.points, wanted.rounds, wanted.seconds, advance)


def _switch(binary: Path, entries: Path, platform: str, wires: Wires, folder: Path) -> Switch:
    return Switch(binary, feed(platform, wires).options, entries, folder)


def _beside(peer: Peer, frames: Path, wires: Wires, folder: Path) -> Beside:
    return Beside(peer, feed("dpdk", wires), frames, folder)


def feed(platform: str, wires: Wires) -> Feed:
    """The interfaces, as that platform names them."""
    numbered = ((0, wires.source), (1, wires.sink))
    source, sink = (DRIVERS[platform].format(number=number, interface=name) for number, name in numbered)
    devices = tuple(name.removeprefix("dpdk:") for name in (source, sink)) if platform == "dpdk" else ()
    return Feed(platform, source, sink, BUFFERS, ROOM, devices)


@contextmanager
def _way(
    name: str, start: Callable[[Wires, Path], Switch | Beside], tester: Path, frames: Path, folder: Path
) -> Iterator[Way]:
    """Started under traffic, which a peer is waited for to forward, and stopped until it is measured. Raises: BenchError."""
    wires = Wires(taps=False)
    (folder / "tester").mkdir(parents=True)
    with ExitStack() as started:
        control = started.enter_context(Control(folder / "control"))
        with own_network():
            wires.make()
            command = [str(tester), *wires.crossing(frames, control.path)]
            probe = Probe(command, folder / "tester", sending_cpu())
            started.callback(probe.kill)
            control.begin(START_GAP_NS)
            probe.begin("cross", BURST, FOR_EVER_S)
            made = start(wires, folder)
            started.callback(made.close)
        probe.pause()
        made.pause()
        yield Way(name, made, Tester(probe, control, wires), made if isinstance(made, Switch) else None)


def measure(
    ways: Sequence[Way], points: Sequence[Point], rounds: int, seconds: float,
    advance: Callable[[int, int], None], loads: Sequence[float] = LOADS,
) -> list[Row]:  # fmt: skip
    """At each B and b of the first, which is the switch, the most that it forwards, and the times of all at shares of that: of
    all rounds together. Within a round programs follow each other at each load, in an order that turns. Raises: BenchError."""
    rows: list[Row] = []
    done, total = 0, len(points) * rounds * len(loads) * len(ways)
    for point in points:
        most = ways[0].most(point, seconds)
        if not most:
            raise BenchError(f"none of the frames that were sent to {ways[0].name} came out of it at port 1")
        found: dict[tuple[float, str], list[Counted]] = {(load, way.name): [] for load in loads for way in ways}
        for number in range(rounds):
            first = number % len(ways)
            for load in loads:
                for way in [*ways[first:], *ways[:first]]:
                    found[load, way.name].append(way.count(point, 1e9 / most / load, seconds)[0])
                    done += 1
                    advance(done, total)
        for load in loads:
            rows += [row(point if way.switch else NO_POINT, load, found[load, way.name], way.name) for way in ways]
    return rows
