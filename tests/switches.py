"""Programs and their compiled switches for tests: loaded once, built once for each sanitizer and choice of optimisations."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from built_once import built_once

from macsad import compilation
from macsad.compilation import Request
from macsad.stf.compiled import CompiledDevice
from macsad.targets import Machine
from transpiler.diagnostics import Rejected
from transpiler.hlir.program import Program
from transpiler.optimisations import ALL, Optimisations

PLATFORM = os.environ.get("MACSAD_TEST_PLATFORM", "linux")  # odp: over an installed ODP, found by pkg-config


@functools.cache
def load(path: Path) -> Program:
    """A program as HLIR."""
    return compilation.load(Request(path))


def build(
    path: Path, sanitize: tuple[str, ...] = (), kernels: tuple[str, ...] = (), wanted: Optimisations = ALL
) -> Path:
    """The switch of a program; `kernels`: TABLE=NAME each. Skips the test when our target cannot run the program; it has
    then said so."""

    def make(folder: Path) -> None:
        of_platform = replace(wanted.as_far_as(PLATFORM), native=True)  # else it is another backend to compile
        level = (
            "-O0" if sanitize else "-O1"
        )  # sanitizers see all that is done at -O0, which compiles in a sixth of the time
        tools = compilation.toolchain(of_platform, Machine(PLATFORM), optimise=level, sanitize=sanitize)
        compilation.build(Request(path, kernels=kernels, wanted=wanted), load(path), folder, tools)

    try:
        return built_once((path, sanitize, kernels, wanted), make) / path.stem
    except Rejected as rejected:
        pytest.skip(rejected.diagnostics.messages[0].message)


def start(
    path: Path,
    ports: Iterable[int],
    *,
    burst: int = 32,
    sub_batch: int = 8,
    sanitize: tuple[str, ...] = (),
    kernels: tuple[str, ...] = (),
    wanted: Optimisations = ALL,
) -> CompiledDevice:
    """A running switch of a program."""
    return CompiledDevice(load(path), build(path, sanitize, kernels, wanted), ports, burst=burst, sub_batch=sub_batch)
