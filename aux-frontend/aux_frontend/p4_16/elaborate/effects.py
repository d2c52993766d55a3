"""Which expressions do something when evaluated: what decides whether operands must be evaluated in written order.

P4-16 spec 1.2.5 section 6.6 and 8.1: operands are evaluated left to right, && || ?: only as far as needed.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.ast.visit import children, walk
from aux_frontend.p4_16.elaborate.unit import Unit

_PURE = ("header.isValid", "header.minSize", "header.maxSize")


def has_effects(unit: Unit, expression: ast.Node) -> bool:
    """Whether evaluating does more than read: calls something, or may reject the packet (`.next`, `.last`)."""
    known = unit.effects.get(expression)
    if known is None:
        known = unit.effects[expression] = _itself(unit, expression) or any(
            has_effects(unit, child) for child in children(expression) if not isinstance(child, ast.TypeRef)
        )
    return known


def _itself(unit: Unit, node: ast.Node) -> bool:
    match node:
        case ast.Call():
            if node in unit.checked.constants:
                return False
            resolved = unit.checked.calls.get(node)
            target = resolved.target if resolved else None
            return not (isinstance(target, str) and target.startswith(_PURE))
        case ast.Member(base=base, name="next" | "last"):
            return isinstance(unit.checked.types.get(base), ty.Stack)
    return False


def applies_parser(unit: Unit, node: ast.Node) -> bool:
    """Whether a parser is applied somewhere below a statement."""
    for inner in walk(node):
        if isinstance(inner, ast.Call):
            resolved = unit.checked.calls.get(inner)
            if resolved is not None and resolved.target == "parser.apply":
                return True
    return False
