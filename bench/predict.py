"""What the model predicts beside what is measured: `python bench/predict.py [--p4c DIR] [NAME...]`.

For each app, and each production program of a checkout of p4c: three table sizes, each with another length of frames, 1 worker
and 2, every (B, b) of POINTS. The model is told B=1, b=1 and B=64, b=64; errors are those of all other points. Figures go to
build/bench/predict.json as well, so that --from FILE compares another model with the same measurements. --small-pages measures
without huge pages. --quick measures little, to see that it works.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import click
from production import FAILURES, PROGRAMS, SAMPLES

from macsad import compilation
from macsad.bench import predicted, session
from macsad.bench.contestants import Closing
from macsad.bench.rounds import measure
from macsad.bench.suites import suite_of
from macsad.compilation import Request
from macsad.generation import Order
from macsad.profiling import kept, read
from macsad.resources import share
from transpiler.model.machine import MachineProfile
from transpiler.model.throughput import Point, ProgramProfile, Read, fitted, predict

FIGURES = Path(__file__).parents[1] / "build" / "bench" / "predict.json"
POINTS: tuple[Point, ...] = (
    (1, 1), (8, 1), (8, 8), (32, 8), (32, 32), (64, 1), (64, 8), (64, 64), (256, 1), (256, 8), (256, 64), (256, 256),
)  # fmt: skip
TOLD: tuple[Point, Point] = ((1, 1), (64, 64))
# Apps whose errors were looked at while the model was made.
KNOWN = frozenset(("l2fwd", "ipv6fwd", "router", "flows", "policer", "nat", "l2fwd-crypto"))
SIZES = (256, 16_384, 1_000_000)
LENGTHS = (64, 512, 1518)
FRAMES = {64: 1_000_000, 512: 200_000, 1518: 60_000}


@dataclass(frozen=True)
class Case:
    """A program as it was measured: what the model knows of it, and cycles a packet of each point."""

    name: str
    entries: int
    length: int
    workers: int
    pages: str
    reads: tuple[tuple[float, int, bool], ...]
    cycles: tuple[tuple[Point, float], ...]

    def points(self, machine: MachineProfile) -> list[tuple[Point, float, float]]:
        """Of each point that the model is not told: what it predicts, and what was measured."""
        found = {tuple(point): cycles for point, cycles in self.cycles}
        known = ProgramProfile(0, 0, tuple(Read(*each) for each in self.reads), self.length, self.pages)
        alone, together = ((point, found[point]) for point in TOLD)
        program = fitted(machine, known, alone, together)
        return [
            (point, predict(machine, program, point).cycles, cycles)
            for point, cycles in found.items()
            if point not in TOLD
        ]

    def errors(self, machine: MachineProfile) -> list[float]:
        """With their signs."""
        return [guess / cycles - 1 for _, guess, cycles in self.points(machine)]


def measured(name: str, path: Path, entries: int, length: int, workers: int, pages: str, quick: bool) -> Case:
    """Raises: FAILURES."""
    suite = suite_of(path)
    frames = 1000 if quick else FRAMES[length]

    def order(folder: Path) -> Order:
        return Order(folder, entries, (), (), frames, 1.0, "uniform", str(length), 2, 0, 1, suite.replies)

    request = Request(path, warnings=("no-all",))
    if pages == "small":
        request = replace(request, wanted=request.wanted.without(("huge-pages",)))
    rounds, seconds = (1, 0.005) if quick else (5, 0.02)
    with tempfile.TemporaryDirectory(prefix="macsad-predict-") as scratch, Closing() as closing:
        wanted = session.Wanted(request, order, POINTS, rounds, seconds, workers)
        setup = session.Setup(wanted, Path(scratch), closing)
        result = setup.result(measure(setup.turns(), rounds, seconds, lambda *_: None))
    whole = predicted.whole_bursts(compilation.decide(request, compilation.load(request)).planned)
    reads = predicted.reads_of(result, whole)
    return Case(
        name, entries, result.length, workers, pages,
        tuple((each.each, each.footprint, each.whole_burst) for each in reads),
        tuple((point, result.at(point).cycles) for point in POINTS),
    )  # fmt: skip


def cases(names: tuple[str, ...], p4c: Path | None) -> Iterator[tuple[str, Path, int, int, int]]:
    """Name, program, entries, length of frames and workers."""
    programs = {path.stem: path for path in sorted(share("apps").glob("*/*.p4")) if path.stem == path.parent.name}
    if p4c is not None:
        programs |= {name: p4c / SAMPLES / path for name, path in PROGRAMS.items() if name != "switch"}
    if unknown := [name for name in names if name not in programs]:
        raise click.UsageError(f"'{unknown[0]}' is none of {', '.join(programs)}")
    for number, (name, path) in enumerate(programs.items()):
        if not names or name in names:
            for size, entries in enumerate(SIZES):
                for workers in (1, 2):
                    yield name, path, entries, LENGTHS[(number + size) % len(LENGTHS)], workers


def told(what: str, errors: list[float]) -> str:
    """Median, 90th percentile, of how many points."""
    sizes = sorted(map(abs, errors))
    tenth = quantiles(sizes, n=10, method="inclusive")[-1] if len(sizes) > 1 else sizes[0]
    return f"{what:<34} median {median(sizes):>4.0%}, 90th percentile {tenth:>4.0%}, {len(sizes)} points"


def summary(found: list[Case], machine: MachineProfile) -> Iterator[str]:
    """Lines: of all, and of what errors may depend on."""

    def errors(of: list[Case]) -> list[float]:
        return [error for case in of for error in case.errors(machine)]

    by_point: dict[Point, list[float]] = {}
    for case in found:
        for point, guess, cycles in case.points(machine):
            by_point.setdefault(point, []).append(guess / cycles - 1)
    groups: list[tuple[str, list[Case]]] = [(name, [c for c in found if c.name == name]) for name in _of(found, "name")]
    for what in ("entries", "length", "workers", "pages"):
        groups += [(f"{what} {key}", [c for c in found if getattr(c, what) == key]) for key in _of(found, what)]
    groups.append(("known when the model was made", [c for c in found if c.name in KNOWN]))
    groups.append(("not looked at", [c for c in found if c.name not in KNOWN]))
    yield from (told(what, errors(of)) for what, of in groups if of)
    for point, sizes in by_point.items():
        yield told(f"B={point[0]}, b={point[1]} ({median(sizes):+.0%})", sizes)
    yield told("all", errors(found))


def _of(found: list[Case], what: str) -> list[Any]:
    return list(dict.fromkeys(getattr(case, what) for case in found))


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--p4c", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--from", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--machine", "machine_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--small-pages", is_flag=True)
@click.option("--quick", is_flag=True)
def main(
    names: tuple[str, ...], p4c: Path | None, file: Path | None, machine_file: Path | None, small_pages: bool, quick: bool
) -> None:  # fmt: skip
    """Print errors as they come, then what they depend on."""
    machine = read(machine_file or kept())
    if file is not None:
        found = [Case(**case) for case in json.loads(file.read_text())]
    else:
        found = []
        for name, path, entries, length, workers in cases(names, p4c):
            try:
                case = measured(name, path, entries, length, workers, "small" if small_pages else "huge", quick)
            except FAILURES as error:
                click.echo(f"{name}, {entries:,} entries: {getattr(error, 'message', error)}", err=True)
                continue
            found.append(case)
            what = f"{name}, {entries:,} entries, {length} bytes, {workers} workers"
            click.echo(told(what, case.errors(machine)))
            FIGURES.parent.mkdir(parents=True, exist_ok=True)
            FIGURES.write_text(json.dumps([asdict(case) for case in found], indent=1) + "\n")
    if not found:
        raise click.ClickException("nothing was measured")
    click.echo("\n".join(summary(found, machine)))


if __name__ == "__main__":
    main()
