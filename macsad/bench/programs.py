"""The C programs of bench/: compiled with the flags and the backend that switches have."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from macsad.bench.contestants import BenchError
from macsad.compilation import toolchain
from macsad.resources import share
from macsad.targets import HERE, Machine
from transpiler.optimisations import ALL, Optimisations
from transpiler.toolchain.backend import archive, include_flags, run


def program(
    name: str, folder: Path, packages: tuple[str, ...] = (), machine: Machine = HERE, wanted: Optimisations = ALL,
    linker: tuple[str, ...] = (),
) -> Path:  # fmt: skip
    """Compile bench/NAME.c, with libraries that pkg-config knows and flags for the linker.

    Raises: BenchError when a library is missing, ToolchainError.
    """
    tools = toolchain(wanted, machine)
    backend = share("aux-backend")
    compiling, linking = _packages(packages)
    binary = folder / Path(name).name
    flags = (*tools.all_flags, *include_flags(backend, tools), f"-I{share('bench')}", *compiling)
    source = str(share("bench") / f"{name}.c")
    libraries = [str(archive(backend, tools)), *tools.link_flags, *linking, *linker]
    run([*tools.compiler, *flags, source, *libraries, "-o", str(binary)])
    return binary


def _packages(packages: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Flags to compile and to link with."""
    if not packages:
        return [], []
    if shutil.which("pkg-config") is None:
        raise BenchError("pkg-config is not installed")
    for package in packages:
        if subprocess.run(["pkg-config", "--exists", package], check=False).returncode:
            raise BenchError(f"pkg-config does not know {package}")
    compiling, linking = (
        subprocess.run(["pkg-config", what, *packages], check=True, capture_output=True, text=True).stdout.split()
        for what in ("--cflags", "--libs")
    )
    # What a package thinks of the processor is not what this machine's programs are compiled for.
    usable = [flag for flag in compiling if not flag.startswith("-march")]
    return [f"-isystem{flag[2:]}" if flag.startswith("-I") else flag for flag in usable], linking
