"""Removes stores to variables that nothing reads on the paths from there. The pass remove_dead_assignments has removed those
that nothing reads anywhere; it knows nothing of the architecture's steps.

forward to egress_spec; egress_spec = 0; deparse      →      forward to egress_spec; deparse

Actions are left as they are: they are the same in every stage that runs them.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.hlir.statements import Body, If, Statement, Switch
from transpiler.hlir.traverse import bodies, rebuild
from transpiler.schedule.live import Live, Liveness
from transpiler.schedule.pipeline import Deparse, Special, Step
from transpiler.schedule.stages import Code, Fork, Piece, Plain


def without_dead_stores(code: Code, liveness: Liveness) -> Code:
    """The code without them. `liveness`: of its pipe, with all stages and joins that the code leads to."""
    made: list[Piece] = []
    live: Live = frozenset()
    for piece in reversed(code):
        made += _piece(piece, live, liveness)
        live = liveness.before_piece(piece, live)
    return tuple(reversed(made))


def _piece(piece: Piece, live: Live, liveness: Liveness) -> Code:
    match piece:
        case Fork(arms=arms):
            return (replace(piece, arms=tuple(without_dead_stores(arm, liveness) for arm in arms)),)
        case Plain(what=Step() as step):
            return (Plain(_step(step, live, liveness)),)
        case Plain(what=Deparse(then=Step() as step) as what):
            return (Plain(replace(what, then=_step(step, live, liveness))),)
        case Plain(what=what) if not isinstance(what, Special):
            return tuple(map(Plain, _statement(what, live, liveness)))
    return (piece,)


def _step(step: Step, live: Live, liveness: Liveness) -> Step:
    return replace(step, fills=liveness.fills(step, live))


def _body(body: Body, live: Live, liveness: Liveness) -> Body:
    made: list[Statement] = []
    for statement in reversed(body):
        made += _statement(statement, live, liveness)
        live = liveness.before_statement(statement, live)
    return tuple(reversed(made))


def _statement(statement: Statement, live: Live, liveness: Liveness) -> Body:
    if liveness.is_dead(statement, live):
        return ()
    if not isinstance(statement, If | Switch):  # in loops and blocks no place is known to come last
        return (statement,)
    made = rebuild(statement, lambda body: _body(body, live, liveness))
    return (made,) if any(bodies(made)) else ()
