"""The doors for text, in Python: programs of both languages, and packet tests. Each takes our own texts, damaged."""

from __future__ import annotations

import io
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random

import p4_14
import program
import switches
from damage import SLOW_SECONDS, damaged, garbled, survives
from doors import Outcome
from layout import render

from macsad import simulate

TESTS = Path(__file__).parents[1]
STF_PROGRAMS = ("tables", "p4_14_tables", "psa_externs", "paths", "value_sets")


def _program_text(random: Random, folder: Path) -> tuple[Path, str]:
    """A damaged program, and what is wrong with how it is received."""
    whole = sorted([*TESTS.glob("packets/*.p4"), *TESTS.parent.glob("apps/*/*.p4")])
    made = (lambda: render(program.make(random.randrange(1000), random.randrange(3))),
            lambda: render(p4_14.make(random.randrange(1000), random.randrange(3))),
            lambda: random.choice(whole).read_text())  # fmt: skip
    file = folder / "program.p4"
    return file, survives(_spoilt(random.choice(made)(), random), file)


def _stf_text(random: Random, folder: Path) -> tuple[Path, str]:
    """A damaged packet test, and what is wrong with how `macsad simulate` receives it."""
    tested = TESTS / "packets" / f"{random.choice(STF_PROGRAMS)}.p4"
    file = folder / "test.stf"
    file.write_bytes(_spoilt(tested.with_suffix(".stf").read_text(), random))
    out, began = io.StringIO(), time.process_time()
    try:
        code = simulate.run(switches.load(tested), file, out=out)
    except Exception:
        return file, traceback.format_exc()
    if code not in (0, 1) or (code == 1 and "error" not in out.getvalue()):
        return file, f"exit code {code}: {out.getvalue()}"
    took = time.process_time() - began
    return file, f"took {took:.0f} seconds" if took > SLOW_SECONDS else ""


TEXTS: dict[str, Callable[[Random, Path], tuple[Path, str]]] = {"program": _program_text, "stf": _stf_text}


def run(door: str, seconds: float, folder: Path, seed: int) -> Outcome:
    """Try damaged texts for a while; the first that is received badly ends it, and stays in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    random, executions = Random(seed), 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        file, wrong = TEXTS[door](random, folder)
        executions += 1
        if wrong:
            return Outcome(executions, 0, wrong, file)
    return Outcome(executions, 0, "", None)


def _spoilt(text: str, random: Random) -> bytes:
    """Words changed, or bytes, or both."""
    if random.random() < 0.7:
        text = damaged(text, random)
        if random.random() < 0.8:
            return text.encode()
    return garbled(text.encode(), random)
