"""The successors of a pipe's stages and joins, and which stages submit packets to which."""

from __future__ import annotations

from transpiler.hlir.statements import Leave
from transpiler.schedule.order import joins_of, statements_of
from transpiler.schedule.stages import Code, Dispatch, Fork, Jump, PipeSchedule, Submit, Target


def targets(code: Code, pipe: PipeSchedule) -> list[Target]:
    """The stages and joins that a code goes to by itself, each once or more."""
    found: list[Target] = []
    for piece in code:
        match piece:
            case Submit() | Jump():
                found.append(piece)
            case Dispatch(stages=stages):
                found += map(Submit, stages)
            case Fork(arms=arms):
                for arm in arms:
                    found += targets(arm, pipe)
    leaves = (s for s in statements_of(code) if isinstance(s, Leave))
    return found + [pipe.exits[s.label] for s in leaves if s.label in pipe.exits]


def fed_by(pipe: PipeSchedule, code: Code) -> frozenset[int]:
    """The stages that a stage's code submits packets to, also by way of joins."""
    return frozenset(target.stage for target in targets(whole(pipe, code), pipe) if isinstance(target, Submit))


def whole(pipe: PipeSchedule, code: Code) -> Code:
    """A stage's code and that of all joins that it may reach."""
    seen: set[int] = set()
    todo = list(joins_of(code, pipe.exits))
    while todo:
        if (join := todo.pop()) not in seen:
            seen.add(join)
            code += pipe.joins[join]
            todo += joins_of(pipe.joins[join], pipe.exits)
    return code
