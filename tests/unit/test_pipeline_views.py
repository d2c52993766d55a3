"""What functions of a pipeline take: that of the stages which their steps run, and no more."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from transpiler.codegen.pipeline_views import PassView
from transpiler.schedule.plan import Finish, Follow, Gather, PackKeys, Receive, Run, RunSubBatches, Step, Take

STAGES = [
    SimpleNamespace(takes={f"run{number}"}, takes_for_keys={f"keys{number}"}, takes_to_follow={f"follow{number}"})
    for number in range(3)
]


@pytest.mark.parametrize(
    ("step", "stage", "wanted"),
    [
        (Receive(), None, {"run0"}),  # what comes in front of all stages runs the first one
        (Take(), None, {"run0"}),
        (Run(1), 1, {"run1"}),
        (Run(2), 2, {"run2"}),
        (RunSubBatches(1, (), 0), 1, {"run1", "keys1", "follow1"}),
        (PackKeys(2), 2, {"keys2"}),
        (Follow(1, (), 1), 1, {"follow1"}),
        (Gather(1, False), 1, set()),
        (Finish(1, ()), 1, set()),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Step) else None,
)
def test_what_is_taken(step: Step, stage: int | None, wanted: set[str]) -> None:
    block = SimpleNamespace(stage=None if stage is None else STAGES[stage], steps=[SimpleNamespace(step=step)])
    takes = PassView.takes.fget  # type: ignore[attr-defined]
    assert takes(SimpleNamespace(blocks=[block], stages=STAGES)) == wanted
