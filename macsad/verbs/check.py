"""macsad check"""

from __future__ import annotations

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.options import program_options, target_options


@click.command("check")
@program_options
@target_options
@click.option(
    "-v", "--verbose", is_flag=True, help="Tell what is decided: table kernels, stages, how registers are kept."
)
def command(verbose: bool, **arguments: object) -> None:
    """Check PROGRAM: prints what is wrong, as file:line:col; exit 0 accepted, 1 rejected.

    That is all that `macsad build` would say. A program for an architecture that can only be checked is accepted, unless there is
    a target that it is to run on (--target, --target-dir).
    """
    named = arguments["target_name"] is not None or arguments["target_dir"] is not None
    for note in compilation.check(Request.of(arguments), runs=named, decided=verbose):
        click.echo(note)
