"""macsad ctl"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TextIO

import click

from macsad.ctl import run_ctl, show_idle, show_stages, show_stats, watch_stats


@click.command("ctl", context_settings={"ignore_unknown_options": True})
@click.option("--socket", type=click.Path(path_type=Path), help="The switch's control socket, if not the usual one.")
@click.option("-f", "--file", "script", type=click.File(errors="surrogateescape"),
              help="Take the commands from a file, - for standard input.")  # fmt: skip
@click.option("--watch", is_flag=True, help="stats: every second, until the switch ends or Ctrl-C.")
@click.option("--stages", "of_stages", is_flag=True, help="stats: clocks a packet of each step of the program.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="stats: as the control protocol has them (docs/control.md). idle: a line of JSON for each entry.",
)
@click.argument("words", nargs=-1, metavar="[COMMAND]...", type=click.UNPROCESSED)
def command(
    socket: Path | None, script: TextIO | None, watch: bool, of_stages: bool, as_json: bool,
    words: tuple[str, ...]
) -> int:  # fmt: skip
    """Give a running switch a COMMAND, or those of a file or prompt: table_add, counter_read, help, ...

    \b
    macsad ctl table_add routes next_hop 10.0.0.0/8 => 02:00:00:00:00:02 02:00:00:00:00:01 1
    macsad ctl stats --watch                    packets and bytes a second, port by port
    macsad ctl stats --stages                   clocks a packet of each step of the program
    macsad ctl idle                             entries that nothing hits for their timeout, as they are found
    """
    _check(words, script, watch or of_stages, as_json)
    if words == ("idle",):
        return show_idle(socket=socket, as_json=as_json, output=sys.stdout, errors=sys.stderr)
    if words == ("stats",):
        if watch:
            from macsad.progress import redrawn

            return watch_stats(
                socket=socket, as_json=as_json, of_stages=of_stages, output=sys.stdout, errors=sys.stderr, redrawn=redrawn
            )  # fmt: skip
        show = show_stages if of_stages else show_stats
        return show(socket=socket, as_json=as_json, output=sys.stdout, errors=sys.stderr)
    if script is None and isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    source: TextIO = script or sys.stdin
    return run_ctl(
        words,
        socket=socket,
        source=source,
        source_name=getattr(source, "name", "<stdin>"),
        interactive=script is None and sys.stdin.isatty(),
        output=sys.stdout,
        errors=sys.stderr,
    )


def _check(words: tuple[str, ...], script: TextIO | None, of_stats: bool, as_json: bool) -> None:
    """Behind the command anything may stand that it understands, before it only our options. Raises: click.UsageError."""
    context = click.get_current_context()
    if words and words[0].startswith("--"):
        known = [name for option in context.command.params for name in option.opts]
        raise click.NoSuchOption(words[0].partition("=")[0], possibilities=known, ctx=context)
    if of_stats and words != ("stats",):
        raise click.UsageError("--watch and --stages go with 'stats'", context)
    if as_json and words not in (("stats",), ("idle",)):
        raise click.UsageError("--json goes with 'stats' and 'idle'", context)
    if words and script is not None:
        raise click.UsageError(f"the commands are those of {script.name} or '{words[0]}', not both", context)
