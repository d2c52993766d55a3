"""What the scheduler and code generation need to know of a program's architecture."""

from __future__ import annotations

from transpiler.architectures.facts import part
from transpiler.hlir.program import Program
from transpiler.schedule.pipeline import Description, Preserved


def describe(program: Program) -> Description:
    """The description of a program's architecture."""
    found: Description = part(program.architecture, "pipes").DESCRIPTION
    return found


def preserved_lists(program: Program) -> tuple[Preserved, ...]:
    """See Description.preserved."""
    return describe(program).preserved(program)
