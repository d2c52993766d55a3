"""What a cache of decisions gains on a program: `python bench/decisions.py P.p4 [P.p4...]`, cycles a packet with it and without.

Frames of N flows come from memory, uniform or by Zipf's law. A flow is one of N different frames that `macsad gen` makes for the
program: packets of a flow agree in all fields. Where few of the first frames are different, as many flows as there are take the
place of all N. Prints a row for each N and law: medians of the rounds, in which both switches
are measured one after the other, B=b=64, and the share of packets that found a decision. --quick measures little.
"""

from __future__ import annotations

import itertools
import random
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

import click
from rich.console import Console
from rich.table import Table

from macsad import compilation, generation
from macsad.bench.contestants import Switch
from macsad.bench.samples import Sample, ratio
from macsad.compilation import Request
from macsad.generation import Made, Order
from transpiler.optimisations import ALL
from transpiler.traffic import frames

FLOWS, LAWS = (10_000, 100_000, 1_000_000), (0.0, 1.0, 1.2)  # Zipf's exponents; 0: all flows alike
ALMOST_ALL = 0.5  # of frames are different: more of them would give more flows
SEQUENCE = 500_000  # frames, which are repeated
HEADER = 24  # bytes of a pcap file's
COLUMNS = ("program", "flows", "law", "without", "with", "times as fast", "found")


def records(file: Path, most: int) -> tuple[bytes, list[bytes]]:
    """The head of a pcap file, and its different records."""
    data, at = file.read_bytes(), HEADER
    found: dict[bytes, bytes] = {}
    while at < len(data) and len(found) < most:
        (size,) = struct.unpack_from("<I", data, at + 8)
        found.setdefault(data[at + 16 : at + 16 + size], data[at : at + 16 + size])
        at += 16 + size
    return data[:HEADER], list(found.values())


def sequence(flows: list[bytes], exponent: float, count: int) -> Iterator[bytes]:
    """Frames, the k-th flow with a share of 1/k^exponent, in random order."""
    draw = random.Random(7)
    ranked = draw.sample(flows, len(flows))
    shares = list(itertools.accumulate((number + 1) ** -exponent for number in range(len(ranked))))
    yield from draw.choices(ranked, cum_weights=shares, k=count)


def measure(
    binaries: list[Path], sent: Path, entries: Path, rounds: int, seconds: float
) -> tuple[list[list[Sample]], float]:
    """Samples of each switch, and the share of packets for which the last one found a decision."""
    samples: list[list[Sample]] = [[] for _ in binaries]
    folders = [tempfile.TemporaryDirectory() for _ in binaries]
    feed = ["--port", f"0=mem:{sent},loop", "--port", "1=null:"]
    started = [
        Switch(binary, feed, entries, Path(folder.name)) for binary, folder in zip(binaries, folders, strict=True)
    ]
    try:
        for _ in range(rounds):
            for switch, own in zip(started, samples, strict=True):
                own.append(switch.measure("", 64, 64, seconds))
        counts = started[-1].stats().get("decisions", {"found": 0})
    finally:
        for switch in started:
            switch.close()
        for folder in folders:
            folder.cleanup()
    return samples, counts["found"] / max(1, sum(counts.values()))


def flows_of(request: Request, folder: Path, few: int, most: int) -> tuple[Made, bytes, list[bytes]]:
    """Entries for a program; the head of a pcap file of its frames, and different ones: `most`, if almost all of the first
    `few` are different."""
    order = Order(folder, 1000, (), (), few, 1.0, "uniform", "64", 2, 0, 1)
    made = generation.make(request, compilation.load(request), order)
    head, different = records(made.packets, most)
    if few < most and len(different) > ALMOST_ALL * few:
        with made.packets.open("wb") as out:
            frames.write(made.plan, replace(made.traffic, packets=most), out, lambda _: None)
        head, different = records(made.packets, most)
    return made, head, different


def build(path: Path, folder: Path) -> list[Path]:
    """Its switches without a cache of decisions and with one."""
    binaries = []
    for name, wanted in (("without", ALL.without(["decision-cache"])), ("with", ALL)):
        request = Request(path, warnings=("no-all",), wanted=wanted)
        compilation.build(request, compilation.load(request), folder / name, compilation.toolchain(wanted))
        binaries.append(folder / name / path.stem)
    return binaries


@click.command(help=__doc__)
@click.argument("programs", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--quick", is_flag=True, help="Short rounds and few flows, to see that it works.")
def main(programs: tuple[Path, ...], quick: bool) -> None:
    """Print the rows."""
    shown, console = Table(*COLUMNS, box=None, pad_edge=False, header_style=""), Console()
    numbers, rounds, seconds, count = ((1000,), 1, 0.01, 5000) if quick else (FLOWS, 5, 0.1, SEQUENCE)
    for path in programs:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            binaries = build(path, folder)
            request = Request(path, warnings=("no-all",))
            made, head, different = flows_of(request, folder, min(numbers), max(numbers))
            there = dict.fromkeys(min(number, len(different)) for number in numbers)
            for flows, exponent in itertools.product(there, LAWS):
                sent = folder / "sequence.pcap"
                sent.write_bytes(head + b"".join(sequence(different[:flows], exponent, count)))
                (without, cached), found = measure(binaries, sent, made.entries, rounds, seconds)
                cycles = (f"{median(s.cycles_each for s in samples):,.0f}" for samples in (without, cached))
                law = f"Zipf {exponent}" if exponent else "uniform"
                row = (
                    path.stem,
                    f"{len(different[:flows]):,}",
                    law,
                    *cycles,
                    f"{ratio(without, cached):.2f} ×",
                    f"{found:.0%}",
                )
                shown.add_row(*row)
    console.print(shown)


if __name__ == "__main__":
    main()
