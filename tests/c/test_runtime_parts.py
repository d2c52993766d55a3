"""Parts of the runtime that are tested with all of it behind them: counts that are deferred, of entries that go meanwhile;
entries that packets have added, that the table does not take or both add; entries whose time is over; when clients are told;
the state of externs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from built_once import built_once

from macsad.resources import share
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import compile_program

PROGRAMS = Path(__file__).parent / "runtime"


@pytest.mark.parametrize("part", ["given_again", "learned", "both_add", "expiring", "pushing", "states"])
def test_parts_of_the_runtime_in_the_whole(part: str) -> None:
    """Each program says at its head what it tests."""
    tools = toolchain.find(optimise="-O1", sanitize=("address", "undefined"))  # as the sample's: one archive serves all

    def make(folder: Path) -> None:
        compile_program(PROGRAMS / f"{part}.c", folder / part, share("aux-backend"), tools)

    binary = built_once((part, tools), make) / part
    for seed in (1, int.from_bytes(os.urandom(4), "little")):
        done = subprocess.run([binary, str(seed)], capture_output=True, text=True, check=False, timeout=60)
        assert done.stdout == "ok\n", f"seed {seed}: {done.stdout}{done.stderr}"
