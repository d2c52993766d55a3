"""What a frontend is: a plug-in, found by the entry point group `macsad.frontends`, that turns a source file into HLIR."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Program


@dataclass(frozen=True, slots=True)
class Source:
    """A program to read: its file, the directories for #include <...>, the macros of -D ("NAME" or "NAME=VALUE")."""

    path: Path
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()


class Frontend(Protocol):
    """One language. A frontend reports what is wrong to `diagnostics`, with the program's own file and line."""

    name: str  # as in --std: "p4-16"

    def recognises(self, path: Path, text: str) -> float:
        """How sure it is that the text is of its language: 0 (no) to 1 (certain); the highest wins."""
        ...

    def check(self, source: Source, diagnostics: Diagnostics) -> None:
        """Everything that the language asks for. Raises: Rejected when an error was reported."""
        ...

    def load(self, source: Source, diagnostics: Diagnostics) -> Program:
        """Check, then elaborate to HLIR. Raises: Rejected, also for what cannot be run; NotRun, for what can only be checked."""
        ...
