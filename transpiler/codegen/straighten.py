"""Takes out the jumps that a reader can do without, to what comes next anyway, and labels that nothing jumps to.

goto parsed; parsed:; packet->payload_offset = at;   →   packet->payload_offset = at;
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from transpiler.codegen.views import ApplyView, BlockView, IfView, Line, SwitchView, View, Views, WhileView

RETURN = "return;"
_OPERAND = r"(?:\w|\.|->|\[\w+\])+"
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def straighten(views: Views) -> Views:
    """The body of a function, which does the same."""
    while True:
        straight = _without_jumps(_inverted(views), frozenset({RETURN}))
        straight = _without_labels(straight, frozenset(_jumps(straight)))
        if straight == views:
            return views
        views = straight


def _inverted(views: Views) -> Views:
    """With jumps over nothing but another jump turned round: if (x) goto a; goto b; a:  →  if (!x) goto b; a:"""
    made: list[View] = []
    for view in views:
        match made, view:
            case [*_, IfView(then=(Line() as over,), otherwise=()) as branch, Line() as jump], Line() as here if (
                here.label and over.text == f"goto {here.label};" and jump.text.startswith("goto ")
            ):
                made[-2:] = [replace(branch, condition=negated(branch.condition), then=(jump,))]
        made.append(map_bodies(view, _inverted))
    return tuple(made)


def _without_jumps(views: Views, follows: frozenset[str]) -> Views:
    """Without jumps to where control goes anyway. `follows`: those that would do nothing behind the last view."""
    kept: list[View] = []
    for view in reversed(views):
        if isinstance(view, Line) and view.text in follows:
            continue
        if isinstance(view, Line) and view.label:
            follows |= {f"goto {view.label};"}
        else:
            view, follows = _inside(view, follows), frozenset()
        kept.append(view)
    return tuple(reversed(kept))


def _inside(view: View, follows: frozenset[str]) -> View:
    """The same for what a view holds. Behind the body of a case a `break` goes where `follows` says."""
    match view:
        case BlockView(body=body, part=part) if part:  # what its template puts behind the body is not known here
            return replace(view, body=_without_jumps(body, frozenset()))
        case BlockView(body=body, label=label):
            behind = follows | {f"goto {label};"} if label else follows
            return replace(view, body=_without_jumps(body, behind))
        case WhileView(body=body):  # its end is its beginning
            return replace(view, body=_without_jumps(body, frozenset()))
        case _:
            return map_bodies(view, lambda body: _without_jumps(body, follows))


def _without_labels(views: Views, used: frozenset[str]) -> Views:
    kept: list[View] = []
    for view in views:
        if isinstance(view, Line) and view.label and view.label not in used:
            continue
        if isinstance(view, BlockView) and view.label not in used:
            view = replace(view, label="")
        kept.append(map_bodies(view, lambda body: _without_labels(body, used)))
    return tuple(kept)


def _jumps(views: Views) -> Iterator[str]:
    """The labels that are jumped to."""
    for view in views:
        if isinstance(view, Line) and view.text.startswith("goto "):
            yield view.text[len("goto ") : -1]
        for body in _bodies(view):
            yield from _jumps(body)


def _bodies(view: View) -> tuple[Views, ...]:
    found: list[Views] = []

    def note(body: Views) -> Views:
        found.append(body)
        return body

    map_bodies(view, note)
    return tuple(found)


def negated(condition: str) -> str:
    """The condition that holds where this one does not."""
    if re.fullmatch(_OPERAND, condition):
        return f"!{condition}"
    if compared := re.fullmatch(rf"({_OPERAND}) (==|!=|<=?|>=?) ({_OPERAND}( /\*.*\*/)?)", condition):
        return f"{compared[1]} {_OPPOSITE[compared[2]]} {compared[3]}"
    return f"!({condition})"


def map_bodies(view: View, rewrite: Callable[[Views], Views]) -> View:
    """The view with each of the bodies in it rewritten."""
    match view:
        case IfView(condition=condition, then=then, otherwise=otherwise):
            then, otherwise = rewrite(then), rewrite(otherwise)
            if otherwise and not then:
                return replace(view, condition=negated(condition), then=otherwise, otherwise=())
            return replace(view, then=then, otherwise=otherwise)
        case SwitchView(cases=cases, default=default):
            rewritten = tuple(replace(case, body=rewrite(case.body)) for case in cases)
            return replace(view, cases=rewritten, default=rewrite(default))
        case WhileView(body=body) | BlockView(body=body):
            return replace(view, body=rewrite(body))
        case ApplyView(actions=actions):
            return replace(view, actions=tuple(replace(action, body=rewrite(action.body)) for action in actions))
        case _:
            return view
