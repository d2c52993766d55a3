"""What an architecture tells the elaborator: a plug, `plug.py` in its folder of `p4_16/architectures`.

It says which package argument has which role and what its parameters are bound to, maps extern objects and functions
to the vocabulary of `transpiler.externs`, and reads table properties that are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.elaborate import values as va
from aux_frontend.p4_16.elaborate.scope import ExternObject, PackageObject, Scope
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir import program as pr


@dataclass(frozen=True, slots=True)
class ExternCall:
    """A call of an extern function or method: where, of what, with the arguments as written."""

    scope: Scope
    name: str
    resolved: ResolvedCall
    span: Span
    receiver: ExternObject | None = None

    def argument(self, name: str) -> ast.Expression | None:
        """The argument of the parameter of that name; None when it is `_`. Raises: KeyError."""
        for parameter, argument in zip(self.resolved.parameters, self.resolved.arguments, strict=True):
            if parameter.name == name:
                return argument
        raise KeyError(name)


Handler = Callable[[ExternCall], va.Value | None]


@dataclass(frozen=True, slots=True)
class Externs:
    """What an architecture's externs mean. `instantiate` declares the HLIR instance of an extern object, if it has one;
    `functions` by name, `methods` by extern and name."""

    instantiate: Callable[[Unit, ExternObject, Span, tuple[ast.Annotation, ...]], None]
    functions: Mapping[str, Handler]
    methods: Mapping[tuple[str, str], Handler]


@dataclass(frozen=True, slots=True)
class TableExterns:
    """What a table's properties bind: see `pr.Table`."""

    implementation: str | None = None
    direct: tuple[str, ...] = ()
    annotations: tuple[pr.Annotation, ...] = ()


class Architecture(Protocol):
    """One architecture."""

    kind: pr.Architecture
    blocks: tuple[str, ...]  # the names of its main package's parameters
    externs: Externs

    def elaborate_pipes(self, unit: Unit, main: PackageObject, span: Span) -> tuple[pr.Pipe, ...]:
        """All parsers and controls, in the architecture's order."""
        ...

    def intrinsics(self, unit: Unit) -> tuple[tuple[str, str], ...]:
        """Intrinsic names and the variables that hold them."""
        ...

    def bridges(self, unit: Unit) -> tuple[pr.Bridge, ...]:
        """What goes along on paths between pipes that do not share their metadata."""
        ...

    def check(self, program: pr.Program, diagnostics: Diagnostics) -> None:
        """Report what it does not allow that only the finished program shows."""
        ...

    def finished(self, program: pr.Program) -> pr.Program:
        """A program without errors, with what the architecture adds to it."""
        ...

    def table_externs(self, scope: Scope, table: ast.TableDeclaration, name: str) -> TableExterns:
        """The table's properties that are neither the language's nor unknown."""
        ...


def architecture_of(unit: Unit) -> Architecture:
    """The architecture of the program under construction."""
    return cast(Architecture, unit.architecture)
