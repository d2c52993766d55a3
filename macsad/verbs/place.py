"""macsad place"""

from __future__ import annotations

import json
from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.generating import GeneratingCommand, generating_options
from macsad.options import program_options
from macsad.outputs import apart, written
from macsad.place import place_file
from macsad.place.placement_run import placed_on, usable_cores
from macsad.subject.subject_options import Given, traffic_options
from macsad.tune.tuned import taken, tuning_options
from transpiler.targets.description import MAX_WORKERS


@click.command("place", cls=GeneratingCommand)
@program_options
@click.option("--cores", type=click.IntRange(1, MAX_WORKERS), metavar="N",
              help="Cores to place workers on.  [default: those of this machine]")  # fmt: skip
@traffic_options
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
@click.option("-o", "output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where the best placement goes.  [default: P.place.toml, beside the program]")  # fmt: skip
@click.option("--draw", "drawn", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Draw it: F.dot, F.json, F.svg or F.png.")  # fmt: skip
@generating_options
@tuning_options
def command(
    cores: int | None, entries: Path | int, packets: Path | None, tables: tuple[str, ...], machine_file: Path | None,
    as_json: bool, output: Path | None, drawn: Path | None, **program: object,
) -> None:  # fmt: skip
    """Choose which stages of PROGRAM run on which cores: all on each, or cut, some cores for each part.

    A short run of the program tells what its stages cost, the profile of the machine what memory and handing over cost. The ten
    best placements are printed with what limits each, as predicted. `macsad run --place FILE` runs the written one.
    """
    from macsad.drawings import content, form_of  # here, as help does not wait for it
    from transpiler.placement.drawing import draw

    given = Given(entries, packets, tables, machine_file)
    given.check()
    form = form_of(drawn, "--draw") if drawn else ""
    request = taken(Request.of(program), program)
    if request.cut is not None:
        raise click.UsageError("--cut is what is to be chosen")
    place = output or request.path.with_suffix(".place.toml")
    apart([place, *([drawn] if drawn else [])], [*request.inputs, *given.inputs])
    hlir = compilation.load(request)
    apart([place, *([drawn] if drawn else [])], [*request.inputs, *given.inputs])  # what was included is known now
    placed = placed_on(request, hlir, given, cores or usable_cores())
    where = f"{placed.cores} cores of {machine_file.name if machine_file else 'this machine'}"
    with written(place) as beside:
        beside.write_text(place_file.toml(placed, request.path.name, where))
    if drawn:
        picture = content(draw(f"{request.path.stem}: placement", placed.best, placed.stages), form)
        with written(drawn) as beside:
            beside.write_bytes(picture)
    if as_json:
        click.echo(json.dumps(place_file.data(placed) | {"file": str(place)}, indent=1))
        return
    lines = [*place_file.stage_rows(placed), "", *place_file.rows(placed)]
    lines += [*place_file.passes(placed), *place_file.had(placed)]
    if placed.refused:
        lines.append(f"It cannot be cut: {placed.refused}.")
    for line in lines:
        click.echo(line)
    click.echo(f"{place}: {place_file.chosen(placed, placed.best)}")
