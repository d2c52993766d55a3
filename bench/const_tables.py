"""What `--const-tables` gains: `python bench/const_tables.py [--constant TABLE]... [--entries N] [APP]`.

Entries and frames are made, as by `macsad gen`. The program is built twice: as it is, and with the entries of the constant
tables (all tables that are filled, if none is named) compiled in. Both switches run the same frames, in turns. Prints cycles a
packet of both, and how many times as fast the second one is. B=64, b=64.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import click

from macsad import compilation
from macsad.bench.contestants import Closing
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import figure, ratio
from macsad.compilation import Request
from macsad.resources import share
from macsad.subject import subject
from macsad.subject.subject import Subject, Traffic
from transpiler.hlir.program import Program

POINT = (64, 64)


def split(entries: Path, constant: tuple[str, ...], folder: Path) -> tuple[Path, Path]:
    """The commands for constant tables, and the others."""
    lines = entries.read_text().splitlines(keepends=True)
    first = [line for line in lines if not constant or set(line.split()[1:2]) & set(constant)]
    parts = folder / "constant.txt", folder / "others.txt"
    parts[0].write_text("".join(first))
    parts[1].write_text("".join(line for line in lines if line not in set(first)))
    return parts


def started(request: Request, traffic: Traffic, folder: Path, closing: Closing) -> Subject:
    """A switch of the program, with its tables full."""
    folder.mkdir()
    hlir: Program = compilation.load(request)
    return Subject(request, hlir, compilation.decide(request, hlir).planned, traffic, folder, closing)


@click.command()
@click.argument("app", default="firewall")
@click.option("--constant", multiple=True, metavar="TABLE", help="A table that is constant, by its whole name.")
@click.option("--entries", default=16, show_default=True, help="Entries a table.")
@click.option("--rounds", default=25, show_default=True)
def main(app: str, constant: tuple[str, ...], entries: int, rounds: int) -> None:
    """Measure one program."""
    path = Path(app) if app.endswith(".p4") else share("apps") / app / f"{app}.p4"
    request = Request(path)
    with tempfile.TemporaryDirectory(prefix="macsad-const-") as scratch, Closing() as closing:
        folder = Path(scratch)
        traffic = subject.generated(request, compilation.load(request), entries, (), folder)
        if traffic.entries is None:
            raise click.ClickException(f"{app} has no entries")
        fixed, others = split(traffic.entries, constant, folder)
        plain = started(request, traffic, folder / "plain", closing)
        less = replace(traffic, entries=others if others.read_text() else None)
        const = started(replace(request, const_tables=fixed), less, folder / "const", closing)
        turns = [Turn((name, *POINT), one.switch, "", *POINT) for name, one in (("plain", plain), ("const", const))]
        samples = measure(turns, rounds, 0.03, lambda *_: None)
    before, after = samples["plain", *POINT], samples["const", *POINT]
    print(
        f"{app}, {entries} entries a table: {figure(before).cycles:.1f} cycles a packet, {figure(after).cycles:.1f} with "
        f"constant tables: {ratio(before, after):.2f} times as fast"
    )


if __name__ == "__main__":
    main()
