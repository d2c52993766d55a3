"""macsad test"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TextIO

import click

from macsad import compilation, test
from macsad.compilation import Request
from macsad.generating import GeneratingCommand, generating_options
from macsad.options import READABLE, machine_options, program_options
from macsad.progress import compiling
from macsad.stf.check import check_all
from macsad.targets import machine
from transpiler.toolchain import toolchain


@click.command("test", cls=GeneratingCommand)
@program_options
@click.argument("stf", type=READABLE, nargs=-1, required=True)
@generating_options
@machine_options
@click.option("--burst", type=click.IntRange(1, 256), default=32, show_default=True, help="Packets taken at once.")
@click.option(
    "--sub-batch", type=click.IntRange(1, 256), default=32, show_default=True, help="Lookups in flight at once."
)
@click.option("--batch", type=click.IntRange(1, 256), metavar="N", help="Both of these; 1 is one packet at a time.")
@click.option(
    "--sanitize", multiple=True, type=click.Choice(["address", "undefined", "thread"]), help="Build with a sanitizer."
)
def command(
    stf: tuple[Path, ...], batch: int | None, burst: int, sub_batch: int, sanitize: tuple[str, ...], **program: object
) -> int:
    """Build PROGRAM and run packet tests, STF files, against it; exit 0 passed, 1 failed, with the packets that differ.

    For another --arch the switch runs under qemu-user.
    """
    request = Request.of(program)
    built_for = machine(request.target, program)
    hlir = compilation.load(request)
    wrapper = toolchain.emulator(built_for.arch, built_for.sysroot)
    tools = compilation.toolchain(request.wanted, built_for, optimise="-O1", sanitize=sanitize)
    with tempfile.TemporaryDirectory(prefix="macsad-") as folder:
        with compiling() as progress:
            binary, _ = compilation.build(request, hlir, Path(folder), tools, progress)

        def check_one(one: Path, out: TextIO) -> int:
            sizes = batch or burst, batch or sub_batch
            return test.run(hlir, one, binary, burst=sizes[0], sub_batch=sizes[1], wrapper=wrapper, out=out)

        return check_all(stf, check_one, sys.stdout)
