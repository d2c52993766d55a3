"""The walk through the program: each node is checked by the rule of its kind, which walks on from there.

`rules.py` has the rules; they come with the state, so that a rule need not know those of other kinds.
"""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker.state import State
from aux_frontend.p4_16.types import Ty


def infer(st: State, e: ast.Expression, hint: Ty | None = None) -> Ty:
    """The type that an expression has by itself, which is also put into the side table.

    `hint` is the type its surroundings want, for what has none of its own ({#}, `...`, a call whose result alone tells a
    type argument).
    """
    ty = st.rules.expressions[type(e)](st, e, hint)
    st.checked.types[e] = ty
    return ty


def declaration(st: State, d: ast.Declaration) -> None:
    """Any declaration, wherever the grammar lets it stand."""
    st.last_span = d.span
    rule = st.rules.declarations.get(type(d))
    if rule is None:
        st.error(d, f"'{d.name}' cannot be declared here")
        return
    rule(st, d)


def statement(st: State, s: ast.Statement | ast.Declaration) -> None:
    """A statement, or a declaration among statements: a variable, a constant, an instance."""
    st.last_span = s.span
    if not isinstance(s, ast.Declaration):
        st.rules.statements[type(s)](st, s)
    elif isinstance(s, ast.VariableDeclaration | ast.ConstDeclaration | ast.Instantiation):
        declaration(st, s)
    else:
        st.error(s, f"'{s.name}' cannot be declared inside {st.context.place.value}")


def body(st: State, statements: Sequence[ast.Statement | ast.Declaration]) -> None:
    """The statements of a block, in the scope that the caller opened."""
    for s in statements:
        statement(st, s)
