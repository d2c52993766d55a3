"""The order of the passes, in one list."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.hlir.program import Program
from transpiler.passes import (
    fold_branches,
    fold_selects,
    inline_empty_tables,
    propagate_copies,
    remove_dead_assignments,
    remove_invalid_headers,
    remove_unreachable,
    remove_unused_actions,
    remove_unused_declarations,
    simplify_expressions,
    update_checksums_incrementally,
)
from transpiler.verifier import Malformed, verify

Pass = Callable[[Program], Program]
NamedPass = tuple[str, Pass]

PASSES: tuple[NamedPass, ...] = (
    ("simplify_expressions", simplify_expressions.run),
    ("propagate_copies", propagate_copies.run),
    ("fold_branches", fold_branches.run),
    ("fold_selects", fold_selects.run),
    ("inline_empty_tables", inline_empty_tables.run),
    ("remove_unused_actions", remove_unused_actions.run),
    ("remove_unreachable", remove_unreachable.run),
    ("remove_invalid_headers", remove_invalid_headers.run),
    ("remove_dead_assignments", remove_dead_assignments.run),
    ("remove_unused_declarations", remove_unused_declarations.run),
    ("update_checksums_incrementally", update_checksums_incrementally.run),
)
ROUNDS = 4  # what one pass removes is work for an earlier one; more rounds than that find little


class BadPass(Exception):
    """A pass that makes HLIR which is not well-formed: what is wrong with it, with places in the program."""

    page = "docs/extend/pass.md"

    def __init__(self, name: str, malformed: Malformed) -> None:
        super().__init__(f"the pass '{name}' makes {malformed}")
        self.name = name


def _verified(name: str, made: Program, before: Program) -> Program:
    """What a pass has made. Raises: BadPass."""
    if made is not before:
        try:
            verify(made)
        except Malformed as malformed:
            raise BadPass(name, malformed) from malformed
    return made


def optimise(
    program: Program,
    observe: Callable[[str, Program], None] | None = None,
    passes: tuple[NamedPass, ...] = PASSES,
) -> Program:
    """The program after these passes, in rounds until nothing changes. `observe` sees each pass's name and result.
    Raises: BadPass."""
    for _ in range(ROUNDS):
        before = program
        for name, run in passes:
            program = _verified(name, run(program), program)
            if observe is not None:
                observe(name, program)
        if program == before:
            break
    return program
