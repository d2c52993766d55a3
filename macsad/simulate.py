"""`macsad simulate`: an STF test through the interpreter."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from macsad.stf.check import check
from macsad.stf.interpreted import InterpretedDevice
from transpiler.hlir.program import Program
from transpiler.interpreter.trace import Event, silent
from transpiler.recursion import deep_recursion


@deep_recursion()
def run(program: Program, stf: Path, *, trace: bool = False, seed: int = 0, out: TextIO | None = None) -> int:
    """Run a test; `trace` writes the way of each packet too. Returns the exit code: 0 passed, 1 failed or not readable.

    Raises: OSError when the STF file cannot be read.
    """
    to = out or sys.stdout

    def tell(event: Event) -> None:
        if event.kind == "receive":
            to.write("\n")
        to.write(f"{event}\n")

    return check(program, stf, lambda ports: InterpretedDevice(program, seed=seed, trace=tell if trace else silent), to)
