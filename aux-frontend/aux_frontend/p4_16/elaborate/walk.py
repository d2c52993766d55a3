"""The walk through statements: each is elaborated by the rule of its kind, which walks on from there."""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.elaborate.scope import Scope
from aux_frontend.p4_16.elaborate.unit import Failure
from transpiler.hlir import statements as st


def block(scope: Scope, body: Sequence[ast.Statement | ast.Declaration]) -> None:
    """Statements in order; after one that failed, the next ones are still looked at, for their messages."""
    for item in body:
        if scope.unit.out and isinstance(scope.unit.out[-1], st.Leave):
            return
        try:
            statement(scope, item)
        except Failure:
            if scope.unit.exhausted:
                raise


def nested(scope: Scope, body: ast.Statement | None) -> st.Body:
    """A statement as a body of its own."""
    with scope.unit.collecting() as collected:
        if body is not None:
            block(scope, (body,))
    return tuple(collected)


def statement(scope: Scope, node: ast.Statement | ast.Declaration) -> None:
    """One statement or local declaration."""
    rule = scope.unit.rules.statements.get(type(node))
    if rule is None:
        raise scope.unit.failure(node.span, "this statement is not supported here")
    rule(scope, node)
