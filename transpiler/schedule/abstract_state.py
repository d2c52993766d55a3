"""Constant propagation over stages: replaces reads of known values, removes branches whose outcome is known, and specialises
the steps of the architecture.

    stage 0: parse; if (ipv4.isValid()) submit 1 …   stage 1: … emit(ethernet), emit(ipv4)
    →   both are valid in stage 1: it tests neither, and their validity is no live value

A forward analysis of the stages and joins of a pipe in topological order, with the path states of each place (paths.py) and the
transfer functions of statements and steps (transfer.py).
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.hlir.program import Program
from transpiler.hlir.statements import If, Leave, Switch
from transpiler.schedule.paths import PathStates, agreed, copied, known, met, split_by
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Special, Step
from transpiler.schedule.stages import (
    Code,
    Dispatch,
    End,
    Finish,
    Fork,
    HandOver,
    Jump,
    Piece,
    PipeSchedule,
    Plain,
    Stage,
    Submit,
    Target,
)
from transpiler.schedule.transfer import Transfer


def with_abstract_state(program: Program, pipes: tuple[PipeSchedule, ...]) -> tuple[PipeSchedule, ...]:
    """The pipes after constant propagation. At the entry of a pipe that does not renew the state nothing is known; at that of
    a replication pipeline, what is known where packets leave the pipe before."""
    made: list[PipeSchedule] = []
    to_replication: PathStates = []
    for pipe in pipes:
        propagation = _Propagation(program, pipe, to_replication if pipe.replication else [{}])
        made.append(propagation.pipe())
        to_replication = propagation.transfer.to_replication
    return tuple(made)


class _Propagation:
    def __init__(self, program: Program, pipe: PipeSchedule, entry: PathStates) -> None:
        self.source = pipe
        self.entry = entry
        self.transfer = Transfer(program, self._go_out)
        elements = {stack.element(i) for stack in program.stacks for i in range(stack.size)}
        self.single = {w for w in self.transfer.asked if w.owner not in elements}  # what has a variable of its own
        self.arrived: dict[int, PathStates] = {}  # at stages
        self.joined: dict[int, PathStates] = {}  # at the joins of the current stage
        self.number = 0  # of the current stage
        self.joins: list[Code] = []
        self.exits: dict[str, Target] = {}

    def pipe(self) -> PipeSchedule:
        fresh = [self.transfer.fresh(self.source.keeps)]
        self.arrived[0] = fresh if self.source.renews else copied(self.entry or [{}])
        self.joins = [()] * (len(self.source.stages) * len(self.source.joins))
        stages: list[Stage] = []
        numbers: dict[int, int] = {}  # of the stages that are reached
        for number, stage in enumerate(self.source.stages):
            if number in self.arrived:
                numbers[number] = len(stages)
                stages.append(self._stage(number, stage))
        return replace(
            self.source,
            stages=tuple(replace(stage, code=_renumbered(stage.code, numbers)) for stage in stages),
            joins=tuple(_renumbered(join, numbers) for join in self.joins),
            exits={label: _renumbered((target,), numbers)[0] for label, target in self.exits.items()},  # type: ignore[misc]
        )

    def _stage(self, number: int, stage: Stage) -> Stage:
        """A stage gets its own copies of joins, as its function has: in other stages other values are known there."""
        self.number, self.joined = number, {}
        arrived = met(self.arrived[number])
        known = {where: value for where in self.single if (value := agreed(arrived, where)) is not None}
        code = self._code(stage.code, arrived)
        for join, made in enumerate(self.source.joins):  # a join leads to later ones
            if join in self.joined:
                self.joins[self._own(join)] = self._code(made, met(self.joined[join]))
        return replace(stage, code=code, known=known)

    def _own(self, join: int) -> int:
        """The number of the copy of a join in the current stage."""
        return self.number * len(self.source.joins) + join

    def _go(self, target: Target, path_states: PathStates) -> Target:
        match target:
            case Submit(stage=stage):
                self.arrived[stage] = met([*self.arrived.get(stage, []), *copied(path_states)])
            case Jump(join=join):
                self.joined[join] = met([*self.joined.get(join, []), *copied(path_states)])
                return Jump(self._own(join))
        return target

    def _go_out(self, leave: Leave, path_states: PathStates) -> Leave:
        """Leave a block that was cut: with a label of this stage."""
        if leave.label not in self.source.exits:
            return leave
        own = f"{leave.label}@{self.number}"
        self.exits[own] = self._go(self.source.exits[leave.label], path_states)
        return replace(leave, label=own)

    # --- pieces ------------------------------------------------------------------------------------------------------

    def _code(self, code: Code, path_states: PathStates) -> Code:
        pieces: list[Piece] = []
        for piece in code:
            if not path_states:
                break
            match piece:
                case Submit() | Jump() | End():
                    return (*pieces, self._go(piece, path_states))
                case Finish(statement=statement):
                    path_states = self.transfer.apply(statement, path_states)
                    pieces.append(piece)
                case Fork(statement=If() as branch, arms=(then, otherwise)):
                    return (*pieces, *self._if(branch, then, otherwise, path_states))
                case Fork(statement=Switch() as switch, arms=arms):
                    return (*pieces, *self._switch(switch, arms, path_states))
                case Plain(what=Step() | Parse() | Deparse() | Restart() as what):
                    specialised, path_states = self.transfer.special(what, path_states)
                    pieces.append(Plain(specialised))
                case Plain(what=what) if not isinstance(what, Special):
                    body, path_states = self.transfer.statement(what, path_states)
                    pieces += map(Plain, body)
                case HandOver() | Dispatch():
                    raise TypeError("constant propagation runs before a pipe is cut in two")
        return tuple(pieces)

    def _if(self, branch: If, then: Code, otherwise: Code, path_states: PathStates) -> Code:
        first, second = split_by(branch.condition, path_states)
        if not first or not second:
            return self._code(then if first else otherwise, first or second)
        condition = known(branch.condition, path_states)
        arms = (self._code(then, first), self._code(otherwise, second))
        return (Fork(replace(branch, condition=condition), arms),)

    def _switch(self, switch: Switch, arms: tuple[Code, ...], path_states: PathStates) -> Code:
        reached = self.transfer.cases(switch, path_states)
        each = zip(switch.cases, arms[:-1], reached[:-1], strict=True)
        cases = [(case, self._code(arm, inside)) for case, arm, inside in each if inside]
        default = self._code(arms[-1], reached[-1]) if reached[-1] else ()
        if not cases:
            return default
        if len(cases) == 1 and not reached[-1]:
            return cases[0][1]
        rest = replace(switch, subject=known(switch.subject, path_states), cases=tuple(case for case, _ in cases))
        return (Fork(rest, (*(arm for _, arm in cases), default)),)


def _renumbered(code: Code, numbers: dict[int, int]) -> Code:
    """The code with new numbers of stages."""
    pieces: list[Piece] = []
    for piece in code:
        match piece:
            case Submit(stage=stage):
                pieces.append(Submit(numbers[stage]))
            case Fork(arms=arms):
                pieces.append(replace(piece, arms=tuple(_renumbered(arm, numbers) for arm in arms)))
            case _:
                pieces.append(piece)
    return tuple(pieces)
