"""Compile-time arithmetic: P4-16 spec 8.5 to 8.7, 18.1. Values of bit<> are non-negative, those of int<> signed."""

from __future__ import annotations

from aux_frontend.p4_16 import types as t
from aux_frontend.p4_16.checker.state import Record, Symbol, Value
from aux_frontend.p4_16.types import Ty

MAX_VALUE_BITS = 1 << 20


class FoldError(Exception):
    """A constant expression without a value; the text says why."""


def wrap(value: int, ty: t.Bit) -> int:
    """The value modulo 2**width, in the type's own range."""
    masked = value & ((1 << ty.width) - 1)
    if ty.signed and ty.width and masked >> (ty.width - 1):
        masked -= 1 << ty.width
    return masked


def saturate(value: int, ty: t.Bit) -> int:
    low, high = value_range(ty)
    return max(low, min(high, value))


def value_range(ty: t.Bit) -> tuple[int, int]:
    """The least and the greatest value."""
    if ty.signed:
        half = 1 << max(ty.width - 1, 0)
        return -half, half - 1
    return 0, (1 << ty.width) - 1


def fold_unary(operator: str, value: Value, ty: Ty) -> Value | None:
    if isinstance(value, bool):
        return not value if operator == "!" else None
    if not isinstance(value, int):
        return None
    result = {"-": -value, "+": value, "~": ~value}.get(operator)
    return None if result is None else _in_type(result, ty)


def fold_binary(operator: str, left: Value, right: Value, ty: Ty, right_ty: Ty) -> Value | None:
    """The value of `left operator right`, of type `ty`. Raises: FoldError, where the spec says that there is none."""
    if operator in ("==", "!="):
        return None if _undecided(left, right) else (left == right) == (operator == "==")
    if isinstance(left, bool) and isinstance(right, bool):
        return {"&&": left and right, "||": left or right}.get(operator)
    if isinstance(left, str) and isinstance(right, str):
        return left + right if operator == "++" else None
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    if operator in ("<", "<=", ">", ">="):
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator]
    if operator == "++":
        return _concatenate(left, right, ty, right_ty)
    return _in_type(_arithmetic(operator, left, right, ty), ty)


def _undecided(left: Value, right: Value) -> bool:
    return type(left) is not type(right)


def _concatenate(left: int, right: int, ty: Ty, right_ty: Ty) -> int | None:
    if not isinstance(ty, t.Bit) or not isinstance(right_ty, t.Bit):
        return None
    return wrap((left << right_ty.width) | (right & ((1 << right_ty.width) - 1)), ty)


def _in_type(value: int, ty: Ty) -> int:
    if isinstance(ty, t.Bit):
        return wrap(value, ty)
    if value.bit_length() > MAX_VALUE_BITS:
        raise FoldError("the value of this constant expression is too large")
    return value


def _arithmetic(operator: str, left: int, right: int, ty: Ty) -> int:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" | "%":
            return _divide(operator, left, right)
        case "|+|":
            return saturate(left + right, ty) if isinstance(ty, t.Bit) else left + right
        case "|-|":
            return saturate(left - right, ty) if isinstance(ty, t.Bit) else left - right
        case "<<" | ">>":
            return _shift(operator, left, right, ty)
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case _:
            raise FoldError(f"operator {operator} has no compile-time value")


def _divide(operator: str, left: int, right: int) -> int:
    word = "division" if operator == "/" else "modulo"
    if right == 0:
        raise FoldError(f"{word} by zero")
    if left < 0 or right < 0:
        raise FoldError(f"{word} is not defined for negative numbers")
    return left // right if operator == "/" else left % right


def _shift(operator: str, left: int, right: int, ty: Ty) -> int:
    if right < 0:
        raise FoldError("shift by a negative amount")
    if operator == ">>":
        return left >> min(right, max(left.bit_length(), 1))
    if isinstance(ty, t.Bit):
        return 0 if right >= ty.width else left << right
    if left and left.bit_length() + right > MAX_VALUE_BITS:
        raise FoldError("the value of this shift is too large")
    return left << right if left else 0


def slice_value(value: int, high: int, low: int) -> int:
    return (value >> low) & ((1 << (high - low + 1)) - 1)


def convert(value: Value, ty: Ty) -> Value | None:
    """A value cast to a type; None when the cast has no compile-time value here."""
    match ty:
        case t.Bit():
            return wrap(int(value), ty) if isinstance(value, int) else None
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
