"""switch, on a table's action_run and on values: P4-16 spec 12.7."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import expressions, walk
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.state import Place, State, Value
from aux_frontend.p4_16.checker.typeops import show
from aux_frontend.p4_16.types import Ty


def switch(st: State, s: ast.SwitchStatement) -> None:
    if st.context.place is Place.STATE:
        st.error(s, "'switch' cannot stand in a parser state; use 'transition select'")
    st.switch_subject = s.subject
    subject = walk.infer(st, s.subject)
    if not isinstance(subject, t.ActionEnum | t.Bit | t.Enum | t.Bool | t.Error | t.NewType | t.Unknown | t.Integer):
        st.error(s.subject, f"switch: {show(subject)} cannot be switched on")
        subject = t.Unknown()
    if isinstance(subject, t.Integer):
        st.error(s.subject, "switch: an 'int' needs a width here")
        subject = t.Unknown()
    seen: dict[Value | ast.Declaration, ast.Expression] = {}
    default: ast.Expression | None = None
    for case in s.cases:
        for label in case.labels:
            if default is not None:
                st.error(label, "'default' must be the last label", (default, "'default' is here"))
            default = _label(st, label, subject, seen) or default
        if case.body is not None:
            with st.nested():
                walk.body(st, case.body.body)


def _label(
    st: State, label: ast.Expression, subject: Ty, seen: dict[Value | ast.Declaration, ast.Expression]
) -> ast.Expression | None:
    """Check one label; gives it back when it is `default`."""
    if isinstance(label, ast.DefaultExpression):
        st.checked.types[label] = subject
        return label
    key: Value | ast.Declaration | None
    if isinstance(subject, t.Unknown):  # what its labels are cannot be said
        return None
    if isinstance(subject, t.ActionEnum):
        key = _action_label(st, label, subject)
    elif expressions.check_static(st, label, subject, "label"):
        key = st.value(label)
    else:
        key = None
    if key is not None:
        if key in seen:
            st.error(label, "this label appears twice in the switch", (seen[key], "the first one"))
        seen[key] = label
    return None


def _action_label(st: State, label: ast.Expression, subject: t.ActionEnum) -> ast.Declaration | None:
    table = subject.declaration
    names = {_path(ref).name: st.checked.declarations.get(_path(ref)) for ref in table.actions or ()}
    if not isinstance(label, ast.Path):
        st.error(label, f"a label here must be an action of table '{table.name}'")
        return None
    if label.absolute or label.name not in names:
        near = suggestion(label.name, list(names))
        st.error(label, f"'{label.name}' is not an action of table '{table.name}'{near}", (table, "declared here"))
        return None
    action = names[label.name]
    st.checked.types[label] = subject
    if action is not None:
        st.checked.declarations[label] = action
    return action


def _path(ref: ast.ActionRef) -> ast.Path:
    callee = ref.expression.callee if isinstance(ref.expression, ast.Call) else ref.expression
    assert isinstance(callee, ast.Path)
    return callee
