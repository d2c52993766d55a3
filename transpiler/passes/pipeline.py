"""The order of the passes, in one list."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.hlir.program import Program
from transpiler.passes import remove_unreachable_states, remove_unused_declarations

Pass = Callable[[Program], Program]

PASSES: tuple[tuple[str, Pass], ...] = (
    ("remove_unreachable_states", remove_unreachable_states.run),
    ("remove_unused_declarations", remove_unused_declarations.run),
)


def optimise(program: Program, observe: Callable[[str, Program], None] | None = None) -> Program:
    """The program after all passes. `observe` sees each pass's name and result: tests verify and print it."""
    for name, run in PASSES:
        program = run(program)
        if observe is not None:
            observe(name, program)
    return program
