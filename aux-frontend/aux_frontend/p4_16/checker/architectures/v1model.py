"""v1model as BMv2's simple_switch has it: what its documentation and v1model.p4 ask of a program."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker.architectures import direct
from aux_frontend.p4_16.checker.architectures.uses import Uses
from aux_frontend.p4_16.checker.state import State
from aux_frontend.p4_16.checker.typeops import show
from aux_frontend.p4_16.checker.width import bits
from aux_frontend.p4_16.types import Ty

_PROPERTIES = direct.Properties(
    direct={"counters": ("direct_counter",), "meters": ("direct_meter",)},
    shared={"implementation": ("action_profile", "action_selector")},
)


def check(st: State, uses: Uses) -> None:
    direct.check(st, uses, _PROPERTIES)
    _packages_types(st, uses)
    _externs(st, uses)
    for table in uses.tables:
        _one_prefix(st, table)


def _packages_types(st: State, uses: Uses) -> None:
    """H and M of V1Switch: structs, the headers whole bytes."""
    call = st.checked.calls[uses.main]
    for variable, ty in call.substitution.items():
        if not isinstance(ty, t.Struct | t.Unknown | t.DontCare):
            st.error(uses.main, f"type parameter '{variable.name}' of V1Switch must be a struct, not {show(ty)}")
        elif variable.name == "H" and isinstance(ty, t.Struct):
            for header in _headers(ty):
                _whole_bytes(st, header)


def _headers(ty: Ty) -> list[t.Header]:
    match ty:
        case t.Header():
            return [ty]
        case t.Struct() | t.HeaderUnion():
            return [header for _, f in ty.fields for header in _headers(f)]
        case t.Stack():
            return _headers(ty.element)
        case _:
            return []


def _whole_bytes(st: State, header: t.Header) -> None:
    width = bits(header)
    if width is not None and width % 8:
        name = header.declaration.name
        st.error(header.declaration, f"header '{name}' has {width} bits; headers of packets must be whole bytes")


def _one_prefix(st: State, table: ast.TableDeclaration) -> None:
    first: ast.KeyElement | None = None
    for key in table.keys or ():
        if key.match_kind.text == "lpm":
            if first is not None:
                message = f"table '{table.name}' has two keys of kind 'lpm', one is the limit"
                st.error(key.match_kind, message, (first.match_kind, "the first one"))
                return
            first = key


def _externs(st: State, uses: Uses) -> None:
    """Externs that the program itself declares are not there on the switch."""
    package = st.checked.calls[uses.main].target
    assert isinstance(package, ast.PackageDeclaration)
    core = next((d.span.file for d in st.checked.program.declarations if d.name == "packet_in"), "")
    known = {package.span.file, core}
    for call in uses.extern_calls:
        target = call.call.target
        if isinstance(target, ast.FunctionPrototype) and target.span.file not in known:
            st.error(call.at, f"v1model has no extern function '{target.name}'", (target, "declared here"))
