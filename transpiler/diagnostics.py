"""Located messages: what every stage of the compiler says to the person who wrote the program.

A stage reports into one `Diagnostics` sink and goes on as long as that makes sense, so that a run shows several errors.
`raise_if_errors` ends the run between stages. Rendered form, one message:

    l3fwd.p4:12:9: error: 'ttl' is not a field of header 'ethernet_t'
        hdr.ethernet.ttl = 1;
                     ^~~
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from transpiler.shown import shown, shown_lines

WARNINGS: Mapping[str, str] = {
    "architecture": "a program that can be checked, but not run",
    "annotation": "an annotation says something that nothing understands",
    "constant": "a condition is always true, or always false",
    "deparser-order": "the parser leaves the order of headers open",
    "empty": "a range or value set that nothing matches",
    "frontend": "an installed frontend that cannot be used",
    "header-width": "a header is not whole bytes",
    "kernel": "the target's description of a table kernel lacks something",
    "never-deparsed": "a header that is added but never sent",
    "no-actions": "a table without actions",
    "overflow": "a constant loses bits",
    "preprocessor": "what the preprocessor warns of",
    "property": "a property of a table or meter that means nothing here",
    "shadow": "a declaration hides another of its name",
    "traffic": "traffic cannot be made for a part of the program",
    "uninitialized": "a value may be used before it is set",
    "unreachable": "code, a state, a case or an entry that is never reached",
    "unused": "something is declared but never used",
}


EXCERPT, CUT = 150, "…"  # characters that are shown of a source line, and what stands for the rest
READ_LIMIT_BYTES = 16 << 20  # of a source file


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source file: 1-based line and column, `length` characters long (1 at least)."""

    file: str
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Severity(enum.Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message; `notes` point at related places; `code` names a warning so that it can be turned off."""

    severity: Severity
    span: Span
    message: str
    code: str = ""
    notes: tuple[Diagnostic, ...] = ()


class Rejected(Exception):
    """The program is not acceptable; what is wrong with it is in `diagnostics`."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        super().__init__(f"{diagnostics.error_count} errors")
        self.diagnostics = diagnostics


class NotRun(Rejected):
    """A program that is right, but for an architecture, or with a part of it, that can only be checked. `span`, `message`: why,
    which is not reported yet, as it is an error only to those who want to run it."""

    def __init__(self, diagnostics: Diagnostics, span: Span, message: str) -> None:
        super().__init__(diagnostics)
        self.args = (message,)
        self.span, self.message = span, message


@dataclass
class SourceMap:
    """The texts that spans point into, and who included whom. Unknown files are read from disk when they are first shown."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    included_from: dict[str, Span] = field(default_factory=dict)

    def line(self, span: Span) -> str:
        """The source line of a span without its line end; empty when the file cannot be read."""
        if span.file not in self.texts:
            self.texts[span.file] = read_lines(span.file)
        lines = self.texts[span.file]
        return lines[span.line - 1] if 0 < span.line <= len(lines) else ""


def read_lines(file: str) -> list[str]:
    """The lines of a file as the preprocessor counts them (only line feeds end one); none of what cannot be read, is no
    regular file, or too long: a program's line markers can name anything."""
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > READ_LIMIT_BYTES:
            return []
        with path.open("rb") as stream:
            data = stream.read(READ_LIMIT_BYTES)
    except (OSError, ValueError):
        return []
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")


class Diagnostics:
    """The sink: collects messages in order, counts errors, renders them."""

    LIMIT = 50

    def __init__(self, sources: SourceMap | None = None, disabled_warnings: Iterable[str] = ()) -> None:
        self.sources = sources or SourceMap()
        self.messages: list[Diagnostic] = []
        self.disabled_warnings = frozenset(disabled_warnings)
        self._seen: set[tuple[Span, str]] = set()

    @property
    def error_count(self) -> int:
        return sum(m.severity is Severity.ERROR for m in self.messages)

    def error(self, span: Span, message: str, *notes: tuple[Span, str]) -> None:
        """Report an error; the same message at the same place is kept once."""
        self._add(Severity.ERROR, span, message, "", notes)

    def warning(self, span: Span, code: str, message: str, *notes: tuple[Span, str]) -> None:
        """Report a warning of the kind `code`, unless that kind is turned off ("all" turns off every kind)."""
        if not self.disabled_warnings & {code, "all"}:
            self._add(Severity.WARNING, span, message, code, notes)

    def raise_if_errors(self) -> None:
        """End the run here when an error was reported. Raises: Rejected."""
        if self.error_count:
            raise Rejected(self)

    def render(self) -> str:
        """All messages as text, errors beyond `LIMIT` only counted; ends with a line break when there is any."""
        first = self.messages[: self.LIMIT]
        blocks = [line for message in first for line in self._render(message)]
        if len(self.messages) > len(first):
            blocks.append(f"{len(self.messages) - len(first)} more messages not shown")
        return "".join(block + "\n" for block in blocks)

    def _add(
        self, severity: Severity, span: Span, message: str, code: str, notes: tuple[tuple[Span, str], ...]
    ) -> None:
        if (span, message) in self._seen:
            return
        self._seen.add((span, message))
        children = tuple(Diagnostic(Severity.NOTE, at, text) for at, text in notes)
        self.messages.append(Diagnostic(severity, span, message, code, children))

    def _render(self, message: Diagnostic) -> list[str]:
        lines = list(self._include_stack(message.span.file, self.sources.included_from))
        suffix = f" [-W{message.code}]" if message.code else ""
        lines.append(f"{shown(str(message.span))}: {message.severity.value}: {shown(message.message)}{suffix}")
        source = self.sources.line(message.span)
        if source.strip():
            lines += _excerpt(source, message.span)
        for note in message.notes:
            lines += self._render(note)
        return lines

    @staticmethod
    def _include_stack(file: str, included_from: Mapping[str, Span]) -> Iterable[str]:
        seen = {file}
        while (at := included_from.get(file)) is not None and at.file not in seen:
            yield f"In file included from {shown(at.file)}:{at.line}:"
            seen.add(at.file)
            file = at.file


def _excerpt(source: str, span: Span) -> list[str]:
    """A source line and a line with the caret, of a long one what is around the caret."""
    column, head, tail = min(span.column, len(source) + 1), "", ""
    start = max(0, min(column - 1 - EXCERPT // 2, len(source) - EXCERPT))
    if start > 0:
        head, column, source = CUT, column - start + len(CUT), source[start:]
    if len(source) > EXCERPT:
        tail, source = CUT, source[:EXCERPT]
    line = f"{head}{source}{tail}"
    width = max(1, min(span.length, len(head) + len(source) - column + 1))
    before, marked = (shown_lines(part) for part in (line[: column - 1], line[column - 1 : column - 1 + width]))
    pad = "".join("\t" if char == "\t" else " " for char in before)
    return [f"    {shown_lines(line)}", f"    {pad}^{'~' * (len(marked) - 1)}"]
