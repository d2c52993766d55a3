"""All rules of the checker, by the kind of node that they check."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker import (
    calls,
    declarations,
    expressions,
    keysets,
    members,
    operators,
    statements,
    switches,
)
from aux_frontend.p4_16.checker.state import Rule, Rules, TypeRule

_EXPRESSIONS: dict[type, TypeRule] = {
    **expressions.RULES,
    ast.Member: members.member,
    ast.Index: members.index,
    ast.SliceExpression: members.bit_slice,
    ast.Call: calls.call,
    ast.UnaryExpression: operators.unary,
    ast.BinaryExpression: operators.binary,
    ast.ConditionalExpression: operators.conditional,
    ast.MaskExpression: keysets.set_type,
    ast.RangeExpression: keysets.set_type,
}
_STATEMENTS: dict[type, Rule] = {**statements.RULES, ast.SwitchStatement: switches.switch}
RULES = Rules(_EXPRESSIONS, _STATEMENTS, declarations.RULES)
