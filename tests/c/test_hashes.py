"""The hash algorithms of the runtime against their definitions, by each of the ways that a processor offers."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from built_once import built_once

from macsad.resources import share
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import include_flags

SOURCE = Path(__file__).parent / "runtime" / "hashes.c"
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all"
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Werror")
TABLES = "crc16 by tables, crc32 by tables\n"
MULTIPLIED = "crc16 by multiplication, crc32 by multiplication\n"
ARM = "aarch64-linux-gnu-gcc"


def built(compiler: str, options: tuple[str, ...]) -> Path:
    backend = share("aux-backend")
    includes = include_flags(backend, toolchain.find())

    def make(folder: Path) -> None:
        sources = [str(SOURCE), str(backend / "runtime" / "crc.c")]
        flags = ["-std=c11", "-D_GNU_SOURCE", *WARNINGS, *options, *includes]
        done = subprocess.run(
            [compiler, *flags, *sources, "-o", str(folder / "hashes")], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[:3000]

    return built_once(("hashes", compiler, options), make) / "hashes"


def run(*command: str | Path) -> str:
    seed = int.from_bytes(os.urandom(4), "little")
    words = [*map(str, command), str(seed)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr[:3000]}"
    return done.stdout


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    ("options", "by"),
    [
        (f"-O0 -mpclmul {SANITIZE} -DKNOWN=64", MULTIPLIED),
        (f"-O0 -mpclmul -DMACS_CRC_PLAIN {SANITIZE} -DKNOWN=64", TABLES),
        ("-O3 -march=native -mpclmul -DKNOWN=256", MULTIPLIED),
        ("-O3 -march=x86-64 -DKNOWN=64", TABLES),
    ],
)
def test_hashes(compiler: str, options: str, by: str) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("the options are those of x86")
    if by == MULTIPLIED and "pclmulqdq" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor does not multiply without carries")
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    assert run(built(compiler, tuple(options.split()))) == by


@pytest.mark.parametrize(
    ("machine", "by"),
    [
        ("armv8-a", TABLES),
        ("armv8-a+crc", "crc16 by tables, crc32 by instructions\n"),
        ("armv8-a+crypto", MULTIPLIED),
        ("armv8-a+crc+crypto", "crc16 by multiplication, crc32 by instructions\n"),
    ],
)
def test_hashes_on_arm(machine: str, by: str) -> None:
    if shutil.which(ARM) is None or shutil.which("qemu-aarch64-static") is None:
        pytest.skip("no ARM cross compiler or no qemu-aarch64-static")
    binary = built(ARM, ("-O2", "-static", f"-march={machine}", "-DKNOWN=64"))
    assert run("qemu-aarch64-static", binary) == by
