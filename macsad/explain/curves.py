"""Throughput over B, b, entries and cores: as the model predicts it, and the points that were measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from macsad.bench.predicted import whole_bursts
from macsad.bench.session import Point
from macsad.explain.explained import Explained
from transpiler.model.choice import BURSTS, SUB_BATCHES
from transpiler.model.sizes import footprint
from transpiler.model.throughput import ProgramProfile, Read
from transpiler.placement.costs import MachineCosts
from transpiler.placement.search import Placement, ranked

BATCHES = (1, 8, 64)  # b of the curves over B
BURSTS_SHOWN = (8, 64, 256)  # B of those over b
ENTRIES = tuple(4**power for power in range(2, 13))  # 16 to 16 M
MOST_CORES = 8


@dataclass(frozen=True, slots=True)
class Curve:
    """`points`: what it is over, and millions of packets a second."""

    name: str
    points: tuple[tuple[float, float], ...]
    measured: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves over one thing. `note`: what one has to know to read it."""

    key: str
    title: str
    over: str
    curves: tuple[Curve, ...]
    note: str
    logarithmic: bool = True


def charts(explained: Explained) -> tuple[Chart, ...]:
    """All that there are of a program."""
    return (_bursts(explained), _batches(explained), _entries(explained), _cores(explained))


def _bursts(explained: Explained) -> Chart:
    curves = []
    for b in BATCHES:
        points = [(burst, b) for burst in BURSTS if burst >= b]
        curves.append(_predicted(explained, f"b = {b}", points, 0))
        curves += _measured(explained, f"b = {b}", [p for p in explained.measured if p[1] == b], 0)
    return Chart("burst", "Packets received at once", "B, packets of a burst", tuple(curves),
                 "A packet waits until its burst is full, so that the smallest B near the top is the best.")  # fmt: skip


def _batches(explained: Explained) -> Chart:
    curves = []
    for burst in BURSTS_SHOWN:
        points = [(burst, b) for b in SUB_BATCHES if b <= burst]
        curves.append(_predicted(explained, f"B = {burst}", points, 1))
        curves += _measured(explained, f"B = {burst}", [p for p in explained.measured if p[0] == burst], 1)
    return Chart("sub-batch", "Lookups in flight at once", "b, packets of a sub-batch", tuple(curves),
                 "Flat curves: tables are near, or take the keys of a burst at once.")  # fmt: skip


def _predicted(explained: Explained, name: str, points: Iterable[Point], over: int) -> Curve:
    return Curve(name, tuple((p[over], explained.mpps(explained.predict(p).cycles)) for p in points))


def _measured(explained: Explained, name: str, points: Iterable[Point], over: int) -> list[Curve]:
    found = tuple(sorted((float(p[over]), explained.mpps(explained.measured[p])) for p in points))
    return [Curve(name, found, True)] if found else []


def with_entries(explained: Explained, entries: int) -> ProgramProfile:
    """The program with all tables so large, or their declared size where that is less."""
    facts = {table.name: table for table in explained.tables}
    sizes = explained.planned.program.table
    whole = whole_bursts(explained.planned)
    reads: list[Read] = []
    for stage in explained.alone:
        for read in stage.reads:
            if fact := facts.get(read.memory):
                count = min(entries, max(fact.entries, sizes[read.memory].size))
                reads.append(Read(read.each, footprint(count, read.footprint, fact.entries), read.memory in whole))
            else:
                reads.append(Read(read.each, read.footprint, read.memory in whole))
    return replace(explained.program, reads=tuple(reads))


def _entries(explained: Explained) -> Chart:
    most = max((explained.planned.program.table[table.name].size for table in explained.tables), default=0)
    counts = sorted({*(count for count in ENTRIES if count <= max(most, explained.entries)), explained.entries} - {0})
    curves = []
    for pages in ("huge", "small"):
        points = tuple(
            (float(count), explained.mpps(explained.predict(program=replace(with_entries(explained, count), pages=pages)).cycles))
            for count in counts
        )  # fmt: skip
        curves.append(Curve(f"{pages} pages", points))
    if explained.over_entries:
        name = f"{explained.program.pages} pages"
        curves.append(Curve(name, tuple((float(count), rate) for count, rate in explained.over_entries), True))
    burst, b = explained.point
    return Chart("entries", "Entries of the tables", "entries a table", tuple(curves) if counts else (),
                 f"At B={burst}, b={b}, every entry in use, no table beyond its declared size.")  # fmt: skip


def by_cores(explained: Explained, cores: int) -> tuple[Placement, Placement | None]:
    """Clones on so many cores, and the best placement that is cut, where there is one."""
    placed = explained.placed
    costs = MachineCosts(explained.machine, placed.stages, placed.burst)
    boundaries = [number for number, stage in enumerate(placed.stages) if stage.cut]
    found = ranked(costs, boundaries, len(placed.stages), cores)
    cut = next((one for one in found if len(one.parts) > 1), None)
    return next(one for one in found if len(one.parts) == 1), cut


def _cores(explained: Explained) -> Chart:
    numbers = range(1, max(MOST_CORES, explained.placed.cores) + 1)
    both = [(number, *by_cores(explained, number)) for number in numbers]
    mpps = explained.placed.mpps
    curves = [Curve("cloned", tuple((float(n), mpps(cloned)) for n, cloned, _ in both))]
    if cut := tuple((float(n), mpps(one)) for n, _, one in both if one is not None):
        curves.append(Curve("cut in two", cut))
    if explained.over_cores:
        curves.append(Curve("cloned", tuple((float(n), rate) for n, rate in explained.over_cores), True))
    return Chart("cores", "Cores", "cores that have nothing else to do", tuple(curves),
                 "What clones have to share, the last cache and memory, is not in the prediction.", False)  # fmt: skip
