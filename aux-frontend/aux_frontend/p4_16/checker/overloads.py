"""Which parameter gets which argument, and which of several overloads is meant: P4-16 spec 6.8 and 6.9.2.

Overloads are told apart by the number and the names of their arguments, never by types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker.compatible import is_optional
from aux_frontend.p4_16.checker.scope import suggestion

D = TypeVar("D", bound=ast.Declaration)
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


def choose(
    name: str, candidates: Sequence[tuple[D, Sequence[ast.Parameter]]], arguments: Sequence[ast.Argument]
) -> tuple[D, Bound] | Misfit:
    """The one candidate that the arguments fit."""
    fits: list[tuple[D, Bound]] = []
    misfits: list[Misfit] = []
    for declaration, parameters in candidates:
        bound = bind(name, parameters, arguments)
        if isinstance(bound, Misfit):
            misfits.append(bound)
        else:
            fits.append((declaration, bound))
    if len(fits) > 1:
        exact = [f for f in fits if None not in f[1]]
        fits = exact or fits
    if len(fits) == 1:
        return fits[0]
    if fits:
        return Misfit(f"the call of '{name}' is ambiguous: {len(fits)} declarations fit")
    if len(candidates) == 1:
        return misfits[0]
    return Misfit(f"none of the {len(candidates)} declarations of '{name}' takes these {len(arguments)} arguments")
