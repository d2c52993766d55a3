"""Packet I/O: frames a second from port to port, for each kind of port that this machine has.

Side by side, in the same rounds: the empty program's switch, the bare ODP loop, that loop over an installed ODP, and
DPDK's testpmd on the devices of DPDK. Ports that need no interface are measured together, at their own speed. Interfaces
get frames from another CPU, as many as that can send, and what comes out is counted where it arrives.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from macsad import compilation
from macsad.bench import session
from macsad.bench.beside import Beside, Peer
from macsad.bench.contestants import BenchError, Closing, Contestant, Probe, Switch
from macsad.bench.feeds import Feed
from macsad.bench.programs import program
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Figure, SampleError, figure
from macsad.bench.wires import Crossed, Wired, Wires, own_network, sending_cpu
from macsad.compilation import Request
from macsad.progress import counting
from macsad.resources import share
from macsad.targets import Machine
from transpiler.toolchain.toolchain import ToolchainError

FRAMES, BUFFERS, ROOM, BURST = 256, 8192, 2048, 32
FOR_EVER_S = 1e6
TESTPMD = "dpdk-testpmd {eal2} -- --auto-start --no-lsc-interrupt --total-num-mbufs={buffers}"
SWITCH, LOOP, ODP, PMD = "switch", "loop", "odp", "testpmd"
NOT_HERE = (BenchError, SampleError, ToolchainError, OSError)


@dataclass(frozen=True)
class Kind:
    """`source` and `sink`: names of ports, in which stand {file}, {size}, {source} and {sink}, the latter interfaces. `odp`: the
    same for libodp. `wires`: veth, tap, or none."""

    platform: str
    name: str
    source: str
    sink: str
    odp: tuple[str, str] | None = None
    wires: str = ""

    def __str__(self) -> str:
        return f"{self.platform} {self.name}"

    @property
    def contestants(self) -> tuple[str, ...]:
        others = (PMD,) if self.platform == "dpdk" else (ODP,) if self.odp else ()
        return (SWITCH, LOOP, *others)


KINDS = (
    Kind("linux", "mem", "mem:{file},loop", "null:"),
    Kind("linux", "pcap", "pcap:{file},loops=0", "null:", ("pcap:in={file}:loops=0", "null:0")),
    Kind("dpdk", "null", "dpdk:net_null1,size={size}", "dpdk:net_null0,no-rx=1"),
    Kind("dpdk", "pcap", "dpdk:net_pcap0,rx_pcap={file},infinite_rx=1", "dpdk:net_null0,no-rx=1"),
    Kind("linux", "af_packet", "af_packet:{source}", "af_packet:{sink}", ("{source}", "{sink}"), "veth"),
    Kind("linux", "af_xdp", "af_xdp:{source}", "af_xdp:{sink}", None, "veth"),
    Kind("linux", "tap", "tap:{source}", "tap:{sink}", ("tap:{source}", "tap:{sink}"), "tap"),
    Kind("dpdk", "af_packet", "dpdk:net_af_packet0,iface={source}", "dpdk:net_af_packet1,iface={sink}", None, "veth"),
    Kind("dpdk", "af_xdp", "dpdk:net_af_xdp0,iface={source}", "dpdk:net_af_xdp1,iface={sink}", None, "veth"),
)


@dataclass(frozen=True)
class Row:
    """A contestant on a kind of port with frames of a size; no figure: the reason. `crossed`: of interfaces, each round."""

    kind: Kind
    size: int
    name: str
    figure: Figure | None = None
    reason: str = ""
    crossed: tuple[Crossed, ...] = ()

    @property
    def mpps(self) -> float:
        """Frames that came out, in millions: a second of CPU time where no interface is, else a second."""
        if self.crossed:
            return median(one.arrived / one.seconds / 1e6 for one in self.crossed)
        return self.figure.millions if self.figure else 0.0

    @property
    def lost(self) -> float:
        """The share of what was sent to it that did not come out."""
        return median(1 - one.arrived / max(1, one.sent) for one in self.crossed) if self.crossed else 0.0

    @property
    def cpu_ns(self) -> float | None:
        """CPU time of a frame. None: on interfaces switches and testpmd poll, be there frames or not; the loop sleeps."""
        return None if self.figure is None or (self.crossed and self.name in (SWITCH, PMD)) else self.figure.ns


@dataclass
class Bench:
    """What is measured with, in a folder of its own: programs are built once, frames are written once."""

    folder: Path
    peer: str = TESTPMD
    _made: dict[tuple[str, object], Path | Exception] = field(default_factory=dict)
    _runs: int = 0

    def run_folder(self) -> Path:
        self._runs += 1
        made = self.folder / f"run{self._runs}"
        made.mkdir()
        return made

    def _once(self, what: str, of: object, make: Callable[[], Path]) -> Path:
        """Made at the first call; what failed then fails again."""
        if (what, of) not in self._made:
            try:
                self._made[what, of] = make()
            except NOT_HERE as error:
                self._made[what, of] = error
        made = self._made[what, of]
        if isinstance(made, Exception):
            raise made
        return made

    def switch(self, platform: str) -> Path:
        request = Request(share("bench") / "empty.p4")

        def make() -> Path:
            return session.build(request, compilation.load(request), self.run_folder(), Machine(platform))

        return self._once("switch", platform, make)

    def loop(self, platform: str) -> Path:
        return self._once("loop", platform, lambda: program("loop", self.run_folder(), machine=Machine(platform)))

    def frames(self, size: int) -> Path:
        return self._once("frames", size, lambda: write_frames(self.folder / f"{size}.pcap", size))


def write_frames(path: Path, size: int) -> Path:
    """A pcap file with UDP of many flows, for nobody's MAC address: the kernel drops it where it comes out."""
    records = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for number in range(FRAMES):
        ip = struct.pack("!BBHHHBBH8B", 0x45, 0, size - 14, 0, 0, 64, 17, 0, 10, 0, 0, 1, 10, 0, 0, 2)
        udp = struct.pack("!HHHH", 1024 + number, 9, size - 34, 0)
        frame = (b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0" + ip + udp).ljust(size, b"\0")
        records.append(struct.pack("<IIII", 0, number, size, size) + frame)
    path.write_bytes(b"".join(records))
    return path


def feed_of(kind: Kind, bench: Bench, size: int, wires: Wires) -> Feed:
    names = {"file": bench.frames(size), "size": size, "source": wires.source, "sink": wires.sink}
    source, sink = kind.source.format(**names), kind.sink.format(**names)
    devices = tuple(name.removeprefix("dpdk:") for name in (source, sink)) if kind.platform == "dpdk" else ()
    return Feed(kind.platform, source, sink, BUFFERS + FRAMES, ROOM, devices)


def contestant(name: str, kind: Kind, bench: Bench, size: int, wires: Wires) -> Contestant:
    """Started, and stopped until it is measured. Raises: NOT_HERE."""
    feed = feed_of(kind, bench, size, wires)
    room = [str(feed.buffers), str(feed.max_frame)]
    match name:
        case "switch":
            return Switch(bench.switch(kind.platform), feed.options, None, bench.run_folder())
        case "loop":
            return Probe([str(bench.loop(kind.platform)), feed.source, feed.sink, *room], bench.run_folder())
        case "odp":
            assert kind.odp is not None
            names = {"file": bench.frames(size), "source": wires.source, "sink": wires.sink}
            ports = [port.format(**names) for port in kind.odp]
            return Probe([str(bench.loop("odp")), *ports, *room], bench.run_folder())
    return Beside(Peer(PMD, bench.peer), feed, bench.frames(size), bench.run_folder())


def wired(name: str, kind: Kind, bench: Bench, size: int) -> Contestant:
    """With interfaces of its own, where the kind has any. Raises: NOT_HERE."""
    wires = Wires(kind.wires == "tap")
    if not kind.wires:
        return contestant(name, kind, bench, size, wires)
    with own_network(), ExitStack() as unfinished:  # what has been started when the rest fails
        if wires.taps:
            made = contestant(name, kind, bench, size, wires)
            unfinished.callback(made.close)
        wires.make()
        sender = Probe(
            [str(bench.loop("linux")), *wires.sending(bench.frames(size))], bench.run_folder(), sending_cpu()
        )
        unfinished.callback(sender.kill)
        sender.begin("loop", BURST, FOR_EVER_S)
        if not wires.taps:  # under traffic, which testpmd is waited for to receive
            made = contestant(name, kind, bench, size, wires)
        sender.pause()
        unfinished.pop_all()
    return Wired(made, wires, sender)


def measured(kinds: Sequence[Kind], bench: Bench, size: int, rounds: int, seconds: float) -> Iterator[Row]:
    """All contestants of these kinds, in the same rounds."""
    rows = {(kind, name): Row(kind, size, name) for kind in kinds for name in kind.contestants}
    started: dict[tuple[Kind, str], Contestant] = {}
    with Closing() as closing:
        try:
            for kind, name in rows:
                try:
                    started[kind, name] = wired(name, kind, bench, size)
                except NOT_HERE as error:
                    rows[kind, name] = replace(rows[kind, name], reason=_first_line(error))
                else:
                    closing.add([started[kind, name]])
            turns = [
                Turn(key, one, "" if key[1] in (SWITCH, PMD) else "loop", BURST, BURST) for key, one in started.items()
            ]
            with counting(f"{', '.join(map(str, kinds))}: {size} bytes") as advance:
                for key, samples in measure(turns, rounds, seconds, advance).items():
                    one = started[key]
                    crossed = tuple(one.crossed[1:]) if isinstance(one, Wired) else ()  # the first was to warm up
                    rows[key] = replace(rows[key], figure=figure(samples), crossed=crossed)
        except NOT_HERE as error:
            rows = {key: row if row.reason else replace(row, reason=_first_line(error)) for key, row in rows.items()}
    yield from rows.values()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def run(
    sizes: Sequence[int], rounds: int, seconds: float, kinds: Sequence[Kind] = KINDS, peer: str = TESTPMD
) -> list[Row]:
    """A row for each kind, size and contestant, whether it could be measured or not."""
    together = [kind for kind in kinds if not kind.wires]
    groups = [together] if together else []
    groups += [[kind] for kind in kinds if kind.wires]
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch:
        bench = Bench(Path(scratch), peer)
        found = [row for group in groups for size in sizes for row in measured(group, bench, size, rounds, seconds)]
    return sorted(found, key=lambda row: (kinds.index(row.kind), row.size))
