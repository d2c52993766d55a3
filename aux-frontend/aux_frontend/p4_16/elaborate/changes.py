"""Which storage code may change, told from its text alone: nothing is evaluated. Storage is what `values.Key` names."""

from __future__ import annotations

from collections.abc import Iterable, Set

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.ast.visit import walk
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.elaborate import expressions, values as va
from aux_frontend.p4_16.elaborate.scope import Scope

OUTWARD = ("out", "inout")
Changes = Set[va.Key] | None  # None: anything
_WRITERS = ("header.setValid", "header.setInvalid", "stack.push_front", "stack.pop_front")


def may_change(changes: Changes, keys: Set[va.Key]) -> bool:
    """Whether some of the storage is among what changes."""
    return changes is None or va.overlap(changes, keys)


def changed_by(scope: Scope, nodes: Iterable[ast.Node | None]) -> Changes:
    """What evaluating expressions or executing statements may change."""
    keys: set[va.Key] = set()
    for inner in (inner for node in nodes if node is not None for inner in walk(node)):
        if isinstance(inner, ast.AssignmentStatement):
            keys |= storage_of(scope, inner.target)
        elif isinstance(inner, ast.Call) and (resolved := scope.unit.checked.calls.get(inner)) is not None:
            changed = _by_call(scope, resolved)
            if changed is None:
                return None
            keys |= changed
    return keys


def _by_call(scope: Scope, resolved: ResolvedCall) -> Changes:
    """Functions and externs reach their arguments only; actions, controls and tables may reach what is around them."""
    match resolved.target:
        case str() as name if name in _WRITERS and resolved.receiver is not None:
            return storage_of(scope, resolved.receiver)
        case str() as name:
            return None if name.endswith(".apply") else set()
        case ast.ActionDeclaration():
            return None
    keys: set[va.Key] = set()
    for parameter, argument in zip(resolved.parameters, resolved.arguments, strict=True):
        if argument is not None and parameter.direction in OUTWARD:
            keys |= storage_of(scope, argument)
    return keys


def storage_of(scope: Scope, lvalue: ast.Expression) -> set[va.Key]:
    """The storage that writing to an l-value changes; all that indices, slices, `next` and `last` in it choose from."""
    while not isinstance(lvalue, ast.Path):
        if isinstance(lvalue, ast.Member) and not _indexed(lvalue):
            break
        base = getattr(lvalue, "base", None)
        if not isinstance(base, ast.Expression):
            break
        lvalue = base
    where = expressions.try_location(scope, lvalue)
    return set() if where is None else set(va.touched(where))


def _indexed(expression: ast.Expression) -> bool:
    """Whether an index, or `next` and `last`, is part of an l-value: then its base stands for it."""
    while isinstance(expression, ast.Member):
        if expression.name in ("next", "last"):
            return True
        expression = expression.base
    return not isinstance(expression, ast.Path)


def captured_storage(home: Scope, action: ast.ActionDeclaration) -> frozenset[va.Key]:
    """The storage around it that an action reaches, through other actions too."""
    keys: set[va.Key] = set()
    seen: set[ast.Node] = set()
    pending: list[ast.Node] = [action]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        for node in walk(current):
            declaration = home.unit.checked.declarations.get(node)
            if declaration is None:
                continue
            if isinstance(declaration, ast.ActionDeclaration):
                pending.append(declaration)
                continue
            bound = home.lookup(declaration)
            if isinstance(bound, va.LOCATIONS):
                keys.update(va.touched(bound))
    return frozenset(keys)
