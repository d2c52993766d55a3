"""Values known at compile time: P4-16 spec 18.1. Those of bit<> are non-negative, those of int<> signed."""

from __future__ import annotations

from aux_frontend.p4_16 import types as t
from aux_frontend.p4_16.checker.state import Record, Symbol, Value
from aux_frontend.p4_16.types import Ty
from transpiler.hlir import arithmetic
from transpiler.hlir.expressions import COMPARISONS, BinaryOp, UnaryOp
from transpiler.hlir.types import Bits

_SIGNS = {"-": UnaryOp.NEGATE, "~": UnaryOp.COMPLEMENT}


def bits(ty: t.Bit) -> Bits:
    return Bits(ty.width, ty.signed)


def fold_unary(operator: str, value: Value, ty: Ty) -> Value | None:
    if isinstance(value, bool):
        return not value if operator == "!" else None
    if not isinstance(value, int):
        return None
    if operator == "+":
        return value
    return arithmetic.calculate_unary(_SIGNS[operator], value, _width(ty))


def _width(ty: Ty) -> Bits | None:
    return bits(ty) if isinstance(ty, t.Bit) else None


def fold_binary(operator: str, left: Value, right: Value, left_ty: Ty, right_ty: Ty) -> Value | None:
    """The value of `left operator right`. Raises: UndefinedError, where the spec says that there is none."""
    if operator in ("==", "!="):
        return None if type(left) is not type(right) else (left == right) == (operator == "==")
    if isinstance(left, bool) and isinstance(right, bool):
        return {"&&": left and right, "||": left or right}.get(operator)
    if isinstance(left, str) and isinstance(right, str):
        return left + right if operator == "++" else None
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    op = BinaryOp(operator)
    if op is BinaryOp.CONCAT:
        if not isinstance(left_ty, t.Bit) or not isinstance(right_ty, t.Bit):
            return None
        return arithmetic.concatenate(left, right, bits(left_ty), bits(right_ty))
    result = arithmetic.calculate(op, left, right, _width(left_ty))
    return bool(result) if op in COMPARISONS else result


def convert(value: Value, ty: Ty) -> Value | None:
    """A value cast to a type; None when the cast has no compile-time value here."""
    match ty:
        case t.Bit():
            return arithmetic.wrap(int(value), bits(ty)) if isinstance(value, int) else None
        case t.Integer():
            return int(value) if isinstance(value, int) else None
        case t.Bool():
            return bool(value) if isinstance(value, int) else None
        case t.NewType():
            return convert(value, ty.underlying)
        case t.Enum() if ty.underlying is not None:
            return convert(value, ty.underlying)
        case t.Struct() | t.Header() if isinstance(value, Record):
            return _record(value, ty)
        case _:
            return value


def _record(value: Record, ty: t.Struct | t.Header) -> Value | None:
    if value.names is None:
        if len(value.items) != len(ty.fields):
            return None
        by_position = dict(zip((n for n, _ in ty.fields), value.items, strict=True))
        return Record(tuple(by_position.values()), tuple(by_position))
    by_name = dict(zip(value.names, value.items, strict=True))
    if set(by_name) != {n for n, _ in ty.fields}:
        return None
    return Record(tuple(by_name[n] for n, _ in ty.fields), tuple(n for n, _ in ty.fields))


def has_default(ty: Ty) -> bool:
    """Whether `...` has a value of the type: numbers, bool, string, error, enums, and what is made of such (spec 7.3)."""
    match ty:
        case t.Struct() | t.HeaderUnion() | t.Header():
            return all(has_default(field) for _, field in ty.fields)
        case t.Tuple():
            return all(map(has_default, ty.elements))
        case t.Stack():
            return has_default(ty.element)
        case t.NewType():
            return has_default(ty.underlying)
        case _:
            return not isinstance(ty, t.List | t.Extern | t.ParserType | t.ControlType | t.PackageType | t.MatchKind)


def default_value(ty: Ty) -> Value | None:
    """The value that `...` gives (spec 7.3); None where it is not a compile-time scalar."""
    match ty:
        case t.Bit() | t.Integer():
            return 0
        case t.Bool():
            return False
        case t.String():
            return ""
        case t.Error():
            return Symbol("error", "NoError")
        case _:
            return None
