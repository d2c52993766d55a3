"""Member access, indexing and slices: P4-16 spec 8.4 (enums, errors), 8.6.1 (slices), 8.16 to 8.20."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import expressions, walk
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.state import UNKNOWN, Place, Record, State, Symbol
from aux_frontend.p4_16.checker.typeops import BOOL, field_type, show, write
from aux_frontend.p4_16.types import Ty
from transpiler.hlir.arithmetic import bits_of

SIZE_METHODS = ("minSizeInBits", "minSizeInBytes", "maxSizeInBits", "maxSizeInBytes")
_LAST_INDEX = t.Bit(32)
_CURSOR = ("next", "last", "lastIndex")


def is_header_stack(ty: t.Stack) -> bool:
    return isinstance(ty.element, t.Header | t.HeaderUnion | t.TypeVariable | t.Unknown)


def member(st: State, e: ast.Member, hint: Ty | None) -> Ty:
    of_type = expressions.named_type(st, e.base)
    if of_type is not None:
        return _type_member(st, e, of_type)
    base = walk.infer(st, e.base)
    match base:
        case t.Unknown():
            return UNKNOWN
        case t.Header() | t.HeaderUnion() | t.Struct():
            return _field(st, e, base)
        case t.Stack():
            return _stack_member(st, e, base)
        case t.ApplyResult():
            return _apply_result(st, e, base)
        case t.Table():
            return st.error(e, f"'{e.name}' is not a method of a table, only 'apply' is")
        case t.Bit() | t.Bool() | t.Enum() | t.Error() | t.Varbit() | t.Integer() | t.Tuple() | t.NewType():
            return st.error(e, f"{show(base)} has no field '{e.name}'")
        case t.Extern():
            names = [m.name for m in base.declaration.methods]
            if e.name in names:
                return st.error(e, f"'{e.name}' is a method of {show(base)}, it can only be called")
            return st.error(e, f"{show(base)} has no method '{e.name}'{suggestion(e.name, names)}")
        case _:
            return st.error(e, f"{show(base)} has no member '{e.name}'")


def _type_member(st: State, e: ast.Member, of_type: Ty) -> Ty:
    match of_type:
        case t.Unknown():
            return UNKNOWN
        case t.Error():
            if e.name not in st.error_declarations:
                return st.error(e, f"error '{e.name}' is not declared{suggestion(e.name, list(st.error_declarations))}")
            st.set_value(e, Symbol("error", e.name))
            return of_type
        case t.MatchKind():
            if e.name not in st.match_kind_declarations:
                near = suggestion(e.name, list(st.match_kind_declarations))
                return st.error(e, f"match kind '{e.name}' is not declared{near}")
            st.set_value(e, Symbol("match_kind", e.name))
            return of_type
        case t.Enum():
            return _enum_member(st, e, of_type)
        case _:
            return st.error(e, f"type {show(of_type)} has no member '{e.name}'")


def _enum_member(st: State, e: ast.Member, ty: t.Enum) -> Ty:
    values = dict(ty.members)
    if e.name not in values:
        message = f"'{e.name}' is not a member of {show(ty)}{suggestion(e.name, list(values))}"
        return st.error(e, message, (ty.declaration, "declared here"))
    value = values[e.name]
    if ty.underlying is None:
        st.set_value(e, Symbol(ty.declaration.name, e.name))
    elif value is not None:
        st.set_value(e, value)
    return ty


def _field(st: State, e: ast.Member, base: t.Header | t.HeaderUnion | t.Struct) -> Ty:
    ty = field_type(base, e.name)
    if ty is None:
        names = [name for name, _ in base.fields]
        notes = () if base.declaration is None else ((base.declaration, "declared here"),)
        if e.name in ("isValid", "setValid", "setInvalid"):
            return st.error(e, f"'{e.name}' is a method, it can only be called: {e.name}()")
        return st.error(e, f"'{e.name}' is not a field of {show(base)}{suggestion(e.name, names)}", *notes)
    if e.base in st.static:
        st.static.add(e)
        value = st.value(e.base)
        if isinstance(value, Record) and value.names is not None and e.name in value.names:
            st.set_value(e, value.items[value.names.index(e.name)])
    return ty


def _stack_member(st: State, e: ast.Member, base: t.Stack) -> Ty:
    if e.name in (*_CURSOR, "push_front", "pop_front") and not is_header_stack(base):
        return st.error(e, f"{show(base)} has no '{e.name}', it is not a header stack")
    if e.name in _CURSOR:
        if st.context.place is not Place.STATE and not (e.name == "lastIndex" and st.context.place is Place.FUNCTION):
            return st.error(e, f"'{e.name}' of a header stack is only for parsers")
        return _LAST_INDEX if e.name == "lastIndex" else base.element
    if e.name == "size":
        st.set_value(e, base.size)
        return _LAST_INDEX
    near = suggestion(e.name, ["next", "last", "lastIndex", "size", "push_front", "pop_front"])
    return st.error(e, f"a header stack has no member '{e.name}'{near}")


def _apply_result(st: State, e: ast.Member, base: t.ApplyResult) -> Ty:
    if e.name in ("hit", "miss"):
        return BOOL
    if e.name == "action_run":
        if st.switch_subject is not e:
            return st.error(e, "'action_run' can only be the subject of a switch statement")
        return t.ActionEnum(base.declaration)
    near = suggestion(e.name, ["hit", "miss", "action_run"])
    return st.error(e, f"the result of a table's apply has no member '{e.name}'{near}")


def index(st: State, e: ast.Index, hint: Ty | None) -> Ty:
    base = walk.infer(st, e.base)
    position = walk.infer(st, e.index)
    if isinstance(base, t.Unknown) or isinstance(position, t.Unknown):
        return base.element if isinstance(base, t.Stack) else UNKNOWN
    if not isinstance(base, t.Stack | t.Tuple):
        return st.error(e, f"{show(base)} cannot be indexed")
    if isinstance(position, t.Enum) and position.underlying is not None:
        st.checked.casts[e.index] = position.underlying
    elif not isinstance(position, t.Bit | t.Integer):
        return st.error(e.index, f"an index must be a number, not {show(position)}")
    value = st.int_value(e.index)
    size = base.size if isinstance(base, t.Stack) else len(base.elements)
    if value is not None and not 0 <= value < size:
        return st.error(e.index, f"index {value} is outside {show(base)}, which has {size} elements")
    if isinstance(base, t.Stack):
        if isinstance(position, t.Integer) and value is None and e.index not in st.static:
            return st.error(e.index, "an index of type 'int' must be known at compile time")
        return base.element
    return _tuple_element(st, e, base, value)


def _tuple_element(st: State, e: ast.Index, base: t.Tuple, value: int | None) -> Ty:
    if value is None:
        return st.error(e.index, "the index of a tuple must be a compile-time constant")
    if e.base in st.static:
        st.static.add(e)
        whole = st.value(e.base)
        if isinstance(whole, Record):
            st.set_value(e, whole.items[value])
    return base.elements[value]


def bit_slice(st: State, e: ast.SliceExpression, hint: Ty | None) -> Ty:
    """base[high:low]; base[low +: width]."""
    base = walk.infer(st, e.base)
    if isinstance(base, t.Enum) and base.underlying is not None:
        st.checked.casts[e.base] = base.underlying
        base = base.underlying
    if e.plus and (part := _moving_slice(st, e, base)) is not None:
        return part
    first, second = _bound(st, e.high), _bound(st, e.low)
    if isinstance(base, t.Unknown):
        return UNKNOWN
    if not isinstance(base, t.Bit | t.Integer):
        return st.error(e, f"{show(base)} cannot be sliced, only numbers can")
    if first is None or second is None:
        return UNKNOWN
    high, low = (first + second - 1, first) if e.plus else (first, second)
    if high < low:
        return st.error(e, f"the slice [{high}:{low}] is empty: its left bound is less than its right one")
    if isinstance(base, t.Bit) and high >= base.width:
        return st.error(e.high, f"bit {high} is outside {write(base)}")
    if e.base in st.static:
        st.static.add(e)
        value = st.int_value(e.base)
        if value is not None:
            st.set_value(e, bits_of(value, high, low))
    return t.Bit(high - low + 1)


def _moving_slice(st: State, e: ast.SliceExpression, base: Ty) -> Ty | None:
    """base[start +: width] where the start is only known at run time; None when it is known."""
    start = walk.infer(st, e.high)
    if st.int_value(e.high) is not None or not isinstance(start, t.Bit) or start.signed or not isinstance(base, t.Bit):
        return None
    width = _bound(st, e.low)
    if width is None:
        return UNKNOWN
    if not 0 < width <= base.width:
        return st.error(e.low, f"a slice of {width} bits cannot be taken from {write(base)}")
    return t.Bit(width)


def _bound(st: State, bound: ast.Expression) -> int | None:
    ty = walk.infer(st, bound)
    if isinstance(ty, t.Unknown):
        return None
    if not isinstance(ty, t.Bit | t.Integer | t.Enum) or (isinstance(ty, t.Enum) and ty.underlying is None):
        st.error(bound, f"a bound of a slice must be a number, not {show(ty)}")
        return None
    value = st.int_value(bound)
    if value is None:
        st.error(bound, "a bound of a slice must be known at compile time")
    elif value < 0 or value > 1 << 20:
        st.error(bound, f"{'negative' if value < 0 else 'too large'} bound of a slice")
    else:
        return value
    return None
