"""macsad sysroot"""

from __future__ import annotations

from pathlib import Path

import click

from macsad.progress import counting
from transpiler.toolchain import sysroot
from transpiler.toolchain.architectures import ARCHITECTURES
from transpiler.toolchain.cache import sysroot_directory


@click.command("sysroot")
@click.option("--again", is_flag=True, help="Make it anew if it is there.")
@click.option("--packages", "source", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR",
              help="Unpack the .deb files that are there instead of fetching any.")  # fmt: skip
@click.argument("arch", type=click.Choice(list(ARCHITECTURES)), metavar="ARCH")
def command(arch: str, again: bool, source: Path | None) -> None:
    """Fetch headers and libraries for ARCH (x86_64, aarch64, ...): what --platform dpdk --arch ARCH is built with.

    They are Debian's packages of DPDK with what these depend on (60 MB for aarch64), unpacked into the user's cache.
    Nothing is installed. `--platform linux` needs none of it.
    """
    folder = sysroot_directory(arch)
    if again or source or not folder.exists():
        with counting(f"unpacking packages for {arch}") as advance:
            folder = sysroot.make(arch, advance, source)
    click.echo(folder)
