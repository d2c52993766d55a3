"""macsad shims"""

from __future__ import annotations

from pathlib import Path

import click

from macsad.shims.write import write


@click.command("shims")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
def command(folder: Path) -> None:
    """Write BMv2's commands into DIR: simple_switch, simple_switch_grpc, simple_switch_CLI, p4c, p4c-bm2-ss.

    They take the options that those take, and run macsad. Put DIR first in PATH, and what starts BMv2 starts macsad.
    """
    for path in write(folder):
        click.echo(path)
