"""macsad ctl"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

import click

from macsad.ctl import run_ctl


@click.command("ctl", context_settings={"ignore_unknown_options": True})
@click.option("--socket", type=click.Path(path_type=Path), help="The switch's control socket, if not the usual one.")
@click.option("-f", "--file", "script", type=click.File(), help="Take the commands from a file, - for standard input.")
@click.argument("words", nargs=-1, metavar="[COMMAND]...", type=click.UNPROCESSED)
def command(socket: Path | None, script: TextIO | None, words: tuple[str, ...]) -> int:
    """Give a running switch a COMMAND, or those of a file or prompt: table_add, counter_read, help, ...

    \b
    macsad ctl table_add routes next_hop 10.0.0.0/8 => 02:00:00:00:00:02 02:00:00:00:00:01 1
    """
    if words and words[0].startswith("--"):  # behind the command anything may stand that it understands
        context = click.get_current_context()
        known = [name for option in context.command.params for name in option.opts]
        raise click.NoSuchOption(words[0].partition("=")[0], possibilities=known, ctx=context)
    source: TextIO = script or sys.stdin
    name = getattr(source, "name", "<stdin>")
    interactive = script is None and sys.stdin.isatty()
    return run_ctl(
        words,
        socket=socket,
        source=source,
        source_name=name,
        interactive=interactive,
        output=sys.stdout,
        errors=sys.stderr,
    )
