"""The beginning of a first stage that makes the key of a packet's decision, and keeps nothing of the packet.

{ parse; on = on(); if (on) { key; submit; return } rest }    →    { parse; key; submit; return }

Packets that find no ready decision begin again, by the whole stage. So there is one only where nothing but computation is in
front of the key. What it stores of the packet goes to a state of its own, which nobody reads: the C compiler leaves that out.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.codegen.bodies import Frame
from transpiler.codegen.c.effects import acts
from transpiler.codegen.c.nodes import Assign, Block, Body, Do, Expression, Goto, If, Label, Name, Return, Statement
from transpiler.codegen.c.walk import (
    all_expressions,
    all_names,
    called,
    expressions,
    map_bodies,
    walk,
    walk_expression,
)
from transpiler.codegen.outside import Outside
from transpiler.codegen.pipeline_views import StageView

ON, PLACE = "macs_decisions_on", "macs_decisions_place"


def with_look(stages: tuple[StageView, ...], frame: Frame) -> tuple[StageView, ...]:
    """The stages of a pipeline, the first with that beginning, if it has one and no other makes keys."""
    first, *others = stages
    body = beginning(first.body)
    if body is None or any(PLACE in stage.calls for stage in others):
        return stages
    body = without_unread(body, frozenset(local.name for local in first.locals))
    used = all_names(body)
    kept = tuple(local for local in first.locals if local.name in used)
    named = all_names((*kept, *body)) | frame.begins
    look = replace(
        first,
        function=f"{first.function}_look",
        title=Outside("the beginning, for the key of its decision alone,"),
        locals=kept,
        body=body,
        calls=called(body),
        takes=frame.takes(first, named),
        unpacked=frame.given.unpacked(named),
    )
    return (replace(first, look=look), *others)


def beginning(body: Body) -> Body | None:
    """None where there is none."""
    for number, statement in enumerate(body):
        if PLACE in called((statement,)):
            before = tuple(s for s in body[:number] if ON not in called((s,)))
            keyed = statement.then if isinstance(statement, If) else ()
            return (*before, *keyed) if _computes(before) and _makes_key(keyed) else None
    return None


def without_unread(body: Body, variables: frozenset[str]) -> Body:
    """The beginning, which computes, without what it stores for the rest of the stage: in variables that it does not read."""
    read = frozenset(e.name for s in walk(body) for of in _reads(s) for e in walk_expression(of) if isinstance(e, Name))
    unread = variables - read

    def left(inner: Body) -> Body:
        stored = (isinstance(s, Assign) and isinstance(s.target, Name) and s.target.name in unread for s in inner)
        return tuple(map_bodies(s, left) for s, drop in zip(inner, stored, strict=True) if not drop)

    made = left(body)
    return made if made == body else without_unread(made, variables)


def _reads(s: Statement) -> tuple[Expression, ...]:
    return (s.value,) if isinstance(s, Assign) and isinstance(s.target, Name) else expressions(s)


def _computes(body: Body) -> bool:
    """Whether it has no effects, and ends at its end."""
    labels = {s.name if isinstance(s, Label) else s.label for s in walk(body) if isinstance(s, Label | Block)}
    leaves = any(isinstance(s, Do | Return) or (isinstance(s, Goto) and s.label not in labels) for s in walk(body))
    return not leaves and not any(map(acts, all_expressions(body)))


def _makes_key(body: Body) -> bool:
    """Whether all packets get one and come to the end, where they are submitted."""
    straight = all(isinstance(s, Block | Do) for s in body[:-1])
    return straight and PLACE in called(body) and isinstance(body[-1], Return)
