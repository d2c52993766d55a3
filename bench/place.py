"""What `macsad place` predicts of two cores beside what is measured: `python bench/place.py [CASE...]`.

Cases are bench/elements.p4, two elements that each read N random cells of S bytes, one read after the other (chain) or
independent of each other, and programs of apps/. The program cloned and the program cut where the model likes it best are
measured on two CPUs in turn, 40 times for 10 ms. Printed are the benefits of the cut, pipelined / cloned, and of how many cases
that differ by more than 5 % the model has picked the faster way. Figures go to build/bench/place.json as well, with what the
stages cost: bench/cores.py takes them. A run of some cases leaves the figures of the others there, and sums up all. --quick
measures little, to see that it works, and leaves no figures.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from macsad import compilation
from macsad.bench.contestants import Closing, Switch
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Sample
from macsad.bench.session import build
from macsad.compilation import Request
from macsad.place import place_file, placing
from macsad.resources import share
from macsad.subject import subject
from macsad.subject.subject import Traffic
from macsad.subject.subject_options import this_machine
from macsad.tune.tuned import Settings
from transpiler.model.machine import MachineProfile

FIGURES = Path(__file__).parents[1] / "build" / "bench" / "place.json"
CORES, POINT = 2, (32, 32)
DIFFERS = 0.05
PAGE_CELLS = 1024


@dataclass(frozen=True)
class Case:
    """A program with its macros, and entries of each table."""

    name: str
    path: Path
    defines: tuple[str, ...] = ()
    entries: int = 1
    cells: int = 0


@dataclass(frozen=True)
class Row:
    """Benefits of the cut: throughput of the program in two halves over that of two clones. `placed`: what `macsad place --json`
    prints."""

    name: str
    cut: str
    predicted: float
    measured: float
    cloned_mpps: float
    placed: dict[str, Any]

    @property
    def differs(self) -> bool:
        return abs(self.measured - 1) > DIFFERS

    @property
    def right(self) -> bool:
        return self.picked == (self.measured > 1)

    @property
    def picked(self) -> bool:
        """Whether `macsad place` cuts the program."""
        return self.predicted > 1 + placing.SURE


def cases() -> dict[str, Case]:
    found = []
    for chain in (1, 0):
        for reads in ((200, 200), (20, 20), (1, 1), (396, 4)):
            for kib in (64, 256, 512, 1024, 4096) if reads[0] == reads[1] else (512,):
                name = f"{'chain' if chain else 'independent'} {reads[0]}/{reads[1]}, {kib} KiB"
                cells = kib * 256
                values = (f"FIRST={reads[0]}", f"SECOND={reads[1]}", f"CELLS={cells}", f"CHAIN={chain}")
                found.append(Case(name, share("bench") / "elements.p4", values, 1, cells))
    for app, entries in (("router", 1000), ("router", 50_000), ("balancer", 10_000), ("nat", 50_000)):
        found.append(Case(f"{app}, {entries:,}", share("apps") / app / f"{app}.p4", (), entries))
    return {case.name: case for case in found}


def compare(case: Case, machine: MachineProfile, rounds: int, seconds: float) -> Row | None:
    """A case as predicted and as measured; None where it cannot be cut."""
    request = Settings(*POINT).of(Request(case.path, defines=case.defines, warnings=("no-all",)))
    with tempfile.TemporaryDirectory(prefix="macsad-place-") as scratch:
        folder = Path(scratch)
        traffic = traffic_of(request, case, folder)
        placed = placing.place(request, traffic, machine, _new(folder, "placed"), CORES)
        (cloned, *_), cuts = (
            [p for p in placed.placements if len(p.parts) == 1] or [None],
            [p for p in placed.placements if len(p.parts) > 1],
        )
        if cloned is None or not cuts:
            return None
        at = placed.cut(cuts[0])
        requests = {"cloned": request, "cut": replace(request, cut=at)}
        samples = _measured(requests, traffic, folder, rounds, seconds)
    alone, halves = (_undisturbed(samples[name]) for name in requests)
    told = place_file.data(placed)
    return Row(case.name, at, cuts[0].rate / placed.cloned.rate, alone / halves, CORES * 1e3 / alone, told)


def _undisturbed(samples: Sequence[Sample]) -> float:
    """CPU time of a packet in ns: the lower decile, as each half waits for the other wherever the system takes one away."""
    return sorted(sample.ns for sample in samples)[len(samples) // 10]


def _new(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


def traffic_of(request: Request, case: Case, folder: Path) -> Traffic:
    """Frames and entries; the cells of elements.p4 are written once, so that each page has memory of its own."""
    traffic = subject.generated(request, compilation.load(request), case.entries, (), folder)
    if not case.cells or traffic.entries is None:
        return traffic
    registers = ("ElementsIngress.first.cells", "ElementsIngress.second.cells")
    lines = [f"register_write {name} {at} 0\n" for name in registers for at in range(0, case.cells, PAGE_CELLS)]
    traffic.entries.write_text(traffic.entries.read_text() + "".join(lines))
    return traffic


def _measured(
    requests: dict[str, Request], traffic: Traffic, folder: Path, rounds: int, seconds: float
) -> dict[str, list[Sample]]:
    """Samples of both ways, in turn."""
    with Closing() as closing:
        turns = []
        for name, request in requests.items():
            own = _new(folder, name)
            binary = build(request, compilation.load(request), own)
            ports = ["--port", f"0=mem:{traffic.packets},loop", "--port", "1=null:"]
            switch = Switch(binary, ports, traffic.entries, own, CORES)
            closing.add([switch])
            turns.append(Turn(name, switch, "", *POINT))
        return measure(turns, rounds, seconds, lambda *_: None)


def summary(rows: Sequence[Row]) -> str:
    differing = [row for row in rows if row.differs]
    right = sum(row.right for row in differing)
    lost = sum(max(0.0, 1 - (row.measured if row.picked else 1) / max(1.0, row.measured)) for row in rows)
    return (
        f"of {len(differing)} cases that differ by more than 5 % the faster way was picked in {right}; the picked way is "
        f"{lost / max(1, len(rows)):.1%} slower than the faster one on average"
    )


def kept() -> list[Row]:
    """The figures of earlier runs."""
    return [Row(**row) for row in json.loads(FIGURES.read_text())] if FIGURES.exists() else []


@click.command(help=__doc__)
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--quick", is_flag=True, help="Short rounds, to see that it works.")
def main(names: tuple[str, ...], quick: bool) -> None:
    """Print a row for each case."""
    machine, rows = this_machine(), []
    click.echo(f"{'case':<28} {'cloned':>8} {'pipelined / cloned: predicted':>30} {'measured':>9}  cut at")
    for case in [case for name, case in cases().items() if not names or any(name.startswith(one) for one in names)]:
        row = compare(case, machine, 1 if quick else 40, 0.01)
        if row is None:
            click.echo(f"{case.name:<28} cannot be cut")
            continue
        rows.append(row)
        click.echo(f"{row.name:<28} {row.cloned_mpps:>8.2f} {row.predicted:>30.2f} {row.measured:>9.2f}  {row.cut}")
    if quick:
        click.echo(summary(rows))
        return
    known = {row.name: row for row in kept()} | {row.name: row for row in rows}
    click.echo(summary(list(known.values())))
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    FIGURES.write_text(json.dumps([asdict(row) for row in known.values()], indent=1) + "\n")


if __name__ == "__main__":
    main()
