"""A measurement of a program: what is asked for, the contestants, their rounds, and the result as data."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from macsad import compilation, generation, stages
from macsad.bench import feeds, lookups
from macsad.bench.beside import Beside, Peer
from macsad.bench.contestants import Closing, Probe, Switch
from macsad.bench.feeds import Feed
from macsad.bench.lookups import Looked
from macsad.bench.programs import program
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Figure, Sample, figure, ratio
from macsad.bench.state import LINE, Reads, State, reads_of, state_of
from macsad.compilation import Request
from macsad.progress import compiling, counting
from macsad.resources import share
from macsad.targets import HERE, Machine
from transpiler.hlir.program import Program
from transpiler.optimisations import ALL, NAMES, Optimisations
from transpiler.traffic.plan import shares

VANILLA = (1, 1)
EVERYTHING = "all"
CLOCKED_S = 0.5  # of a run whose stage clocks are read

Point = tuple[int, int]  # B, b
Key = tuple[str, int, int]  # what is measured, and its two numbers


@dataclass(frozen=True)
class Wanted:
    """`order`: entries and frames, the folder left open; `seconds` a sample, `rounds` of them. `without`: optimisations
    that are left out, one a switch, of switches that are measured too; EVERYTHING is all of them together. `feed`: of the
    machine's platform, see feeds.py. `peers`: programs of others on the same devices, over DPDK. `lookups`: those of
    each table are measured alone, too. `clocks`: where the stage clocks are read, if they are."""

    request: Request
    order: Callable[[Path], generation.Order]
    points: tuple[Point, ...]
    rounds: int
    seconds: float
    workers: int
    without: tuple[str, ...] = ()
    machine: Machine = HERE
    feed: str | None = None
    peers: tuple[Peer, ...] = ()
    lookups: bool = False
    clocks: Point | None = None


@dataclass(frozen=True)
class Table:
    """A table as it was measured. `read_bytes`: what lookups read of it, a cache line a frame at most; `reach`: the share of
    the frames that look it up."""

    name: str
    kernel: str
    entries: int
    memory_bytes: int
    read_bytes: int
    reach: float


@dataclass(frozen=True)
class Result:
    """All that was measured. `dropped`: the share of the frames that the program did not send; `reads`: the cache lines of tables
    and `state` that frames read. `without`: optimisations that were left out, in
    switches that were measured at the last point; `unused`: those that make no difference to the program. `peers`: names of
    programs of others, and the share of the frames that each dropped. `small_pages`: over DPDK the switch found no
    huge pages for its packets. `looked`: tables whose lookups were measured alone; `length`: bytes of a frame, on average.
    `clocks`: the stage clocks of a worker, where they were read; `described`: the tables as the switch describes them."""

    name: str
    tables: tuple[Table, ...]
    state: tuple[State, ...]
    frames: int
    sizes: str
    hit: float
    flows: str
    points: tuple[Point, ...]
    rounds: int
    seconds: float
    workers: int
    dropped: float
    reads: Reads
    samples: dict[Key, list[Sample]]
    without: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    platform: str = "linux"
    peers: tuple[tuple[str, float], ...] = ()
    small_pages: bool = False
    looked: tuple[Looked, ...] = ()
    length: int = 64
    clocks: Mapping[str, Any] | None = None
    described: tuple[Mapping[str, Any], ...] = ()

    def at(self, point: Point) -> Figure:
        return figure(self.samples["program", *point])

    def floor(self, what: str) -> tuple[int, Figure]:
        """Of the `empty` program, or the bare receive and send `loop`: at the burst that suits it best."""
        found = {key[1]: figure(samples) for key, samples in self.samples.items() if key[0] == what}
        best = min(found, key=lambda burst: found[burst].ns)
        return best, found[best]

    def gain(self, slow: Point, fast: Point) -> float:
        """How many times as fast the program is at the second point as at the first."""
        return ratio(self.samples["program", *slow], self.samples["program", *fast])

    def left_out(self, name: str) -> Figure:
        """The program without an optimisation."""
        return figure(self.samples[f"without {name}", *self.points[-1]])

    def gain_of(self, name: str) -> float:
        """How many times as fast the program is with an optimisation as without."""
        point = self.points[-1]
        return ratio(self.samples[f"without {name}", *point], self.samples["program", *point])

    def beside(self, name: str) -> Figure:
        """A program of others."""
        return figure(self.samples[f"beside {name}", 0, 0])

    def over(self, name: str) -> float:
        """How many times as fast as that the program is at its best."""
        return ratio(self.samples[f"beside {name}", 0, 0], self.samples["program", *self.best])

    @property
    def best(self) -> Point:
        return min(self.points, key=lambda point: self.at(point).ns)

    def lookup(self, looked: Looked) -> Figure:
        """A lookup in a table alone."""
        return figure(self.samples["lookup", looked.number, 0])

    @property
    def lookup_cycles(self) -> float:
        """Cycles a packet of all lookups alone."""
        return sum((looked.each * self.lookup(looked).cycles for looked in self.looked), 0.0)

    def over_lookups(self, point: Point) -> float:
        """How many times as long as its lookups alone the program takes: the median of the rounds' ratios."""
        rounds = zip(
            self.samples["program", *point],
            *(self.samples["lookup", looked.number, 0] for looked in self.looked),
            strict=True,
        )
        found = (
            packet.ns / sum((one.each * sample.ns for one, sample in zip(self.looked, alone, strict=True)), 0.0)
            for packet, *alone in rounds
        )
        return float(median(found))

    @property
    def memory_ns(self) -> float:
        """The limit of memory: a random cache line of each table that a frame looks up, and of each cell that it accesses; 0.0
        without any."""
        return sum((share * figure(self.samples["read", mask, 0]).ns for mask, share in self.reads.masks), 0.0)

    def of_memory(self, point: Point) -> float:
        """Which share of that limit the program reaches: 1 is all of it; 0 without reads."""
        rounds = zip(
            self.samples["program", *point],
            *(self.samples["read", mask, 0] for mask, _ in self.reads.masks),
            strict=True,
        )
        shares = [share for _, share in self.reads.masks]
        found = (
            sum((share * read.ns for share, read in zip(shares, reads, strict=True)), 0.0) / packet.ns
            for packet, *reads in rounds
        )
        return float(median(found))


class Setup:
    """A program made ready: its switch with full tables, and the frames; `closing` ends what it starts."""

    def __init__(self, wanted: Wanted, folder: Path, closing: Closing) -> None:
        hlir = compilation.load(wanted.request)
        platform = wanted.machine.platform
        feed = feeds.named(platform, wanted.feed)
        binary = build(wanted.request, hlir, folder, wanted.machine)
        self.wanted = wanted
        self.made = generation.make(wanted.request, hlir, wanted.order(folder / "traffic"))
        traffic = self.made.traffic
        longest = max(size for size, _ in traffic.sizes)
        count, replies = traffic.packets, self.made.replies
        self.feed = feeds.feed(platform, feed, self.made.packets, count, longest, wanted.workers, replies)
        self.switch = self._start(binary, "program", folder, closing)
        self.others = self._others(hlir, folder, closing)
        self.peers = self._peers(folder, closing)
        self.alone: Probe | None = None
        self.looked: tuple[Looked, ...] = ()
        if wanted.lookups:
            self.alone, self.looked = self._lookups(hlir, folder, closing)
        self.made.entries.unlink()  # large, and read
        self.tables = tuple(self._table(table) for table in self.switch.tables)
        streams = self.made.plan.streams
        bundles = compilation.decide(wanted.request, hlir).planned.bundles
        self.state = state_of(hlir, streams, traffic.packets, wanted.workers, bundles)
        reads = reads_of(hlir, streams, [table.name for table in self.tables], self.state, bundles)
        self.reads = reads.measured([t.read_bytes for t in self.tables] + [s.read_bytes for s in self.state])

    def _start(self, binary: Path, name: str, folder: Path, closing: Closing) -> Switch:
        """A switch with its tables full."""
        with counting("filling tables"):
            switch = Switch(binary, self.feed.options, self.made.entries, _new(folder, name), self.wanted.workers)
        closing.add([switch])
        return switch

    def _lookups(self, hlir: Program, folder: Path, closing: Closing) -> tuple[Probe, tuple[Looked, ...]]:
        """What measures lookups alone."""
        own, made = folder / "lookups-made", self.made
        own.mkdir()
        with counting("noting lookups"):
            found = lookups.start(
                self.wanted.request, hlir, own, made.entries, made.packets, made.traffic.packets, self.wanted.machine
            )
        closing.add([found[0]])
        return found

    def _peers(self, folder: Path, closing: Closing) -> dict[str, Beside]:
        found: dict[str, Beside] = {}
        for number, peer in enumerate(self.wanted.peers):
            with counting(f"starting {peer.name}"):
                found[peer.name] = Beside(peer, self.feed, self.made.packets, _new(folder, f"peer-{number}"))
            closing.add([found[peer.name]])
        return found

    def _others(self, hlir: Program, folder: Path, closing: Closing) -> dict[str, Switch]:
        """The switches without an optimisation, by its name, of those that make a difference."""
        request = self.wanted.request
        c = _code(request, hlir)
        found: dict[str, Switch] = {}
        for name in self.wanted.without:
            names = NAMES if name == EVERYTHING else [name]
            less = replace(request, wanted=request.wanted.without(names).as_far_as(self.wanted.machine.platform))
            if less.wanted.of_build == request.wanted.of_build and _code(less, hlir) == c:
                continue
            found[name] = self._start(
                build(less, hlir, folder / name, self.wanted.machine), f"without-{name}", folder, closing
            )
        return found

    def _table(self, described: dict[str, Any]) -> Table:
        streams = self.made.plan.streams
        parts = zip(streams, shares(streams), strict=True)
        reach = sum(part for stream, part in parts if described["name"] in stream.entries)
        size = min(described["reader_bytes"], self.made.traffic.packets * LINE) // LINE * LINE
        return Table(
            described["name"], described["kernel"], described["entries"], described["memory_bytes"], size, reach
        )

    def turns(self) -> list[Turn[Key]]:
        last = self.wanted.points[-1]
        others = [Turn((f"without {name}", *last), switch, "", *last) for name, switch in self.others.items()]
        peers = [Turn((f"beside {name}", 0, 0), peer) for name, peer in self.peers.items()]
        return [Turn(("program", *point), self.switch, "", *point) for point in self.wanted.points] + others + peers

    def lookups(self) -> list[Turn[Key]]:
        """Of each table its lookups alone."""
        if self.alone is None:
            return []
        return [Turn(("lookup", one.number, 0), self.alone, "lookup", one.number) for one in self.looked]

    def clocks(self) -> Mapping[str, Any] | None:
        """The stage clocks of a worker at the point where they are wanted."""
        if self.wanted.clocks is None:
            return None
        before = self.switch.stages()
        self.switch.measure("", *self.wanted.clocks, CLOCKED_S)
        return stages.since(self.switch.stages(), before)[0]

    def limits(self, folder: Path, closing: Closing) -> list[Turn[Key]]:
        """What the program cannot be faster than, as far as this machine goes: memory, an empty program, a bare loop."""
        turns: list[Turn[Key]] = []
        if self.reads.masks:
            read = [table.read_bytes for table in self.tables] + [state.read_bytes for state in self.state]
            sizes = [max(LINE, bytes_read) for bytes_read in read]
            lines = [f"{owner}:{sizes[owner]}" for owner in self.reads.owners]
            memory = Probe(
                [str(program("memory", folder, machine=self.wanted.machine)), *lines], _new(folder, "memory")
            )
            closing.add([memory])
            turns += [Turn(("read", mask, 0), memory, "read", mask) for mask, _ in self.reads.masks]
        bursts = sorted({burst for burst, _ in self.wanted.points})
        return turns + floors(self.feed, bursts, folder, closing, machine=self.wanted.machine)

    def result(self, samples: dict[Key, list[Sample]]) -> Result:
        wanted, made, wishes = self.wanted, self.made, self.made.plan.wishes
        sizes = "imix" if len(made.traffic.sizes) > 1 else f"{made.traffic.sizes[0][0]} bytes"
        return Result(
            wanted.request.path.stem, self.tables, self.state, made.traffic.packets, sizes, wishes.hit, made.traffic.flows,
            wanted.points, wanted.rounds, wanted.seconds, wanted.workers, self.switch.dropped(), self.reads, samples,
            tuple(self.others), tuple(name for name in wanted.without if name not in self.others), wanted.machine.platform,
            tuple((name, peer.dropped()) for name, peer in self.peers.items()),
            self.switch.huge_bytes < self.feed.huge_bytes, self.looked, _mean(made.traffic.sizes),
            self.clocks(), tuple(self.switch.tables),
        )  # fmt: skip


def floors(
    feed: Feed, bursts: list[int], folder: Path, closing: Closing, wanted: Optimisations = ALL,
    machine: Machine | None = None,
) -> list[Turn[Key]]:  # fmt: skip
    """Turns of the empty program and of the bare loop, on ports like the program's. `machine`: None is this one, with the
    feed's platform."""
    machine = machine or Machine(feed.platform)
    request = Request(share("bench") / "empty.p4", wanted=wanted)
    binary = build(request, compilation.load(request), folder, machine)
    empty = Switch(binary, feed.options, None, _new(folder, "empty"))
    closing.add([empty])
    binary = program("loop", folder, machine=machine, wanted=wanted)
    loop = Probe([str(binary), *feed.arguments], _new(folder, "loop"))
    closing.add([loop])
    turns: list[Turn[Key]] = [Turn(("empty", burst, burst), empty, "", burst, burst) for burst in bursts]
    return turns + [Turn(("loop", burst, burst), loop, "loop", burst) for burst in bursts]


def run(wanted: Wanted) -> Result:
    """Measure. Raises: BenchError, SampleError, Rejected, ToolchainError, click.ClickException."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folder = Path(scratch)
        setup = Setup(wanted, folder, closing)
        turns = setup.turns() + setup.lookups() + setup.limits(folder, closing)
        with counting("measuring") as advance:
            samples = measure(turns, wanted.rounds, wanted.seconds, advance)
        return setup.result(samples)


def _code(request: Request, hlir: Program) -> list[str]:
    """The lines of a program's C, but for what keeps the compiler quiet."""
    return [line for line in compilation.generate_c(request, hlir).c.splitlines() if not line.startswith("#pragma")]


def build(request: Request, hlir: Program, folder: Path, machine: Machine = HERE) -> Path:
    with compiling() as progress:
        tools = compilation.toolchain(request.wanted, machine)
        binary, _ = compilation.build(request, hlir, folder / f"{request.path.stem}-built", tools, progress)
    return binary


def _mean(sizes: Sequence[tuple[int, int]]) -> int:
    """Of the sizes, each with its weight."""
    return round(sum(size * weight for size, weight in sizes) / sum(weight for _, weight in sizes))


def _new(folder: Path, name: str) -> Path:
    made = folder / f"{name}-runs"
    made.mkdir()
    return made
