"""What the interpreter tells of a packet's way."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.diagnostics import Span
from transpiler.shown import shown


class Event:
    """One step. `kind` is one of: receive, state, extract, table, select, action, cell, extern, error, pass, drop, send.

    `text` may be given as a function, which is called when someone reads it. `of`: of a cell, the counter, meter or register
    and the index; of a select, the table and what the selector hashes.
    """

    __slots__ = ("_text", "kind", "of", "span")

    def __init__(
        self,
        kind: str,
        text: str | Callable[[], str],
        span: Span | None = None,
        of: tuple[str, tuple[int, ...]] | None = None,
    ) -> None:
        self.kind, self._text, self.span, self.of = kind, text, span, of

    @property
    def text(self) -> str:
        return self._text if isinstance(self._text, str) else self._text()

    def __str__(self) -> str:
        place = f"  [{self.span}]" if self.span is not None else ""
        return shown(f"{self.kind:>8}  {self.text}{place}")


Trace = Callable[[Event], None]


def silent(_: Event) -> None:
    """The trace of nobody."""
