"""macsad explain"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.generating import GeneratingCommand, generating_options
from macsad.options import program_options
from macsad.outputs import apart, written
from macsad.place.placement_run import usable_cores
from macsad.subject.subject_options import ENTRIES, Given, this_machine, traffic_options
from macsad.tune.tuned import taken, tuning_options
from transpiler.targets.description import MAX_WORKERS
from transpiler.toolchain.architectures import host_arch

if TYPE_CHECKING:
    from macsad.explain.explained import Explained
    from transpiler.hlir.program import Program


@click.command("explain", cls=GeneratingCommand)
@program_options
@click.option("-o", "output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where the page goes.  [default: P.explain.html, beside the program]")  # fmt: skip
@click.option("--measure", "more", is_flag=True,
              help="Measure more points, of B, b, entries and cores: half a minute and more.")  # fmt: skip
@click.option("--no-run", "still", is_flag=True,
              help="Neither build nor run the program: the model alone says all of it.")  # fmt: skip
@click.option("--cores", type=click.IntRange(1, MAX_WORKERS), metavar="N",
              help="Cores to place workers on.  [default: those of this machine]")  # fmt: skip
@traffic_options
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON, too.")
@generating_options
@tuning_options
def command(
    output: Path | None, more: bool, still: bool, cores: int | None, entries: Path | int, packets: Path | None,
    tables: tuple[str, ...], machine_file: Path | None, as_json: bool, **program: object,
) -> None:  # fmt: skip
    """Write a page (HTML) that shows what packets cost in PROGRAM and why: cycles beside its lines, its stages and their
    placement on cores, throughput over B, b, entries and cores, what limits it, and what to try next.

    The program runs for some seconds; the rest is predicted (docs/model.md), and the page says which is which.
    """
    from macsad.explain.data import data  # here, as help does not wait for it
    from macsad.explain.page import render_page

    given = Given(entries, packets, tables, machine_file)
    given.check()
    _check(more, still, given)
    request = taken(Request.of(program), program)
    if request.cut is not None:
        raise click.UsageError("--cut is one of the things that the page tells: leave it out")
    place = output or request.path.with_suffix(".explain.html")
    apart([place], [*request.inputs, *given.inputs])
    hlir = compilation.load(request)  # what is wrong with it is said before anything is measured
    apart([place], [*request.inputs, *given.inputs])  # what was included is known now
    found = _explained(request, hlir, given, cores or usable_cores(), more, still)
    page = render_page(found)
    for notice in page.notices:
        click.echo(notice, err=True)
    with written(place) as beside:
        beside.write_text(page.text, encoding="utf-8")
    if as_json:
        click.echo(json.dumps(data(found) | {"file": str(place)}, indent=1))
    else:
        click.echo(f"{place}: {found.mpps(found.cycles):.1f} million packets a second of a core, "
                   f"{'measured' if found.point in found.measured else 'predicted'}")  # fmt: skip


def _check(more: bool, still: bool, given: Given) -> None:
    """Raises: click.UsageError."""
    if still and (more or given.packets is not None or isinstance(given.entries, Path) or given.tables):
        raise click.UsageError("--no-run goes with none of --measure, --traffic, --table and a file of entries")
    if more and given.machine_file is not None:
        raise click.UsageError("--measure measures this machine: it does not go with --machine")


def _explained(request: Request, program: Program, given: Given, cores: int, more: bool, still: bool) -> Explained:
    """Raises: Rejected, ToolchainError, click.ClickException."""
    from macsad.bench.contestants import BenchError
    from macsad.bench.samples import SampleError
    from macsad.explain import measuring
    from macsad.progress import counting

    elsewhere = given.elsewhere()
    here = elsewhere if still and elsewhere is not None else this_machine()
    name = f"the machine of {given.machine_file.name}" if given.machine_file else f"this machine, {host_arch()}"
    machines = measuring.Machines(here, elsewhere, name)
    made = given.entries if isinstance(given.entries, int) else ENTRIES
    if still:
        return measuring.predicted(request, machines, cores, made)
    try:
        with tempfile.TemporaryDirectory(prefix="macsad-explain-") as scratch, counting("measuring") as advance:
            folder = Path(scratch)
            traffic = given.traffic(request, program, folder)
            again = made if given.packets is None and not given.tables else None
            return measuring.run(request, traffic, machines, folder, cores, more, again, advance)
    except (BenchError, SampleError) as error:
        raise click.ClickException(str(error)) from None
