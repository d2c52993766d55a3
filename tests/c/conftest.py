"""Fixtures of the C tests: the runtime linked with a program written by hand (runtime/sample_program.c), and its runs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from built_once import built_once
from switch_harness import Switch

ROOT = Path(__file__).parents[2]
BACKEND = ROOT / "aux-backend"
SANITIZERS = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

Build = Callable[..., Path]


def backend_sources() -> list[Path]:
    folders = ("runtime", "control", "tables", "platform/linux/src")
    return [source for folder in folders for source in sorted((BACKEND / folder).glob("*.c"))]


@pytest.fixture(scope="session")
def build_sample() -> Build:
    """build_sample(*flags, compiler="gcc"): the sample switch, built once for those flags."""

    def build(*flags: str, compiler: str = "gcc") -> Path:
        def make(folder: Path) -> None:
            includes = [f"-I{BACKEND / part}" for part in ("include", "", "platform/linux/include")]
            sources = [ROOT / "tests/c/runtime/sample_program.c", *backend_sources()]
            warnings = ["-Wall", "-Wextra", "-Werror", "-Wshadow"]
            command = [compiler, "-std=c11", "-D_GNU_SOURCE", *warnings, *flags, *includes, *map(str, sources)]
            command += ["-pthread", "-o", str(folder / "sample")]
            built = subprocess.run(command, capture_output=True, text=True, check=False)
            assert built.returncode == 0, built.stderr

        return built_once(("sample", compiler, flags), make) / "sample"

    return build


@pytest.fixture(scope="session")
def sample(build_sample: Build) -> Path:
    """The sample switch, sanitized."""
    return build_sample(*SANITIZERS)


Start = Callable[..., Switch]


@pytest.fixture
def start(sample: Path, tmp_path: Path) -> Iterator[Start]:
    """start(*arguments, ports=2): a switch with that many `ctl:` ports; ended, and checked, after the test."""
    running: list[Switch] = []

    def make(*arguments: str, ports: int = 2) -> Switch:
        options = [f"--port={number}=ctl:" for number in range(ports)]
        running.append(Switch(sample, tmp_path, [*options, *arguments]))
        return running[-1]

    yield make
    for switch in running:
        if switch.process.poll() is None:
            switch.stop()
