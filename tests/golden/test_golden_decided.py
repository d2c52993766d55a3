"""What is decided of whole programs before there is C, as text beside each (`--update-golden` writes it anew): notes on tables
and state, the plan, what the runtime is told of decisions that are ready, and the program that is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from macsad.compilation import Request, decide, load
from transpiler.codegen.generate import notes_of
from transpiler.configuration import BEST
from transpiler.graph import plan
from transpiler.hlir.printer import print_program

HERE = Path(__file__).parent
PROGRAMS = ("codegen/state", "codegen/headers", "codegen/cached", "p4_16/psa_counting")


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_decided(name: str, golden: Callable[[Path, str], None]) -> None:
    file = HERE / f"{name}.p4"
    request = Request(file, warnings=("no-all",))
    program = load(request)
    decided = decide(request, program)
    parts = ["\n".join(notes_of(program, decided, BEST)).replace(f"{file.parent}/", ""), plan.text(decided.planned)]
    if decided.cached is not None and (ready := decided.cached.ready) is not None:
        masks = "\n".join(mask.hex(" ", -2) for mask in ready.masks)
        parts.append(f"received {ready.received}\nsent {ready.sent}\n{masks}\n")
    golden(file.with_suffix(".decided"), "\n\n".join((*parts, print_program(decided.planned.program))))
