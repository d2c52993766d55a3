"""Which of several overloads a call means: P4-16 spec 6.9.2.

Overloads are told apart by the number and the names of their arguments, never by types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker.binding import Bound, Misfit, bind

D = TypeVar("D", bound=ast.Declaration)


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
