"""Follow branches whose condition is constant, cut what stands behind a leave, open blocks that nothing leaves.

Before: if (true) { a } else { b }  L: { c; leave L; d }      After: a c

Empty ifs and switches go (conditions are pure), and so do cases that an earlier case or a constant subject hides.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.hlir.expressions import Const
from transpiler.hlir.program import Program
from transpiler.hlir.statements import Block, Body, If, Leave, Statement, Switch, Verify, While
from transpiler.hlir.traverse import bodies, rebuild, walk
from transpiler.hlir.types import Bool, Enum
from transpiler.passes.mapping import map_bodies
from transpiler.passes.simplify_expressions import negate


def run(program: Program) -> Program:
    """The program with its constant branches taken."""
    return map_bodies(program, _body)


def _body(body: Body) -> Body:
    made: list[Statement] = []
    for statement in body:
        made += _folded(rebuild(statement, _body) if bodies(statement) else statement)
        if made and not _goes_on(made[-1]):
            break
    return tuple(made)


def _folded(statement: Statement) -> Body:
    """What a statement whose bodies are folded already becomes."""
    match statement:
        case If(condition=Const(value=chosen), then=then, otherwise=otherwise):
            return then if chosen else otherwise
        case If(then=(), otherwise=()):
            return ()
        case If(condition=condition, then=(), otherwise=otherwise):
            return (replace(statement, condition=negate(condition), then=otherwise, otherwise=()),)
        case Switch():
            return _switch(statement)
        case While(condition=Const(value=0)) | Verify(condition=Const(value=1)):
            return ()
        case Block(label=label, body=body):
            body = _without_last_leave(body, label)
            left = any(isinstance(s, Leave) and s.label == label for s in walk(body))
            return (replace(statement, body=body),) if left else body
    return (statement,)


def _switch(switch: Switch) -> Body:
    if isinstance(switch.subject, Const):
        wanted = switch.subject.value
        return next((case.body for case in switch.cases if wanted in case.values), switch.default)
    covered = sum(len(case.values) for case in switch.cases)
    default = () if covered >= _count(switch) else switch.default
    cases = tuple(case for case in switch.cases if case.body or default)
    if not any(case.body for case in cases) and not default:
        return ()
    return (replace(switch, cases=cases, default=default),) if cases else default


def _count(switch: Switch) -> int:
    """How many values a subject may have; as many as matter."""
    match switch.subject.type:
        case Bool():
            return 2
        case Enum(members=members):
            return len(members)
    return 1 << 64


def _goes_on(statement: Statement) -> bool:
    """Whether control may get behind a statement."""
    match statement:
        case Leave():
            return False
        case If(then=then, otherwise=otherwise):
            return _ends(then) or _ends(otherwise)
        case Switch(cases=cases, default=default):
            return _ends(default) or any(_ends(case.body) for case in cases)
        case Block(label=label, body=body):
            return _ends(body) or any(isinstance(s, Leave) and s.label == label for s in walk(body))
    return True


def _ends(body: Body) -> bool:
    """Whether control may get to the end of a folded body."""
    return not body or _goes_on(body[-1])


def _without_last_leave(body: Body, label: str) -> Body:
    """The body without leaves of `label` where the block ends anyway."""
    if not body:
        return body
    match body[-1]:
        case Leave(label=left) if left == label:
            return body[:-1]
        case If() | Switch() | Block() as last:
            inner = rebuild(last, lambda inside: _without_last_leave(inside, label))
            return (*body[:-1], *_folded(inner)) if inner != last else body
    return body
