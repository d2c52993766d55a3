"""The architectures that can be scheduled and compiled, and what the others need to know of a program's."""

from __future__ import annotations

from transpiler.hlir.program import Architecture, Program
from transpiler.schedule.pipeline import Description, Preserved
from transpiler.schedule.psa import PSA
from transpiler.schedule.v1model import V1MODEL

_DESCRIPTIONS = {Architecture.V1MODEL: V1MODEL, Architecture.PSA: PSA}


def describe(program: Program) -> Description:
    """The description of a program's architecture."""
    return _DESCRIPTIONS[program.architecture]


def preserved_lists(program: Program) -> tuple[Preserved, ...]:
    """See Description.preserved."""
    return describe(program).preserved(program)
