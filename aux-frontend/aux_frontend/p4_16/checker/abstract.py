"""The body of an extern instantiation: implementations of abstract methods (P4-16 spec 7.2.10.4, 11.3.1)."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import blocks, walk
from aux_frontend.p4_16.checker.compatible import is_optional
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.typeops import same, show, substitute, write
from aux_frontend.p4_16.types import Ty


def check_initializer(st: State, d: ast.Instantiation, made: Ty) -> None:
    """Every abstract method that is not @optional implemented, with its signature; nothing else defined but local helpers."""
    if isinstance(made, t.Unknown):
        return
    if not isinstance(made, t.Extern):
        if d.initializer is not None:
            st.error(d, f"{show(made)} cannot have an initializer, only externs can")
        return
    abstract = {m.name: m for m in made.declaration.methods if m.abstract}
    implemented: set[str] = set()
    with st.nested() as scope:
        scope.names["this"] = [d]
        st.value_types[d] = made
        for inner in d.initializer or ():
            if isinstance(inner, ast.FunctionDeclaration):
                implemented.add(inner.name)
                _implementation(st, inner, made, abstract)
            else:
                walk.declaration(st, inner)
    for name, method in abstract.items():
        if name not in implemented and not is_optional(method):
            st.error(d, f"abstract method '{name}' of {show(made)} is not implemented", (method, "declared here"))


def _implementation(
    st: State, function: ast.FunctionDeclaration, made: t.Extern, abstract: dict[str, ast.MethodPrototype]
) -> None:
    blocks.function(st, function)
    method = abstract.get(function.name)
    if method is None:
        present = [m for m in made.declaration.methods if m.name == function.name]
        if present:
            st.error(
                function, f"method '{function.name}' of {show(made)} is not abstract", (present[0], "declared here")
            )
        else:
            near = suggestion(function.name, list(abstract))
            st.error(function, f"{show(made)} has no abstract method '{function.name}'{near}")
        return
    _compare(st, function, method, made)


def _compare(st: State, function: ast.FunctionDeclaration, method: ast.MethodPrototype, made: t.Extern) -> None:
    note = (method, "declared here")
    if function.type_parameters:
        st.error(
            function.type_parameters[0], f"'{function.name}' cannot be generic, it implements an abstract method", note
        )
    count, most = len(function.parameters), len(method.parameters)
    if count > most or not all(map(is_optional, method.parameters[count:])):
        message = f"'{function.name}' must have {most} parameters, it has {count}"
        st.error(function, message, note)
        return
    mapping: dict[ast.TypeParameter, Ty] = dict(zip(made.declaration.type_parameters, made.arguments, strict=False))
    mapping |= {p: t.TypeVariable(q) for p, q in zip(method.type_parameters, function.type_parameters, strict=False)}
    for have, want in zip(function.parameters, method.parameters, strict=False):
        if have.direction != want.direction:
            st.error(
                have, f"the direction of '{have.name}' must be '{want.direction or 'none'}'", (want, "declared here")
            )
        wanted = substitute(st.value_types.get(want, UNKNOWN), mapping)
        found = st.value_types.get(have, UNKNOWN)
        if not same(found, wanted):
            st.error(
                have,
                f"the type of '{have.name}' must be '{write(wanted)}', not '{write(found)}'",
                (want, "declared here"),
            )
    assert method.result is not None
    result = substitute(st.checked.type_refs.get(method.result, UNKNOWN), mapping)
    found = st.checked.type_refs.get(function.result, UNKNOWN)
    if not same(found, result):
        st.error(function, f"'{function.name}' must return '{write(result)}', not '{write(found)}'", note)
