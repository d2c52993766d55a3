"""Placements on 4 to 64 cores, simulated: `python bench/cores.py [CASE...]`, behind `python bench/place.py`.

It takes what bench/place.py has measured on two cores (build/bench/place.json): what the stages of each case cost. First, two
cores: the benefit of the cut as measured, as the model of `macsad place` has it, and as transpiler/placement/simulation.py does.
Then curves: for each number of cores the best placement of each kind by the model, simulated.

    cloned      each core runs the whole program
    pipelined   two or three parts, each on as many cores
    mixed       two or three parts, on fewer cores the later they are

Curves go to docs/performance/placement.svg, and with --json all figures are printed. --taken: others have each core for that
share of the time. --gap: nanoseconds between two lines of the memory, which the profile of the machine does not tell.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path
from statistics import median
from typing import Any

import click

from macsad.subject.subject_options import this_machine
from transpiler.model.machine import MachineProfile
from transpiler.placement.costs import MachineCosts
from transpiler.placement.search import loads
from transpiler.placement.simulation import Part, World, rate
from transpiler.placement.stages import Read, Stage

ROOT = Path(__file__).parents[1]
FIGURES, PICTURE = ROOT / "build" / "bench" / "place.json", ROOT / "docs" / "performance" / "placement.svg"
CORES = (2, 4, 8, 16, 32, 64)
DIFFERS, SURE = 0.05, 0.05
SHOWN = ("chain 200/200, 1024 KiB", "chain 20/20, 1024 KiB", "independent 200/200, 1024 KiB",
         "independent 20/20, 1024 KiB", "chain 396/4, 512 KiB", "router, 50,000")  # fmt: skip
KINDS = ("cloned", "pipelined", "mixed")
STYLES = {"cloned": "-", "pipelined": "--", "mixed": ":"}


@dataclass(frozen=True)
class Case:
    """What was measured of a program on two cores: `cut`: the stage in front of which it was cut; `benefit`: pipelined / cloned;
    `cloned`: packets a second of two clones."""

    name: str
    stages: tuple[Stage, ...]
    cut: int
    burst: int
    benefit: float
    cloned: float


def case(row: dict[str, Any]) -> Case:
    """A row of place.json."""
    placed = row["placed"]
    stages = tuple(
        Stage(
            s["name"], s["cycles"],
            tuple(Read(r["memory"], r["each"], r["bytes"], r["in_flight"]) for r in s["reads"]), s["cut"],
        )
        for s in placed["stages"]
    )  # fmt: skip
    cut = next(number for number, stage in enumerate(stages) if stage.cut == row["cut"])
    return Case(row["name"], stages, cut, placed["burst"], row["measured"], row["cloned_mpps"] * 1e6)


# --- beside what is measured ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Checked:
    """Benefits of the cut on two cores, and packets a second of two clones: measured and simulated."""

    name: str
    measured: float
    model: float
    simulated: float
    cloned: float
    simulated_cloned: float
    simulated_by_model: float  # of the pipeline, packets a cycle: simulated / by the model

    def right(self, benefit: float) -> bool:
        """Whether that benefit picks the faster way."""
        return (benefit > 1 + SURE) == (self.measured > 1)

    def lost(self, benefit: float) -> float:
        """How much slower the way that it picks is than the faster one, as a share."""
        return 1 - (self.measured if benefit > 1 + SURE else 1) / max(1, self.measured)


def checked(one: Case, world: World) -> Checked:
    costs = MachineCosts(world.machine, one.stages, one.burst)
    count = len(one.stages)
    halves = (Part(0, one.cut, 1), Part(one.cut, count, 1))
    closed = min(1 / costs.of(part.first, part.end) for part in halves)
    cloned, pipelined = rate(world, (Part(0, count, 2),)), rate(world, halves)
    return Checked(
        one.name,
        one.benefit,
        closed * costs.of(0, count) / 2,
        pipelined / cloned,
        one.cloned,
        cloned * world.machine.hz,
        pipelined / closed,
    )


def errors(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Of what is said beside what is measured: the median and the 90th percentile, as shares."""
    found = sorted(abs(said / measured - 1) for said, measured in pairs)
    return median(found), found[min(len(found) - 1, len(found) * 9 // 10)]


def summary(rows: Sequence[Checked]) -> list[str]:
    differing = [row for row in rows if abs(row.measured - 1) > DIFFERS]
    ways: tuple[tuple[str, Callable[[Checked], float]], ...] = (
        ("model", lambda row: row.model), ("simulation", lambda row: row.simulated),
    )  # fmt: skip
    lines = []
    for name, of in ways:
        half, most = errors([(of(row), row.measured) for row in rows])
        right = sum(row.right(of(row)) for row in differing)
        lines.append(
            f"{name}: errors of the benefit {half:.0%} (median), {most:.0%} (90th percentile); "
            f"the faster way in {right} of {len(differing)} cases that differ by more than 5 %, "
            f"the picked way {sum(row.lost(of(row)) for row in rows) / len(rows):.1%} slower than the faster one on average"
        )
    half, most = errors([(row.simulated_cloned, row.cloned) for row in rows])
    lines.append(f"simulation: errors of two clones' throughput {half:.0%} (median), {most:.0%} (90th percentile)")
    half, most = errors([(row.simulated_by_model, 1) for row in rows])
    lines.append(f"simulation beside the model, of two halves: {half:.1%} (median), {most:.0%} (90th percentile)")
    return lines


# --- more cores ----------------------------------------------------------------------------------------------------------


def placements(boundaries: Sequence[int], stages: int, cores: int) -> Iterator[tuple[str, tuple[Part, ...]]]:
    """Of up to three parts on all cores, each with its kind."""
    yield "cloned", (Part(0, stages, cores),)
    for cut in boundaries:
        for last in range(1, cores // 2 + 1):
            yield _kind((cores - last, last)), (Part(0, cut, cores - last), Part(cut, stages, last))
    for (cut, second), last in product(combinations(boundaries, 2), range(1, cores // 3 + 1)):
        for middle in range(last, (cores - last) // 2 + 1):
            counts = (cores - middle - last, middle, last)
            yield _kind(counts), tuple(map(Part, (0, cut, second), (cut, second, stages), counts))


def _kind(cores: tuple[int, ...]) -> str:
    return "pipelined" if len(set(cores)) == 1 else "mixed"


def closed(costs: MachineCosts, parts: Sequence[Part]) -> float:
    """R of the model."""
    most = loads([part.cores for part in parts])
    return min(parts[0].cores / load / costs.of(p.first, p.end) for load, p in zip(most, parts, strict=True))


@dataclass(frozen=True)
class Point:
    """The best of a kind on so many cores: its parts' cores, millions of packets a second."""

    kind: str
    cores: int
    parts: tuple[int, ...]
    mpps: float
    of_cloned: float


def points(one: Case, world: World, cores: Sequence[int] = CORES) -> list[Point]:
    boundaries = [number for number, stage in enumerate(one.stages) if stage.cut]
    costs = MachineCosts(world.machine, one.stages, one.burst)
    found = []
    for count in cores:
        best: dict[str, list[tuple[Part, ...]]] = {}
        for kind, parts in placements(boundaries, len(one.stages), count):
            best.setdefault(kind, []).append(parts)
        rates = {}
        for kind in filter(best.__contains__, KINDS):
            likely = sorted(best[kind], key=lambda parts: -closed(costs, parts))[:3]
            rates[kind] = max((rate(world, parts, (1,)), tuple(p.cores for p in parts)) for parts in likely)
        for kind, (packets, parts_cores) in rates.items():
            mpps = packets * world.machine.hz / 1e6
            found.append(Point(kind, count, parts_cores, mpps, packets / rates["cloned"][0]))
    return found


def draw(curves: dict[str, list[Point]], path: Path) -> None:
    """Throughput of a core over their number, a picture for each case."""
    from macsad.bench.plots import figures, save

    plt = figures()
    rows = -(-len(curves) // 3)
    _, axes = plt.subplots(rows, min(3, len(curves)), figsize=(9, 2.8 * rows), squeeze=False)
    for place, (name, found) in zip(axes.flat, curves.items(), strict=False):
        for kind in KINDS:
            of = [point for point in found if point.kind == kind]
            places, rates = [point.cores for point in of], [point.mpps / point.cores for point in of]
            place.plot(places, rates, STYLES[kind], marker="o", markersize=3, linewidth=1.2, label=kind)
        place.set(title=name, xscale="log", xlabel="cores", ylabel="Mpps a core")
        place.set_ylim(0, place.get_ylim()[1] * 1.1)
        place.set_xticks(CORES, [str(cores) for cores in CORES])
        place.minorticks_off()
        place.legend(fontsize=7, frameon=False)
    for place in axes.flat[len(curves) :]:
        place.set_axis_off()
    save(plt, path)


@click.command(help=__doc__)
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--taken", type=click.FloatRange(0, 0.95), default=0.0, show_default=True, metavar="SHARE")
@click.option("--gap", type=click.FloatRange(0), default=0.0, show_default=True, metavar="NS")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), default=PICTURE, help="Where the curves go.")
def main(names: tuple[str, ...], taken: float, gap: float, as_json: bool, plot: Path) -> None:
    """Check the simulation on two cores, then simulate more."""
    if not FIGURES.exists():
        raise click.ClickException(f"{FIGURES} is what is to be simulated: python bench/place.py")
    machine: MachineProfile = this_machine()
    world = World(machine, (), taken=taken, gap=gap * 1e-9 * machine.hz)
    found = [case(row) for row in json.loads(FIGURES.read_text())]
    rows = [checked(one, replace(world, stages=one.stages, burst=one.burst)) for one in found]
    shown = [one for one in found if (any(map(one.name.startswith, names)) if names else one.name in SHOWN)]
    curves = {one.name: points(one, replace(world, stages=one.stages, burst=one.burst)) for one in shown}
    if curves:
        draw(curves, plot)
    if as_json:
        data = {
            "two_cores": [vars(row) for row in rows],
            "curves": {k: [vars(p) for p in v] for k, v in curves.items()},
        }
        click.echo(json.dumps(data, indent=1))
        return
    click.echo(f"{'pipelined / cloned on two cores':<32} {'measured':>9} {'model':>7} {'simulated':>10}")
    for row in rows:
        click.echo(f"{row.name:<32} {row.measured:>9.2f} {row.model:>7.2f} {row.simulated:>10.2f}")
    for line in summary(rows):
        click.echo(line)
    for name, of in curves.items():
        click.echo(f"\n{name}: simulated Mpps (× cloned; cores of each part)")
        for cores in CORES:
            cells = [
                f"{p.kind} {p.mpps:.1f} ({p.of_cloned:.2f}; {'+'.join(map(str, p.parts))})"
                for p in of
                if p.cores == cores
            ]
            click.echo(f"{cores:>3} cores: {'  '.join(cells)}")


if __name__ == "__main__":
    main()
