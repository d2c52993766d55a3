"""macsad check"""

from __future__ import annotations

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.options import program_options, target_options


@click.command("check")
@program_options
@target_options
def command(**arguments: object) -> None:
    """Check PROGRAM: prints what is wrong, as file:line:col; exit 0 accepted, 1 rejected.

    That is all that `macsad build` would say. A program for an architecture that can only be checked is accepted, unless there is
    a target that it is to run on (--target, --target-dir).
    """
    named = arguments["target_name"] is not None or arguments["target_dir"] is not None
    compilation.check(Request.of(arguments), runs=named)
