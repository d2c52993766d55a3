"""Whether a parser or control can stand where a parser or control type is wanted (P4-16 spec 13.5 and 14.2).

The two must have the same number of parameters, with the same directions and the same types.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker.state import State
from aux_frontend.p4_16.checker.typeops import same, write
from aux_frontend.p4_16.checker.unify import parameter_types

Block = t.ParserType | t.ControlType


def matches(st: State, found: Block, wanted: Block) -> bool:
    return difference(st, found, wanted)[1] is None


def difference(st: State, found: Block, wanted: Block) -> tuple[str, ast.Node | None]:
    """The first point where the two differ, with the place in the program; (…, None) when they agree."""
    if type(found) is not type(wanted):
        return "one is a parser, the other a control", found.declaration
    have, want = found.declaration.parameters, wanted.declaration.parameters
    name = f"'{wanted.declaration.name}'"
    required = sum(1 for p in want if not is_optional(p) and p.default is None)
    if not required <= len(have) <= len(want):
        return f"{name} has {len(want)} parameters, '{found.declaration.name}' {len(have)}", found.declaration
    types = zip(parameter_types(st, found), parameter_types(st, wanted), strict=False)
    for p, q, (ty, want_ty) in zip(have, want, types, strict=False):
        if p.direction != q.direction:
            return f"{name} wants direction '{q.direction or 'none'}' here, not '{p.direction or 'none'}'", p
        if not same(ty, want_ty):
            return f"{name} wants type '{write(want_ty)}' here, not '{write(ty)}'", p
    return "", None


def is_optional(d: ast.Parameter | ast.MethodPrototype) -> bool:
    """Whether a parameter, or an abstract method, may be left out: it is annotated with @optional."""
    return any(a.name == "optional" for a in d.annotations)
