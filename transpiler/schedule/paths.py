"""Path states: the abstract states that meet at a place of the program, one for each set of paths that packets take to it.

A path state maps locations to constants, as numbers as they are stored (validity: 1 or 0). The value of a location that it
does not map is unknown. A place has a list of path states; every packet there is described by one of them. A place without
path states is not reached.
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
LIMIT = 24  # path states of a place; if there are more, those in which the same headers are valid are merged


def copied(path_states: PathStates) -> PathStates:
    return [dict(path_state) for path_state in path_states]


def met(path_states: PathStates, limit: int = LIMIT) -> PathStates:
    """The meet of path states: without duplicates and, above the limit, merged; merged ones have what they agree on."""
    distinct = {frozenset(path_state.items()): path_state for path_state in path_states}
    if len(distinct) <= limit:
        return list(distinct.values())
    groups: dict[frozenset[tuple[Location, int]], PathStates] = {}
    for path_state in distinct.values():
        validity = frozenset(item for item in path_state.items() if item[0].field == VALIDITY)
        groups.setdefault(validity, []).append(path_state)
    if len(groups) > limit:
        groups = {frozenset(): list(distinct.values())}
    return [common(group) for group in groups.values()]


def common(path_states: PathStates) -> PathState:
    """The values that all path states agree on. There is at least one path state."""
    first, *others = path_states
    return {where: value for where, value in first.items() if all(w.get(where) == value for w in others)}


def forget(path_states: PathStates, locations: Iterable[Location]) -> None:
    for location in locations:
        for path_state in path_states:
            path_state.pop(location, None)


def agreed(path_states: PathStates, location: Location) -> int | None:
    """The value of a location that all path states agree on, else None."""
    values = {path_state.get(location) for path_state in path_states}
    return values.pop() if len(values) == 1 else None


def validity_of(header: HeaderPlace) -> Location | None:
    return Location(header.name, VALIDITY) if isinstance(header, HeaderRef) else None


def known(expression: Expression, path_states: PathStates) -> Expression:
    """The expression with the values that all path states agree on, simplified."""
    return rewrite_expression(expression, putting(path_states))


def putting(path_states: PathStates) -> Rewrite:
    """The same as a rewrite of one node, whose operands are rewritten already."""

    def put(part: Expression) -> Expression:
        location = _read_by(part)
        value = agreed(path_states, location) if location is not None else None
        return simplify(part if value is None else Const(value, part.type, part.span))

    return put


def values_of(expression: Expression, path_states: PathStates) -> list[int | None]:
    """The value of an expression in each path state. It is computed once for all that agree on the locations that it reads."""
    if isinstance(expression, Read) and (location := location_of(expression.place)) is not None:
        return [path_state.get(location) for path_state in path_states]
    read = {location for part in walk_expression(expression) if (location := _read_by(part)) is not None}
    found: dict[tuple[int | None, ...], int | None] = {}
    values: list[int | None] = []
    for path_state in path_states:
        told = tuple(map(path_state.get, read))
        if told not in found:
            simple = known(expression, [path_state])
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
    """The path states in which a condition may be true, and those in which it may be false, with what that implies."""
    then: PathStates = []
    otherwise: PathStates = []
    for path_state, value in zip(path_states, values_of(condition, path_states), strict=True):
        for outcome, reached in ((True, then), (False, otherwise)):
            if value is None:
                inside = dict(path_state)
                if _suppose(condition, outcome, inside):
                    reached.append(inside)
            elif bool(value) is outcome:
                reached.append(dict(path_state))
    return then, otherwise


def _suppose(condition: Expression, outcome: bool, path_state: PathState) -> bool:
    """Add to a path state what a condition's outcome implies. False: this outcome is impossible."""
    match condition:
        case IsValid(header=header):
            return _learn(validity_of(header), int(outcome), path_state)
        case Unary(op=UnaryOp.NOT, operand=operand):
            return _suppose(operand, not outcome, path_state)
        case Binary(op=BinaryOp.LAND, left=left, right=right) if outcome:
            return _suppose(left, True, path_state) and _suppose(right, True, path_state)
        case Binary(op=BinaryOp.LOR, left=left, right=right) if not outcome:
            return _suppose(left, False, path_state) and _suppose(right, False, path_state)
        case Binary(op=BinaryOp.EQ, left=Read(place=place), right=Const(value=value)) if outcome:
            return _learn(location_of(place), value, path_state)
        case Binary(op=BinaryOp.NE, left=Read(place=place), right=Const(value=value)) if not outcome:
            return _learn(location_of(place), value, path_state)
        case Read(place=place, type=Bool()):
            return _learn(location_of(place), int(outcome), path_state)
    return True


def _learn(location: Location | None, value: int, path_state: PathState) -> bool:
    if location is None:
        return True
    return path_state.setdefault(location, value) == value
