"""Functions, actions and controls: signatures and bodies (P4-16 spec 10, 14); what is alike in parsers and controls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import annotation, externs, flow, typedecls, typerefs, walk
from aux_frontend.p4_16.checker.nesting import is_constant, is_object
from aux_frontend.p4_16.checker.state import UNKNOWN, Context, Place, State
from aux_frontend.p4_16.checker.typeops import show


def function(st: State, d: ast.FunctionDeclaration) -> None:
    annotation.check(st, d.annotations)
    with st.nested(Context(Place.FUNCTION, d)):
        typedecls.type_parameters(st, d.type_parameters)
        result = typerefs.resolve(st, d.result)
        if isinstance(result, t.DontCare | t.MatchKind) or is_object(result):
            st.error(d.result, f"a function cannot return {show(result)}")
            result = UNKNOWN
        externs.parameters(st, d, d.parameters)
        st.context = Context(Place.FUNCTION, d, result)
        _visible_to_itself(st, d)
        with st.nested():
            walk.body(st, d.body.body)
        st.open_declarations.discard(d)
    if not isinstance(result, t.Void | t.Unknown) and flow.may_fall_through(st, d.body):
        st.error(d, f"function '{d.name}' may end without returning {show(result)}")
    st.declare(d)


def _visible_to_itself(st: State, d: ast.FunctionDeclaration | ast.ActionDeclaration) -> None:
    """Let a body find its own name when nothing else has that name, so that recursion gets its own message."""
    st.open_declarations.add(d)
    if not st.scope.find(d.name):
        st.scope.add(d)


def action(st: State, d: ast.ActionDeclaration) -> None:
    annotation.check(st, d.annotations)
    with st.nested(Context(Place.ACTION, d)):
        externs.parameters(st, d, d.parameters)
        _order(st, d)
        _visible_to_itself(st, d)
        with st.nested():
            walk.body(st, d.body.body)
        st.open_declarations.discard(d)
    st.declare(d)


def _order(st: State, d: ast.ActionDeclaration) -> None:
    """Parameters without direction, which the control plane gives, come last (spec 14.1)."""
    without: ast.Parameter | None = None
    for parameter in d.parameters:
        ty = st.value_types.get(parameter)
        if ty is not None and is_object(ty):
            st.error(parameter.type, f"an action's parameter cannot be {show(ty)}")
        elif ty is not None and is_constant(ty):
            st.error(parameter.type, f"an action's parameter cannot be of type {show(ty)}")
        if not parameter.direction:
            without = parameter
        elif without is not None:
            st.error(
                parameter, f"'{parameter.name}' has a direction, it must come before '{without.name}', which has none"
            )


def control(st: State, d: ast.ControlDeclaration) -> None:
    with block(st, d, Place.CONTROL):
        st.context = Context(Place.APPLY, d)
        with st.nested():
            walk.body(st, d.body.body)


@contextmanager
def block(st: State, d: ast.ParserDeclaration | ast.ControlDeclaration, place: Place) -> Iterator[None]:
    """A parser or control, its parameters and locals declared; what is in it is checked in the context's body."""
    annotation.check(st, d.annotations)
    st.open_declarations.add(d)
    st.block = d
    with st.nested(Context(place, d)):
        variables = typedecls.type_parameters(st, d.type_parameters)
        if isinstance(d, ast.ParserDeclaration):
            st.named_types[d] = t.ParserType(d, variables)
        else:
            st.named_types[d] = t.ControlType(d, variables)
        externs.parameters(st, d, d.parameters)
        externs.parameters(st, d, d.constructor_parameters, constructor=True)
        if not st.scope.find(d.name):
            st.scope.add(d)
        with st.nested():
            for local in d.locals:
                walk.declaration(st, local)
            yield
    st.block = None
    st.open_declarations.discard(d)
    st.declare(d)
