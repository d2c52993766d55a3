"""macsad check"""

from __future__ import annotations

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.options import program_options


@click.command("check")
@program_options
def command(**program: object) -> None:
    """Check PROGRAM: prints what is wrong, as file:line:col; exit 0 accepted, 1 rejected."""
    compilation.check(Request.of(program))
