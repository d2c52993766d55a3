"""Variables that a frontend makes, by their names."""

from __future__ import annotations

from transpiler.diagnostics import Span
from transpiler.hlir.expressions import VariableRef
from transpiler.hlir.program import Storage, Variable
from transpiler.hlir.types import Type

Variables = dict[str, Variable]


def new_variable(variables: Variables, name: str, type_: Type, storage: Storage, span: Span) -> VariableRef:
    """A new variable of that name, or of a name like it when it is taken."""
    unique, count = name, 1
    while unique in variables:
        count += 1
        head, dot, last = name.rpartition(".")
        unique = f"{head}_{count}{dot}{last}" if dot else f"{name}_{count}"
    return shared_variable(variables, unique, type_, storage, span)


def shared_variable(variables: Variables, name: str, type_: Type, storage: Storage, span: Span) -> VariableRef:
    """The one variable of that name, made when it is first asked for."""
    if name not in variables:
        variables[name] = Variable(name, type_, storage, span)
    return VariableRef(name, span)
