"""The whole program: finds the main package and its architecture, has it elaborated, and puts the parts together."""

from __future__ import annotations

from pathlib import PurePath

from aux_frontend.lengths import with_lengths
from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checked import Checked
from aux_frontend.p4_16.elaborate import instances, interface
from aux_frontend.p4_16.elaborate.architecture import Architecture
from aux_frontend.p4_16.elaborate.objects import PackageObject
from aux_frontend.p4_16.elaborate.psa import Psa
from aux_frontend.p4_16.elaborate.rules import RULES
from aux_frontend.p4_16.elaborate.scope import Scope
from aux_frontend.p4_16.elaborate.unit import Failure, Unit
from aux_frontend.p4_16.elaborate.unowned import without_unowned
from aux_frontend.p4_16.elaborate.v1model import V1Model
from aux_frontend.requests import check_requests
from transpiler.diagnostics import Diagnostics, NotRun, Rejected
from transpiler.hlir import program as pr

ARCHITECTURES: tuple[type[Architecture], ...] = (V1Model, Psa)
MAIN = "main"


def elaborate(checked: Checked, name: str, diagnostics: Diagnostics) -> pr.Program:
    """HLIR of a program that was checked without errors. Raises: Rejected when it cannot be run here; NotRun."""
    try:
        program = _elaborate(checked, name, diagnostics)
    except Failure:
        raise Rejected(diagnostics) from None
    except RecursionError:
        diagnostics.error(checked.program.span, "the program is nested too deeply")
        raise Rejected(diagnostics) from None
    check_requests(program, diagnostics)
    diagnostics.raise_if_errors()
    return with_lengths(without_unowned(program))


def _elaborate(checked: Checked, name: str, diagnostics: Diagnostics) -> pr.Program:
    main, architecture = _main(checked, diagnostics)
    unit = Unit(checked, diagnostics, architecture, RULES)
    scope = Scope(unit)
    for declaration in checked.program.declarations:
        if isinstance(declaration, ast.Instantiation) and declaration is not main and _is_extern(checked, declaration):
            instances.instantiate(scope, declaration, "")
    package = instances.instantiate(scope, main, "")
    if not isinstance(package, PackageObject):
        raise unit.failure(main.span, "'main' is not a package")
    pipes = architecture.elaborate_pipes(unit, package, main.span)
    return pr.Program(
        name=PurePath(name).stem,
        architecture=architecture.kind,
        header_types=tuple(unit.header_types.values()),
        headers=tuple(unit.headers.values()),
        stacks=tuple(unit.stacks.values()),
        variables=tuple(unit.variables.values()),
        externs=tuple(unit.externs.values()),
        value_sets=tuple(unit.value_sets.values()),
        actions=tuple(unit.actions.values()),
        tables=tuple(unit.tables.values()),
        pipes=pipes,
        intrinsics=architecture.intrinsics(unit),
        errors=unit.errors,
        span=main.span,
        interface=interface.interface(unit, main),
        bridges=architecture.bridges(unit),
    )


def _is_extern(checked: Checked, declaration: ast.Instantiation) -> bool:
    return isinstance(checked.calls[declaration].target, ast.ExternDeclaration)


def _main(checked: Checked, diagnostics: Diagnostics) -> tuple[ast.Instantiation, Architecture]:
    """The instantiation called main and the architecture whose package it is of."""
    known = ", ".join(a.kind.value for a in ARCHITECTURES)
    for declaration in checked.program.declarations:
        if isinstance(declaration, ast.Instantiation) and declaration.name == MAIN:
            target = checked.calls[declaration].target
            for architecture in ARCHITECTURES:
                made = architecture()
                if _is_of(target, made):
                    return declaration, made
            package = target.name if isinstance(target, ast.Declaration) else str(target)
            message = f"programs for the package '{package}' can be checked but not run; runs: {known}"
            raise NotRun(diagnostics, declaration.span, message)
    raise NotRun(diagnostics, checked.program.span, f"the program has no 'main' to run; runs: {known}")


def _is_of(target: object, architecture: Architecture) -> bool:
    """Whether a package is an architecture's: a program may declare one of that name for an architecture of its own."""
    if not isinstance(target, ast.PackageDeclaration) or target.name != architecture.package:
        return False
    return tuple(p.name for p in target.parameters) == architecture.blocks
