"""Finds the frontends that are installed, and the one that a program is for."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from transpiler.diagnostics import read_lines
from transpiler.frontend import Frontend

GROUP = "macsad.frontends"


def installed() -> dict[str, EntryPoint]:
    """Name (as in --std) → plug-in."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def frontend_for(path: Path, std: str | None) -> Frontend:
    """The frontend named `std`, or the one that recognises the file best."""
    known = installed()
    if std is not None:
        return _load(known[std])
    text = "\n".join(read_lines(str(path)))  # nothing of what cannot be a program: any frontend says so then
    return max(map(_load, known.values()), key=lambda frontend: frontend.recognises(path, text))


def _load(entry: EntryPoint) -> Frontend:
    made: Frontend = entry.load()()
    return made
