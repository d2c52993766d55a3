"""Measure production programs, which are read from a checkout of p4c: `python bench/production.py P4C [NAME...]`.

For each: the tables on the way of the packets that `macsad gen` makes for it, cycles a packet one at a time and at B=b=64, the
sum of its lookups alone, and how many times as long the program takes (see `macsad bench`). Figures go to
build/bench/production.json as well. --quick measures little, to see that it works. Exit status 0, or 1 with what failed.
"""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from macsad.bench import report, session
from macsad.bench.contestants import BenchError
from macsad.bench.samples import SampleError
from macsad.compilation import Request
from macsad.generation import Order
from transpiler.diagnostics import Rejected
from transpiler.toolchain.toolchain import ToolchainError

FIGURES = Path(__file__).parents[1] / "build" / "bench" / "production.json"
SAMPLES = "testdata"
PROGRAMS = {
    "fabric": "p4_16_samples/fabric_20190420/fabric.p4",
    "pins_fabric": "p4_16_samples/pins/pins_fabric.p4",
    "pins_middleblock": "p4_16_samples/pins/pins_middleblock.p4",
    "dash": "p4_16_samples/dash/dash-pipeline-v1model-bmv2.p4",
    "up4": "p4_16_samples/omec/up4.p4",
    "switch": "p4_14_samples/switch_20160512/switch.p4",
}
ONE, MANY = (1, 1), (64, 64)
COLUMNS = ("program", "tables", "dropped", "B=1", "B=64", "gain", "lookups alone", "over them")
FAILURES = (BenchError, SampleError, Rejected, ToolchainError, click.ClickException)


def measure(path: Path, quick: bool) -> session.Result:
    """Raises: FAILURES."""

    def order(folder: Path) -> Order:
        return Order(folder, 1000, (), (), 10_000, 1.0, "uniform", "64", 2, 0, 1)

    request = Request(path, warnings=("no-unused", "no-constant", "no-property"))
    rounds, seconds = (1, 0.01) if quick else (7, 0.1)
    return session.run(session.Wanted(request, order, (ONE, MANY), rounds, seconds, 1, lookups=True))


def row(name: str, result: session.Result) -> list[str]:
    """Cells by COLUMNS; cycles a packet."""
    one, many = result.at(ONE).cycles, result.at(MANY).cycles
    cells = [f"{result.dropped:.0%}", f"{one:,.0f}", f"{many:,.0f}", f"{result.gain(ONE, MANY):.2f} ×"]
    return [name, str(len(result.looked)), *cells, f"{result.lookup_cycles:,.0f}", f"{result.over_lookups(MANY):.2f} ×"]


@click.command(help=__doc__)
@click.argument("p4c", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("names", nargs=-1, type=click.Choice(tuple(PROGRAMS)))
@click.option("--quick", is_flag=True, help="Short rounds, to see that it works.")
def main(p4c: Path, names: tuple[str, ...], quick: bool) -> None:
    """Print a row for each program."""
    shown, console = Table(*COLUMNS, box=None, pad_edge=False, header_style=""), Console()
    figures, failed = {}, []
    for name in names or tuple(PROGRAMS):
        try:
            result = measure(p4c / SAMPLES / PROGRAMS[name], quick)
        except FAILURES as error:
            failed.append(f"{name}: {error.message if isinstance(error, click.ClickException) else error}")
            continue
        shown.add_row(*row(name, result))
        figures[name] = report.data(result)
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    console.print(shown)
    for reason in failed:
        click.echo(reason, err=True)
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
