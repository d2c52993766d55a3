"""The target that the command line chooses, and the machine that is built for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from macsad.resources import share
from transpiler.targets import find
from transpiler.targets.target import BadKernel, Kernel, Target, UnknownTarget


def choose(name: str | None, folder: Path | None) -> Target:
    """The target of --target and --target-dir, ours without them. Raises: click.BadParameter, BadTarget."""
    try:
        target = find.choose(name, folder)
    except UnknownTarget as error:
        raise click.BadParameter(str(error), param_hint="--target") from None
    ours = {path.stem for path in (share("aux-backend") / "tables").rglob("*.h")}
    for kernel in target.kernels:
        _there(kernel, target, ours)
    return target


def _there(kernel: Kernel, target: Target, ours: set[str]) -> None:
    """A kernel is a header in the target's tables/ or in ours, not in both: the C would have one name twice."""
    if kernel.own_header and kernel.keeper in ours:
        header = next(file for folder in target.c_folders if (file := folder / kernel.own_header).is_file())
        raise BadKernel(f"{header}:1", f"macsad has a kernel '{kernel.keeper}' too: give yours another name")
    if not kernel.own_header and kernel.keeper not in ours:
        place = target.folders[0][1] / "tables"
        raise BadKernel(
            kernel.place,
            f"no kernel '{kernel.keeper}': neither is there {place / kernel.keeper}.h, nor does macsad have it",
        )


@dataclass(frozen=True, slots=True)
class Machine:
    """What is built for, and with what; None: this machine's, and what is usual there. `odp`: the package of an installed ODP,
    `sysroot`: where headers and libraries are."""

    platform: str = "linux"
    arch: str | None = None
    cpu: str | None = None
    compiler: str | None = None
    odp: str | None = None
    sysroot: Path | None = None


HERE = Machine()


def machine(target: Target, arguments: Mapping[str, Any]) -> Machine:
    """The machine as the options of `machine_options` have it, else the target. The target's processor, compiler and sysroot
    are for its architecture alone. Raises: click.BadParameter."""
    said = target.build
    arch, cpu = arguments.get("arch"), arguments.get("cpu")
    if cpu is not None and re.fullmatch(r"[0-9][0-9,-]*", cpu):
        raise click.BadParameter(
            f"'{cpu}' is no processor's name; the CPUs that a switch runs on are its --cpus", param_hint="--cpu"
        )
    same = arch is None or arch == said.arch
    sysroot = Path(said.sysroot) if same and said.sysroot else None
    return Machine(
        arguments.get("platform") or said.platform or "linux", arch or said.arch, cpu or (said.cpu if same else None),
        arguments.get("compiler") or (said.cc if same else None), said.odp, sysroot,
    )  # fmt: skip
