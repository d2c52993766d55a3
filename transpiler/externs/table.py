"""The table of all externs: the rows of this folder's files, and of packages that bring others (`macsad.externs`)."""

from __future__ import annotations

import inspect
import pkgutil
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from transpiler import externs
from transpiler.codegen.c.nodes import Body
from transpiler.diagnostics import Rejected
from transpiler.externs.row import BadRow, Compiled, Effect, Interpreted, Kind, Method, Spelling, no_c, no_meaning
from transpiler.hlir.expressions import Text
from transpiler.hlir.program import Architecture
from transpiler.hlir.statements import CallExtern

GROUP = "macsad.externs"
PAGE = "docs/extend/extern.md"


class Table:
    """Methods and kinds by their names. `folders`: where the headers lie that methods name."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        """Raises: BadRow."""
        self.methods: dict[str, Method] = {}
        self.kinds: dict[str, Kind] = {}
        self.folders: dict[str, Path] = {}
        self._spelled: dict[tuple[str, Architecture], tuple[Method, Spelling]] = {}
        for module in modules:
            self._add(module)
        for method in self.methods.values():
            if method.instance_kind is not None and method.instance_kind not in self.kinds:
                raise _refused(method.name, f"there is no kind '{method.instance_kind}' of instances")

    def spelled(self, function: str, architecture: Architecture) -> tuple[Method, Spelling] | None:
        """The method that an extern function of P4-16 is."""
        return self._spelled.get((function, architecture))

    def _add(self, module: ModuleType) -> None:
        rows = getattr(module, "ROWS", None)
        if not isinstance(rows, tuple) or not rows:
            raise _refused(module.__name__, "it has no ROWS", module)
        for row in rows:
            match row:
                case Kind(name=name):
                    if name in self.kinds:
                        raise _refused(name, "there is another kind of that name", module)
                    self.kinds[name] = row
                case Method():
                    self._add_method(row, module)
                case other:
                    raise _refused(str(other), "this is neither a Method nor a Kind", module)

    def _add_method(self, method: Method, module: ModuleType) -> None:
        if method.name in self.methods:
            raise _refused(method.name, "there is another method of that name", module)
        if method.run is no_meaning:
            raise _refused(method.name, "it has no reference semantics (run)", module)
        if method.c is no_c:
            raise _refused(method.name, "it has no C (c)", module)
        self.methods[method.name] = method if _is_ours(module) else guarded(method, module)
        if method.header:
            self._add_header(method, module)
        if method.p4 and method.instance_kind is not None:
            raise _refused(method.name, "no function of P4 has an instance to call it on", module)
        for spelling in method.p4:
            if len(spelling.parameters) != len(method.inputs) or len(method.outputs) > 1:
                raise _refused(method.name, f"'{spelling.name}' has not the method's inputs and output", module)
            known = self.methods[method.name]
            for architecture in spelling.architectures:
                if self._spelled.setdefault((spelling.name, architecture), (known, spelling))[0] is not known:
                    raise _refused(method.name, f"'{spelling.name}' is another method already", module)

    def _add_header(self, method: Method, module: ModuleType) -> None:
        folder = Path(inspect.getfile(module)).parent
        if not (folder / method.header).is_file():
            raise _refused(method.name, f"there is no {folder / method.header}", module)
        if self.folders.setdefault(method.header, folder) != folder:
            raise _refused(method.name, f"{self.folders[method.header]} has a {method.header} too", module)


def _is_ours(module: ModuleType) -> bool:
    return module.__name__.startswith(f"{externs.__name__}.")


def guarded(method: Method, module: ModuleType) -> Method:
    """A package's method, whose exceptions are BadRow: they name the row, and the line of its file."""

    def run(call: Interpreted) -> None:
        with _blaming(method.name, "run", module, str(call.span)):
            method.run(call)

    def c(call: Compiled) -> Body:
        with _blaming(method.name, "c", module, call.cite):
            made: object = method.c(call)
        if not isinstance(made, tuple) or not all(is_dataclass(statement) for statement in made):
            raise _refused(method.name, f"c returns {made!r}, which is no tuple of statements", module)
        return made

    return replace(method, run=run, c=c)


@contextmanager
def _blaming(name: str, what: str, module: ModuleType, called_at: str) -> Iterator[None]:
    try:
        yield
    except (BadRow, Rejected, RecursionError, MemoryError):
        raise
    except Exception as error:
        own = [
            frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == inspect.getfile(module)
        ]
        line = f"line {own[-1].lineno}: " if own else ""
        why = f"{what}, called at {called_at}: {line}{type(error).__name__}: {error}"
        raise _refused(name, why, module) from error


def _refused(name: str, why: str, module: ModuleType | None = None) -> BadRow:
    place = f"{inspect.getfile(module)}: " if module is not None else ""
    return BadRow(f"{place}the extern '{name}': {why}; see {PAGE}")


def _modules() -> Iterable[ModuleType]:
    """Our own, then those of packages."""
    for found in pkgutil.iter_modules(externs.__path__):
        if found.name not in _NO_EXTERNS:
            yield import_module(f"{externs.__name__}.{found.name}")
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            module = entry.load()
        except Exception as error:
            raise _refused(entry.name, f"{type(error).__name__}: {error}") from error
        if not isinstance(module, ModuleType):
            raise _refused(entry.name, "its entry point is not a module")
        yield module


_NO_EXTERNS = ("algorithms", "requests", "row", "table")
TABLE = Table(_modules())
METHODS, KINDS = TABLE.methods, TABLE.kinds

KEEPING = frozenset(name for name, method in METHODS.items() if method.keeps)  # second passes of packets
CUTTING = frozenset(name for name, method in METHODS.items() if method.cuts)
CIPHERING = frozenset(name for name, method in METHODS.items() if method.ciphers)
TIMED = frozenset(name for name, method in METHODS.items() if method.timed)


def is_direct(method: str) -> bool:
    """Whether a method is called on an instance that belongs to a table."""
    kind = METHODS[method].instance_kind
    return kind is not None and KINDS[kind].direct


def only_gives_a_value(call: CallExtern) -> bool:
    """Whether a call does nothing but give a value, the same whenever it is made: a random hash draws a number."""
    random = any(isinstance(value, Text) and value.value == "random" for value in call.inputs)
    return METHODS[call.method].effect is Effect.NONE and not random
