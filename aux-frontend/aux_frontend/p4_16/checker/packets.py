"""What packet_in and packet_out of core.p4 ask of their arguments: P4-16 spec 13.8 (extract, lookahead), 16 (emit)."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker.nesting import fits_header
from aux_frontend.p4_16.checker.state import State
from aux_frontend.p4_16.checker.typeops import show
from aux_frontend.p4_16.types import Ty

_OPEN = t.TypeVariable | t.Unknown | t.DontCare | t.Unsolved


def check(st: State, e: ast.Call, callee: ast.Member, extern: str) -> None:
    """Look at a resolved call of a method of packet_in or packet_out."""
    call = st.checked.calls.get(e)
    if call is None or not call.substitution:
        return
    ty = list(call.substitution.values())[-1]
    if isinstance(ty, _OPEN):
        return
    at = e.arguments[0].value if e.arguments and e.arguments[0].value is not None else callee
    match extern, callee.name:
        case "packet_in", "extract":
            _extract(st, at, ty, len(e.arguments))
        case "packet_in", "lookahead":
            if not _fixed(ty):
                st.error(callee, f"lookahead needs a type of a fixed width, not {show(ty)}")
        case "packet_out", "emit":
            if not _emittable(ty):
                st.error(at, f"emit needs a header, or a stack, union or struct of headers, not {show(ty)}")


def _extract(st: State, at: ast.Node, ty: Ty, arguments: int) -> None:
    if not isinstance(ty, t.Header):
        st.error(at, f"extract needs a header, not {show(ty)}")
        return
    varbits = sum(isinstance(f, t.Varbit) for _, f in ty.fields)
    if arguments == 1 and varbits:
        st.error(
            at, f"extract of {show(ty)}, which has a varbit field, needs a second argument: the bits of that field"
        )
    elif arguments == 2 and varbits != 1:
        st.error(
            at, f"extract with two arguments needs a header with exactly one varbit field, {show(ty)} has {varbits}"
        )


def _fixed(ty: Ty) -> bool:
    match ty:
        case t.Header() | t.Struct():
            return all(_fixed(f) for _, f in ty.fields)
        case t.Tuple():
            return all(map(_fixed, ty.elements))
        case t.Stack():
            return _fixed(ty.element)
        case t.Varbit():
            return False
        case _:
            return isinstance(ty, _OPEN) or fits_header(ty)


def _emittable(ty: Ty) -> bool:
    match ty:
        case t.Header() | t.HeaderUnion():
            return True
        case t.Stack():
            return _emittable(ty.element)
        case t.Struct():
            return all(_emittable(f) for _, f in ty.fields)
        case t.Tuple():
            return all(map(_emittable, ty.elements))
        case _:
            return isinstance(ty, _OPEN)
