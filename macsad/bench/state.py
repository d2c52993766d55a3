"""Registers, counters and meters as they are measured: their memory, and how many random cache lines of it a frame reads."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from transpiler.hlir.program import Program
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.traverse import walk
from transpiler.schedule.bundles import Bundle
from transpiler.schedule.state import state_cells
from transpiler.traffic.plan import Stream, shares

LINE = 64
MEASURED = 64  # lines of a frame at most that bench/memory.c reads


@dataclass(frozen=True)
class State:
    """`memory_bytes`: of all workers; `read_bytes`: what one reads of it, a cache line a read at most; `reads` of a frame, on
    average. `bundle`: the register in whose memory and lines the cells are, where that is another one; it counts them."""

    name: str
    kind: str
    cells: int
    cell_bytes: int
    memory_bytes: int
    read_bytes: int
    reads: float
    bundle: str = ""


@dataclass(frozen=True)
class Reads:
    """The random cache lines that frames read. `owners`: of each line, the number of what it is in, tables first, then state;
    `masks`: sets of lines as bits, with the share of the frames that read these."""

    owners: tuple[int, ...]
    masks: tuple[tuple[int, float], ...]

    def measured(self, sizes: Sequence[int]) -> Reads:
        """No more than can be measured: those of the largest memories, whose `sizes` go by owner. Others cost less."""
        if len(self.owners) <= MEASURED:
            return self
        kept = sorted(sorted(range(len(self.owners)), key=lambda at: -sizes[self.owners[at]])[:MEASURED])
        masks = tuple(
            (sum(1 << new for new, at in enumerate(kept) if mask >> at & 1), share) for mask, share in self.masks
        )
        return Reads(tuple(self.owners[at] for at in kept), masks)


def state_of(
    program: Program, streams: Sequence[Stream], frames: int, workers: int, bundles: Sequence[Bundle] = ()
) -> tuple[State, ...]:
    """What kinds of frames access."""
    counts = [(lines_of(program, stream, bundles), part) for stream, part in zip(streams, shares(streams), strict=True)]
    bundled = _bundled(bundles)
    found = []
    for extern in program.externs:
        cells, each = state_cells(program, extern)
        leader, stride = bundled.get(extern.name, (extern.name, each))
        reads = sum(count[leader] * part for count, part in counts)
        if reads and leader != extern.name:
            found.append(State(extern.name, extern.kind, cells, each, 0, LINE, 0.0, leader))
        elif reads:
            own = (
                workers + 1 if extern.kind.endswith("counter") else 1
            )  # one of each worker's, one of the control plane's
            size = min(cells * stride, int(frames * reads + 1) * LINE)
            found.append(State(extern.name, extern.kind, cells, each, cells * stride * own, max(LINE, size), reads))
    return tuple(found)


def _bundled(bundles: Sequence[Bundle]) -> Mapping[str, tuple[str, int]]:
    """By register of a bundle: the one that counts their lines, and the bytes from index to index."""
    return {name: (bundle.registers[0][0], bundle.stride) for bundle in bundles for name, _ in bundle.registers}


def lines_of(program: Program, stream: Stream, bundles: Sequence[Bundle] = ()) -> Counter[str]:
    """How many cache lines of each register, counter and meter a frame of a kind accesses; those of a bundle are its first
    register's."""
    places = {extern.name: (extern.name, state_cells(program, extern)[1]) for extern in program.externs}
    places |= _bundled(bundles)
    accessed = ((*places[name], which[0]) for name, which in stream.cells if name in places and which)
    lines = {(name, index * stride // LINE) for name, stride, index in accessed}
    return Counter(
        [name for name, _ in lines] + [name for table in stream.entries for name in _direct(program, stream, table)]
    )


def _direct(program: Program, stream: Stream, table: str) -> list[str]:
    """The direct counters and meters that a hit of a table accesses."""
    call = stream.template.outcomes[table]
    body = program.action[call.action].body if call is not None else ()
    called = {statement.instance for statement in walk(body) if isinstance(statement, CallExtern)}
    direct = program.table[table].direct
    return [name for name in direct if program.extern[name].attribute("automatic") or name in called]


def reads_of(
    program: Program,
    streams: Sequence[Stream],
    tables: Sequence[str],
    state: Sequence[State],
    bundles: Sequence[Bundle] = (),
) -> Reads:
    """The lines of tables and state that kinds of frames read."""
    counts = [Counter(stream.entries.keys()) + lines_of(program, stream, bundles) for stream in streams]
    names = [*tables, *(one.name for one in state)]
    most = [max((count[name] for count in counts), default=0) for name in names]
    places = [(number, turn) for number, many in enumerate(most) for turn in range(many)]
    masks = [
        sum(1 << at for at, (number, turn) in enumerate(places) if turn < count[names[number]]) for count in counts
    ]
    share: defaultdict[int, float] = defaultdict(float)
    for mask, part in zip(masks, shares(streams), strict=True):
        share[mask] += part
    return Reads(tuple(number for number, _ in places), tuple((mask, share[mask]) for mask in sorted(share) if mask))
