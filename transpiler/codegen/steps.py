"""An architecture's steps → statements: the decision, and the intrinsic values that the step fills."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from transpiler.architectures.facts import part
from transpiler.codegen.c.nodes import Body
from transpiler.codegen.intrinsics import Intrinsics
from transpiler.schedule.pipeline import Step

Decisions = Mapping[Step, Callable[[Intrinsics], Body]]


def step(what: Step, values: Intrinsics) -> Body:
    """The statements of a step."""
    decisions: Decisions = part(values.program.architecture, "steps").DECISIONS
    decide = decisions.get(what)
    return (*(decide(values) if decide is not None else ()), *values.fill(what.fills))
