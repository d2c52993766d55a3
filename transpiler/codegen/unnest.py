"""Takes out nesting that a reader can do without.

switch (x) { case 1: break; case 2: break; … }     →   switch (x) { case 1: case 2: break; … }
if (x) { …; return; } else { y = 1; }              →   if (x) { …; return; } y = 1;
{ at += 14; }                                      →   at += 14;
macs_list_add(…); return; }                        →   macs_list_add(…); }
"""

from __future__ import annotations

import re
from dataclasses import replace

from transpiler.codegen.straighten import map_bodies
from transpiler.codegen.views import BlockView, CaseView, IfView, Line, SubmitView, SwitchView, View, Views

_DECLARES = re.compile(r"(?!return\b|goto\b)(const )?(struct )?\w+ (\*|const )*\w+(\[.*?\])?( =|;|,)")


def with_guards(views: Views) -> Views:
    """With what follows a branch that returns behind it, not in its other arm."""
    made: list[View] = []
    for view in views:
        view = map_bodies(view, with_guards)
        if isinstance(view, IfView) and _returns(view.then) and not declares(view.otherwise):
            made += (replace(view, otherwise=()), *view.otherwise)
        else:
            made.append(view)
    return tuple(made)


def _returns(views: Views) -> bool:
    """Whether the function ends behind the last of the views; where they jump to is for straighten.py."""
    return bool(views) and (isinstance(views[-1], SubmitView) or views[-1] == Line("return;"))


def without_last_return(views: Views) -> Views:
    """The body of a function without a return at its end."""
    match views:
        case (*before, SubmitView() as last):
            return (*before, replace(last, last=True))
    return views


def unnested(views: Views) -> Views:
    """Without blocks that hold no variables; cases that do the same are one.

    A switch with one case stays one: gcc compares it with the bytes as they lie in the frame, what an if compares it swaps first.
    """
    made: list[View] = []
    for view in views:
        view = map_bodies(view, unnested)
        if isinstance(view, IfView):
            view = replace(view, then=_alone(view.then), otherwise=_alone(view.otherwise))
        elif isinstance(view, SwitchView):
            view = replace(view, cases=_merged(view.cases))
        elif isinstance(view, BlockView):
            view = replace(view, body=_alone(view.body))
        made += _opened(view) if isinstance(view, BlockView) and not declares(view.body) else (view,)
    return tuple(made)


def declares(views: Views) -> bool:
    """Whether one of the views themselves declares a variable."""
    return any(isinstance(view, Line) and _DECLARES.match(view.text) for view in views)


def _alone(views: Views) -> Views:
    """A body in braces, of which a block that is all of it needs none."""
    match views:
        case (BlockView() as block,):
            return _opened(block)
    return views


def _opened(block: BlockView) -> Views:
    """What a block holds; the block where its template makes more of it."""
    if block.part:
        return (block,)
    first, *rest = block.body or (Line(""),)
    if block.cite and not isinstance(first, SubmitView) and not first.cite:
        first = replace(first, cite=block.cite)
    return (*((first, *rest) if block.body else ()), *((Line(f"{block.label}:;"),) if block.label else ()))


def _merged(cases: tuple[CaseView, ...]) -> tuple[CaseView, ...]:
    """Cases that do the same are one."""
    labels: dict[Views, tuple[str, ...]] = {}
    for case in cases:
        labels[case.body] = (*labels.get(case.body, ()), *case.labels)
    return tuple(CaseView(of, body) for body, of in labels.items())
