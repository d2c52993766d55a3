"""macsad simulate"""

from __future__ import annotations

from pathlib import Path

import click

from macsad import compilation, simulate
from macsad.compilation import Request
from macsad.options import READABLE, program_options


@click.command("simulate")
@program_options
@click.argument("stf", type=READABLE)
@click.option("--trace", is_flag=True, help="Tell the way of each packet: states, tables, actions.")
@click.option("--seed", default=0, show_default=True, help="Of the program's random numbers.")
def command(stf: Path, trace: bool, seed: int, **program: object) -> int:
    """Run the packet test STF through the reference interpreter; exit 0 passed, 1 failed."""
    return simulate.run(compilation.load(Request.of(program)), stf, trace=trace, seed=seed)
