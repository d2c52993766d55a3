"""What can be written to: P4-16 spec 6.7 (l-values) and 6.8 (directions)."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker.state import State


def check_lvalue(st: State, e: ast.Expression, what: str) -> bool:
    """Whether an expression (already typed) names storage that may be written; reports why not."""
    match e:
        case ast.Path():
            return _path(st, e, what)
        case ast.Member():
            base = st.checked.types.get(e.base)
            if isinstance(base, t.Stack) and e.name in ("lastIndex", "size"):
                st.error(e, f"{what}: '{e.name}' of a header stack cannot be written")
                return False
            if isinstance(base, t.ApplyResult):
                st.error(e, f"{what}: '{e.name}' of a table's result cannot be written")
                return False
            return check_lvalue(st, e.base, what)
        case ast.Index():
            return check_lvalue(st, e.base, what)
        case ast.SliceExpression():
            return check_lvalue(st, e.base, what)
        case _:
            if not isinstance(st.checked.types.get(e), t.Unknown):
                st.error(e, f"{what}: this is not something that can be written to")
            return False


def _path(st: State, e: ast.Path, what: str) -> bool:
    declaration = st.checked.declarations.get(e)
    match declaration:
        case None:
            return False
        case ast.VariableDeclaration() | ast.ForInStatement():
            return True
        case ast.Parameter() if declaration in st.constructor_parameters:
            st.error(e, f"{what}: constructor parameter '{e.name}' cannot be written", (declaration, "declared here"))
        case ast.Parameter(direction="in"):
            st.error(e, f"{what}: parameter '{e.name}' is 'in', it cannot be written", (declaration, "declared here"))
        case ast.Parameter(direction=""):
            st.error(
                e,
                f"{what}: parameter '{e.name}' has no direction, it cannot be written",
                (declaration, "declared here"),
            )
        case ast.Parameter():
            return True
        case ast.ConstDeclaration():
            st.error(e, f"{what}: '{e.name}' is a constant", (declaration, "declared here"))
        case _:
            st.error(e, f"{what}: '{e.name}' cannot be written", (declaration, "declared here"))
    return False


def root(e: ast.Expression) -> ast.Path | None:
    """The variable at the bottom of a chain of members, indices and slices."""
    while isinstance(e, ast.Member | ast.Index | ast.SliceExpression):
        e = e.base
    return e if isinstance(e, ast.Path) else None
