"""macsad p4info"""

from __future__ import annotations

from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.options import program_options


@click.command("p4info")
@program_options
@click.option("-o", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="FILE.txtpb (text), .bin or .json; standard output, as text, if left out.")  # fmt: skip
def command(file: Path | None, **program: object) -> int:
    """Write PROGRAM's P4Info, which P4Runtime controllers read. No C is compiled."""
    request = Request.of(program)
    hlir = compilation.load(request)
    if file is None:
        click.echo(compilation.p4info_bytes(request, hlir, Path("-")), nl=False)
    else:
        compilation.write_p4info(request, hlir, file)
    return 0
