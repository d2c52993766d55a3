"""Progress of work that takes long: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
import threading
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


class Redrawn:
    """A text that is drawn again and again, and what is printed meanwhile, by several threads."""

    def __init__(self, stream: TextIO, live: Live | None = None) -> None:
        self._stream, self._live = stream, live
        self.alone = threading.Lock()  # Live computes where the cursor goes, and writes later

    def __call__(self, text: str) -> None:
        if self._live is None:
            print(text, file=self._stream, flush=True)
        else:
            seen = Text(shown_lines(text.rstrip("\n")), no_wrap=True, overflow="crop")
            with self.alone:
                self._live.update(seen, refresh=True)

    def above(self, text: str) -> None:
        """Print what stays, above the text."""
        if self._live is None:
            print(text, end="", file=self._stream, flush=True)
        else:
            with self.alone:
                self._live.console.print(Text(shown_lines(text.rstrip("\n"))), soft_wrap=True)


@contextmanager
def redrawn(stream: TextIO, transient: bool = False) -> Iterator[Redrawn]:
    """Draws a text again and again in one place of a terminal, where the last one stays unless `transient`; elsewhere one
    behind the other."""
    if not stream.isatty():
        yield Redrawn(stream)
        return
    live = Live(console=Console(file=plain(stream)), transient=transient, auto_refresh=False)
    drawn = Redrawn(stream, live)
    live.start()
    try:
        yield drawn
    finally:
        with drawn.alone:
            live.stop()
