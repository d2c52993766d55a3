"""Turns the first assignments of a function into initial values of its variables.

bool valid = false; valid = true; at = 0;      →      bool valid = true;
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.codegen.c.build import LIVE
from transpiler.codegen.c.function import Function
from transpiler.codegen.c.nodes import Assign, Expression, Name
from transpiler.codegen.c.walk import walk_expression


def with_first_values(function: Function) -> Function:
    """The function, whose first assignments are of values that have nothing of its variables or of the packet's state."""
    names = {variable.name for variable in function.variables}
    first: dict[str, Expression] = {}
    rest = function.body
    while rest:
        match rest[0]:
            case Assign(target=Name(name=name), value=value, cite="", operator="=") if (
                name in names - first.keys() and not _names(value, names)
            ):
                first[name] = value
                rest = rest[1:]
            case _:
                break
    variables = tuple(replace(v, value=first.get(v.name, v.value)) for v in function.variables)
    return replace(function, variables=variables, body=rest)


def _names(e: Expression, names: set[str]) -> bool:
    return any(isinstance(part, Name) and (part.name in names or part == LIVE) for part in walk_expression(e))
