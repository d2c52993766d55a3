"""macsad tune"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.generating import GeneratingCommand, generating_options
from macsad.options import program_options
from macsad.outputs import apart, written
from macsad.subject.subject_options import Given, this_machine, traffic_options
from macsad.tune import tune_file, tuned
from transpiler.toolchain.architectures import host_arch


@click.command("tune", cls=GeneratingCommand)
@program_options
@traffic_options
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
@click.option("-o", "output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where the settings go.  [default: P.tune.toml, beside the program]")  # fmt: skip
@generating_options
def command(
    entries: Path | int, packets: Path | None, tables: tuple[str, ...], machine_file: Path | None, as_json: bool,
    output: Path | None, **program: object,
) -> None:  # fmt: skip
    """Choose how many packets PROGRAM's switch receives at once (B) and looks up at once (b), and what to leave out.

    The model says which settings are worth a measurement (docs/model.md), and some seconds of measuring which is the fastest.
    `macsad build` and `macsad run` take P.tune.toml where it lies beside the program. Leave the machine alone meanwhile.
    """
    from macsad.bench.contestants import BenchError
    from macsad.bench.samples import SampleError
    from macsad.progress import counting
    from macsad.tune import tuning  # here, as help does not wait for what measures

    given = Given(entries, packets, tables, machine_file)
    given.check()
    request = Request.of(program)
    place = output or tuned.beside(request.path)
    apart([place], [*request.inputs, *given.inputs])
    elsewhere, hlir = given.elsewhere(), compilation.load(request)
    apart([place], [*request.inputs, *given.inputs])  # what was included is known now
    machine = this_machine()  # it may be measured: what is wrong with the files is said before
    try:
        with tempfile.TemporaryDirectory(prefix="macsad-tune-") as scratch, counting("measuring") as advance:
            folder = Path(scratch)
            traffic = given.traffic(request, hlir, folder)
            found = tuning.tune(request, traffic, machine, folder, elsewhere, advance)
    except (BenchError, SampleError) as error:
        raise click.ClickException(str(error)) from None
    where = f"this machine, {host_arch()}" if machine_file is None else f"the machine of {machine_file.name}"
    text = tune_file.toml(found, request.path.name, f"{where}, {found.hz / 1e9:.2f} GHz")
    with written(place) as beside:
        beside.write_text(text)
    if as_json:
        click.echo(json.dumps(tune_file.data(found) | {"file": str(place)}, indent=1))
        return
    for line in (*tune_file.rows(found), "", *tune_file.gains(found)):
        click.echo(line)
    click.echo(f"{place}: {found.settings}")
