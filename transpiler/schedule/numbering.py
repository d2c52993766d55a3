"""A Split → PipeSchedule: stages and joins numbered by their order, joins that only one jump needs put in its place."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from transpiler.hlir.statements import Leave
from transpiler.schedule.order import joins_of, reachable_joins, statements_of
from transpiler.schedule.pipeline import PipePlan
from transpiler.schedule.split import Split
from transpiler.schedule.stages import Code, Fork, Jump, Piece, PipeSchedule, Stage, Submit, Target


def number(plan: PipePlan, split: Split) -> PipeSchedule:
    """The schedule of a pipe."""
    return _Numbering(split).pipe(plan)


class _Numbering:
    def __init__(self, split: Split) -> None:
        self.split = split
        codes = [*(made.code for made in split.stages.values()), *split.joins.values()]
        self.left = {s.label for code in codes for s in statements_of(code) if isinstance(s, Leave)}
        uses = self._uses()
        by_label = {t.join for label, t in split.exits.items() if label in self.left and isinstance(t, Jump)}
        self.single = {join for join, count in uses.items() if count == 1 and join not in by_label}
        self.kept_joins = sorted(set(uses) - self.single)
        self.stage_numbers = {position: number for number, position in enumerate(sorted(split.stages))}
        self.join_numbers = {position: number for number, position in enumerate(self.kept_joins)}

    def _uses(self) -> Counter[int]:
        """Join → the jumps to it, over the functions of all stages."""
        uses: Counter[int] = Counter()
        for stage, made in self.split.stages.items():
            joins = (self.split.joins[join] for join in reachable_joins(self.split, self.split.stages[stage].code))
            for code in (made.code, *joins):
                uses.update(joins_of(code, self.split.exits))
        return uses

    def pipe(self, plan: PipePlan) -> PipeSchedule:
        stages = tuple(
            Stage(
                made.name,
                tuple(apply.statement for apply in made.lookups),
                self._code(made.code),
                prefetched=made.prefetched,
            )
            for _, made in sorted(self.split.stages.items())
        )
        joins = tuple(self._code(self.split.joins[join]) for join in self.kept_joins)
        exits = {label: self._target(to) for label, to in self.split.exits.items() if label in self.left}
        return PipeSchedule(plan.name, stages, joins, exits, plan.renews, plan.keeps, plan.replication)

    def _target(self, to: Target) -> Target:
        match to:
            case Submit(stage=stage):
                return Submit(self.stage_numbers[stage])
            case Jump(join=join):
                return Jump(self.join_numbers[join])
        return to

    def _code(self, code: Code) -> Code:
        pieces: list[Piece] = []
        for piece in code:
            match piece:
                case Jump(join=join) if join in self.single:
                    pieces += self._code(self.split.joins[join])
                case Submit() | Jump():
                    pieces.append(self._target(piece))
                case Fork(arms=arms):
                    pieces.append(replace(piece, arms=tuple(self._code(arm) for arm in arms)))
                case _:
                    pieces.append(piece)
        return tuple(pieces)
