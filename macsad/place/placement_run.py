"""From options to a placement, for `macsad place` and `macsad run --place`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.place import place_file
from macsad.subject.subject_options import ENTRIES, Given, this_machine

if TYPE_CHECKING:
    from macsad.place.placing import Placed
    from transpiler.hlir.program import Program

AUTO = "auto"


def usable_cores() -> int:
    """CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def placed_on(request: Request, program: Program, given: Given, cores: int) -> Placed:
    """Measure the program, and rank its placements. Raises: Rejected, ToolchainError, click.ClickException."""
    from macsad.bench.contestants import BenchError, worker_cpus
    from macsad.bench.samples import SampleError
    from macsad.place import placing
    from macsad.place.cores import had
    from macsad.progress import counting

    elsewhere = given.elsewhere()
    machine = this_machine()  # it may be measured: what is wrong with the file of another one is said before
    try:
        with tempfile.TemporaryDirectory(prefix="macsad-place-") as scratch, counting("measuring"):
            folder = Path(scratch)
            traffic = given.traffic(request, program, folder)
            placed = placing.place(request, traffic, machine, folder, cores, elsewhere)
            return placed if elsewhere else placed.on(had(worker_cpus(cores)))
    except (BenchError, SampleError) as error:
        raise click.ClickException(str(error)) from None


def asked_for(request: Request, asked: str) -> place_file.Chosen:
    """The placement of --place, which is said in a line: that of a file, or for all CPUs here with traffic made for the program.
    Raises: BadPlacement, Rejected, ToolchainError, click.ClickException."""
    if asked == AUTO:
        placed = placed_on(request, compilation.load(request), Given(ENTRIES, None, (), None), usable_cores())
        found = place_file.chosen(placed, placed.best)
    else:
        found = place_file.read(Path(asked))
    click.echo(f"placement: {found}", err=True)
    return found
