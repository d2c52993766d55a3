"""macsad sysroot"""

from __future__ import annotations

from pathlib import Path

import click

from macsad.progress import counting
from transpiler.toolchain import sysroot
from transpiler.toolchain.architectures import ARCHITECTURES
from transpiler.toolchain.cache import sysroot_directory


@click.command("sysroot")
@click.option("--force", is_flag=True, help="Download and unpack again what is there already.")
@click.option("--packages", "source", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR",
              help="Unpack the .deb files in DIR, and download none.")  # fmt: skip
@click.argument("arch", type=click.Choice(list(ARCHITECTURES)), metavar="ARCH")
def command(arch: str, force: bool, source: Path | None) -> None:
    """Download headers and libraries for ARCH (x86_64, aarch64, ...), with which --platform dpdk --arch ARCH builds.

    They are Debian's packages of DPDK and its dependencies (60 MB for aarch64), unpacked into the user's cache.
    Nothing is installed. `--platform linux` does not need them.
    """
    folder = sysroot_directory(arch)
    if force or source or not folder.exists():
        with counting(f"unpacking packages for {arch}") as advance:
            folder = sysroot.make(arch, advance, source)
    click.echo(folder)
