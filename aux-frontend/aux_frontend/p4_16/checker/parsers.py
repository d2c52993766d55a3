"""Parsers: their states, transitions and the state graph (P4-16 spec 13)."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import annotation, blocks, keysets, walk
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.state import Context, Place, State
from aux_frontend.p4_16.checker.typeops import show
from aux_frontend.p4_16.checker.uses import children
from aux_frontend.p4_16.types import Ty

_FINAL = ("accept", "reject")


def parser(st: State, d: ast.ParserDeclaration) -> None:
    with blocks.block(st, d, Place.PARSER):
        states = _declare_states(st, d)
        for state in d.states:
            _state(st, d, state, states)
    _graph(st, d, states)


def _declare_states(st: State, d: ast.ParserDeclaration) -> dict[str, ast.ParserState]:
    states: dict[str, ast.ParserState] = {}
    for state in d.states:
        if state.name in _FINAL:
            st.error(state, f"state '{state.name}' is there already, it cannot be declared")
        elif state.name in states:
            st.error(state, f"state '{state.name}' is declared twice", (states[state.name], "first declared here"))
        states.setdefault(state.name, state)
        clash = st.scope.own(state.name)
        if clash:
            st.error(state, f"'{state.name}' is declared twice", (clash[0], "first declared here"))
    return states


def _state(st: State, d: ast.ParserDeclaration, state: ast.ParserState, states: dict[str, ast.ParserState]) -> None:
    annotation.check(st, state.annotations)
    st.last_span = state.span
    with st.nested(Context(Place.STATE, d)):
        walk.body(st, state.body)
        match state.transition:
            case ast.Name():
                _target(st, d, state.transition, states)
            case ast.SelectExpression():
                _select(st, d, state.transition, states)


def _target(st: State, d: ast.ParserDeclaration, name: ast.Name, states: dict[str, ast.ParserState]) -> None:
    if name.text in _FINAL:
        return
    if name.text not in states:
        st.error(name, f"parser '{d.name}' has no state '{name.text}'{suggestion(name.text, [*states, *_FINAL])}")
        return
    st.checked.declarations[name] = states[name.text]


def _select(
    st: State, d: ast.ParserDeclaration, select: ast.SelectExpression, states: dict[str, ast.ParserState]
) -> None:
    keys = [_subject(st, subject) for subject in select.subjects]
    whole: ast.SelectCase | None = None
    for case in select.cases:
        if whole is not None:
            st.warn(case, "unreachable", "this case is never reached", (whole, "this one takes everything"))
        keysets.check(st, case.keyset, keys)
        _no_calls(st, case.keyset)
        _target(st, d, case.state, states)
        if whole is None and isinstance(case.keyset, ast.DefaultExpression | ast.DontCare):
            whole = case
    st.checked.types[select] = t.Set(t.Tuple(tuple(keys)))


def _no_calls(st: State, label: ast.Expression) -> None:
    """The labels of a select are compared, not executed: what they call must be known at compile time (spec 13.6)."""
    if isinstance(label, ast.Call) and label not in st.static:
        st.error(label, "the label of a select cannot contain a call")
    for part in children(label):
        _no_calls(st, part)


def _subject(st: State, subject: ast.Expression) -> Ty:
    ty = walk.infer(st, subject)
    if isinstance(ty, t.Integer):
        return st.error(subject, "select: an 'int' needs a width here, as in 8w1")
    if not _selectable(ty):
        return st.error(subject, f"select: {show(ty)} cannot be selected on")
    return ty


def _selectable(ty: Ty) -> bool:
    match ty:
        case t.Tuple():
            return all(map(_selectable, ty.elements))
        case t.NewType():
            return _selectable(ty.underlying)
        case _:
            return isinstance(ty, t.Bit | t.Bool | t.Enum | t.Error | t.TypeVariable | t.Unknown)


def _graph(st: State, d: ast.ParserDeclaration, states: dict[str, ast.ParserState]) -> None:
    """Every parser starts at `start`; what cannot be reached from there is worth a warning (spec 13.2)."""
    if "start" not in states:
        st.error(d, f"parser '{d.name}' has no state 'start'{suggestion('start', list(states))}")
        return
    reached: set[str] = set()
    pending = ["start"]
    while pending:
        name = pending.pop()
        if name in reached or name not in states:
            continue
        reached.add(name)
        pending += _targets(states[name])
    if not any(_may_end(states[name], states) for name in reached):
        st.error(d, f"parser '{d.name}' never reaches 'accept' or 'reject'")
    for name, state in states.items():
        if name not in reached and name not in _FINAL:
            st.warn(state, "unreachable", f"state '{name}' is never reached")


def _may_end(state: ast.ParserState, states: dict[str, ast.ParserState]) -> bool:
    """Whether a state may be the last one; a select that takes not everything rejects the rest."""
    match state.transition:
        case ast.SelectExpression() as select:
            complete = any(isinstance(c.keyset, ast.DefaultExpression | ast.DontCare) for c in select.cases)
            return not complete or any(target in _FINAL or target not in states for target in _targets(state))
        case ast.Name(text=name):
            return name in _FINAL or name not in states
        case _:
            return True


def _targets(state: ast.ParserState) -> list[str]:
    match state.transition:
        case ast.Name():
            return [state.transition.text]
        case ast.SelectExpression():
            return [case.state.text for case in state.transition.cases]
        case _:
            return []
