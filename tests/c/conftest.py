"""Fixtures of the C tests: the runtime linked with a program written by hand (runtime/sample_program.c), and its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from built_once import built_once
from switch_harness import Switch

from macsad.resources import share
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import compile_program

SAMPLE = Path(__file__).parent / "runtime" / "sample_program.c"

Build = Callable[..., Path]


@pytest.fixture(scope="session")
def build_sample() -> Build:
    """build_sample(**options): the sample switch, built once for those options of toolchain.find()."""

    def build(**options: object) -> Path:
        tools = toolchain.find(**options)  # type: ignore[arg-type]

        def make(folder: Path) -> None:
            compile_program(SAMPLE, folder / "sample", share("aux-backend"), tools)

        return built_once(("sample", tools), make) / "sample"

    return build


@pytest.fixture(scope="session")
def sample(build_sample: Build) -> Path:
    """The sample switch, sanitized."""
    return build_sample(optimise="-O1", sanitize=("address", "undefined"))


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
