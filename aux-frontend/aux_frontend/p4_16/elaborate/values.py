"""What P4 expressions and l-values denote while a program is elaborated.

A *value* is a run-time scalar (an HLIR expression), an aggregate of values, or something known at compile time only.
A *location* is the flattened storage behind an l-value. Names bind to either, or to an object (`objects.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aux_frontend.p4_16 import types as ty
from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Type

_frozen = dataclass(frozen=True, slots=True)

# --- values ----------------------------------------------------------------------------------------------------------


@_frozen
class IntValue:
    """A number of type int: arbitrary precision, compile time only."""

    value: int


@_frozen
class DefaultValue:
    """`...`: the default value of whatever type is asked for."""


@_frozen
class InvalidValue:
    """`{#}`: an invalid header or union of whatever type is asked for."""


@_frozen
class StructValue:
    """A struct, a tuple or a list: names are "0", "1" … for the latter two. `open`: ends in `...`."""

    fields: tuple[tuple[str, Value], ...]
    named: bool
    open: bool = False

    def get(self, name: str) -> Value:
        """The value of that field. Raises: KeyError."""
        return dict(self.fields)[name]


@_frozen
class HeaderValue:
    """A header. `fields` are its leaves in order; `place` is where the whole of it was read from, if it was."""

    type: ty.Header
    valid: ex.Expression
    fields: tuple[tuple[str, ex.Expression], ...]
    place: ex.HeaderPlace | None = None


@_frozen
class UnionValue:
    type: ty.HeaderUnion
    members: tuple[tuple[str, HeaderValue], ...]


@_frozen
class StackValue:
    type: ty.Stack
    elements: tuple[HeaderValue | UnionValue, ...]
    next_index: ex.Expression | None = None


Value = ex.Expression | IntValue | DefaultValue | InvalidValue | StructValue | HeaderValue | UnionValue | StackValue

EXPRESSIONS = (
    ex.Const, ex.Text, ex.Read, ex.IsValid, ex.Unary, ex.Binary, ex.Conditional, ex.Slice, ex.Cast, ex.ListExpression,
)  # fmt: skip

# --- locations -------------------------------------------------------------------------------------------------------


@_frozen
class ScalarLocation:
    """One variable or field. `type` is that of its value, `stored` that of the storage (a bool in a header: bit<1>)."""

    place: ex.Place
    type: Type
    stored: Type


@_frozen
class SliceLocation:
    """Bits high..low of a scalar."""

    base: ScalarLocation
    high: int
    low: int


@_frozen
class ShiftedLocation:
    """`width` bits of a scalar from a position that is known at run time only."""

    base: ScalarLocation
    amount: ex.Expression
    width: int


@_frozen
class StructLocation:
    """A struct or tuple (names "0", "1" …)."""

    fields: tuple[tuple[str, Location], ...]

    def get(self, name: str) -> Location:
        """The location of that field. Raises: KeyError."""
        return dict(self.fields)[name]


@_frozen
class HeaderLocation:
    """A header. `siblings`: the other members of its union, which become invalid when it becomes valid."""

    type: ty.Header
    place: ex.HeaderPlace
    siblings: tuple[ex.HeaderPlace, ...] = ()


@_frozen
class UnionLocation:
    type: ty.HeaderUnion
    members: tuple[tuple[str, HeaderLocation], ...]

    def get(self, name: str) -> HeaderLocation:
        """The location of that member. Raises: KeyError."""
        return dict(self.members)[name]


@_frozen
class StackLocation:
    """A stack. A stack of unions is one HLIR stack per member, `name.member`; they share the next index."""

    type: ty.Stack
    name: str
    next_index: ex.VariableRef | None


@_frozen
class Ignored:
    """The target of an `_` argument: nothing is kept."""


Location = (
    ScalarLocation | SliceLocation | ShiftedLocation | StructLocation | HeaderLocation | UnionLocation | StackLocation
    | Ignored
)  # fmt: skip
LOCATIONS = (
    ScalarLocation, SliceLocation, ShiftedLocation, StructLocation, HeaderLocation, UnionLocation, StackLocation,
    Ignored,
)  # fmt: skip

# --- what an expression depends on -----------------------------------------------------------------------------------


def reads(value: Value) -> Iterator[str]:
    """The storage that a value reads, as keys comparable with those of `touched`."""
    match value:
        case ex.Read(place=place):
            yield from _place_key(place)
        case ex.IsValid(header=header):
            yield from _header_key(header)
        case ex.Unary(operand=operand) | ex.Slice(operand=operand) | ex.Cast(operand=operand):
            yield from reads(operand)
        case ex.Binary(left=left, right=right):
            yield from reads(left)
            yield from reads(right)
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            for part in (condition, then, otherwise):
                yield from reads(part)
        case ex.ListExpression(items=items):
            for item in items:
                yield from reads(item)
        case StructValue(fields=fields):
            for _, field in fields:
                yield from reads(field)
        case HeaderValue(place=place) if place is not None:
            yield from _header_key(place)
        case HeaderValue(valid=valid, fields=leaves):
            yield from reads(valid)
            for _, leaf in leaves:
                yield from reads(leaf)
        case UnionValue(members=members):
            for _, member in members:
                yield from reads(member)
        case StackValue(elements=elements, next_index=next_index):
            for element in elements:
                yield from reads(element)
            if next_index is not None:
                yield from reads(next_index)


def touched(location: Location) -> Iterator[str]:
    """The storage that a write to a location changes: variable names, header names, stack names for all elements."""
    match location:
        case ScalarLocation(place=place):
            yield from _place_key(place)
        case SliceLocation(base=base) | ShiftedLocation(base=base):
            yield from touched(base)
        case StructLocation(fields=fields):
            for _, field in fields:
                yield from touched(field)
        case HeaderLocation(place=place, siblings=siblings):
            for header in (place, *siblings):
                yield from _header_key(header)
        case UnionLocation(members=members):
            for _, member in members:
                yield from touched(member)
        case StackLocation(name=name, next_index=next_index, type=type_):
            yield name
            if isinstance(type_.element, ty.HeaderUnion):
                yield from (f"{name}.{member}" for member, _ in type_.element.fields)
            if next_index is not None:
                yield next_index.name


def _place_key(place: ex.Place) -> Iterator[str]:
    match place:
        case ex.VariableRef(name=name):
            yield name
        case ex.FieldRef(header=header):
            yield from _header_key(header)


def _header_key(header: ex.HeaderPlace) -> Iterator[str]:
    match header:
        case ex.HeaderRef(name=name):
            yield name.partition("[")[0] if name.endswith("]") else name
        case ex.ElementRef(stack=stack, index=index):
            yield stack
            yield from reads(index)
