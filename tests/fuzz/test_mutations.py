"""The frontends survive damaged programs, `macsad simulate` damaged packet tests: messages, no traceback, no hang."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from random import Random

import p4_14
import program
import pytest
import switches
from damage import SLOW_SECONDS, damaged, survives
from layout import render

from macsad import simulate

TESTS = Path(__file__).parents[1]
COUNT = int(os.environ.get("MACSAD_FUZZ_MUTATIONS", "10"))
P4_14_PROGRAMS = sorted(TESTS.parent.glob("apps/*/*_14.p4"))


@pytest.mark.parametrize("seed", range(3))
def test_damaged_p4_16(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = render(program.make(seed, seed % 4))
    for _ in range(COUNT):
        assert survives(damaged(text, random), tmp_path / "program.p4") == ""


def test_damaged_random_p4_14(tmp_path: Path) -> None:
    random = Random(0)
    for seed in range(COUNT):
        text = damaged(render(p4_14.make(seed, seed % 4)), random)
        assert survives(text, tmp_path / "program.p4") == ""


@pytest.mark.parametrize("path", P4_14_PROGRAMS, ids=[p.stem for p in P4_14_PROGRAMS])
def test_damaged_p4_14(path: Path, tmp_path: Path) -> None:
    random = Random(path.stem)
    for _ in range(COUNT):
        assert survives(damaged(path.read_text(), random), tmp_path / "program.p4") == ""


@pytest.mark.parametrize("name", ["tables", "p4_14_tables", "psa_externs", "paths"])
def test_damaged_stf(name: str, tmp_path: Path) -> None:
    random = Random(name)
    program, file = TESTS / "packets" / f"{name}.p4", tmp_path / "test.stf"
    text = program.with_suffix(".stf").read_text()
    for _ in range(COUNT // 2):
        file.write_text(damaged(text, random))
        out, began = io.StringIO(), time.process_time()
        code = simulate.run(switches.load(program), file, out=out)
        assert code == 0 or (code == 1 and "error" in out.getvalue())
        assert time.process_time() - began < SLOW_SECONDS
