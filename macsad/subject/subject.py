"""A program that is measured before it is tuned or placed: its switch, the traffic, and what the model has to know of both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from macsad import compilation, generation
from macsad.bench import feeds
from macsad.bench.contestants import Closing, Switch
from macsad.bench.session import build
from macsad.bench.state import LINE, State, state_of
from macsad.compilation import Request
from macsad.generation import Order
from macsad.progress import counting
from macsad.subject.stage_costs import StageCost, stage_costs
from transpiler.hlir.program import Program
from transpiler.model.throughput import Read
from transpiler.schedule.planned import Planned
from transpiler.schedule.state import state_cells
from transpiler.traffic.plan import Plan

PCAP_HEADER, RECORD_HEADER = 24, 16
FRAMES = 200_000  # that are made where none are given


@dataclass(frozen=True)
class Traffic:
    """Entries and frames of a program, in files. `state`: what frames access of registers, counters and meters, as far as it is
    known; `told`: where they are from, for people. `plan`: of those that are made."""

    entries: Path | None
    packets: Path
    told: str
    state: Mapping[str, State] = field(default_factory=dict)
    plan: Plan | None = None


def given(entries: Path | None, packets: Path) -> Traffic:
    """Traffic of one's own."""
    return Traffic(entries, packets, f"{packets.name}, entries of {entries.name}" if entries else packets.name)


def generated(request: Request, program: Program, entries: int, tables: tuple[str, ...], folder: Path) -> Traffic:
    """Traffic as `macsad gen` makes it. Raises: Rejected, click.ClickException."""
    order = Order(folder / "traffic", entries, tables, (), max(FRAMES, 2 * entries), 1.0, "uniform", "64", 2, 0, 1)
    made = generation.make(request, program, order)
    bundles = compilation.decide(request, program).planned.bundles
    state = state_of(program, made.plan.streams, made.traffic.packets, 1, bundles)
    filled = ", ".join(f"{one.table.name.rpartition('.')[2]} {one.count:,}" for one in made.plan.tables)
    told = f"made for the program: {filled or 'no entries'}; {made.traffic.packets:,} frames"
    return Traffic(made.entries, made.packets, told, {one.name: one for one in state}, made.plan)


class Subject:
    """The switch of a program with its tables full, and its frames coming for ever."""

    def __init__(
        self, request: Request, hlir: Program, planned: Planned, traffic: Traffic, folder: Path, closing: Closing
    ) -> None:
        """Raises: BenchError, Rejected, ToolchainError."""
        self._hlir, self._planned, self._traffic, self._folder = hlir, planned, traffic, folder
        self.feed = feeds.feed("linux", feeds.named("linux", None), traffic.packets, 0, 0, 1)
        self.switch = self._start(request, "program", closing)

    def _start(self, request: Request, name: str, closing: Closing) -> Switch:
        folder = self._folder / name
        folder.mkdir()
        binary = build(request, self._hlir, folder)
        with counting("filling tables"):
            switch = Switch(binary, self.feed.options, self._traffic.entries, folder)
        closing.add([switch])
        return switch

    def variants(
        self, names: Sequence[str], without: Callable[[str], Request | None], closing: Closing
    ) -> dict[str, Switch]:
        """Switches of the program without each of these optimisations, of those that make a difference."""
        found: dict[str, Switch] = {}
        for name in names:
            if (request := without(name)) is not None:
                found[name] = self._start(request, f"without-{name}", closing)
        return found

    @property
    def length(self) -> int:
        """Bytes of a frame, on average."""
        port = self.switch.stats()["ports"][0]
        return round(int(port["rx_bytes"]) / max(1, int(port["rx_packets"])))

    @property
    def frames(self) -> int:
        """Different frames, about."""
        size = self._traffic.packets.stat().st_size - PCAP_HEADER
        return max(1, size // (RECORD_HEADER + self.length))

    def costs(self) -> tuple[StageCost, ...]:
        """Of all stages, as they were measured last. Raises: NoClocks."""
        return stage_costs(self.switch.stages()[0], self._planned)

    def reads(self, whole_burst: Collection[str]) -> tuple[Read, ...]:
        """What packets read of tables and state that may miss the cache. Raises: NoClocks."""
        costs = self.costs()
        return tuple(
            Read(each, footprint, name in whole_burst)
            for cost in costs
            for name, each, footprint in self.reads_of(cost, costs)
        )

    def reads_of(self, cost: StageCost, costs: Sequence[StageCost]) -> list[tuple[str, float, int]]:
        """Of one of all the stages: table or state, reads a packet, and bytes that they are spread over."""
        frames = self.frames
        tables = {table["name"]: table for table in self.switch.tables}
        found = [
            (name, cost.share, _lines(tables[name], frames)) for name in cost.tables if name in tables and cost.share
        ]
        # a cache of decisions, which is not the program's own, hardly leaves the core's caches
        own = [name for name in cost.state if name in self._hlir.extern]
        for name in own if cost.share else ():
            known = self._traffic.state.get(name)
            each, size = (known.reads, known.read_bytes) if known else (cost.share, self._state_bytes(name, frames))
            sharing = sum(name in other.state for other in costs)
            found.append((name, each / sharing, size))
        return found

    def _state_bytes(self, name: str, frames: int) -> int:
        cells, each = state_cells(self._hlir, self._hlir.extern[name])
        return max(LINE, min(cells * each, frames * LINE))


def _lines(table: Mapping[str, Any], frames: int) -> int:
    """Bytes of a table that lookups read, a cache line a frame at most."""
    return max(LINE, min(int(table["reader_bytes"]), frames * LINE))
