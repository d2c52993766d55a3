"""From P4-16 types to HLIR types, header layouts and storage.

A value of any type becomes scalar variables and headers whose names spell the path to them: `meta.key.port`,
`hdr.vlan[1]`. P4-16 spec 1.2.5 section 7.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from aux_frontend.p4_16 import types as ty
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import values as va
from aux_frontend.p4_16.elaborate.unit import MAX_STORAGE_LEAVES, Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr
from transpiler.hlir.types import Bits, Bool, Enum, Field, HeaderType, String, Type, Varbit

NEXT_BITS = Bits(32)


def scalar_type(unit: Unit, type_: ty.Ty) -> Type | None:
    """The HLIR type of a P4 scalar; None when it is an aggregate or has no run-time form."""
    match type_:
        case ty.Bit(width=width, signed=signed):
            return Bits(width, signed)
        case ty.Bool():
            return Bool()
        case ty.Varbit(width=width):
            return Varbit(width)
        case ty.Error():
            return unit.errors
        case ty.String():
            return String()
        case ty.Enum(underlying=None, declaration=declaration, members=members):
            return Enum(declaration.name, tuple(name for name, _ in members))
        case ty.Enum(underlying=underlying) | ty.NewType(underlying=underlying) if underlying is not None:
            return scalar_type(unit, underlying)
        case ty.Set(element=element):
            return scalar_type(unit, element)
    return None


def stripped(type_: ty.Ty) -> ty.Ty:
    """The type without `type` wrappers. An array of other things than headers is a tuple here: so it is kept."""
    while isinstance(type_, ty.NewType):
        type_ = type_.underlying
    if isinstance(type_, ty.Stack) and not isinstance(type_.element, ty.Header | ty.HeaderUnion):
        return ty.Tuple((type_.element,) * min(type_.size, MAX_STORAGE_LEAVES + 1))
    return type_


def members(type_: ty.Struct | ty.Tuple) -> tuple[tuple[str, ty.Ty], ...]:
    """Fields of a struct; those of a tuple are named by their position."""
    if isinstance(type_, ty.Struct):
        return type_.fields
    return tuple((str(i), element) for i, element in enumerate(type_.elements))


def leaves(type_: ty.Ty, prefix: str = "") -> Iterator[tuple[str, ty.Ty]]:
    """The scalar leaves of a header, of structs within it or of a struct of scalars: dotted name and type."""
    match type_:
        case ty.Header(fields=fields) | ty.Struct(fields=fields):
            for name, field in fields:
                yield from leaves(field, f"{prefix}.{name}" if prefix else name)
        case ty.Tuple():
            for name, field in members(type_):
                yield from leaves(field, f"{prefix}.{name}" if prefix else name)
        case ty.NewType() | ty.Stack() if stripped(type_) != type_:
            yield from leaves(stripped(type_), prefix)
        case _:
            yield prefix, type_


def stored_type(unit: Unit, type_: ty.Ty) -> Bits | Varbit:
    """How a header keeps a leaf: a bool in one bit, everything else as it is. Raises: TypeError on what cannot be there."""
    match scalar_type(unit, type_):
        case Bits() as bits:
            return bits
        case Varbit() as varbit:
            return varbit
        case Bool():
            return Bits(1)
    raise TypeError(f"{typeops.write(type_)} in a header")


def header_type(unit: Unit, type_: ty.Header) -> HeaderType:
    """The layout of a header type, registered in the program on first use. Zero-width fields take no room and are left out.
    Raises: Failure on a field that is too wide, and on a second varbit field: no packet can be extracted to it (spec 13.8.2)."""
    name = mangled(type_)
    known = unit.header_types.get(name)
    if known is None:
        span = type_.declaration.span
        spans = {field.name: field.span for field in type_.declaration.fields}
        fields = tuple(
            Field(leaf, stored, spans.get(leaf.partition(".")[0], span))
            for leaf, leaf_type in leaves(type_)
            if (stored := stored_type(unit, leaf_type)) and _width(stored)
        )
        for field in fields:
            unit.limit_width(field.type, field.span)
        if len(varbits := [field for field in fields if isinstance(field.type, Varbit)]) > 1:
            raise unit.failure(
                varbits[1].span, f"a second varbit field in a header ('{varbits[1].name}') is not supported"
            )
        known = unit.header_types[name] = HeaderType(name, fields, span)
    return known


def _width(stored: Bits | Varbit) -> int:
    return stored.width if isinstance(stored, Bits) else stored.max_width


def mangled(type_: ty.Ty) -> str:
    """A type's name as an identifier: `H` or, specialised, `H_bit_8`."""
    text = typeops.write(type_)
    return "".join(c if c.isalnum() or c == "_" else "_" for c in text.replace(", ", "_").replace(">", ""))


# --- storage ---------------------------------------------------------------------------------------------------------


def allocate(unit: Unit, name: str, type_: ty.Ty, storage: pr.Storage, span: Span) -> va.Location:
    """Storage for a value of any type under a name. Reports and raises through `unit` what cannot be stored."""
    local = storage in (pr.Storage.LOCAL, pr.Storage.ACTION_DATA)
    match stripped(type_):
        case ty.Struct() | ty.Tuple() as struct:
            unit.charge(len(members(struct)), span)
            return va.StructLocation(
                tuple((f, allocate(unit, f"{name}.{f}", field, storage, span)) for f, field in members(struct))
            )
        case ty.List(element=_):
            raise unit.failure(span, "a list cannot be kept at run time")
        case ty.Header() as header:
            return va.HeaderLocation(header, ex.HeaderRef(_header(unit, name, header, local, span), span))
        case ty.HeaderUnion() as union:
            names = {m: _header(unit, f"{name}.{m}", t, local, span) for m, t in _union_members(union)}
            return union_location(union, {m: ex.HeaderRef(n, span) for m, n in names.items()})
        case ty.Stack() as stack:
            return _allocate_stack(unit, name, stack, storage, span)
    scalar = scalar_type(unit, type_)
    if scalar is None or isinstance(scalar, String):
        raise unit.failure(span, f"{typeops.show(type_)} has no run-time value")
    return va.ScalarLocation(ex.VariableRef(unit.add_variable(name, scalar, storage, span), span), scalar, scalar)


def _header(unit: Unit, name: str, type_: ty.Header, local: bool, span: Span) -> str:
    return unit.add_header(name, header_type(unit, type_).name, local, span)


def _union_members(union: ty.HeaderUnion) -> Iterator[tuple[str, ty.Header]]:
    for name, member in union.fields:
        if isinstance(member, ty.Header):
            yield name, member


def union_location(union: ty.HeaderUnion, places: dict[str, ex.HeaderPlace]) -> va.UnionLocation:
    """The location of a union whose members are at the given places."""
    return va.UnionLocation(
        union,
        tuple(
            (name, va.HeaderLocation(type_, places[name], tuple(p for n, p in places.items() if n != name)))
            for name, type_ in _union_members(union)
        ),
    )


def _allocate_stack(unit: Unit, name: str, stack: ty.Stack, storage: pr.Storage, span: Span) -> va.StackLocation:
    local = storage in (pr.Storage.LOCAL, pr.Storage.ACTION_DATA)
    element = stack.element
    name = unit.reserve_stack_name(name)
    unit.charge(stack.size, span)
    match element:
        case ty.Header():
            unit.add_stack(name, header_type(unit, element).name, stack.size, local, span)
        case ty.HeaderUnion():
            for member, type_ in _union_members(element):
                unit.add_stack(f"{name}.{member}", header_type(unit, type_).name, stack.size, local, span)
        case _:
            raise AssertionError("a stack is of headers or unions")
    next_index = None
    if unit.uses_next(element):
        next_index = ex.VariableRef(unit.add_variable(f"{name}.nextIndex", NEXT_BITS, storage, span), span)
    return va.StackLocation(stack, name, next_index)


def element_location(stack: va.StackLocation, index: ex.Expression, span: Span) -> va.HeaderLocation | va.UnionLocation:
    """One element of a stack, by constant or run-time index."""

    def place(name: str) -> ex.HeaderPlace:
        if isinstance(index, ex.Const) and index.value < stack.type.size:
            return ex.HeaderRef(f"{name}[{index.value}]", span)
        return ex.ElementRef(name, index, span)

    element = stack.type.element
    if isinstance(element, ty.HeaderUnion):
        return union_location(element, {m: place(f"{stack.name}.{m}") for m, _ in _union_members(element)})
    assert isinstance(element, ty.Header)
    return va.HeaderLocation(element, place(stack.name))
