"""The stages whose packets come in the order of the burst: from one stage, or from several that never have packets in the same
burst.

A result that is the same for all packets of a burst (`of_burst` of a method) divides the ways through a pipe: two stages that
submit packets to a third under different results never do so in the same burst.

    stage 0: if (on) { … submit to 1 } else { submit to 2 }    stage 1: submit to 2    →    2 gets those of 0, or those of 1
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from transpiler.externs.table import METHODS
from transpiler.hlir.expressions import Read, VariableRef
from transpiler.hlir.statements import Assign, CallExtern, If, Leave, Statement
from transpiler.schedule.order import statements_of
from transpiler.schedule.stages import Code, Dispatch, Fork, Jump, PipeSchedule, Submit, Target

Results = frozenset[tuple[str, bool]]  # of variables, that a way excludes


def in_order(pipe: PipeSchedule) -> frozenset[int]:
    """The stages that get their packets in the order of the burst. A stage behind a cut is none: it is left packets by stages of
    the front, each of which knows other values of them."""
    handed = {
        stage
        for feeding in pipe.stages
        for piece in feeding.code
        if isinstance(piece, Dispatch)
        for stage in piece.stages
    }
    return frozenset(
        stage for stage, ways in _Ways(pipe).of_stages.items() if stage not in handed and _never_together(ways.values())
    )


def _never_together(ways: Iterable[Results]) -> bool:
    """Whether packets come by one of the ways alone in a burst."""
    return all(any((name, not value) in two for name, value in one) for one, two in combinations(ways, 2))


class _Ways:
    """`of_stages`: of each stage the stages that feed it, and what no packet has on the way from there."""

    def __init__(self, pipe: PipeSchedule) -> None:
        self.pipe = pipe
        self.decided = _of_burst(pipe)
        self.of_stages: dict[int, dict[int, Results]] = defaultdict(dict)
        for number, stage in enumerate(pipe.stages):  # a stage submits to later ones
            self.joins: dict[int, Results] = {}
            feeding = list(self.of_stages[number].values()) if number in self.of_stages else []
            self._follow(number, stage.code, frozenset.intersection(*feeding) if feeding else frozenset())
            for join, code in enumerate(pipe.joins):  # and a join leads to later ones
                if join in self.joins:
                    self._follow(number, code, self.joins[join])

    def _follow(self, number: int, code: Code, without: Results) -> None:
        """Note where a stage's code leads to."""
        for piece in code:
            match piece:
                case Submit() | Jump():
                    self._go(number, piece, without)
                case Dispatch(stages=stages):
                    for stage in stages:
                        self._go(number, Submit(stage), without)
                case Fork(statement=statement, arms=arms):
                    for arm, excluded in zip(arms, self._excluded(statement, len(arms)), strict=True):
                        self._follow(number, arm, without | excluded)
                case _:
                    for target in self._left((piece,)):
                        self._go(number, target, without)

    def _left(self, code: Code) -> Iterator[Target]:
        leaves = (s for s in statements_of(code) if isinstance(s, Leave))
        return (self.pipe.exits[leave.label] for leave in leaves if leave.label in self.pipe.exits)

    def _go(self, number: int, target: Target, without: Results) -> None:
        match target:
            case Submit(stage=stage):
                ways = self.of_stages[stage]
                ways[number] = ways[number] & without if number in ways else without
            case Jump(join=join):
                self.joins[join] = self.joins[join] & without if join in self.joins else without

    def _excluded(self, statement: Statement, arms: int) -> tuple[Results, ...]:
        match statement:
            case If(condition=Read(place=VariableRef(name=name))) if name in self.decided:
                return frozenset({(name, False)}), frozenset({(name, True)})
        return (frozenset(),) * arms


def _of_burst(pipe: PipeSchedule) -> frozenset[str]:
    """The variables that have the same value for all packets of a burst."""
    decided, others = set[str](), set[str]()
    for code in (*(stage.code for stage in pipe.stages), *pipe.joins):
        for statement in statements_of(code):
            match statement:
                case CallExtern(method=method, outputs=outputs):
                    names = {place.name for place in outputs if isinstance(place, VariableRef)}
                    (decided if METHODS[method].of_burst else others).update(names)
                case Assign(target=VariableRef(name=name)):
                    others.add(name)
    return frozenset(decided - others)
