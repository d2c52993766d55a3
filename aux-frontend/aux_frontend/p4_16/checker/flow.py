"""What can be said about a body without running it: whether it may end without `return` (P4-16 spec 10)."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker.state import State


def may_fall_through(st: State, s: ast.Statement | ast.Declaration) -> bool:
    """Whether control may reach the end of a statement; conditions known at compile time are taken for what they are."""
    match s:
        case ast.ReturnStatement() | ast.ExitStatement():
            return False
        case ast.BlockStatement():
            return all(may_fall_through(st, inner) for inner in s.body)
        case ast.IfStatement():
            return _if(st, s)
        case ast.SwitchStatement():
            labels = [label for case in s.cases for label in case.labels]
            complete = any(isinstance(label, ast.DefaultExpression) for label in labels)
            return not complete or any(case.body is not None and may_fall_through(st, case.body) for case in s.cases)
        case _:
            return True


def _if(st: State, s: ast.IfStatement) -> bool:
    known = st.value(s.condition)
    if known is True:
        return may_fall_through(st, s.then)
    if known is False:
        return s.otherwise is None or may_fall_through(st, s.otherwise)
    return s.otherwise is None or may_fall_through(st, s.then) or may_fall_through(st, s.otherwise)
