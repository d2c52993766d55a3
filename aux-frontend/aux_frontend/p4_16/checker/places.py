"""Where in a program what may be called or made: P4-16 spec appendix F ("Restrictions on compile-time and run-time calls")."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker.state import Place, State
from aux_frontend.p4_16.checker.typeops import show
from aux_frontend.p4_16.types import Ty

_CODE = (Place.STATE, Place.APPLY, Place.ACTION, Place.FUNCTION)


def function_allowed(st: State, at: ast.Node, declaration: ast.Declaration) -> bool:
    """Whether a function or action may be called here."""
    place = st.context.place
    if declaration in st.open_declarations:
        st.error(at, f"'{declaration.name}' calls itself; P4 has no recursion", (declaration, "declared here"))
        return False
    if isinstance(declaration, ast.ActionDeclaration) and place not in (Place.APPLY, Place.ACTION):
        st.error(at, f"action '{declaration.name}' cannot be called from {place.value}", (declaration, "declared here"))
        return False
    if (
        isinstance(declaration, ast.FunctionPrototype) and declaration.name == "verify"
        and place in (Place.APPLY, Place.ACTION, Place.CONTROL)
    ):  # fmt: skip
        st.error(at, "'verify' can only be called in parsers")
        return False
    return True


def check_table_apply(st: State, at: ast.Node, table: ast.TableDeclaration) -> None:
    place = st.context.place
    if place not in (Place.APPLY, Place.KEY):
        st.error(at, f"table '{table.name}' cannot be applied in {place.value}, only in a control's apply block")


def block_apply_allowed(st: State, at: ast.Node, ty: t.ParserType | t.ControlType) -> bool:
    """parsers are applied in parser states, controls in apply blocks."""
    wanted = Place.STATE if isinstance(ty, t.ParserType) else Place.APPLY
    if st.context.place is not wanted:
        st.error(at, f"{show(ty)} cannot be applied in {st.context.place.value}, only in {wanted.value}")
        return False
    if ty.declaration in st.open_declarations:
        st.error(at, f"'{ty.declaration.name}' applies itself; P4 has no recursion")
        return False
    return True


def check_instance(st: State, at: ast.Node, ty: Ty) -> None:
    """Where an object of a type may be instantiated."""
    place = st.context.place
    if isinstance(ty, t.PackageType) and place is not Place.TOP:
        st.error(at, f"{show(ty)} can only be instantiated at the top level")
    elif place in _CODE:
        st.error(at, f"{place.value} cannot contain instantiations")
    elif isinstance(ty, t.ParserType) and place in (Place.CONTROL, Place.APPLY):
        st.error(at, f"{show(ty)} cannot be instantiated in a control")
    elif isinstance(ty, t.ControlType) and place in (Place.PARSER, Place.STATE):
        st.error(at, f"{show(ty)} cannot be instantiated in a parser")
    elif isinstance(ty, t.ControlType | t.ParserType) and place is Place.TOP:
        st.error(at, f"{show(ty)} cannot be instantiated at the top level")


def constructor_allowed(st: State, at: ast.Node, ty: Ty) -> bool:
    """A constructor call makes an object only where instances are made: as an argument or a default, not in running code."""
    if st.context.place in _CODE and not isinstance(ty, t.Extern):
        st.error(at, f"{show(ty)} cannot be constructed in {st.context.place.value}")
        return False
    return True


def parameter_problem(owner: ast.Declaration, ty: Ty, *, constructor: bool) -> str | None:
    """Why a parser, control or package cannot be a parameter of `owner`; None when it can (spec appendix F)."""
    match ty:
        case t.PackageType():
            fits = isinstance(owner, ast.PackageDeclaration)
        case t.ParserType():
            fits = isinstance(owner, ast.PackageDeclaration | ast.ParserDeclaration)
        case t.ControlType():
            fits = isinstance(owner, ast.PackageDeclaration | ast.ControlDeclaration)
        case _:
            return None
    return None if fits and constructor else f"{show(ty)} cannot be a parameter of '{owner.name}'"
