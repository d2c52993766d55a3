"""macsad build"""

from __future__ import annotations

from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.generating import GeneratingCommand, generating_options
from macsad.options import machine_options, program_options
from macsad.outputs import apart
from macsad.progress import compiling
from macsad.targets import machine
from macsad.tune.tuned import taken, tuning_options

SANITIZERS = click.Choice(["address", "undefined", "thread"])


@click.command("build", cls=GeneratingCommand)
@program_options
@click.option("-o", "folder", type=click.Path(file_okay=False, path_type=Path), default=Path("build"), show_default=True,
              help="Where the binary, its C and its description go.")  # fmt: skip
@generating_options
@tuning_options
@machine_options
@click.option(
    "-O", "level", type=click.IntRange(0, 3), default=3, show_default=True, help="How much the C compiler optimises."
)
@click.option("--sanitize", multiple=True, type=SANITIZERS, help="Build with a sanitizer of the C compiler's.")
@click.option(
    "--p4info",
    "info_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where P4Runtime's description goes: FILE.txtpb (text), .bin or .json.  [default: DIR/P.p4info.txtpb]",
)
@click.option(
    "--bmv2-json",
    "bmv2_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the program as BMv2's JSON, too, which simple_switch and `macsad` read (docs/bmv2-today.md).",
)
@click.option(
    "-v", "--verbose", is_flag=True, help="Tell what was decided: table kernels, stages, how registers are kept."
)
def command(
    folder: Path,
    level: int,
    sanitize: tuple[str, ...],
    info_file: Path | None,
    bmv2_file: Path | None,
    verbose: bool,
    **program: object,
) -> None:
    """Make PROGRAM's switch: DIR/P (a binary), DIR/P.c, DIR/P.p4info.txtpb (for controllers)."""
    request = taken(Request.of(program), program)
    built_for = machine(request.target, program)
    hlir = compilation.load(request)
    tools = compilation.toolchain(request.wanted, built_for, optimise=f"-O{level}", sanitize=sanitize)
    info_file = info_file or folder / f"{request.path.stem}.p4info.txtpb"
    apart([info_file, *([bmv2_file] if bmv2_file else []), *compilation.made_in(folder, request)], request.inputs)
    compilation.write_p4info(request, hlir, info_file)
    if bmv2_file is not None:
        compilation.write_bmv2_json(request, hlir, bmv2_file)
    with compiling() as progress:
        binary, generated = compilation.build(request, hlir, folder, tools, progress)
    for note in generated.notes if verbose else ():
        click.echo(note)
    click.echo(f"{binary}: {hlir.name} for {tools.platform} on {tools.arch}")
