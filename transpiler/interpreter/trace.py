"""What the interpreter tells of a packet's way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from transpiler.diagnostics import Span
from transpiler.shown import shown


@dataclass(frozen=True, slots=True)
class Event:
    """One step. `kind` is one of: receive, state, extract, table, select, action, cell, extern, error, pass, drop, send.

    `of`: of a cell, the counter, meter or register and the index; of a select, the table and what the selector hashes.
    """

    kind: str
    text: str
    span: Span | None = None
    of: tuple[str, tuple[int, ...]] | None = None

    def __str__(self) -> str:
        place = f"  [{self.span}]" if self.span is not None else ""
        return shown(f"{self.kind:>8}  {self.text}{place}")


Trace = Callable[[Event], None]


def silent(_: Event) -> None:
    """The trace of nobody."""
