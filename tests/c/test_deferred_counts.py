"""Counts that are deferred, of entries that go meanwhile: by the runtime's own worker, whatever comes after what."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from built_once import built_once

from macsad.resources import share
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import compile_program

SOURCE = Path(__file__).parent / "runtime" / "given_again.c"


def test_an_index_is_given_again_once_its_counts_are_made() -> None:
    tools = toolchain.find(
        optimise="-O1", sanitize=("address", "undefined")
    )  # as the sample's: one archive serves both

    def make(folder: Path) -> None:
        compile_program(SOURCE, folder / "given_again", share("aux-backend"), tools)

    binary = built_once(("given again", tools), make) / "given_again"
    for seed in (1, int.from_bytes(os.urandom(4), "little")):
        done = subprocess.run([binary, str(seed)], capture_output=True, text=True, check=False, timeout=60)
        assert done.stdout == "ok\n", f"seed {seed}: {done.stdout}{done.stderr}"
