"""The worker of a frame, and the kernel's filter that chooses the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

from macsad.resources import share
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import include_flags

SOURCE = Path(__file__).parent / "runtime" / "steering.c"
FLAGS = ("-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def test_the_filter_does_what_the_runtime_does(tmp_path: Path) -> None:
    backend, binary = share("aux-backend"), tmp_path / "steering"
    sources = [str(SOURCE), str(backend / "runtime" / "steering_filter.c")]
    flags = ["-std=c11", "-D_GNU_SOURCE", *FLAGS, *include_flags(backend, toolchain.find())]
    subprocess.run(["gcc", *flags, *sources, "-o", str(binary)], check=True)
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
