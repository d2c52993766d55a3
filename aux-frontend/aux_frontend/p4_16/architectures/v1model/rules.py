"""v1model as BMv2's simple_switch has it: what its documentation and v1model.p4 ask of a program."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.architectures import direct
from aux_frontend.p4_16.architectures.uses import Uses
from aux_frontend.p4_16.checker.state import State
from aux_frontend.p4_16.checker.typeops import bit_size
from aux_frontend.p4_16.types import Ty

_PROPERTIES = direct.Properties(
    direct={"counters": ("direct_counter",), "meters": ("direct_meter",)},
    shared={"implementation": ("action_profile", "action_selector")},
)


def check(st: State, uses: Uses) -> None:
    direct.check(st, uses, _PROPERTIES)
    _whole_bytes(st, uses)
    for table in uses.tables:
        _one_prefix(st, table)
    _meters_are_read(st, uses)


def _whole_bytes(st: State, uses: Uses) -> None:
    """Packets are bytes: a header of another width can be declared, but the switch cannot take it from a packet."""
    call = st.checked.calls[uses.main]
    for ty in call.substitution.values():
        for header in _headers(ty):
            width = bit_size(header, largest=False)
            if width is not None and width % 8:
                message = f"header '{header.declaration.name}' has {width} bits; packets are made of whole bytes"
                st.warn(header.declaration, "header-width", message)


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


def _one_prefix(st: State, table: ast.TableDeclaration) -> None:
    first: ast.KeyElement | None = None
    for key in table.keys or ():
        if key.match_kind.text == "lpm":
            if first is not None:
                message = f"table '{table.name}' has two keys of kind 'lpm', one is the limit"
                st.error(key.match_kind, message, (first.match_kind, "the first one"))
                return
            first = key


def _meters_are_read(st: State, uses: Uses) -> None:
    """A direct meter meters on each hit, but what it finds is lost unless an action reads it."""
    read = {st.checked.declarations.get(c.call.receiver) for c in uses.extern_calls if c.call.receiver is not None}
    for table in uses.tables:
        for item in table.properties:
            meter = st.checked.declarations.get(item.value)
            if item.name == "meters" and _is_meter(st, item) and meter is not None and meter not in read:
                message = f"no action of table '{table.name}' reads its meter '{meter.name}'"
                st.warn(item.value, "unused", message, (meter, "declared here"))


def _is_meter(st: State, item: ast.TableProperty) -> bool:
    ty = st.checked.types.get(item.value)
    return isinstance(ty, t.Extern) and ty.declaration.name == "direct_meter"
