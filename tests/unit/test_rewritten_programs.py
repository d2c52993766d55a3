"""What programs become before they are scheduled is HLIR as the verifier wants it: caches, regions, inlined actions, notes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import switches

from transpiler.codegen.generate import decide
from transpiler.diagnostics import Diagnostics
from transpiler.schedule.pipeline import DROPPED_AT
from transpiler.targets.find import builtin
from transpiler.verifier import verify

TESTS = Path(__file__).parents[1]
PROGRAMS = (
    "decisions", "ready", "shared_state", "state", "large_state", "statements", "tallies", "followed_entries", "psa_stages",
    "pna_learning", "wide_keys", "types", "hash",
)  # fmt: skip


@pytest.mark.parametrize("path", [*(f"packets/{name}" for name in PROGRAMS), "golden/codegen/cached", "system/sharded"])
def test_it_is_well_formed(path: str) -> None:
    program = decide(switches.load(TESTS / f"{path}.p4"), builtin(), Diagnostics()).planned.program
    named = tuple((name, variable) for name, variable in program.intrinsics if name != DROPPED_AT)  # that is metadata
    verify(replace(program, intrinsics=named))
