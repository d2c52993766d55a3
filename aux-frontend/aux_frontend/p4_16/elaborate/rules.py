"""All rules of elaboration, by the kind of node that they elaborate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.elaborate import calls, expressions, loops, operators, statements, switches, values as va
from aux_frontend.p4_16.elaborate.scope import Scope
from aux_frontend.p4_16.elaborate.unit import Rules

_EXPRESSIONS: dict[type, Callable[[Scope, Any], va.Value]] = {
    **expressions.RULES,
    ast.Member: calls.member,
    ast.Call: calls.value,
    ast.UnaryExpression: operators.unary,
    ast.BinaryExpression: operators.binary,
    ast.ConditionalExpression: operators.conditional,
}
_STATEMENTS: dict[type, Callable[[Scope, Any], None]] = {
    **statements.RULES,
    ast.CallStatement: calls.statement,
    ast.SwitchStatement: switches.switch,
    ast.BreakStatement: loops.jump,
    ast.ContinueStatement: loops.jump,
    ast.ForStatement: loops.for_loop,
    ast.ForInStatement: loops.for_in,
}
RULES = Rules(_EXPRESSIONS, _STATEMENTS)
