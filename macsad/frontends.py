"""Finds the frontends that are installed, and the one that a program is for."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from transpiler.diagnostics import Diagnostics, Span
from transpiler.frontend import Frontend

GROUP = "macsad.frontends"


def installed() -> dict[str, EntryPoint]:
    """Name (as in --std) → plug-in."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def frontend_for(path: Path, std: str | None, diagnostics: Diagnostics) -> Frontend:
    """The frontend named `std`, or the one that recognises the file best. Raises: Rejected."""
    known = installed()
    if std is not None:
        return _load(known[std])
    try:
        text = path.read_bytes().decode(errors="replace")
    except OSError as error:
        diagnostics.error(Span(str(path), 1, 1), f"cannot read the program: {error.strerror}")
        diagnostics.raise_if_errors()
        raise
    return max(map(_load, known.values()), key=lambda frontend: frontend.recognises(path, text))


def _load(entry: EntryPoint) -> Frontend:
    made: Frontend = entry.load()()
    return made
