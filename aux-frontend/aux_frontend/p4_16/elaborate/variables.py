"""Local variables: their storage, and what they hold when execution reaches the declaration."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.elaborate import expressions, inline, layout, places, values as va
from aux_frontend.p4_16.elaborate.scope import Scope
from transpiler.hlir.program import Storage


def declare(scope: Scope, node: ast.VariableDeclaration) -> None:
    """A declaration among statements."""
    prefix = inline.nested_prefix(scope.unit, node.name)
    scope.bindings[node] = layout.allocate(scope.unit, prefix, scope.type_ref(node.type), Storage.LOCAL, node.span)
    initialise(scope, node, fresh=False)


def initialise(scope: Scope, variable: ast.VariableDeclaration, fresh: bool) -> None:
    """What a declaration does when execution reaches it; `fresh`: its storage was never used before."""
    target = scope.lookup(variable)
    assert isinstance(target, va.LOCATIONS)
    if variable.initializer is not None:
        value = expressions.evaluate_as(scope, variable.initializer, scope.type_ref(variable.type))
        places.assign(scope.unit, target, value, variable.span)
    elif not fresh:
        places.invalidate(scope.unit, target, variable.span)
