"""macsad test-kernel"""

from __future__ import annotations

import os
from pathlib import Path

import click

from macsad import kernel_tests
from macsad.kernel_subjects import kernels_to_test
from macsad.options import target_options
from macsad.progress import compiling
from macsad.targets import choose
from transpiler.targets.target import Kernel, Target


@click.command("test-kernel")
@target_options
@click.option("--cc", "compiler", metavar="COMMAND", help="The C compiler; gcc if left out.")
@click.option("--seed", type=click.IntRange(0, (1 << 31) - 1), metavar="N",
              help="Of the random changes; another one each time if left out.")  # fmt: skip
@click.argument("names", nargs=-1, metavar="[KERNEL]...")
def command(
    target_name: str | None, target_dir: Path | None, compiler: str | None, seed: int | None, names: tuple[str, ...]
) -> int:
    """Test table kernels of a target: exit 0 all is well, 1 something is not.

    Without names it tests the kernels whose C is the target's own. They are compiled here with sanitizers and warnings as
    errors. Their operations are tried case by case, then by random changes and lookups beside the kernel linear, with
    allocations that fail, with hashes that are the same for different keys, and with readers beside a writer.

    \b
    macsad test-kernel --target-dir board
    macsad test-kernel --target-dir board exact_sorted --seed 7
    """
    target = choose(target_name, target_dir)
    kernels = _chosen(target, names)
    seed = int.from_bytes(os.urandom(3), "little") if seed is None else seed
    click.echo(f"seed {seed}")
    with compiling() as progress:
        passed = kernel_tests.test(kernels, target, compiler, seed, click.echo, progress)
    return 0 if passed else 1


def _chosen(target: Target, names: tuple[str, ...]) -> tuple[Kernel, ...]:
    """Raises: click.BadParameter."""
    known = {kernel.name: kernel for kernel in kernels_to_test(target.kernels)}
    if not names:
        own = tuple(kernel for kernel in known.values() if kernel.own_header)
        if not own:
            raise click.BadParameter(
                f"target '{target.name}' has no kernels of its own; name some of {', '.join(known)}",
                param_hint="KERNEL",
            )
        return own
    for name in names:
        if name in known:
            continue
        if any(kernel.name == name for kernel in target.kernels):
            raise click.BadParameter(f"'{name}' looks nothing up by functions of its own: it keeps words, or is code",
                                     param_hint="KERNEL")  # fmt: skip
        raise click.BadParameter(
            f"target '{target.name}' has no kernel '{name}': there are {', '.join(known)}", param_hint="KERNEL"
        )
    return tuple(known[name] for name in dict.fromkeys(names))
