"""Count frames in registers, in each way to keep these apart, while commands read and reset them: is each one counted?

    python bench/totals.py --frames 20000000

A line for each run: what was left out, the traffic, the workers, the totals. Exit status 0 if all are exact.
"""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.control import Client
from macsad.targets import Machine
from transpiler.optimisations import ALL

PROGRAM = Path(__file__).with_name("totals.p4")
WAYS = {
    "sharding": (),
    "updates": ("sharding",),
    "singly": ("sharding", "tallies"),
    "stripes": ("sharding", "atomic-updates"),
    "lock": ("sharding", "atomic-updates", "lock-stripes"),
}
COPIES = 3
TRAFFIC = {
    "plain": (1, 1),
    "multicast": (1, COPIES),
    "recirculate": (2, 2),
}  # passes of ingress and of egress, of each frame
WIDE = 0x4000000000000001
PORTS = 20
COUNTED = ("updated", "row0", "row1", "next", "chained")
LARGEST = 250_000  # frames of a file, which is read again


def build(way: str, traffic: str, folder: Path) -> Path:
    """A switch with what the way has."""
    wanted = ALL.without(WAYS[way])
    defines = () if traffic == "plain" else (traffic.upper(),)
    request = Request(PROGRAM, defines=defines, wanted=wanted)
    tools = compilation.toolchain(wanted, Machine())
    compilation.build(request, compilation.load(request), folder, tools)
    return folder / PROGRAM.stem


def write_frames(path: Path, count: int) -> None:
    made = random.Random(1)
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    record, rest = struct.pack("<IIII", 1, 2, 64, 64), bytes(60)
    path.write_bytes(
        head + b"".join(record + struct.pack(">I", made.randrange(100 << 24)) + rest for _ in range(count))
    )


def ports(folder: Path, frames: int, driver: str) -> tuple[list[str], int]:
    """Their options, and how many frames come by all of them together: not fewer than wished."""
    each = -(-frames // PORTS)
    size = min(each, LARGEST)
    rounds = -(-each // size)
    write_frames(folder / "frames.pcap", size)
    named = []
    for port in range(PORTS):
        link = folder / f"{port}.pcap"
        link.symlink_to("frames.pcap")
        named.append(f"--port={100 + port}={driver}:{link}")
    if driver == "pcap":
        return [f"{name},,loops={rounds}" for name in named], PORTS * size * rounds
    if rounds > 1:
        write_frames(folder / "frames.pcap", each)
    return named, PORTS * each


def meddle(socket: Path, done: threading.Event, refused: list[str]) -> None:
    """Read what packets write, reset what is not counted. `refused`: what the switch said where it did not do that."""
    names = ("updated", "wide", "row0", "row1", "next", "chained")
    lines = [f"register_read TotalsIngress.{name} 3" for name in names]
    lines += ["register_read TotalsEgress.leaving", "register_reset TotalsIngress.cleared"]
    with Client(socket) as client:
        while not done.is_set():
            reply = client.bulk(lines, answers=True)
            if reply.failed:
                refused.append(reply.text.splitlines()[-1])


def values(client: Client, name: str) -> list[int]:
    reply = client.bulk([f"register_read {name}"], answers=True)
    return [int(value, 0) for value in reply.text.partition("=")[2].split(",")]


def is_through(client: Client, frames: int) -> bool:
    stats = client.stats()
    done = stats["received"] >= frames and stats["received"] + stats["copies"] == stats["sent"] + stats["dropped"]
    return bool(done)


def run(binary: Path, options: list[str], frames: int, traffic: str, folder: Path) -> dict[str, int]:
    """The totals of a run that receives so many frames, as frames: what each register has in all."""
    entries, socket = folder / "entries.txt", folder / "socket"
    copies = " ".join(str(port) for port in range(1, 1 + COPIES))
    entries.write_text(f"mc_mgrp_create 1\nmc_node_create 0 {copies}\nmc_node_associate 1 0\n")
    sinks = [f"--port={port}=null:{port}" for port in range(1, 1 + COPIES)]
    command = [str(binary), f"--socket={socket}", f"--entries={entries}", *options, *sinks]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            with Client.wait(socket, seconds=600) as client:
                watch(process, client, socket, frames)
                return totals_of(client, traffic)
        finally:
            process.terminate()


def watch(process: subprocess.Popen[bytes], client: Client, socket: Path, frames: int) -> None:
    """Wait until the switch is through with so many frames, with commands meanwhile."""
    done, refused = threading.Event(), list[str]()
    meddler = threading.Thread(target=meddle, args=(socket, done, refused))
    meddler.start()
    try:
        while not is_through(client, frames):
            time.sleep(0.02)
            if process.poll() is not None:
                raise click.ClickException(f"the switch has ended with {process.returncode}")
    finally:
        done.set()
        meddler.join()
    if refused:
        raise click.ClickException(refused[0])


def totals_of(client: Client, traffic: str) -> dict[str, int]:
    """What each register has in all, as frames; negative where it is no whole number of them. Copies for which no packet was
    free are dropped, and told of, before they come to egress: they count as if they had come there."""
    into, out = TRAFFIC[traffic]
    found = {name: sum(values(client, f"TotalsIngress.{name}")) for name in COUNTED}
    found["wide"] = sum(values(client, "TotalsIngress.wide")) // WIDE
    passes = dict.fromkeys(found, into) | {"leaving": out}
    found["leaving"] = sum(values(client, "TotalsEgress.leaving")) + client.stats()["drops"]["no-buffer"]
    return {name: total // passes[name] if total % passes[name] == 0 else -total for name, total in found.items()}


@click.command(help=__doc__)
@click.option("--frames", default=400_000, show_default=True, help="How many, of each run.")
@click.option("--workers", "counts", multiple=True, type=int, default=(1, 2, 4), show_default=True)
@click.option("--way", "ways", multiple=True, type=click.Choice(list(WAYS)), default=tuple(WAYS))
@click.option("--traffic", "traffics", multiple=True, type=click.Choice(list(TRAFFIC)), default=tuple(TRAFFIC))
@click.option("--driver", type=click.Choice(["mem", "pcap"]), default="mem", show_default=True)
def main(frames: int, counts: tuple[int, ...], ways: tuple[str, ...], traffics: tuple[str, ...], driver: str) -> None:
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="macsad-totals-") as name:
        folder = Path(name)
        options, coming = ports(folder, frames, driver)
        for traffic in traffics:
            for way in ways:
                made = folder / f"{way}-{traffic}"
                made.mkdir()
                binary = build(way, traffic, made)
                for workers in counts:
                    totals = run(binary, [*options, f"--workers={workers}"], coming, traffic, folder)
                    lost = {register: total for register, total in totals.items() if total != coming}
                    wrong += bool(lost)
                    what = f"WRONG, of {coming:,}: {lost}" if lost else f"{coming:,} of {coming:,} in each register"
                    print(
                        f"{way:<9} {traffic:<12} {workers} workers: {what}",
                        flush=True,
                    )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
