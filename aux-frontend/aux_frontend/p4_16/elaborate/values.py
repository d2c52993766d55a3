"""What P4 expressions and l-values denote while a program is elaborated.

A *value* is a run-time scalar (an HLIR expression), an aggregate of values, or something known at compile time only.
A *location* is the flattened storage behind an l-value. Names bind to either, or to an object (`scope.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from aux_frontend.p4_16 import types as ty
from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Type

# --- values ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IntValue:
    """A number of type int: arbitrary precision, compile time only."""

    value: int


@dataclass(frozen=True, slots=True)
class DefaultValue:
    """`...`: the default value of whatever type is asked for."""


@dataclass(frozen=True, slots=True)
class InvalidValue:
    """`{#}`: an invalid header or union of whatever type is asked for."""


@dataclass(frozen=True, slots=True)
class StructValue:
    """A struct, a tuple or a list: names are "0", "1" … for the latter two. `open`: ends in `...`."""

    fields: tuple[tuple[str, Value], ...]
    named: bool
    open: bool = False

    def get(self, name: str) -> Value:
        """The value of that field. Raises: KeyError."""
        return dict(self.fields)[name]


@dataclass(frozen=True, slots=True)
class HeaderValue:
    """A header. `fields` are its leaves in order; `place` is where the whole of it was read from, if it was."""

    type: ty.Header
    valid: ex.Expression
    fields: tuple[tuple[str, ex.Expression], ...]
    place: ex.HeaderPlace | None = None


@dataclass(frozen=True, slots=True)
class UnionValue:
    type: ty.HeaderUnion
    members: tuple[tuple[str, HeaderValue], ...]


@dataclass(frozen=True, slots=True)
class StackValue:
    type: ty.Stack
    elements: tuple[HeaderValue | UnionValue, ...]
    next_index: ex.Expression | None = None


Value = ex.Expression | IntValue | DefaultValue | InvalidValue | StructValue | HeaderValue | UnionValue | StackValue

EXPRESSIONS = (
    ex.Const, ex.Text, ex.Read, ex.IsValid, ex.Unary, ex.Binary, ex.Conditional, ex.Slice, ex.Cast, ex.ListExpression,
)  # fmt: skip

# --- locations -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScalarLocation:
    """One variable or field. `type` is that of its value, `stored` that of the storage (a bool in a header: bit<1>)."""

    place: ex.Place
    type: Type
    stored: Type


@dataclass(frozen=True, slots=True)
class SliceLocation:
    """Bits high..low of a scalar."""

    base: ScalarLocation
    high: int
    low: int


@dataclass(frozen=True, slots=True)
class ShiftedLocation:
    """`width` bits of a scalar from a position that is known at run time only."""

    base: ScalarLocation
    amount: ex.Expression
    width: int


@dataclass(frozen=True, slots=True)
class StructLocation:
    """A struct or tuple (names "0", "1" …)."""

    fields: tuple[tuple[str, Location], ...]

    def get(self, name: str) -> Location:
        """The location of that field. Raises: KeyError."""
        return dict(self.fields)[name]


@dataclass(frozen=True, slots=True)
class HeaderLocation:
    """A header. `siblings`: the other members of its union, which become invalid when it becomes valid."""

    type: ty.Header
    place: ex.HeaderPlace
    siblings: tuple[ex.HeaderPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class UnionLocation:
    type: ty.HeaderUnion
    members: tuple[tuple[str, HeaderLocation], ...]

    def get(self, name: str) -> HeaderLocation:
        """The location of that member. Raises: KeyError."""
        return dict(self.members)[name]


@dataclass(frozen=True, slots=True)
class StackLocation:
    """A stack. A stack of unions is one HLIR stack per member, `name.member`; they share the next index."""

    type: ty.Stack
    name: str
    next_index: ex.VariableRef | None


@dataclass(frozen=True, slots=True)
class PickedLocation:
    """The element of an array, or a part of it, whose index is known at run time only."""

    index: ex.Expression
    elements: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """The target of an `_` argument: nothing is kept."""


Location = (
    ScalarLocation | SliceLocation | ShiftedLocation | StructLocation | HeaderLocation | UnionLocation | StackLocation
    | PickedLocation | Ignored
)  # fmt: skip
LOCATIONS = (
    ScalarLocation, SliceLocation, ShiftedLocation, StructLocation, HeaderLocation, UnionLocation, StackLocation,
    PickedLocation, Ignored,
)  # fmt: skip

# --- what an expression depends on -----------------------------------------------------------------------------------

Key = tuple[str, str]  # a variable, header or stack, and the part of it
WHOLE, VALIDITY = "*", "$valid$"


def reads(value: Value) -> Iterator[Key]:
    """The storage that a value reads; compare with `overlap`."""
    for part in _parts(value):
        yield from reads(part)
    match value:
        case ex.Read(place=place):
            yield from _place_key(place)
        case ex.IsValid(header=header):
            yield from _header_key(header, VALIDITY)
        case HeaderValue(place=place) if place is not None:
            yield from _header_key(place, WHOLE)


def _parts(value: Value) -> tuple[Value, ...]:
    """The values directly within a value."""
    match value:
        case ex.Unary(operand=operand) | ex.Slice(operand=operand) | ex.Cast(operand=operand):
            return (operand,)
        case ex.Binary(left=left, right=right):
            return left, right
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            return condition, then, otherwise
        case ex.ListExpression(items=items):
            return items
        case StructValue(fields=fields):
            return tuple(field for _, field in fields)
        case HeaderValue(place=None, valid=valid, fields=leaves):
            return (valid, *(leaf for _, leaf in leaves))
        case UnionValue(members=members):
            return tuple(member for _, member in members)
        case StackValue(elements=elements, next_index=next_index):
            return elements if next_index is None else (*elements, next_index)
    return ()


def touched(location: Location) -> Iterator[Key]:
    """The storage that a write to a location changes. All elements of a stack count as one."""
    match location:
        case ScalarLocation(place=place):
            yield from _place_key(place)
        case SliceLocation(base=base) | ShiftedLocation(base=base):
            yield from touched(base)
        case StructLocation(fields=fields):
            for _, field in fields:
                yield from touched(field)
        case PickedLocation(index=index, elements=parts):
            yield from reads(index)
            for element in parts:
                yield from touched(element)
        case HeaderLocation(place=place, siblings=siblings):
            yield from _header_key(place, WHOLE)
            for header in siblings:
                yield from _header_key(header, VALIDITY)
        case UnionLocation(members=members):
            for _, member in members:
                yield from touched(member)
        case StackLocation(name=name, next_index=next_index, type=type_):
            yield name, WHOLE
            if isinstance(type_.element, ty.HeaderUnion):
                yield from ((f"{name}.{member}", WHOLE) for member, _ in type_.element.fields)
            if next_index is not None:
                yield next_index.name, WHOLE


def overlap(left: Set[Key], right: Set[Key]) -> bool:
    """Whether two sets of storage have a part in common."""
    if not left.isdisjoint(right):
        return True
    return any(
        not {name for name, part in a if part == WHOLE}.isdisjoint(name for name, _ in b)
        for a, b in ((left, right), (right, left))
    )


def _place_key(place: ex.Place) -> Iterator[Key]:
    match place:
        case ex.VariableRef(name=name):
            yield name, WHOLE
        case ex.FieldRef(header=header, field=field):
            yield from _header_key(header, field)


def _header_key(header: ex.HeaderPlace, part: str) -> Iterator[Key]:
    match header:
        case ex.HeaderRef(name=name):
            yield (name.partition("[")[0], WHOLE) if name.endswith("]") else (name, part)
        case ex.ElementRef(stack=stack, index=index):
            yield stack, WHOLE
            yield from reads(index)
