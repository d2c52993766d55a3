"""Production programs beside bare loops that are written by hand: `python bench/production_loop.py P4C [NAME...]`.

The programs are ONOS's fabric and up4, SONiC's middleblock, pins_fabric and DASH, from a checkout of p4c; the loop of
each, `bench/loops/NAME.h`, takes the place of its functions over a burst. Both run on the entries and frames that `macsad gen`
makes for the program, from memory, B=b=64, one after the other in each round. First both send the frames of a file: they
must be the same. Prints cycles a packet of both, of the lookups alone, and how many times as fast the loop is. --quick
measures little. --keep FOLDER leaves the binaries, the entries and the frames there.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from subprocess import run

import click

from macsad import compilation, generation
from macsad.bench import lookups
from macsad.bench.contestants import Closing, Probe, Switch
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import figure, ratio
from macsad.compilation import Request
from macsad.generation import Made, Order
from macsad.resources import share
from macsad.targets import HERE
from transpiler.optimisations import ALL
from transpiler.toolchain import backend

SAMPLES = "testdata/p4_16_samples"
LOOPS = Path(__file__).parent / "loops"
POINT = (64, 64)
BEGIN = "const struct macs_program macs_program = {"


@dataclass(frozen=True)
class Program:
    """A program, what stands in the place of which members of its `struct macs_program`, and the functions of its C that the
    loop calls."""

    path: str
    by_hand: tuple[tuple[str, str], ...]
    calls: tuple[str, ...] = ()


PIPELINES = (
    ("ingress", "bare_ingress"),
    ("clone", "bare_clone"),
    ("egress", "bare_egress"),
    ("state_bytes", "sizeof(struct bare_state)"),
)
PROGRAMS = {
    "fabric": Program("fabric_20190420/fabric.p4", (("run_to_completion", "bare_burst"),)),
    "middleblock": Program("pins/pins_middleblock.p4", PIPELINES),
    "pins_fabric": Program("pins/pins_fabric.p4", PIPELINES),
    "dash": Program(
        "dash/dash-pipeline-v1model-bmv2.p4",
        (("run_to_completion", "bare_burst"),),
        ("ingress_0_entry", "macs_ready_send"),
    ),
    "up4": Program("omec/up4.p4", PIPELINES),
}


def by_hand(c: str, name: str) -> str:
    """The program's C, with the loop in place of its own."""
    loop = LOOPS / f"{name}.h"
    for called in PROGRAMS[name].calls:
        if f"{called}(" not in c:
            lines = loop.read_text().splitlines()
            at = next(number for number, line in enumerate(lines, 1) if f"{called}(" in line)
            raise click.ClickException(f"{loop}:{at}: the C of {name} has no {called}()")
    before, begin, program = c.partition(BEGIN)
    for member, value in PROGRAMS[name].by_hand:
        program, found = re.subn(rf"(\.{member} = ).*(,\n)", rf"\1{value}\2", program)
        if found != 1:
            raise click.ClickException(f"the C of {name} has no member {member!r}")
    return f'{before}#include "{loop.resolve()}"\n{begin}{program}'


def build(name: str, request: Request, folder: Path) -> dict[str, Path]:
    """The program's switch, and the loop's."""
    toolchain = compilation.toolchain(ALL)
    compilation.build(request, compilation.load(request), folder, toolchain)
    program = folder / request.path.stem
    loop = folder / "loop.c"
    loop.write_text(by_hand(program.with_name(f"{program.name}.c").read_text(), name))
    backend.compile_program(loop, folder / "loop", share("aux-backend"), toolchain)
    return {"program": program, "loop": folder / "loop"}


def sent(binary: Path, made: Made, folder: Path) -> tuple[bytes, bytes]:
    """The frames that a switch sends out of its two ports."""
    nothing, outs = folder / "nothing.pcap", (folder / "sent-0.pcap", folder / "sent-1.pcap")
    nothing.write_bytes(made.packets.read_bytes()[:24])
    ports = ["--port", f"0=pcap:{made.packets},{outs[0]}", "--port", f"1=pcap:{nothing},{outs[1]}"]
    words = [str(binary), "--entries", str(made.entries), "--batch", "64", *ports, "--until-end"]
    run(words, check=True, capture_output=True, cwd=folder)
    return outs[0].read_bytes(), outs[1].read_bytes()


def started(binary: Path, made: Made, folder: Path, closing: Closing) -> Switch:
    folder.mkdir()
    feed = ["--port", f"0=mem:{made.packets},loop", "--port", "1=null:"]
    switch = Switch(binary, feed, made.entries, folder)
    closing.add([switch])
    return switch


def alone(request: Request, made: Made, folder: Path, closing: Closing) -> tuple[Probe, tuple[lookups.Looked, ...]]:
    """What measures the lookups alone."""
    folder.mkdir()
    hlir = compilation.load(request)
    found = lookups.start(request, hlir, folder, made.entries, made.packets, made.traffic.packets, HERE)
    closing.add([found[0]])
    return found


def figures(name: str, request: Request, folder: Path, quick: bool) -> str:
    """Raises: ClickException, if not the same frames are sent."""
    rounds, seconds = (3, 0.02) if quick else (15, 0.1)
    binaries = build(name, request, folder)
    order = Order(folder / "traffic", 1000, (), (), 10_000, 1.0, "uniform", "64", 2, 0, 1)
    made = generation.make(request, compilation.load(request), order)
    if sent(binaries["program"], made, folder) != sent(binaries["loop"], made, folder):
        raise click.ClickException(f"the loop sends other frames than {name}")
    with Closing() as closing:
        probe, looked = alone(request, made, folder / "alone", closing)
        turns = [
            Turn((of, 0), started(binary, made, folder / f"of-{of}", closing), "", *POINT)
            for of, binary in binaries.items()
        ]
        turns += [Turn(("lookup", one.number), probe, "lookup", one.number) for one in looked]
        samples = measure(turns, rounds, seconds, lambda *_: None)
    program, loop = (figure(samples[of, 0]).cycles for of in binaries)
    lookup = sum(one.each * figure(samples["lookup", one.number]).cycles for one in looked)
    times = ratio(samples["program", 0], samples["loop", 0])
    return (
        f"{name} {program:.0f} cycles a packet, the bare loop {loop:.0f}, its lookups alone {lookup:.0f}: "
        f"the loop is {times:.2f} times as fast; same frames sent"
    )


@click.command(help=__doc__)
@click.argument("p4c", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("names", nargs=-1, type=click.Choice(tuple(PROGRAMS)))
@click.option("--quick", is_flag=True, help="Short rounds, to see that it works.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Leave what was made in this folder.")
def main(p4c: Path, names: tuple[str, ...], quick: bool, keep: Path | None) -> None:
    """Print a line for each program."""
    with tempfile.TemporaryDirectory(prefix="macsad-loop-") as scratch:
        for name in names or tuple(PROGRAMS):
            folder = (keep or Path(scratch)) / name
            folder.mkdir(parents=True)
            print(figures(name, Request(p4c / SAMPLES / PROGRAMS[name].path, warnings=("no-all",)), folder, quick))


if __name__ == "__main__":
    main()
