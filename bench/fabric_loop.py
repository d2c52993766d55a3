"""A production program beside a bare loop that is written by hand: `python bench/fabric_loop.py P4C`.

The program is ONOS's fabric, from a checkout of p4c; the loop, `bench/fabric_loop.h`, takes the place of its function over a
burst. Both run on the entries and frames that `macsad gen` makes for it, from memory, B=b=64, one after the other in each
round. First both send the frames of a file: they must be the same. Prints cycles a packet of both, of the lookups alone, and
how many times as fast the loop is. --quick measures little.
"""

from __future__ import annotations

import tempfile
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

PROGRAM = "testdata/p4_16_samples/fabric_20190420/fabric.p4"
LOOP = Path(__file__).with_suffix(".h")
POINT = (64, 64)
WITH_LOOP = (
    ("const struct macs_program macs_program = {", f'#include "{LOOP.resolve()}"\n'),
    (".run_to_completion = ingress_burst,", ".run_to_completion = bare_burst, //"),
)


def by_hand(c: str) -> str:
    """The program's C, with the loop in place of its own."""
    for text, before in WITH_LOOP:
        if text not in c:
            raise click.ClickException(f"the C has no line {text!r}")
        c = c.replace(text, before + text)
    return c


def build(request: Request, folder: Path) -> tuple[Path, Path]:
    """The program's switch, and the loop's."""
    toolchain = compilation.toolchain(ALL)
    compilation.build(request, compilation.load(request), folder, toolchain)
    loop = folder / "loop.c"
    loop.write_text(by_hand((folder / "fabric.c").read_text()))
    backend.compile_program(loop, folder / "loop", share("aux-backend"), toolchain)
    return folder / "fabric", folder / "loop"


def sent(binary: Path, made: Made, folder: Path) -> bytes:
    """The frames that a switch sends."""
    nothing, out = folder / "nothing.pcap", folder / "sent.pcap"
    nothing.write_bytes(made.packets.read_bytes()[:24])
    ports = ["--port", f"0=pcap:{made.packets}", "--port", f"1=pcap:{nothing},{out}"]
    words = [str(binary), "--entries", str(made.entries), "--batch", "64", *ports, "--until-end"]
    run(words, check=True, capture_output=True, cwd=folder)
    return out.read_bytes()


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


@click.command(help=__doc__)
@click.argument("p4c", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--quick", is_flag=True, help="Short rounds, to see that it works.")
def main(p4c: Path, quick: bool) -> None:
    """Print the figures."""
    request = Request(p4c / PROGRAM, warnings=("no-all",))
    rounds, seconds = (3, 0.02) if quick else (15, 0.1)
    with tempfile.TemporaryDirectory(prefix="macsad-loop-") as scratch, Closing() as closing:
        folder = Path(scratch)
        program, loop = build(request, folder)
        order = Order(folder / "traffic", 1000, (), (), 10_000, 1.0, "uniform", "64", 2, 0, 1)
        made = generation.make(request, compilation.load(request), order)
        if sent(program, made, folder) != sent(loop, made, folder):
            raise click.ClickException("the loop sends other frames than the program")
        probe, looked = alone(request, made, folder / "alone", closing)
        turns = [
            Turn((name, 0), started(binary, made, folder / f"of-{name}", closing), "", *POINT)
            for name, binary in (("program", program), ("loop", loop))
        ]
        turns += [Turn(("lookup", one.number), probe, "lookup", one.number) for one in looked]
        samples = measure(turns, rounds, seconds, lambda *_: None)
    of = {name: figure(samples[name, 0]).cycles for name in ("program", "loop")}
    lookup = sum(one.each * figure(samples["lookup", one.number]).cycles for one in looked)
    print(f"fabric {of['program']:.0f} cycles a packet, the bare loop {of['loop']:.0f}, its lookups alone {lookup:.0f}")
    print(f"the bare loop is {ratio(samples['program', 0], samples['loop', 0]):.2f} times as fast; same frames sent")


if __name__ == "__main__":
    main()
