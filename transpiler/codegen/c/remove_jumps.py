"""Removes jumps to the next statement, and labels that nothing jumps to.

goto parsed; parsed:; packet->payload_offset = at;   →   packet->payload_offset = at;
if (x) goto a; goto b; a:                            →   if (!x) goto b; a:
if (x) { } else { y = 1; }                           →   if (!x) { y = 1; }
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from transpiler.codegen.c.build import negated
from transpiler.codegen.c.nodes import Block, Body, Goto, If, Label, Return, Statement, While
from transpiler.codegen.c.walk import map_bodies, walk

Jump = Goto | Return
END = Return()


def without_jumps(body: Body) -> Body:
    """The body of a function, which does the same."""
    while True:
        made = _without_jumps(_inverted(body), frozenset({END}))
        made = _without_labels(made, frozenset(_jumped_to(made)))
        if made == body:
            return body
        body = made


def _inverted(body: Body) -> Body:
    """With jumps over nothing but another jump turned round."""
    made: list[Statement] = []
    for statement in body:
        match made, statement:
            case [*_, If(then=(Goto(label=over),), otherwise=()) as branch, Goto() as jump], Label(name=here) if (
                here == over
            ):
                made[-2:] = [replace(branch, condition=negated(branch.condition), then=(jump,))]
        made.append(_turned(map_bodies(statement, _inverted)))
    return tuple(made)


def _turned(s: Statement) -> Statement:
    """A branch that does something only where its condition does not hold, turned round."""
    match s:
        case If(condition=condition, then=(), otherwise=(_, *_) as otherwise):
            return replace(s, condition=negated(condition), then=otherwise, otherwise=())
    return s


def _without_jumps(body: Body, follows: frozenset[Jump]) -> Body:
    """Without jumps to where control goes anyway. `follows`: those that would do nothing behind the last statement."""
    kept: list[Statement] = []
    for statement in reversed(body):
        if isinstance(statement, Goto | Return) and statement in follows:
            continue
        if isinstance(statement, Label):
            follows |= {Goto(statement.name)}
        else:
            statement, follows = _inside(statement, follows), frozenset()
        kept.append(statement)
    return tuple(reversed(kept))


def _inside(s: Statement, follows: frozenset[Jump]) -> Statement:
    """The same for what a statement holds. Behind the body of a case a `break` goes where `follows` says."""
    match s:
        case Block(body=body, part=part) if part:  # what its template puts behind the body is not known here
            return replace(s, body=_without_jumps(body, frozenset()))
        case Block(body=body, label=label):
            behind = follows | {Goto(label)} if label else follows
            return replace(s, body=_without_jumps(body, behind))
        case While() | Return():  # the end of a loop's body is its beginning
            return map_bodies(s, lambda body: _without_jumps(body, frozenset()))
    return _turned(map_bodies(s, lambda body: _without_jumps(body, follows)))


def _without_labels(body: Body, used: frozenset[str]) -> Body:
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, Label) and statement.name not in used:
            continue
        if isinstance(statement, Block) and statement.label not in used:
            statement = replace(statement, label="")
        kept.append(_turned(map_bodies(statement, lambda inner: _without_labels(inner, used))))
    return tuple(kept)


def _jumped_to(body: Body) -> Iterator[str]:
    return (statement.label for statement in walk(body) if isinstance(statement, Goto))
