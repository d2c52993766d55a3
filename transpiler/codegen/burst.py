"""A pipeline's plan → views of its functions over a burst, with a view for each step."""

from __future__ import annotations

from itertools import groupby

from transpiler.codegen.given import Given
from transpiler.codegen.pipeline_views import BlockView, PassView, StageView, StepView
from transpiler.schedule.plan import Pass, PipelinePlan, Step, Transmit


def pass_views(
    plan: PipelinePlan, stages: tuple[StageView, ...], given: Given, *, resizes: bool, replicates: bool
) -> tuple[PassView, ...]:
    """The functions of a pipeline. `resizes`: they may change a frame's length; `replicates`: packets may go on to a
    replication pipeline."""
    name = plan.pipe.name
    return tuple(
        PassView(
            made.form, f"{name}_{PassView.NAMES[made.form]}", name, stages, _blocks(made, stages), given, resizes, replicates
        )
        for made in plan.passes
    )  # fmt: skip


def _blocks(made: Pass, stages: tuple[StageView, ...]) -> tuple[BlockView, ...]:
    blocks: list[BlockView] = []
    for number, steps in groupby(made.steps, lambda step: getattr(step, "stage", 0)):
        stage = stages[number] if number else None
        blocks.append(BlockView(stage, tuple(_step_view(step, stages) for step in steps)))
    return tuple(blocks)


def _step_view(step: Step, stages: tuple[StageView, ...]) -> StepView:
    numbers = getattr(step, "lookups", ())
    words = "".join(f"_{c.lower()}" if c.isupper() else c for c in type(step).__name__)
    lookups = tuple(stages[step.stage].lookups[n] for n in numbers) if not isinstance(step, Transmit) else ()
    return StepView(words.lstrip("_"), step, lookups)
