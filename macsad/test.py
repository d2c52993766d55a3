"""`macsad test`: an STF test on the compiled switch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from macsad.stf.check import check
from macsad.stf.compiled import CompiledDevice
from transpiler.hlir.program import Program


def run(
    program: Program,
    stf: Path,
    binary: Path,
    *,
    burst: int = 32,
    sub_batch: int = 32,
    wrapper: tuple[str, ...] = (),
    out: TextIO | None = None,
) -> int:
    """Run a test on `binary`, made of `program`; `wrapper` goes before its command line (an emulator).

    Returns the exit code: 0 passed, 1 failed or not readable. Raises: OSError when the STF file cannot be read.
    """
    return check(
        program,
        stf,
        lambda ports: CompiledDevice(program, binary, ports, burst=burst, sub_batch=sub_batch, wrapper=wrapper),
        out or sys.stdout,
    )
