"""macsad simulate"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from macsad import compilation, simulate
from macsad.compilation import Request
from macsad.options import READABLE, program_options
from macsad.stf.check import check_all


@click.command("simulate")
@program_options
@click.argument("stf", type=READABLE, nargs=-1, required=True)
@click.option("--trace", is_flag=True, help="Tell the way of each packet: states, tables, actions.")
@click.option("--seed", default=0, show_default=True, help="Of the program's random numbers.")
def command(stf: tuple[Path, ...], trace: bool, seed: int, **program: object) -> int:
    """Run packet tests, STF files, through the reference interpreter; exit 0 passed, 1 failed."""
    hlir = compilation.load(Request.of(program))
    return check_all(stf, lambda one, out: simulate.run(hlir, one, trace=trace, seed=seed, out=out), sys.stdout)
