"""Self-described buffers against the ordinary way, where a packet's description and its buffer are two objects that are
allocated and bound for each packet: bare forwarding, the empty program, and where the cycles of the former go."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macsad import compilation, generation
from macsad.bench import feeds
from macsad.bench.contestants import Closing, Probe
from macsad.bench.feeds import Feed
from macsad.bench.programs import program
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Sample, figure, ratio
from macsad.bench.session import floors
from macsad.compilation import Request
from macsad.progress import counting
from transpiler.optimisations import ALL, Optimisations

WAYS = {"self-described": ALL, "separate": ALL.without(["self-described-buffers"])}
PHASES = ("receive", "send", "alloc", "free")
LED_HERE = ("-Wl,--wrap=macs_odp_pool_take,--wrap=macs_odp_pool_put",)  # see bench/phases.c

Key = tuple[str, str]  # the way, and what is measured


@dataclass(frozen=True)
class Bare:
    """`samples` of `loop`, `empty` and the phases, either way, at one burst."""

    burst: int
    samples: dict[Key, list[Sample]]

    def gain(self, what: str) -> float:
        """How many times as fast `loop` or `empty` is with self-described buffers as without."""
        return ratio(self.samples["separate", what], self.samples["self-described", what])

    def cycles(self, way: str, what: str) -> float:
        """A packet."""
        return figure(self.samples[way, what]).cycles

    def parts(self, way: str) -> dict[str, float]:
        """Cycles a packet of receiving and sending, what they allocate and free by itself."""
        receive, send, alloc, free = (self.cycles(way, phase) for phase in PHASES)
        return {"alloc": alloc, "receive": receive - alloc, "send": send - free, "free": free}

    def data(self) -> dict[str, Any]:
        """As JSON has it: nanoseconds and cycles a packet."""
        made: dict[str, Any] = {"burst": self.burst, "gain": {what: self.gain(what) for what in ("loop", "empty")}}
        for way in WAYS:
            figures = {what: figure(samples) for (of, what), samples in self.samples.items() if of == way}
            made[way] = {what: {"ns": found.ns, "cycles": found.cycles} for what, found in figures.items()}
        return made


def run(frames: Path, order: Callable[[Path], generation.Order], burst: int, rounds: int, seconds: float) -> Bare:
    """Measure with the frames that are made for a program. Raises: BenchError, SampleError, Rejected, ToolchainError."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folder = Path(scratch)
        request = Request(frames)
        made = generation.make(request, compilation.load(request), order(folder / "traffic"))
        longest = max(size for size, _ in made.traffic.sizes)
        feed = feeds.feed("linux", "mem", made.packets, made.traffic.packets, longest, 1)
        turns: list[Turn[Key]] = []
        for way, wanted in WAYS.items():
            (folder / way).mkdir()
            turns += _turns(way, wanted, feed, burst, folder / way, closing)
        with counting("measuring") as advance:
            return Bare(burst, measure(turns, rounds, seconds, advance))


def _turns(way: str, wanted: Optimisations, feed: Feed, burst: int, folder: Path, closing: Closing) -> list[Turn[Key]]:
    bare = floors(feed, [burst], folder, closing, wanted)
    phases = Probe([str(program("phases", folder, wanted=wanted, linker=LED_HERE)), *feed.arguments], folder)
    closing.add([phases])
    turns = [Turn((way, turn.key[0]), turn.contestant, turn.what, turn.number, turn.other) for turn in bare]
    return turns + [Turn((way, phase), phases, phase, burst) for phase in PHASES]
