"""Finds the installed frontends and the one for a program, and verifies their output.

A frontend may be in another package (docs/extend/frontend.md). Its faults are reported with its name, and its HLIR is verified
before anything else uses it.
"""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from transpiler.architectures import facts
from transpiler.diagnostics import Diagnostics, NotRun, Rejected, read_lines
from transpiler.frontend import Frontend, Source
from transpiler.hlir.program import Program
from transpiler.verifier import verify

GROUP = "macsad.frontends"
OURS = "macsad"


class FrontendFault(Exception):
    """A fault of another package's frontend. `whose` names it."""

    page = "docs/extend/frontend.md"

    def __init__(self, whose: str, what: str) -> None:
        super().__init__(what)
        self.whose = whose


def installed() -> dict[str, EntryPoint]:
    """Name (as in --std) → plug-in; ours before others of the same name."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (not _is_ours(entry), entry.name)):
        found.setdefault(entry.name, entry)
    return found


def frontend_for(path: Path, std: str | None, unusable: Callable[[str], None] = lambda text: None) -> Plugin:
    """The frontend named `std`, or the one that recognises the file best. One that fails is left out and told by `unusable`.

    Raises: FrontendFault, when it is the one that is named.
    """
    known = installed()
    if std is not None:
        return Plugin.of(known[std])
    text = "\n".join(read_lines(str(path)))  # nothing of what cannot be a program: any frontend says so then
    sure: list[tuple[float, Plugin]] = []
    for entry in known.values():
        try:
            plugin = Plugin.of(entry)
            sure.append((plugin.recognises(path, text), plugin))
        except FrontendFault as fault:
            unusable(f"{fault.whose} cannot be used: {fault} (see {fault.page})")
    return max(sure, key=lambda one: one[0])[1]


@dataclass(frozen=True, slots=True)
class Plugin:
    """A frontend, with the entry point that names it."""

    entry: EntryPoint
    frontend: Frontend

    @staticmethod
    def of(entry: EntryPoint) -> Plugin:
        """Raises: FrontendFault."""
        with _blaming(entry):
            return Plugin(entry, entry.load()())

    def recognises(self, path: Path, text: str) -> float:
        """Raises: FrontendFault."""
        with _blaming(self.entry):
            return float(self.frontend.recognises(path, text))

    def check(self, source: Source, diagnostics: Diagnostics) -> None:
        """Raises: Rejected, FrontendFault."""
        with _blaming(self.entry, diagnostics):
            self.frontend.check(source, diagnostics)

    def load(self, source: Source, diagnostics: Diagnostics) -> Program:
        """Raises: Rejected, NotRun, FrontendFault."""
        with _blaming(self.entry, diagnostics):
            program = self.frontend.load(source, diagnostics)
            if not isinstance(program, Program):
                raise TypeError(f"load() gave {type(program).__name__}, not a Program")
            verify(program)
            facts.verify(program)
            return program


@contextmanager
def _blaming(entry: EntryPoint, diagnostics: Diagnostics | None = None) -> Iterator[None]:
    """Exceptions of another package's frontend become FrontendFault; those of ours are not changed."""
    try:
        yield
    except (Rejected, RecursionError) as error:
        silent = diagnostics is None or not diagnostics.error_count
        if silent and isinstance(error, Rejected) and not isinstance(error, NotRun):
            raise FrontendFault(_whose(entry), "rejects the program, but says nothing") from error
        raise
    except Exception as error:
        if _is_ours(entry):
            raise
        raise FrontendFault(_whose(entry), f"{type(error).__name__}: {error}{_where(error)}") from error


def _where(error: Exception) -> str:
    """The line of the frontend that raised it; "" if macsad raised it."""
    frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename is not None:
        frames.append((error.filename, error.lineno or 0))
    theirs = [(file, line) for file, line in frames if not file.startswith("<") and not _is_known(Path(file))]
    return f", at {theirs[-1][0]}:{theirs[-1][1]}" if theirs else ""


def _is_known(file: Path) -> bool:
    """Whether it is macsad's, or Python's own."""
    ours = (Path(__file__).parent, Path(facts.__file__).parents[1])
    library = Path(sysconfig.get_path("stdlib"))
    installed = {"site-packages", "dist-packages"} & set(file.parts)
    return any(map(file.is_relative_to, ours)) or (file.is_relative_to(library) and not installed)


def _is_ours(entry: EntryPoint) -> bool:
    return entry.dist is not None and entry.dist.name == OURS


def _whose(entry: EntryPoint) -> str:
    """The frontend and the package that brings it."""
    package = f" ({entry.dist.name} {entry.dist.version})" if entry.dist is not None else ""
    return f"the frontend '{entry.name}'{package}"
