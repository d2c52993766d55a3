"""How many bits a header takes in the packet, without its varbit fields."""

from __future__ import annotations

from aux_frontend.p4_16 import types as t
from aux_frontend.p4_16.types import Ty


def bits(ty: Ty) -> int | None:
    """None where the type is not known or has no width."""
    match ty:
        case t.Bit():
            return ty.width
        case t.Bool():
            return 1
        case t.Varbit():
            return 0
        case t.Enum():
            return bits(ty.underlying) if ty.underlying is not None else None
        case t.NewType():
            return bits(ty.underlying)
        case t.Header() | t.Struct():
            parts = [bits(f) for _, f in ty.fields]
            return None if None in parts else sum(part or 0 for part in parts)
        case t.Stack():
            element = bits(ty.element)
            return None if element is None else ty.size * element
        case _:
            return None
