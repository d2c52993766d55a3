"""switch on a table's action_run and on values. P4-16 spec 1.2.5 section 12.7."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate import calls, expressions, instances, walk
from aux_frontend.p4_16.elaborate.convert import to_scalar
from aux_frontend.p4_16.elaborate.scope import Scope
from transpiler.hlir import expressions as ex, statements as st


def switch(scope: Scope, node: ast.SwitchStatement) -> None:
    """Labels without a body fall through to the next body; no other fall-through."""
    unit = scope.unit
    ordinals: dict[ast.Declaration, int] | None = None
    if isinstance(scope.type_of(node.subject), ty.ActionEnum):
        assert isinstance(node.subject, ast.Member)
        value = calls.apply_outcome(scope, node.subject)
        assert isinstance(node.subject.base, ast.Call)
        resolved = unit.checked.calls[node.subject.base]
        assert resolved.receiver is not None
        ordinals = instances.table_of(scope, resolved.receiver).action_ordinals
        subject = expressions.scalar_value(scope, value, node.subject)
    else:
        subject = expressions.scalar(scope, node.subject)
    cases: list[st.SwitchCase] = []
    default: st.Body = ()
    labels: list[int] = []
    is_default = False
    for case in node.cases:
        for label in case.labels:
            if isinstance(label, ast.DefaultExpression):
                is_default = True
            else:
                labels.append(_label(scope, label, subject, ordinals))
        if case.body is None:
            continue
        body = walk.nested(scope, case.body)
        if is_default:
            default = body
        elif labels:
            cases.append(st.SwitchCase(tuple(dict.fromkeys(labels)), body, case.span))
        labels, is_default = [], False
    if cases or default:
        unit.emit(st.Switch(subject, tuple(cases), default, node.span))


def _label(
    scope: Scope, label: ast.Expression, subject: ex.Expression, ordinals: dict[ast.Declaration, int] | None
) -> int:
    unit = scope.unit
    if ordinals is not None:
        action = unit.checked.declarations.get(label)
        if action is None or action not in ordinals:
            raise unit.failure(label.span, "this is not an action of the table")
        return ordinals[action]
    value = to_scalar(unit, expressions.evaluate(scope, label), subject.type, label.span)
    if not isinstance(value, ex.Const):
        raise unit.failure(label.span, "a label must be known at compile time")
    return value.value
