"""Signatures without a body: externs, parser and control types, packages (P4-16 spec 7.2.10, 7.2.11, 13.1, 14.1)."""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import annotation, expressions, typedecls, typerefs, walk
from aux_frontend.p4_16.checker.compatible import is_optional
from aux_frontend.p4_16.checker.nesting import is_constant, is_object
from aux_frontend.p4_16.checker.places import parameter_problem
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.typeops import mentions, show, solved, transform
from aux_frontend.p4_16.checker.unify import unify
from aux_frontend.p4_16.types import Ty

_CALLED = (ast.FunctionDeclaration, ast.ActionDeclaration)
_BLOCKS = (ast.ParserDeclaration, ast.ControlDeclaration)
_OBJECTS = t.Extern | t.ParserType | t.ControlType | t.PackageType


def parameters(
    st: State, owner: ast.Declaration, declared: Sequence[ast.Parameter], *, constructor: bool = False
) -> None:
    """Resolve the parameters of a declaration, and declare them in the present scope. Constructor parameters have no
    direction (spec 6.8.2)."""
    for parameter in declared:
        annotation.check(st, parameter.annotations)
        ty = typerefs.resolve(st, parameter.type)
        st.value_types[parameter] = _parameter_type(st, owner, parameter, ty, constructor)
        if constructor:
            st.constructor_parameters.add(parameter)
        if is_optional(parameter) and isinstance(owner, _CALLED if not constructor else _CALLED + _BLOCKS):
            st.error(parameter, f"'{parameter.name}' cannot be @optional here")
        if parameter.default is not None:
            _default(st, parameter)
        st.declare(parameter)


def _parameter_type(st: State, owner: ast.Declaration, parameter: ast.Parameter, ty: Ty, constructor: bool) -> Ty:
    if isinstance(ty, t.Void | t.MatchKind | t.Table | t.DontCare):
        return st.error(parameter.type, f"a parameter cannot be of type {show(ty)}")
    if constructor and parameter.direction:
        st.error(parameter, f"constructor parameter '{parameter.name}' cannot have a direction")
    elif parameter.direction and is_object(ty):
        st.error(parameter, f"parameter '{parameter.name}' cannot have a direction: it is {show(ty)}")
        return UNKNOWN
    elif parameter.direction and is_constant(ty):
        return st.error(parameter.type, f"a parameter of type {show(ty)} cannot have a direction")
    if isinstance(ty, t.ParserType | t.ControlType) and isinstance(
        ty.declaration, ast.ParserDeclaration | ast.ControlDeclaration
    ):
        return st.error(
            parameter.type,
            f"{show(ty)} cannot be the type of a parameter, it has a body",
            (ty.declaration, "declared here"),
        )
    if (problem := parameter_problem(owner, ty, constructor=constructor)) is not None:
        return st.error(parameter.type, problem)
    return ty


def _default(st: State, parameter: ast.Parameter) -> None:
    assert parameter.default is not None
    if is_optional(parameter):
        st.error(parameter.default, f"'{parameter.name}' is @optional, it cannot have a default value too")
    if parameter.direction in ("out", "inout"):
        st.error(parameter.default, f"a parameter with direction '{parameter.direction}' cannot have a default value")
    wanted = st.value_types[parameter]
    if isinstance(wanted, _OBJECTS) and mentions(wanted, t.TypeVariable):
        wanted = _generic_default(st, parameter.default, wanted)
    expressions.check_static(st, parameter.default, wanted, f"the default value of '{parameter.name}'")


def _generic_default(st: State, default: ast.Expression, wanted: Ty) -> Ty:
    """The type of an object's parameter, with its type variables replaced by what the default value makes of them."""
    inferred: dict[ast.TypeParameter, Ty] = {}

    def unsolved(variable: Ty) -> Ty:
        assert isinstance(variable, t.TypeVariable)
        return inferred.setdefault(variable.declaration, t.Unsolved(variable.declaration))

    open_type = transform(wanted, unsolved)
    unify(st, open_type, walk.infer(st, default))
    return solved(open_type)


def extern(st: State, d: ast.ExternDeclaration) -> None:
    annotation.check(st, d.annotations)
    st.declare(d)
    with st.nested():
        variables = typedecls.type_parameters(st, d.type_parameters)
        st.named_types[d] = t.Extern(d, variables)
        st.open_declarations.add(d)
        for method in d.methods:
            _method(st, d, method)
        st.open_declarations.discard(d)
    _overloads(st, d)


def _method(st: State, d: ast.ExternDeclaration, method: ast.MethodPrototype) -> None:
    annotation.check(st, method.annotations)
    if method.result is not None and method.name == d.name:
        st.error(method, f"method '{method.name}' has the name of its extern, which is for constructors")
    if method.result is None and method.name != d.name:
        st.error(method, f"a constructor must be called '{d.name}', and a method needs a result type")
    with st.nested():
        typedecls.type_parameters(st, method.type_parameters)
        if method.result is not None:
            _result(st, method.result)
            ty = st.checked.type_refs[method.result]
            if isinstance(ty, t.Integer | t.String):
                st.error(method.result, f"a method cannot return {show(ty)}, its values exist at compile time only")
        parameters(st, method, method.parameters, constructor=method.result is None)
    _self_reference(st, d, method)


def _self_reference(st: State, d: ast.ExternDeclaration, method: ast.MethodPrototype) -> None:
    """An extern's methods know nothing of the extern itself: types are not recursive."""
    for ref in [p.type for p in method.parameters] + ([method.result] if method.result is not None else []):
        ty = st.checked.type_refs.get(ref)
        if isinstance(ty, t.Extern) and ty.declaration is d:
            st.error(ref, f"extern '{d.name}' cannot refer to itself", (d, "declared here"))


def _result(st: State, ref: ast.TypeRef) -> None:
    ty = typerefs.resolve(st, ref)
    if isinstance(ty, t.DontCare | t.Table):
        st.error(ref, "'_' cannot be the type of a result")
        st.checked.type_refs[ref] = UNKNOWN


def _overloads(st: State, d: ast.ExternDeclaration) -> None:
    seen: dict[tuple[str, tuple[str, ...]], ast.MethodPrototype] = {}
    for method in d.methods:
        key = (method.name, tuple(p.name for p in method.parameters))
        if key in seen:
            message = f"method '{method.name}' is declared twice with the same parameters"
            st.error(method, message, (seen[key], "first declared here"))
        seen[key] = method


def prototype(st: State, d: ast.FunctionPrototype) -> None:
    annotation.check(st, d.annotations)
    with st.nested():
        typedecls.type_parameters(st, d.type_parameters)
        _result(st, d.result)
        parameters(st, d, d.parameters)
    st.declare(d)


def block_type(st: State, d: ast.ParserTypeDeclaration | ast.ControlTypeDeclaration) -> None:
    annotation.check(st, d.annotations)
    with st.nested():
        variables = typedecls.type_parameters(st, d.type_parameters)
        parameters(st, d, d.parameters)
    if isinstance(d, ast.ParserTypeDeclaration):
        st.named_types[d] = t.ParserType(d, variables)
    else:
        st.named_types[d] = t.ControlType(d, variables)
    st.declare(d)


def package(st: State, d: ast.PackageDeclaration) -> None:
    annotation.check(st, d.annotations)
    with st.nested():
        variables = typedecls.type_parameters(st, d.type_parameters)
        parameters(st, d, d.parameters, constructor=True)
    st.named_types[d] = t.PackageType(d, variables)
    st.declare(d)
