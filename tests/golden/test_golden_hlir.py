"""What elaboration makes of whole P4-16 programs: the HLIR as text beside each program (`--update-golden` writes it anew)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16

from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.hlir.printer import print_program
from transpiler.verifier import verify

PROGRAMS = sorted(p for p in (Path(__file__).parent / "p4_16").glob("*.p4") if p.name != "skeleton.p4")


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda p: p.stem)
def test_hlir(file: Path, golden: Callable[[Path, str], None]) -> None:
    program = P4_16().load(Source(file), Diagnostics())
    verify(program)
    golden(file.with_suffix(".hlir"), print_program(program))
