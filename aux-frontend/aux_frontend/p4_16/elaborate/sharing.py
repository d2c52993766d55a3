"""Controls that are applied from several places: which of their parameters still are plain names for the arguments.

That is right where every application passes the same name, and nothing else that is passed overlaps it.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.ast.visit import walk
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.elaborate import values as va
from aux_frontend.p4_16.elaborate.changes import OUTWARD, changed_by, may_change, storage_of
from aux_frontend.p4_16.elaborate.scope import Scope


def applications(scope: Scope, body: ast.Node) -> dict[ast.Declaration, list[ResolvedCall]]:
    """The applications of named instances in the text of a control."""
    checked = scope.unit.checked
    found: dict[ast.Declaration, list[ResolvedCall]] = {}
    for node in walk(body):
        resolved = checked.calls.get(node) if isinstance(node, ast.Call) else None
        if resolved is not None and resolved.target == "control.apply" and resolved.receiver is not None:
            instance = checked.declarations.get(resolved.receiver)
            if instance is not None:
                found.setdefault(instance, []).append(resolved)
    return found


def fixed_parameters(scope: Scope, calls: list[ResolvedCall]) -> frozenset[ast.Parameter]:
    """Parameters that mean the same storage in all of the calls, which `scope` sees."""
    fixed: set[ast.Parameter] = set()
    if not calls:
        return frozenset()
    changes = changed_by(scope, (argument for call in calls for argument in call.arguments))
    for position, parameter in enumerate(calls[0].parameters):
        location = _same_location(scope, [call.arguments[position] for call in calls])
        if location is None:
            continue
        keys = set(va.touched(location))
        if parameter.direction != "out" and may_change(changes, keys):
            continue  # it may have to be read before a later argument changes it
        others = (_outward_keys(scope, call, position) for call in calls)
        if not any(va.overlap(keys, other) for other in others):
            fixed.add(parameter)
    return frozenset(fixed)


def _same_location(scope: Scope, arguments: list[ast.Expression | None]) -> va.Location | None:
    checked = scope.unit.checked
    declarations = {
        checked.declarations.get(a) if isinstance(a, ast.Path) else None for a in arguments if a is not None
    }
    if None in arguments or len(declarations) != 1 or any(a in checked.casts for a in arguments):
        return None
    declaration = declarations.pop()
    bound = scope.lookup(declaration) if declaration is not None else None
    return bound if isinstance(bound, va.LOCATIONS) else None


def _outward_keys(scope: Scope, call: ResolvedCall, position: int) -> set[va.Key]:
    """The storage that a call may change through its other parameters."""
    keys: set[va.Key] = set()
    for index, (parameter, argument) in enumerate(zip(call.parameters, call.arguments, strict=True)):
        if index != position and argument is not None and parameter.direction in OUTWARD:
            keys |= storage_of(scope, argument)
    return keys
