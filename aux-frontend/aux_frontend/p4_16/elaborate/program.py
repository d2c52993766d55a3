"""The whole program: finds the main package and its architecture, has it elaborated, and puts the parts together."""

from __future__ import annotations

from pathlib import PurePath

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.architectures.find import part, running
from aux_frontend.p4_16.checked import Checked
from aux_frontend.p4_16.elaborate import instances, interface
from aux_frontend.p4_16.elaborate.architecture import Architecture
from aux_frontend.p4_16.elaborate.rules import RULES
from aux_frontend.p4_16.elaborate.scope import PackageObject, Scope
from aux_frontend.p4_16.elaborate.unit import Failure, Unit
from aux_frontend.p4_16.elaborate.unowned import without_unowned
from transpiler.diagnostics import Diagnostics, NotRun, Rejected
from transpiler.hlir import program as pr

MAIN = "main"


def elaborate(checked: Checked, name: str, diagnostics: Diagnostics) -> pr.Program:
    """HLIR of a program that was checked without errors. Raises: Rejected when it cannot be run here; NotRun."""
    try:
        program, architecture = _elaborate(checked, name, diagnostics)
    except Failure:
        raise Rejected(diagnostics) from None
    except RecursionError:
        diagnostics.error(checked.program.span, "the program is nested too deeply")
        raise Rejected(diagnostics) from None
    architecture.check(program, diagnostics)
    diagnostics.raise_if_errors()
    return architecture.finished(without_unowned(program))


def _elaborate(checked: Checked, name: str, diagnostics: Diagnostics) -> tuple[pr.Program, Architecture]:
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
    program = pr.Program(
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
    return program, architecture


def _is_extern(checked: Checked, declaration: ast.Instantiation) -> bool:
    return isinstance(checked.calls[declaration].target, ast.ExternDeclaration)


def _main(checked: Checked, diagnostics: Diagnostics) -> tuple[ast.Instantiation, Architecture]:
    """The instantiation called main and the architecture whose package it is of."""
    known = ", ".join(running())
    for declaration in checked.program.declarations:
        if isinstance(declaration, ast.Instantiation) and declaration.name == MAIN:
            target = checked.calls[declaration].target
            if (architecture := _of(target)) is not None:
                return declaration, architecture
            package = target.name if isinstance(target, ast.Declaration) else str(target)
            message = f"programs for the package '{package}' can be checked but not run; runs: {known}"
            raise NotRun(diagnostics, declaration.span, message)
    raise NotRun(diagnostics, checked.program.span, f"the program has no 'main' to run; runs: {known}")


def _of(target: object) -> Architecture | None:
    """The architecture that a package is of: a program may declare one of that name for an architecture of its own."""
    found = part(target.name, "plug") if isinstance(target, ast.PackageDeclaration) else None
    if found is None or not isinstance(target, ast.PackageDeclaration):
        return None
    architecture: Architecture = found.PLUG()
    return architecture if tuple(p.name for p in target.parameters) == architecture.blocks else None
