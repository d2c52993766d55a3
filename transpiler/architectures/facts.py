"""What an architecture is, to all who look at programs of it: its pipes and what they share. Finds its parts, each for a stage
of the compiler that knows it by an interface only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from transpiler.hlir.program import Architecture, Control, Parser, Program, Role
from transpiler.verifier import Malformed

PARTS = ("facts", "pipes", "steps", "paths")


@dataclass(frozen=True, slots=True)
class Facts:
    """`roles`: what its pipes are, in the order in which packets pass them; a program may lack some.
    `one_storage`: all pipes see the same headers and metadata, which are parsed once; else each pipeline parses its own."""

    roles: Mapping[Role, type[Parser] | type[Control]]
    one_storage: bool


def part(architecture: Architecture, name: str) -> ModuleType:
    """One of PARTS of an architecture's folder."""
    return import_module(f"transpiler.architectures.{architecture.value}.{name}")


def facts(program: Program) -> Facts:
    """The facts of a program's architecture."""
    found: Facts = part(program.architecture, "facts").FACTS
    return found


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
