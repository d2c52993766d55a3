"""Which parameter gets which argument, and what is said where their number or names do not fit: P4-16 spec 6.8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker.compatible import is_optional
from aux_frontend.p4_16.checker.scope import suggestion

Bound = tuple[ast.Argument | None, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why arguments do not fit parameters; `at` is the argument to point at, None for the whole call."""

    text: str
    at: ast.Node | None = None


def bind(name: str, parameters: Sequence[ast.Parameter], arguments: Sequence[ast.Argument]) -> Bound | Misfit:
    """One argument per parameter, None where a default or nothing stands for it."""
    named = [a for a in arguments if a.name is not None]
    if named and len(named) < len(arguments):
        odd = next(a for a in arguments if a.name is None)
        return Misfit("either all arguments of a call have names or none", odd)
    if named:
        return _by_name(name, parameters, named)
    required = sum(1 for p in parameters if not may_be_left_out(p))
    if len(arguments) > len(parameters):
        return Misfit(_count_text(name, parameters, required, len(arguments)), arguments[len(parameters)])
    bound = (*arguments, *([None] * (len(parameters) - len(arguments))))
    for parameter, argument in zip(parameters, bound, strict=True):
        if argument is None and not may_be_left_out(parameter):
            return Misfit(_count_text(name, parameters, required, len(arguments)))
    return bound


def may_be_left_out(parameter: ast.Parameter) -> bool:
    return parameter.default is not None or is_optional(parameter)


def _count_text(name: str, parameters: Sequence[ast.Parameter], required: int, given: int) -> str:
    most = len(parameters)
    need = f"{most}" if required == most else f"{required} to {most}"
    return f"'{name}' takes {need} argument{'' if need == '1' else 's'}, {given} given"


def _by_name(name: str, parameters: Sequence[ast.Parameter], arguments: Sequence[ast.Argument]) -> Bound | Misfit:
    given: dict[str, ast.Argument] = {}
    names = [p.name for p in parameters]
    for argument in arguments:
        assert argument.name is not None
        if argument.name not in names:
            return Misfit(f"'{name}' has no parameter '{argument.name}'{suggestion(argument.name, names)}", argument)
        if argument.name in given:
            return Misfit(f"parameter '{argument.name}' is given twice", argument)
        given[argument.name] = argument
    for parameter in parameters:
        if parameter.name not in given and not may_be_left_out(parameter):
            return Misfit(f"no argument for parameter '{parameter.name}' of '{name}'")
    return tuple(given.get(p.name) for p in parameters)
