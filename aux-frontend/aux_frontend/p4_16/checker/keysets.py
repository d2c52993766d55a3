"""Key sets: the labels of select and of table entries (P4-16 spec 8.15, 13.6, 14.2.1.4)."""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import casts, walk
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.typeops import same, show, write
from aux_frontend.p4_16.types import Ty


def check(st: State, keyset: ast.Expression, keys: Sequence[Ty]) -> bool:
    """Check a key set against the types of the keys; False when an error was reported."""
    before = st.errors
    whole = keys[0] if len(keys) == 1 else t.Tuple(tuple(keys))
    if isinstance(keyset, ast.DefaultExpression | ast.DontCare):
        st.checked.types[keyset] = t.Set(whole)
        st.static.add(keyset)
    elif _value_set(st, keyset) is not None:
        _check_value_set(st, keyset, keys)
    elif isinstance(keyset, ast.ListExpression) and not (len(keys) == 1 and _is_structured(keys[0])):
        _each(st, keyset, keys)
    elif len(keys) == 1:
        element(st, keyset, keys[0])
    else:
        found = walk.infer(st, keyset, whole)
        if not isinstance(found, t.Unknown) and not same(found, whole):
            st.error(keyset, f"{len(keys)} keys need {len(keys)} key sets in parentheses: (…, …)")
    return st.errors == before


def _is_structured(ty: Ty) -> bool:
    return isinstance(ty, t.Tuple | t.Struct | t.Header)


def _each(st: State, keyset: ast.ListExpression, keys: Sequence[Ty]) -> None:
    if len(keyset.items) != len(keys):
        plural = "" if len(keys) == 1 else "s"
        st.error(
            keyset, f"{len(keys)} key{plural}, but {len(keyset.items)} key set{'' if len(keyset.items) == 1 else 's'}"
        )
        for item in keyset.items:
            element(st, item, UNKNOWN)
    else:
        for item, ty in zip(keyset.items, keys, strict=True):
            element(st, item, ty)
    st.checked.types[keyset] = t.Set(t.Tuple(tuple(keys)))
    if all(item in st.static for item in keyset.items):
        st.static.add(keyset)


def element(st: State, e: ast.Expression, key: Ty) -> None:
    """One key set for one key of type `key`."""
    match e:
        case ast.DefaultExpression() | ast.DontCare():
            st.checked.types[e] = t.Set(key)
            st.static.add(e)
        case ast.MaskExpression():
            _pair(st, e, e.value, e.mask, key, "&&&")
        case ast.RangeExpression():
            _pair(st, e, e.low, e.high, key, "..")
            low, high = st.int_value(e.low), st.int_value(e.high)
            if low is not None and high is not None and low > high:
                st.warn(e, "empty", f"the range {low}..{high} is empty")
        case _ if _value_set(st, e) is not None:
            _check_value_set(st, e, (key,))
        case _:
            found = walk.infer(st, e, key)
            casts.coerce(st, e, found, key, "key set")


def _pair(st: State, e: ast.Expression, first: ast.Expression, second: ast.Expression, key: Ty, operator: str) -> None:
    number = key.underlying if isinstance(key, t.Enum) and key.underlying is not None else key
    bits = number.underlying if isinstance(number, t.NewType) else number
    if not isinstance(bits, t.Bit | t.Unknown):
        st.error(e, f"operator {operator} is for numbers, the key is {show(key)}")
        number = UNKNOWN
    types = [walk.infer(st, part, number) for part in (first, second)]
    for part, found in zip((first, second), types, strict=True):
        if isinstance(bits, t.Bit) and not isinstance(found, t.Bit | t.Integer | t.Enum | t.NewType | t.Unknown):
            st.error(part, f"operator {operator} is for numbers, not {show(found)}")
        else:
            casts.coerce(st, part, found, number, "key set")
    st.checked.types[e] = t.Set(key)
    for part, found in zip((first, second), types, strict=True):
        if part not in st.static and not isinstance(found, t.Unknown):
            st.error(part, f"the operands of {operator} must be known at compile time")
    st.static.add(e)


def _value_set(st: State, e: ast.Expression) -> ast.ValueSetDeclaration | None:
    if not isinstance(e, ast.Path):
        return None
    found = st.scope.find(e.name, types=False)
    return found[-1] if found and isinstance(found[-1], ast.ValueSetDeclaration) else None


def _check_value_set(st: State, e: ast.Expression, keys: Sequence[Ty]) -> None:
    ty = walk.infer(st, e)
    if not isinstance(ty, t.ValueSet) or any(isinstance(leaf, t.Unknown) for leaf in _leaves(ty.element)):
        return
    whole = len(keys) == 1 and same(ty.element, keys[0])
    fits = whole or any(
        len(parts) == len(keys)
        and all(same(a, b) or casts.implicitly(st, b, a) for a, b in zip(parts, keys, strict=True))
        for parts in (_parts(ty.element), _leaves(ty.element))
    )
    if not fits:
        wanted = write(keys[0]) if len(keys) == 1 else ", ".join(map(write, keys))
        st.error(e, f"value set of '{write(ty.element)}' where the keys are '{wanted}'")


def _parts(ty: Ty) -> tuple[Ty, ...]:
    match ty:
        case t.Struct() | t.Header():
            return tuple(f for _, f in ty.fields)
        case t.Tuple():
            return ty.elements
        case _:
            return (ty,)


def _leaves(ty: Ty) -> tuple[Ty, ...]:
    parts = _parts(ty)
    return parts if parts == (ty,) else tuple(leaf for part in parts for leaf in _leaves(part))


def set_type(st: State, e: ast.MaskExpression | ast.RangeExpression, hint: Ty | None) -> Ty:
    """A set expression where a value is wanted."""
    operator = "&&&" if isinstance(e, ast.MaskExpression) else ".."
    return st.error(e, f"operator {operator} makes a set, which can only be used in select cases and table entries")
