"""The target that the command line chooses."""

from __future__ import annotations

from pathlib import Path

import click

from macsad.resources import share
from transpiler.targets import find
from transpiler.targets.target import BadTarget, Kernel, Target, UnknownTarget


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
    headers = [path for folder in target.c_folders if (path := folder / "tables" / f"{kernel.keeper}.h").is_file()]
    if headers and kernel.keeper in ours:
        raise BadTarget(headers[0], f"macsad has a kernel '{kernel.keeper}' too: give yours another name")
    if not headers and kernel.keeper not in ours:
        place = target.folders[0][1]
        raise BadTarget(
            place / "target.toml",
            f"no kernel '{kernel.keeper}': neither is there {place / 'tables' / kernel.keeper}.h, nor does macsad have it",
        )


def build_defaults(
    target: Target, platform: str | None, arch: str | None, cpu: str | None, compiler: str | None
) -> tuple[str, str | None, str | None, str | None]:
    """These as the command line has them, else the target. Its processor and compiler are for its architecture alone."""
    said = target.build
    same = arch is None or arch == said.arch
    return (
        platform or said.platform or "linux",
        arch or said.arch,
        cpu or (said.cpu if same else None),
        compiler or (said.cc if same else None),
    )
