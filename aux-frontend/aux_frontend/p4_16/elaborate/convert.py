"""Values to the type that is asked for: explicit and implicit casts, lists and structures to structs and headers,
`...` and `{#}`. P4-16 spec 1.2.5 sections 8.11 (casts), 8.12 to 8.15 (initializers), 8.26 (defaults).
"""

from __future__ import annotations

from aux_frontend.p4_16 import types as ty
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import fold, layout, values as va
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits, Bool, Enum, String, Type, Varbit


def convert(unit: Unit, value: va.Value, type_: ty.Ty, span: Span) -> va.Value:
    """The value as one of `type_`; the value itself where it is of that type already."""
    target = layout.stripped(type_)
    if isinstance(value, va.DefaultValue):
        return default(unit, target, span)
    match target:
        case ty.Struct() | ty.Tuple():
            return _to_struct(unit, value, target, span)
        case ty.Header():
            return _to_header(unit, value, target, span)
        case ty.HeaderUnion():
            if isinstance(value, va.InvalidValue):
                return default(unit, target, span)
            return value
        case ty.Stack():
            return _to_stack(unit, value, target, span)
        case ty.Set(element=element):
            return convert(unit, value, element, span)
        case ty.List(element=element) if isinstance(value, va.StructValue):
            items = tuple((n, convert(unit, v, element, span)) for n, v in value.fields)
            return va.StructValue(items, False)
        case ty.Integer() if isinstance(value, ex.Const) and isinstance(value.type, Bits):
            return va.IntValue(fold.number(value))
    scalar = layout.scalar_type(unit, target)
    if scalar is None or (isinstance(value, va.StructValue) and len(value.fields) != 1):
        return value
    if isinstance(value, va.StructValue):  # a list of one where a scalar is asked for
        return convert(unit, value.fields[0][1], target, span)
    return to_scalar(unit, value, scalar, span)


def to_scalar(unit: Unit, value: va.Value, type_: Type, span: Span) -> ex.Expression:
    """A scalar of an HLIR type."""
    if isinstance(value, va.IntValue):
        if isinstance(type_, Bits):
            return fold.bits(value.value, type_.width, span, type_.signed)
        if isinstance(type_, Bool):
            return fold.boolean(bool(value.value), span)
        raise unit.failure(span, f"a number where {type_} is needed")
    if not isinstance(value, va.EXPRESSIONS):
        raise unit.failure(span, f"a scalar ({type_}) is needed here")
    if value.type == type_ or isinstance(type_, Enum | String | Varbit):
        return value
    if not isinstance(value.type, Bits | Bool):
        raise unit.failure(span, f"{value.type} does not convert to {type_}")
    return fold.cast(value, type_, span)


def _to_struct(unit: Unit, value: va.Value, target: ty.Struct | ty.Tuple, span: Span) -> va.Value:
    if not isinstance(value, va.StructValue):
        return value
    given = dict(value.fields)
    by_name = value.named and isinstance(target, ty.Struct)
    sources = list(given.values())
    fields: list[tuple[str, va.Value]] = []
    for position, (name, field_type) in enumerate(layout.members(target)):
        if by_name and name in given:
            part = given[name]
        elif not by_name and position < len(sources):
            part = sources[position]
        else:
            part = va.DefaultValue()
        fields.append((name, convert(unit, part, field_type, span)))
    return va.StructValue(tuple(fields), isinstance(target, ty.Struct))


def _to_header(unit: Unit, value: va.Value, target: ty.Header, span: Span) -> va.Value:
    if isinstance(value, va.InvalidValue):
        return default(unit, target, span)
    if not isinstance(value, va.StructValue):
        return value
    shaped = _to_struct(unit, value, ty.Struct(None, (), target.fields), span)
    assert isinstance(shaped, va.StructValue)
    leaves = list(_flatten(shaped))
    names = [name for name, _ in layout.leaves(target)]
    return va.HeaderValue(target, fold.boolean(True, span), tuple(zip(names, leaves, strict=True)))


def _flatten(value: va.Value) -> list[ex.Expression]:
    if isinstance(value, va.StructValue):
        return [leaf for _, field in value.fields for leaf in _flatten(field)]
    assert isinstance(value, va.EXPRESSIONS)
    return [value]


def _to_stack(unit: Unit, value: va.Value, target: ty.Stack, span: Span) -> va.Value:
    if isinstance(value, va.InvalidValue):
        return default(unit, target, span)
    if not isinstance(value, va.StructValue):
        return value
    items: list[va.HeaderValue | va.UnionValue] = []
    for position in range(target.size):
        part = value.fields[position][1] if position < len(value.fields) else va.DefaultValue()
        element = convert(unit, part, target.element, span)
        assert isinstance(element, va.HeaderValue | va.UnionValue)
        items.append(element)
    return va.StackValue(target, tuple(items))


def default(unit: Unit, type_: ty.Ty, span: Span) -> va.Value:
    """The default value of a type: zeros, false, NoError, the first member of an enum, invalid headers."""
    target = layout.stripped(type_)
    match target:
        case ty.Struct() | ty.Tuple():
            fields = tuple((name, default(unit, t, span)) for name, t in layout.members(target))
            return va.StructValue(fields, isinstance(target, ty.Struct))
        case ty.Header():
            leaves = tuple((name, _zero(unit, leaf, span)) for name, leaf in layout.leaves(target))
            return va.HeaderValue(target, fold.boolean(False, span), leaves)
        case ty.HeaderUnion(fields=fields):
            members = []
            for name, member in fields:
                header = default(unit, member, span)
                assert isinstance(header, va.HeaderValue)
                members.append((name, header))
            return va.UnionValue(target, tuple(members))
        case ty.Stack():
            return _to_stack(unit, va.StructValue((), False), target, span)
        case ty.Integer():
            return va.IntValue(0)
    return _zero(unit, target, span)


def _zero(unit: Unit, type_: ty.Ty, span: Span) -> ex.Expression:
    scalar = layout.scalar_type(unit, type_)
    if scalar is None:
        raise unit.failure(span, f"{typeops.show(type_)} has no default value")
    if isinstance(scalar, String):
        return ex.Text("", span)
    return ex.Const(0, scalar, span)
