"""Places in the program, as comments in the generated C have them."""

from __future__ import annotations

from transpiler.diagnostics import Span


def at(span: Span) -> str:
    """file.p4:line"""
    return f"{span.file.rpartition('/')[2]}:{span.line}"
