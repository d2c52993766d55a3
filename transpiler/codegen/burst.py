"""A pipeline's plan → views of its functions over a burst, with a view for each step."""

from __future__ import annotations

from itertools import groupby

from transpiler.codegen.given import Given
from transpiler.codegen.pipeline_views import BlockView, PassView, StageView, StepView
from transpiler.schedule.plan import Advance, Pass, PipelinePlan, Receive, Run, RunSubBatches, Step, Take, Transmit


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
        blocks.append(BlockView(stage, tuple(view for step in steps for view in _step_views(step, stages))))
    return tuple(blocks)


def _step_views(step: Step, stages: tuple[StageView, ...]) -> tuple[StepView, ...]:
    """The view of a step. Before the work of a stage that accesses registers, or defers counts, there is one that prepares it,
    and behind that of one that locks registers, or adds up what goes to them, one that releases and settles them."""
    numbers = getattr(step, "lookups", ())
    lookups = tuple(stages[step.stage].lookups[n] for n in numbers) if not isinstance(step, Transmit) else ()
    view = StepView(_kind(step), step, lookups)
    works = isinstance(step, Receive | Take | Run | RunSubBatches)
    stage = stages[getattr(step, "stage", 0)] if works else None
    if stage is None:
        return (view,)
    begins = (StepView("prepare", step, ()),) if stage.settlements or stage.kept is not None or stage.copies else ()
    ends = (StepView("release", step, ()),) if stage.settlements or stage.holds else ()
    return (*begins, view, *ends)


def _kind(step: Step) -> str:
    """The name of a step's template."""
    match step:
        case Advance(next_burst=True):
            return "advance_next"
        case Run(lookups=(_, *_)):
            return "run_words"
    words = "".join(f"_{c.lower()}" if c.isupper() else c for c in type(step).__name__)
    return words.lstrip("_")
