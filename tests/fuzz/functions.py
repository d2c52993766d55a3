"""Random functions, with parameters of all directions."""

from __future__ import annotations

from context import Context
from expressions import value
from layout import Node, block
from scope import BOOL, Function, Kind, Record, Scope
from statements import body
from world import World

DIRECTIONS = ("in", "in", "in", "inout", "out")


def function(world: World) -> Node:
    """A function that may call those before it."""
    scope, context = world.bare(), Context(world.names)
    parameters: list[tuple[str, Kind]] = []
    texts: list[str] = []
    first: list[Node] = []
    for _ in range(world.random.randint(1, 3)):
        direction, name, type_ = world.random.choice(DIRECTIONS), context.fresh("p"), scope.kind()
        parameters.append((direction, type_))
        texts.append(f"{direction} {type_} {name}")
        if direction == "out":
            first.append(f"{name} = {literals(scope, type_)};")
        scope.add(name, type_, direction != "in")
    result = None if world.chance(0.2) else scope.kind()
    context.result = result
    context.leaves = ("return",) if result is None else ()
    context.loop = False
    made = body(scope, context, world.random.randint(1, 3), 1)
    if result is not None and world.chance(0.4):
        made.append(block(f"if ({value(scope, BOOL)}) {{", [f"return {value(scope, result)};"]))
    last: list[Node] = [f"return {value(scope, result)};"] if result is not None else []
    found = Function(context.fresh("f"), result, tuple(parameters))
    world.functions.append(found)
    return block(f"{result or 'void'} {found.name}({', '.join(texts)}) {{", [*first, *made, *last])


def literals(scope: Scope, type_: Kind) -> str:
    """A constant of any type."""
    if isinstance(type_, Record):
        return f"{{ {', '.join(literals(scope, kind) for _, kind in type_.fields)} }}"
    return scope.literal(type_)
