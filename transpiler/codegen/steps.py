"""The architectures' steps → statements: what is decided there, and the intrinsic values that the step fills."""

from __future__ import annotations

from transpiler.codegen import psa_steps, v1model_steps
from transpiler.codegen.c.nodes import Body
from transpiler.codegen.intrinsics import Intrinsics
from transpiler.schedule.pipeline import Step

_DECISIONS = {**v1model_steps.DECISIONS, **psa_steps.DECISIONS}


def step(what: Step, values: Intrinsics) -> Body:
    """The statements of a step."""
    decide = _DECISIONS.get(what)
    return (*(decide(values) if decide is not None else ()), *values.fill(what.fills))
