"""Which types may stand inside which: the table of P4-16 spec 7.2.8, and what a `type` or a list may be made of."""

from __future__ import annotations

from aux_frontend.p4_16 import types as t
from aux_frontend.p4_16.checker.typeops import write
from aux_frontend.p4_16.types import Ty

_OBJECTS = (t.Extern, t.ParserType, t.ControlType, t.PackageType, t.Table, t.Callable)
_NEVER_STORED = (t.Void, t.Set, t.ValueSet, t.MatchKind, t.ApplyResult, t.ActionEnum, t.DontCare, *_OBJECTS)
_VARIABLES = (t.TypeVariable, t.Unsolved, t.Unknown)


def is_object(ty: Ty) -> bool:
    """Whether it is of what is made by instantiations, or an array of such."""
    while isinstance(ty, t.Stack):
        ty = ty.element
    return isinstance(ty, _OBJECTS)


def is_constant(ty: Ty) -> bool:
    """Whether its values exist at compile time only."""
    return isinstance(ty, (t.Integer, t.String)) or (isinstance(ty, t.Tuple) and t.Integer() in ty.elements)


def fits_header(ty: Ty) -> bool:
    """Whether a header may have a field of the type: bits, fixed or variable, bool, serializable enum; structs and arrays."""
    match ty:
        case t.Bit() | t.Varbit() | t.Bool():
            return True
        case t.Enum():
            return ty.underlying is not None
        case t.NewType():
            return fits_header(ty.underlying)
        case t.Struct():
            return all(fits_header(f) and not isinstance(f, t.Varbit) for _, f in ty.fields)
        case t.Stack():
            return fits_header(ty.element) and not isinstance(ty.element, t.Varbit)
        case _:
            return isinstance(ty, _VARIABLES)


def fits_struct(ty: Ty) -> bool:
    """Whether a struct or tuple may have a field of the type."""
    return not isinstance(ty, (*_NEVER_STORED, t.Integer)) and not is_object(ty)


def fits_tuple(ty: Ty) -> bool:
    """As for a struct; int and match_kind too, for tuples of compile-time constants."""
    return isinstance(ty, t.Integer | t.MatchKind) or fits_struct(ty)


def fits_list(ty: Ty) -> bool:
    return (not isinstance(ty, _NEVER_STORED) and not is_object(ty)) or isinstance(ty, t.MatchKind)


def fits_stack(ty: Ty) -> bool:
    """Headers and unions make a header stack; other data, and extern objects, an array that can only be indexed."""
    return isinstance(ty, t.Extern) or not isinstance(ty, (*_NEVER_STORED, t.Integer, t.String))


def fits_union(ty: Ty) -> bool:
    return isinstance(ty, (t.Header, *_VARIABLES))


def fits_new_type(ty: Ty) -> bool:
    """`type X name` is for bit, int<>, bool, and other such names (spec 7.2.12)."""
    return isinstance(ty, (t.Bit, t.Bool, t.NewType, t.TypeVariable, t.Unknown))


def variable_problem(ty: Ty) -> str | None:
    """Why there is no variable of the type, or None."""
    if is_object(ty):
        return f"a variable cannot be of type {write(ty)}, objects are made by instantiations"
    if is_constant(ty):
        return f"a variable cannot be of type '{write(ty)}', its values exist at compile time only"
    if isinstance(ty, _NEVER_STORED):
        return f"a variable cannot be of type '{write(ty)}'"
    return None


def nesting_problem(ty: Ty) -> str | None:
    """The first part of a type, at any depth, that must not stand where it does; None when the type is well formed."""
    match ty:
        case t.Header() | t.Struct() | t.HeaderUnion():
            return _fields_problem(ty)
        case t.Stack():
            if not fits_stack(ty.element):
                return f"the elements of a stack cannot be of type '{write(ty.element)}'"
            return nesting_problem(ty.element)
        case t.Tuple():
            for element in ty.elements:
                if not fits_tuple(element):
                    return f"a tuple cannot hold a '{write(element)}'"
            return _first(ty.elements)
        case t.List():
            if not fits_list(ty.element):
                return f"a list cannot hold a '{write(ty.element)}'"
            return nesting_problem(ty.element)
        case t.Extern() | t.ParserType() | t.ControlType() | t.PackageType():
            return _first(tuple(a for a in ty.arguments if not isinstance(a, t.Void)))
        case _:
            return None


def _fields_problem(ty: t.Header | t.Struct | t.HeaderUnion) -> str | None:
    if not ty.arguments:
        return None  # said where it was declared
    name, fits = {
        t.Header: ("header", fits_header), t.Struct: ("struct", fits_struct), t.HeaderUnion: ("header_union", fits_union),
    }[type(ty)]  # fmt: skip
    for field, field_ty in ty.fields:
        if not fits(field_ty):
            return f"field '{field}' of {name} '{write(ty)}' cannot be of type '{write(field_ty)}'"
    return _first(tuple(f for _, f in ty.fields)) or _first(ty.arguments)


def _first(types: tuple[Ty, ...]) -> str | None:
    for ty in types:
        if (problem := nesting_problem(ty)) is not None:
            return problem
    return None
