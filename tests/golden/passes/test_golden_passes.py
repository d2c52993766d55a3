"""What the passes make of small programs: HLIR before and after as text beside each program (`--update-golden` writes it
anew), and what must not be in the C that is generated from it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from macsad.compilation import Request, generate_c, load
from transpiler.hlir.printer import print_program
from transpiler.hlir.program import Program
from transpiler.optimisations import Optimisations
from transpiler.passes.pipeline import PASSES, optimise
from transpiler.verifier import verify

HERE = Path(__file__).parent
PROGRAMS = sorted(HERE.glob("*.p4"))
EVERY_PROGRAM = sorted(
    {*PROGRAMS, *(p for p in HERE.parent.glob("p4_16/*.p4") if p.name != "skeleton.p4")}
    | {*HERE.parents[1].glob("packets/*.p4"), *HERE.parents[2].glob("apps/*/*.p4")}
)


def request(file: Path) -> Request:
    return Request(file, warnings=("no-all",))


@functools.cache
def program_of(file: Path) -> Program:
    return load(request(file))


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda p: p.stem)
def test_before_and_after(file: Path, golden: Callable[[Path, str], None]) -> None:
    program = program_of(file)
    golden(file.with_suffix(".before.hlir"), print_program(program))
    golden(file.with_suffix(".after.hlir"), print_program(optimise(program)))


@pytest.mark.parametrize("file", EVERY_PROGRAM, ids=lambda p: p.stem)
def test_the_program_is_well_formed_after_each_pass(file: Path) -> None:
    seen = []

    def observe(name: str, program: object) -> None:
        verify(program)  # type: ignore[arg-type]
        seen.append(name)

    optimise(program_of(file), observe)
    assert seen[: len(PASSES)] == [name for name, _ in PASSES]


@pytest.mark.parametrize("file", EVERY_PROGRAM, ids=lambda p: p.stem)
def test_each_pass_does_all_it_can_at_once(file: Path) -> None:
    program = program_of(file)
    for name, run in PASSES:
        program = run(program)
        assert run(program) == program, name
    assert optimise(optimise(program)) == optimise(program)


def test_packets_do_nothing_for_what_is_dead() -> None:
    file = HERE / "dead_parts.p4"
    program = program_of(file)
    assert "dead_table" in print_program(program)
    cut = replace(request(file), wanted=Optimisations(small_tables=False))
    described, marker, code = generate_c(cut, program).c.partition("/* The packets submitted to")
    assert marker and "ports" in code and "seen" in code
    assert "I.dead_table" in described and "I.dead_counter" in described  # the control plane may name them
    assert "dead" not in code.replace("dead_parts", "")


def test_comparisons_that_types_decide_are_not_in_the_c() -> None:
    file = HERE / "expressions.p4"
    made = generate_c(request(file), program_of(file)).c
    assert ">= 0" not in made
    assert "<= 255" not in made
    assert "*verdict = macs_verdict_of_port(" in made  # the program itself is there
