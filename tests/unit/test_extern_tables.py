"""Every method of `hlir.externs` has a meaning, a rendering and a target that knows it; each place has no others."""

from __future__ import annotations

import pytest

from transpiler.codegen import extern_calls
from transpiler.hlir.externs import HASH_ALGORITHMS, METHODS
from transpiler.interpreter.calls import MEANINGS
from transpiler.targets.find import builtin

PAGE = "docs/extend/extern.md"


@pytest.mark.parametrize(
    ("place", "methods"),
    [
        ("transpiler/interpreter/calls.py: @_means", set(MEANINGS)),
        ("transpiler/codegen/extern_calls.py: CALLS", set(extern_calls.CALLS)),
        ("transpiler/targets/software/target.toml: externs", builtin().externs),
    ],
)
def test_every_method_is_in_every_place(place: str, methods: set[str]) -> None:
    assert set(METHODS) - methods == set(), f"missing in {place}; {PAGE} says what a method needs"
    assert methods - set(METHODS) == set(), f"{place} has what transpiler/hlir/externs.py has not; see {PAGE}"


def test_every_hash_algorithm_is_the_targets() -> None:
    assert builtin().hash_algorithms == frozenset(HASH_ALGORITHMS), f"target.toml: hash_algorithms; see {PAGE}"
