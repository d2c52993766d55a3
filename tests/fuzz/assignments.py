"""Random statements that assign: to places, slices, variables, structs."""

from __future__ import annotations

from context import Context, production
from expressions import expression, index, record, value
from layout import Node
from scope import Record, Scope, bits

ARITHMETIC = ("+=", "-=", "*=", "&=", "|=", "^=", "|+|=", "|-|=")


@production(8)
def assign(scope: Scope, context: Context, depth: int) -> list[Node]:
    place = scope.writable()
    return [f"{place.text} = {expression(scope, place.type, scope.random.choice((1, 2, 2, 3)))};"] if place else []


@production()
def assign_element(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A field of an element of a stack, its index mostly known at run time only."""
    stacks = scope.plain_stacks()
    if not stacks or not scope.writable_headers:
        return []
    stack = scope.random.choice(stacks)
    name, type_ = scope.random.choice(scope.layouts[stack.type])
    return [f"{stack.text}[{index(scope, stack)}].{name} = {expression(scope, type_)};"]


@production()
def compound(scope: Scope, context: Context, depth: int) -> list[Node]:
    """An operator-assignment."""
    place = scope.writable()
    if place is None or not place.type.numeric:
        return []
    if scope.chance(0.2):
        return [f"{place.text} {scope.random.choice(('<<=', '>>='))} {expression(scope, bits(4), 1)};"]
    return [f"{place.text} {scope.random.choice(ARITHMETIC)} {expression(scope, place.type, 1)};"]


@production(2)
def local(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A variable."""
    type_, name = scope.kind(), context.fresh("v")
    if isinstance(type_, Record):
        line = f"{type_} {name} = {record(scope, type_)};"
    else:
        line = f"{type_} {name} = {expression(scope, type_)};"
    scope.add(name, type_)
    return [line]


@production()
def slice_of(scope: Scope, context: Context, depth: int) -> list[Node]:
    """Some bits of a number."""
    place = scope.writable()
    if place is None or not place.type.numeric or place.type.width < 2:
        return []
    low = scope.random.randrange(place.type.width)
    high = scope.random.randint(low, place.type.width - 1)
    width = high - low + 1
    operator = scope.random.choice(("=", "=", "=", *ARITHMETIC[:6])) if scope.chance(0.5) else "="
    return [f"{place.text}[{high}:{low}] {operator} {expression(scope, bits(width), 1)};"]


@production(2)
def assign_record(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A whole struct or tuple."""
    known = [r for r in scope.records if r.writable]
    if not known:
        return []
    chosen = scope.random.choice(known)
    return [f"{chosen.text} = {value(scope, chosen.type, 1)};"]


@production()
def exchange(scope: Scope, context: Context, depth: int) -> list[Node]:
    """Two places change their values, by a list that reads both."""
    known = [r for r in scope.records if r.writable and not r.type.is_tuple and len(r.type.fields) > 1]
    if not known:
        return []
    chosen = scope.random.choice(known)
    same = [n for n, t in chosen.type.fields if t == chosen.type.fields[0][1]]
    order = dict(zip(same, same[1:] + same[:1], strict=True))
    parts = [f"{chosen.text}.{order.get(name, name)}" for name, _ in chosen.type.fields]
    return [f"{chosen.text} = {{ {', '.join(parts)} }};"]
