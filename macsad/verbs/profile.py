"""macsad profile"""

from __future__ import annotations

import json
from pathlib import Path

import click

from macsad import profiling
from macsad.bench import machine_plot, plots
from macsad.bench.contestants import BenchError
from macsad.outputs import written
from macsad.progress import counting
from transpiler.model.machine import BadProfile, MachineProfile, machine_profile
from transpiler.toolchain.architectures import ARCHITECTURES, host_arch


@click.command("profile")
@click.option("--json", "as_json", is_flag=True, help="Print all figures, not a summary.")
@click.option("--plot", "plot_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Draw them: FILE.svg, .png or .pdf.")  # fmt: skip
@click.option("--machine", "machine_file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="Show the profile of a file, as the binary of --arch prints it; measure nothing.")  # fmt: skip
@click.option("--arch", type=click.Choice(list(ARCHITECTURES)), metavar="ARCH",
              help="Measure nothing, but build a binary (-o) that measures a machine of this architecture.")  # fmt: skip
@click.option("-o", "output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where the profile goes, if not into the cache; with --arch the binary.")  # fmt: skip
def command(
    as_json: bool, plot_file: Path | None, machine_file: Path | None, arch: str | None, output: Path | None
) -> None:
    """Measure what packets cost this machine: receive and transmit, reads of memory, handing over, copying.

    It takes some seconds; leave the machine alone meanwhile. The profile is kept in the user's cache, where `macsad bench
    --predict` finds it.
    """
    if arch is not None:
        if output is None or machine_file or plot_file or as_json:
            raise click.UsageError("--arch goes with -o FILE alone")
        with counting(f"building for {arch}"):
            profiling.build(arch, output)
        click.echo(f"{output}: run it on the machine, with its output in a file for --machine")
        return
    if plot_file:
        plots.drawable(plot_file)
    try:
        if machine_file is None:
            place = output or profiling.kept()
            data = profiling.keep(place)
        else:
            data = json.loads(machine_file.read_text())
        profile = machine_profile(data)
        if plot_file:
            with written(plot_file) as beside:
                machine_plot.draw(profile, beside)
    except (BenchError, BadProfile, ValueError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(data, indent=1) if as_json else _summary(profile))
    if machine_file is None and not as_json:
        click.echo(f"{place}: the profile of this machine, {host_arch()}")


def _summary(profile: MachineProfile) -> str:
    """The figures that say most, as lines."""
    io = "  ".join(f"{burst}: {profile.upsilon(burst):.1f}" for burst in (1, 8, 32, 256))
    lines = [f"counter: {profile.hz / 1e9:.2f} GHz", f"receive and transmit, cycles a packet, B =  {io}"]
    footprints = [size for size, _ in profile.reads["huge", 0]]
    lines.append(
        f"{'random reads, cycles':>22} {'a miss':>9} {'8 in flight':>12} {'64 in flight':>13} {'64, small pages':>16}"
    )
    for size in footprints:
        row = (profile.read(size, 0), profile.read(size, 8), profile.read(size, 64), profile.read(size, 64, "small"))
        lines.append(f"{_bytes(size):>22} {row[0]:>9.1f} {row[1]:>12.1f} {row[2]:>13.1f} {row[3]:>16.1f}")
    if profile.handover:
        cells = "  ".join(f"{burst:.0f}: {cycles:.0f}" for burst, cycles in profile.handover)
        lines.append(f"handing a burst to another core, cycles, packets =  {cells}")
    lines.append(
        "copying, cycles a frame, bytes =  " + "  ".join(f"{size:.0f}: {cost:.0f}" for size, cost in profile.copy)
    )
    return "\n".join(lines)


def _bytes(count: float) -> str:
    return f"{count / (1 << 20):.0f} MiB" if count >= 1 << 20 else f"{count / 1024:.0f} KiB"
