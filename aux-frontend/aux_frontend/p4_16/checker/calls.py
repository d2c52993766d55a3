"""Calls: finding what is called (P4-16 spec 8.20, 8.21)."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import constructors, expressions, methods, places, resolution, walk
from aux_frontend.p4_16.checker.binding import Bound, Misfit
from aux_frontend.p4_16.checker.overloads import choose
from aux_frontend.p4_16.checker.signature import Signature
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.typeops import show
from aux_frontend.p4_16.types import Ty


def call(st: State, e: ast.Call, hint: Ty | None) -> Ty:
    """The type of a call's result."""
    st.last_span = e.span
    callee = e.callee
    if isinstance(callee, ast.Member):
        return methods.member_call(st, e, callee, hint)
    if expressions.named_type(st, callee) is not None:
        return constructors.constructor_call(st, e, hint)
    ty = walk.infer(st, callee)
    match ty:
        case t.Unknown():
            return resolution.failed(st, e.arguments)
        case t.Callable():
            return _function(st, e, callee, ty, hint)
        case _:
            return resolution.failed(st, e.arguments, st.error(callee, f"{show(ty)} cannot be called"))


def _function(st: State, e: ast.Call, callee: ast.Expression, ty: t.Callable, hint: Ty | None) -> Ty:
    candidates = [
        (d, d.parameters)
        for d in ty.candidates
        if isinstance(d, ast.FunctionDeclaration | ast.FunctionPrototype | ast.ActionDeclaration)
    ]
    name = candidates[0][0].name
    chosen = choose(name, candidates, e.arguments)
    if isinstance(chosen, Misfit):
        only = candidates[0][0] if len(candidates) == 1 else None
        return resolution.misfit(st, callee, chosen, e.arguments, only)
    declaration, bound = chosen
    st.checked.declarations[callee] = declaration
    if not places.function_allowed(st, callee, declaration):
        return resolution.failed(st, e.arguments)
    if isinstance(declaration, ast.ActionDeclaration):
        signature = Signature(name, declaration, (), declaration.parameters, t.Void(), compile_time=False)
    else:
        result = st.checked.type_refs.get(declaration.result, UNKNOWN)
        signature = Signature(
            name, declaration, declaration.type_parameters, declaration.parameters, result, {}, False, declaration
        )
    result = resolution.resolve(st, e, callee, signature, bound, e.type_arguments, hint)
    if any(a.name == "pure" for a in declaration.annotations):
        values = [a.value for a in bound if a is not None]
        if all(v in st.static for v in values if v is not None):
            st.static.add(e)
    if isinstance(result, t.Extern):
        _factory(st, e, callee, declaration, bound)
    if name == "static_assert" and isinstance(declaration, ast.FunctionPrototype):
        _static_assert(st, e, callee)
    return result


def _factory(st: State, e: ast.Call, callee: ast.Expression, declaration: ast.Declaration, bound: Bound) -> None:
    """A function whose result is an extern object makes it at compile time, so it must know its arguments then."""
    st.static.add(e)
    if any(a is not None and a.value is not None and a.value not in st.static for a in bound):
        message = f"'{declaration.name}' makes an object, so its arguments must be known at compile time"
        st.error(callee, message, (declaration, "declared here"))


def _static_assert(st: State, e: ast.Call, callee: ast.Expression) -> None:
    """static_assert(condition, message): judged here, once (core.p4)."""
    resolved = st.checked.calls.get(e)
    condition = resolved.arguments[0] if resolved and resolved.arguments else None
    if condition is None or resolved is None:
        return
    if st.value(condition) is False:
        text = resolved.arguments[1] if len(resolved.arguments) > 1 else None
        message = None if text is None else st.value(text)
        st.error(callee, f"static_assert failed: {message}" if message else "static_assert failed")
    elif st.value(condition) is True:
        st.set_value(e, True)
