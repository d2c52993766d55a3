"""Profiles of machines: measured by bench/profile.c, kept in the user's cache."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from macsad.bench.contestants import BenchError
from macsad.bench.programs import program
from macsad.outputs import written
from macsad.progress import counting
from macsad.targets import Machine
from transpiler.model.machine import BadProfile, MachineProfile, machine_profile
from transpiler.toolchain.cache import cache_directory

LIMIT_S = 120.0


def kept() -> Path:
    """Where this machine's profile is kept. Raises: ToolchainError."""
    return cache_directory() / "machine.json"


def build(arch: str, output: Path) -> None:
    """The measuring program for another machine, as one binary. Raises: ToolchainError, OSError."""
    with tempfile.TemporaryDirectory(prefix="macsad-profile-") as scratch:
        shutil.move(program("profile", Path(scratch), machine=Machine(arch=arch)), output)


def measure() -> dict[str, Any]:
    """Measure this machine, some seconds. Raises: BenchError, ToolchainError."""
    with tempfile.TemporaryDirectory(prefix="macsad-profile-") as scratch:
        binary = program("profile", Path(scratch))
        try:
            done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            raise BenchError(f"the machine was not measured in {LIMIT_S:.0f} s") from None
    if done.returncode:
        raise BenchError(done.stderr.strip() or "the machine cannot be measured")
    data: dict[str, Any] = json.loads(done.stdout)
    machine_profile(data)  # or it could not be read later
    return data


def keep(place: Path) -> dict[str, Any]:
    """Measure this machine into a file. Raises: BenchError, ToolchainError, click.FileError."""
    with counting("measuring the machine"):
        data = measure()
    with written(place, makes_folder=True) as beside:
        beside.write_text(json.dumps(data, indent=1) + "\n")
    return data


def read(path: Path) -> MachineProfile:
    """The profile in a file. Raises: BadProfile, OSError."""
    try:
        data = json.loads(path.read_text())
    except ValueError as error:
        raise BadProfile(f"{path}: it is not JSON: {error}") from None
    try:
        return machine_profile(data)
    except BadProfile as error:
        raise BadProfile(f"{path}: {error}") from None
