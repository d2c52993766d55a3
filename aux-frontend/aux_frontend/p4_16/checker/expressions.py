"""Expressions: each gets its type, and its value when it is known at compile time (P4-16 spec 8).

`check` infers and converts to the wanted type. Literals, names, lists and casts are here, other kinds in modules of their own.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import casts, typerefs, walk
from aux_frontend.p4_16.checker.constants import bits, convert
from aux_frontend.p4_16.checker.scope import OVERLOADABLE, TYPE_DECLARATIONS, Scope, suggestion
from aux_frontend.p4_16.checker.state import UNKNOWN, Record, State, Symbol, TypeRule
from aux_frontend.p4_16.checker.typeops import BOOL, INT, STRING, show
from aux_frontend.p4_16.types import Ty
from transpiler.hlir.arithmetic import wrap

_COMPILE_TIME = t.Extern | t.ParserType | t.ControlType | t.PackageType | t.Integer | t.String


def check(st: State, e: ast.Expression, wanted: Ty, what: str = "") -> bool:
    """Infer, and convert to `wanted`; False when that was an error (already reported)."""
    found = walk.infer(st, e, wanted)
    return casts.coerce(st, e, found, wanted, what)


def check_static(st: State, e: ast.Expression, wanted: Ty, what: str) -> bool:
    """The same for what must be known at compile time."""
    before = st.errors
    good = check(st, e, wanted, what)
    if good and st.errors == before and not is_static(st, e):
        st.error(e, f"{what} must be known at compile time")
        return False
    return good


def is_static(st: State, e: ast.Expression) -> bool:
    return e in st.static


def _int_literal(st: State, e: ast.IntLiteral, hint: Ty | None) -> Ty:
    if e.width is None:
        st.set_value(e, e.value)
        return INT
    ty = t.Bit(e.width, e.signed)
    if e.signed and e.width == 0:
        return st.error(e, "the width of int<> must be at least 1")
    if e.width > typerefs.MAX_WIDTH_BITS:
        return st.error(e, f"a width of {e.width} is more than the supported {typerefs.MAX_WIDTH_BITS}")
    if e.value >= 1 << e.width:
        casts.warn_overflow(st, e, e.value, ty)
    st.set_value(e, wrap(e.value, bits(ty)))
    return ty


def _bool_literal(st: State, e: ast.BoolLiteral, hint: Ty | None) -> Ty:
    st.set_value(e, e.value)
    return BOOL


def _string_literal(st: State, e: ast.StringLiteral, hint: Ty | None) -> Ty:
    st.set_value(e, e.value)
    return STRING


def _path(st: State, e: ast.Path, hint: Ty | None) -> Ty:
    st.last_span = e.span
    scope = st.scope.root() if e.absolute else st.scope
    found = scope.find(e.name, types=False)
    if not found:
        if e.name in st.match_kind_declarations:
            st.set_value(e, Symbol("match_kind", e.name))
            return t.MatchKind()
        types = scope.find(e.name)
        if types:
            return st.error(e, f"'{e.name}' is a type, not a value", (types[0], "declared here"))
        return st.undeclared(e, e.name, f"'{e.name}'", _near(scope, e.name))
    declaration = found[-1]
    st.checked.declarations[e] = declaration
    st.used.update(found)
    if isinstance(declaration, OVERLOADABLE):
        return t.Callable(tuple(found))
    if declaration in st.open_declarations:
        return st.error(e, f"'{e.name}' is used inside its own declaration")
    if declaration in st.values:
        st.set_value(e, st.values[declaration])
    elif isinstance(declaration, ast.ConstDeclaration | ast.Instantiation) or declaration in st.constructor_parameters:
        st.static.add(e)
    ty = st.value_types.get(declaration, UNKNOWN)
    if isinstance(declaration, ast.Parameter) and isinstance(ty, _COMPILE_TIME):
        st.static.add(e)
    return ty


def _near(scope: Scope, name: str) -> str:
    """A declared value of a similar name, else a type."""
    return suggestion(name, scope.visible(types=False)) or suggestion(name, scope.visible(types=True))


def named_type(st: State, e: ast.Expression) -> Ty | None:
    """The type that an expression names (E in E.member), None when it is a value. Generic ones come without arguments."""
    if isinstance(e, ast.TypeExpression):
        ty = typerefs.resolve(st, e.type, open_arguments=True)
        st.checked.types[e] = ty
        return ty
    if not isinstance(e, ast.Path):
        return None
    scope = st.scope.root() if e.absolute else st.scope
    found = scope.find(e.name)
    if not found or not isinstance(found[-1], TYPE_DECLARATIONS):
        return None
    st.checked.declarations[e] = found[-1]
    st.used.add(found[-1])
    if found[-1] in st.open_declarations:
        st.error(e, f"'{e.name}' is used inside its own declaration")
        return UNKNOWN
    ty = st.named_types.get(found[-1], UNKNOWN)
    st.checked.types[e] = ty
    return ty


def _type_expression(st: State, e: ast.TypeExpression, hint: Ty | None) -> Ty:
    ty = typerefs.resolve(st, e.type, open_arguments=True)
    return st.error(e, f"{show(ty)} is a type, not a value") if not isinstance(ty, t.Unknown) else ty


def _this(st: State, e: ast.This, hint: Ty | None) -> Ty:
    owner = st.context.owner
    scope = st.scope.find("this", types=False)
    if scope:
        st.static.add(e)
        return st.value_types.get(scope[-1], UNKNOWN)
    return st.error(
        e, "'this' is only for the methods of an extern instance", *(((owner, "inside this"),) if owner else ())
    )


def _cast(st: State, e: ast.CastExpression, hint: Ty | None) -> Ty:
    target = typerefs.resolve(st, e.type)
    found = walk.infer(st, e.operand, target)
    if isinstance(target, t.Unknown):
        return target
    if isinstance(found, t.Unknown):
        return target
    if not casts.explicit(st, e, found, target):
        return target
    if e.operand in st.static:
        st.static.add(e)
    value = st.value(e.operand)
    if value is not None:
        converted = convert(value, target)
        if converted is not None:
            st.set_value(e, converted)
    return target


def _list(st: State, e: ast.ListExpression, hint: Ty | None) -> Ty:
    hints = _item_hints(hint, len(e.items))
    types = tuple(walk.infer(st, item, h) for item, h in zip(e.items, hints, strict=True))
    if any(isinstance(ty, t.Unknown) for ty in types):
        return UNKNOWN
    for item, ty in zip(e.items, types, strict=True):
        if isinstance(ty, t.Callable | t.Table | t.Void):
            return st.error(item, f"{show(ty)} cannot be an element of a list")
    if e.dots and hint is None:
        return st.error(e, "the type that '...' stands for is not known here")
    _fold_items(st, e, list(e.items), None)
    return t.Tuple(types)


def _fold_items(st: State, e: ast.Expression, items: list[ast.Expression], names: tuple[str, ...] | None) -> None:
    if all(item in st.static for item in items):
        st.static.add(e)
    values = [st.value(item) for item in items]
    known = tuple(v for v in values if v is not None)
    if len(known) == len(values):
        st.set_value(e, Record(known, names))


def _item_hints(hint: Ty | None, count: int) -> list[Ty | None]:
    parts: list[Ty | None]
    match hint:
        case t.Struct() | t.Header():
            parts = [f for _, f in hint.fields]
        case t.Tuple():
            parts = list(hint.elements)
        case t.List() | t.Stack():
            parts = [hint.element] * count
        case _:
            parts = []
    return (parts + [None] * count)[:count]


def _structure(st: State, e: ast.StructExpression, hint: Ty | None) -> Ty:
    wanted: dict[str, Ty] = dict(hint.fields) if isinstance(hint, t.Struct | t.Header) else {}
    fields: dict[str, Ty] = {}
    good = True
    for entry in e.fields:
        if entry.name in fields:
            st.error(entry, f"field '{entry.name}' is given twice")
            good = False
        fields[entry.name] = walk.infer(st, entry.value, wanted.get(entry.name))
        good &= not isinstance(fields[entry.name], t.Unknown)
    if e.dots and hint is None:
        return st.error(e, "the type that '...' stands for is not known here")
    if not good:
        return UNKNOWN
    _fold_items(st, e, [f.value for f in e.fields], tuple(f.name for f in e.fields))
    return t.Struct(None, (), tuple(fields.items()))


def _invalid(st: State, e: ast.InvalidExpression, hint: Ty | None) -> Ty:
    st.static.add(e)
    if isinstance(hint, t.Header | t.HeaderUnion):
        return hint
    if hint is None or isinstance(hint, t.Unsolved):
        return t.Struct(None, (), ())  # a comparison's other side gives it its type
    if isinstance(hint, t.Unknown):
        return UNKNOWN
    return st.error(e, f"{{#}} is an invalid header or header union, not {show(hint)}")


def _default(st: State, e: ast.DefaultExpression, hint: Ty | None) -> Ty:
    if not e.dots:
        return st.error(e, "'default' is only for select cases, switch labels and key sets")
    if hint is None:
        return st.error(e, "the type that '...' stands for is not known here")
    st.static.add(e)
    return hint


def _dont_care(st: State, e: ast.DontCare, hint: Ty | None) -> Ty:
    return st.error(e, "'_' is not a value here")


def _select(st: State, e: ast.SelectExpression, hint: Ty | None) -> Ty:
    return st.error(e, "'select' is only for the transition of a parser state")


RULES: dict[type, TypeRule] = {
    ast.IntLiteral: _int_literal,
    ast.BoolLiteral: _bool_literal,
    ast.StringLiteral: _string_literal,
    ast.Path: _path,
    ast.TypeExpression: _type_expression,
    ast.This: _this,
    ast.CastExpression: _cast,
    ast.ListExpression: _list,
    ast.StructExpression: _structure,
    ast.InvalidExpression: _invalid,
    ast.DefaultExpression: _default,
    ast.DontCare: _dont_care,
    ast.SelectExpression: _select,
}


def assignable_type(ty: Ty) -> bool:
    """Whether values of the type can be copied by an assignment."""
    return not isinstance(
        ty,
        t.Table | t.Callable | t.Extern | t.ParserType | t.ControlType | t.PackageType | t.ValueSet | t.Void | t.Set
        | t.ApplyResult | t.ActionEnum | t.String | t.Integer,
    )  # fmt: skip
