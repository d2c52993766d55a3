"""Progress of work that takes long: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from macsad.terminal import plain
from transpiler.shown import shown_lines


@contextmanager
def compiling() -> Iterator[Callable[[int, int], None]]:
    """A bar for the compilation of the backend, which happens once for each platform and version."""
    console = Console(file=plain(sys.stderr))
    columns = (TextColumn("compiling the backend"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", start=False, visible=False)

        def advance(done: int, total: int) -> None:
            bar.start_task(task)
            bar.update(task, completed=done, total=total, visible=True)

        yield advance


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for work of so many of so many steps."""
    console = Console(file=plain(sys.stderr))
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", start=False)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def redrawn(stream: TextIO, transient: bool = False) -> Iterator[Callable[[str], None]]:
    """Draws a text again and again in one place of a terminal, where the last one stays unless `transient`; elsewhere one
    behind the other."""
    if not stream.isatty():
        yield lambda text: print(text, file=stream, flush=True)
        return
    with Live(console=Console(file=plain(stream)), transient=transient, auto_refresh=False) as live:
        yield lambda text: live.update(
            Text(shown_lines(text.rstrip("\n")), no_wrap=True, overflow="crop"), refresh=True
        )
