"""A bounded number of random programs; MACSAD_FUZZ_SEEDS sets how many, `make fuzz MINUTES=…` goes on with others."""

from __future__ import annotations

import os
from pathlib import Path

import program
import pytest
from layout import render, smaller
from oracle import Subject, examine

COUNT = int(os.environ.get("MACSAD_FUZZ_SEEDS", "8"))


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_programs_run_the_same_everywhere(seed: int, tmp_path: Path) -> None:
    failure = examine(render(program.make(seed, seed % 4)), tmp_path, seed, count=2)
    assert failure is None, (
        f"{failure.step}: {failure.message}\nTo make it smaller: tests/fuzz/fuzz.py --seed {seed} --count 1"
    )


def test_more_random_programs_are_read_and_optimised(tmp_path: Path) -> None:
    for seed in range(1000, 1015):
        subject = Subject.of_text(tmp_path, render(program.make(seed, seed % 4)))
        assert subject.read() is None, f"seed {seed}"


def test_the_same_seed_makes_the_same_program() -> None:
    assert program.make(7, 2) == program.make(7, 2)
    assert program.make(7, 2) != program.make(8, 2)


def test_smaller_programs_are_smaller() -> None:
    whole = program.make(3, 1)
    assert all(len(render(less)) < len(render(whole)) for less, _ in zip(smaller(whole), range(300), strict=False))
