"""Progress of work that takes long: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn


@contextmanager
def compiling() -> Iterator[Callable[[int, int], None]]:
    """A bar for the compilation of the backend, which happens once for each platform and version."""
    console = Console(stderr=True)
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
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", start=False)
        yield lambda done, total: bar.update(task, completed=done, total=total)
