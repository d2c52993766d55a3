"""What an architecture is, to all who look at programs of it: its pipes and what they share, the numbers that mean something."""

from __future__ import annotations

from transpiler.architectures import psa, v1model
from transpiler.architectures.facts import Facts
from transpiler.hlir.program import Architecture, Control, Parser, Program
from transpiler.verifier import Malformed

_FACTS = {Architecture.V1MODEL: v1model.FACTS, Architecture.PSA: psa.FACTS}


def facts(program: Program) -> Facts:
    """Those of a program's architecture."""
    return _FACTS[program.architecture]


def verify(program: Program) -> None:
    """Check that a well-formed program has the pipes of its architecture, in their order. Raises: Malformed."""
    known = facts(program).roles
    violations = []
    last = -1
    for pipe in program.pipes:
        if pipe.role not in known:
            violations.append(f"{pipe.span}: {program.architecture.value} has no {pipe.role.value}")
            continue
        wanted = known[pipe.role]
        if not isinstance(pipe, wanted):
            violations.append(f"{pipe.span}: the {pipe.role.value} is not a {_NAMES[wanted]}")
        place = list(known).index(pipe.role)
        if place < last:
            violations.append(f"{pipe.span}: the {pipe.role.value} stands behind what packets pass after it")
        last = max(last, place)
    if violations:
        raise Malformed(tuple(violations))


_NAMES = {Parser: "parser", Control: "control"}
