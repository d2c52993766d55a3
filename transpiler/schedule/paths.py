"""What may be known of a packet at a place of the program: a *world* is one way in which it may have come there.

A world knows values of some locations, as numbers as they are stored (validity: 1 or 0). Of a location that it does not
name it knows nothing. A place has a list of worlds, one of which is true; none: it is not reached.
"""

from __future__ import annotations

from collections.abc import Iterable

from transpiler.analysis.locations import VALIDITY, Location, location_of
from transpiler.hlir.expressions import (
    Binary,
    BinaryOp,
    Const,
    Expression,
    HeaderPlace,
    HeaderRef,
    IsValid,
    Read,
    Unary,
    UnaryOp,
)
from transpiler.hlir.traverse import Rewrite, rewrite_expression, walk_expression
from transpiler.hlir.types import Bits, Bool
from transpiler.passes.simplify_expressions import simplify

PathState = dict[Location, int]
PathStates = list[PathState]
LIMIT = 24  # worlds of a place; where there are more, those in which the same headers are valid become one


def copied(path_states: PathStates) -> PathStates:
    return [dict(world) for world in path_states]


def met(path_states: PathStates, limit: int = LIMIT) -> PathStates:
    """The same, each once, and no more than the limit: then those that are put together know what all of them know."""
    distinct = {frozenset(world.items()): world for world in path_states}
    if len(distinct) <= limit:
        return list(distinct.values())
    groups: dict[frozenset[tuple[Location, int]], PathStates] = {}
    for world in distinct.values():
        validity = frozenset(item for item in world.items() if item[0].field == VALIDITY)
        groups.setdefault(validity, []).append(world)
    if len(groups) > limit:
        groups = {frozenset(): list(distinct.values())}
    return [common(group) for group in groups.values()]


def common(path_states: PathStates) -> PathState:
    """What all of them know; there is one at least."""
    first, *others = path_states
    return {where: value for where, value in first.items() if all(w.get(where) == value for w in others)}


def forget(path_states: PathStates, locations: Iterable[Location]) -> None:
    for location in locations:
        for world in path_states:
            world.pop(location, None)


def agreed(path_states: PathStates, location: Location) -> int | None:
    """The value that a location has in all worlds, None where that is not known."""
    values = {world.get(location) for world in path_states}
    return values.pop() if len(values) == 1 else None


def validity_of(header: HeaderPlace) -> Location | None:
    return Location(header.name, VALIDITY) if isinstance(header, HeaderRef) else None


def known(expression: Expression, path_states: PathStates) -> Expression:
    """The expression with all that the worlds agree on put in."""
    return rewrite_expression(expression, putting(path_states))


def putting(path_states: PathStates) -> Rewrite:
    """Puts what the worlds agree on into a part of an expression whose own parts have it already."""

    def put(part: Expression) -> Expression:
        location = _read_by(part)
        value = agreed(path_states, location) if location is not None else None
        return simplify(part if value is None else Const(value, part.type, part.span))

    return put


def values_of(expression: Expression, path_states: PathStates) -> list[int | None]:
    """What an expression is in each world, reckoned once for those that know the same of what it reads."""
    if isinstance(expression, Read) and (location := location_of(expression.place)) is not None:
        return [world.get(location) for world in path_states]
    read = {location for part in walk_expression(expression) if (location := _read_by(part)) is not None}
    found: dict[tuple[int | None, ...], int | None] = {}
    values: list[int | None] = []
    for world in path_states:
        told = tuple(map(world.get, read))
        if told not in found:
            simple = known(expression, [world])
            found[told] = simple.value if isinstance(simple, Const) else None
        values.append(found[told])
    return values


def _read_by(part: Expression) -> Location | None:
    """The location that an expression itself reads."""
    match part:
        case Read(place=place, type=Bits() | Bool()):
            return location_of(place)
        case IsValid(header=header):
            return validity_of(header)
    return None


def split_by(condition: Expression, path_states: PathStates) -> tuple[PathStates, PathStates]:
    """The worlds in which a condition may hold, which know that it does, and those in which it may not."""
    then: PathStates = []
    otherwise: PathStates = []
    for world, value in zip(path_states, values_of(condition, path_states), strict=True):
        for outcome, reached in ((True, then), (False, otherwise)):
            if value is None:
                inside = dict(world)
                if _suppose(condition, outcome, inside):
                    reached.append(inside)
            elif bool(value) is outcome:
                reached.append(dict(world))
    return then, otherwise


def _suppose(condition: Expression, outcome: bool, world: PathState) -> bool:
    """Put into a world what a condition's outcome tells. False: that outcome cannot be."""
    match condition:
        case IsValid(header=header):
            return _learn(validity_of(header), int(outcome), world)
        case Unary(op=UnaryOp.NOT, operand=operand):
            return _suppose(operand, not outcome, world)
        case Binary(op=BinaryOp.LAND, left=left, right=right) if outcome:
            return _suppose(left, True, world) and _suppose(right, True, world)
        case Binary(op=BinaryOp.LOR, left=left, right=right) if not outcome:
            return _suppose(left, False, world) and _suppose(right, False, world)
        case Binary(op=BinaryOp.EQ, left=Read(place=place), right=Const(value=value)) if outcome:
            return _learn(location_of(place), value, world)
        case Binary(op=BinaryOp.NE, left=Read(place=place), right=Const(value=value)) if not outcome:
            return _learn(location_of(place), value, world)
        case Read(place=place, type=Bool()):
            return _learn(location_of(place), int(outcome), world)
    return True


def _learn(location: Location | None, value: int, world: PathState) -> bool:
    if location is None:
        return True
    return world.setdefault(location, value) == value
