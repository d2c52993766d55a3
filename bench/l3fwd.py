"""ipv4fwd and l2fwd over DPDK beside DPDK's example l3fwd, on devices alike, with the same frames, in the same rounds.

  python bench/l3fwd.py [--quick] L3FWD      L3FWD is the program: docs/performance.md says how it is built

l2fwd has 1,000,000 entries in each of two tables, l3fwd as many 5-tuples in its mode em; the frames have both. ipv4fwd has
500,000 prefixes, and so have l3fwd's modes lpm and fib. A line for each mode: million packets a second of both, how many times
as fast ours is at its best burst, what that must be. Exit status 0 only when all hold.
"""

from __future__ import annotations

import ipaddress
import struct
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from macsad import compilation, generation
from macsad.bench import feeds, session
from macsad.bench.beside import Beside, Peer
from macsad.bench.contestants import BenchError, Closing, Switch
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Sample, SampleError, figure, ratio
from macsad.compilation import Request
from macsad.progress import counting
from macsad.resources import share
from macsad.targets import Machine
from transpiler.toolchain.toolchain import ToolchainError

ROUNDS, SECONDS = 15, 0.1
POINTS = ((32, 32), (64, 64), (128, 128), (256, 128), (256, 256))
PEER: session.Key = ("l3fwd", 0, 0)
FRAMES, SIZE = feeds.PACKETS["pcap"], 64
PCAP_HEADER, RECORD_HEADER, MACS = 24, 16, 12
UDP = 17
OPTIONS = "-- -p 0x3 -P --config=(0,0,0) --parse-ptype --no-numa"
# It wants at least one rule of IPv6.
SOME_V6 = ":".join(["2001"] * 8)
RULES_V6 = {"em": f"R{SOME_V6} {SOME_V6} 9 9 {UDP} 1\n", "lpm": f"R{SOME_V6}/48 1\n", "fib": f"R{SOME_V6}/48 1\n"}

Flow = tuple[int, int, int, int]  # of UDP: source, destination, source port, destination port


@dataclass(frozen=True)
class Contest:
    """A program of apps/ with its entries, a mode of l3fwd, how many times as fast as that ours must be."""

    app: str
    entries: int
    tables: tuple[str, ...]
    mode: str
    must: float


PREFIXES = ("routes=500000", "next_hops=256")
CONTESTS = (
    Contest("l2fwd", 1_000_000, (), "em", 1.5),
    Contest("ipv4fwd", 500_000, PREFIXES, "lpm", 0.95),
    Contest("ipv4fwd", 500_000, PREFIXES, "fib", 0.95),
)


# --- l3fwd's rules and frames ----------------------------------------------------------------------------------------


def address(number: int) -> str:
    return str(ipaddress.IPv4Address(number))


def prefixes(entries: Path) -> Iterator[str]:
    """Rules of modes lpm and fib: the prefixes of `table_add TABLE via ADDRESS/LENGTH => …`, all to port 1."""
    with entries.open() as lines:
        for words in map(str.split, lines):
            if words[2].endswith("via"):
                number, length = words[3].split("/")
                yield f"R{address(int(number, 0))}/{length} 1\n"


def flows(count: int) -> Iterator[Flow]:
    """Different ones, scattered."""
    for number in range(count):
        mixed = number * 0x9E3779B1 & 0xFFFFFFFF
        yield mixed, mixed ^ 0x5BD1E995, number & 0xFFFF, mixed >> 16


def tuples(count: int) -> Iterator[str]:
    """Rules of mode em."""
    for source, destination, source_port, destination_port in flows(count):
        yield f"R{address(destination)} {address(source)} {destination_port} {source_port} {UDP} 1\n"


def packet(flow: Flow, size: int) -> bytes:
    """What follows the MAC addresses of a frame of that flow, `size` bytes."""
    source, destination, source_port, destination_port = flow
    length = size - 2  # after the Ethernet type
    words: list[int] = [0x4500, length, 0, 0, 64 << 8 | UDP, 0]
    words += [source >> 16, source & 0xFFFF, destination >> 16, destination & 0xFFFF]
    total = sum(words)
    words[5] = ~(total + (total >> 16)) & 0xFFFF
    udp = (source_port, destination_port, length - 20, 0)
    return struct.pack("!15H", 0x0800, *words, *udp).ljust(size, b"\0")


def rewrite(pcap: Path) -> None:
    """Give frames of l2fwd a flow each; their MAC addresses stay."""
    data = bytearray(pcap.read_bytes())
    at = PCAP_HEADER
    for flow in flows(FRAMES):
        begin, end = at + RECORD_HEADER + MACS, at + RECORD_HEADER + SIZE
        data[begin:end] = packet(flow, end - begin)
        at = end
    pcap.write_bytes(data)


# --- measuring -------------------------------------------------------------------------------------------------------


def traffic(chosen: Contest, folder: Path) -> generation.Made:
    """Entries, frames that both can forward, and `rules` and `rules6` for l3fwd."""
    request = Request(share("apps") / chosen.app / f"{chosen.app}.p4")
    made = generation.make(
        request,
        compilation.load(request),
        generation.Order(folder, chosen.entries, chosen.tables, (), FRAMES, 1.0, "uniform", str(SIZE), 2, 0, 1),
    )
    with (folder / "rules").open("w") as out:
        out.writelines(tuples(chosen.entries) if chosen.mode == "em" else prefixes(made.entries))
    (folder / "rules6").write_text(RULES_V6[chosen.mode])
    if chosen.mode == "em":
        rewrite(made.packets)
    return made


def contest(chosen: Contest, l3fwd: str, rounds: int, seconds: float) -> dict[session.Key, list[Sample]]:
    """Of l3fwd, and of ours at each point. Raises: BenchError, SampleError, ToolchainError, click.ClickException."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folder = Path(scratch)
        for name in ("ours", "peer"):
            (folder / name).mkdir()
        made = traffic(chosen, folder)
        request = Request(share("apps") / chosen.app / f"{chosen.app}.p4")
        binary = session.build(request, compilation.load(request), folder, Machine("dpdk"))
        feed = feeds.feed("dpdk", "pcap", made.packets, FRAMES, SIZE, 1)
        switch = Switch(binary, feed.options, made.entries, folder / "ours")
        closing.add([switch])
        if switch.huge_bytes < feed.huge_bytes:
            raise BenchError("too few huge pages are free")
        rules = f"--lookup={chosen.mode} --rule_ipv4={folder / 'rules'} --rule_ipv6={folder / 'rules6'}"
        peer = Beside(Peer("l3fwd", f"{l3fwd} {{eal}} {OPTIONS} {rules}"), feed, made.packets, folder / "peer")
        closing.add([peer])
        turns = [Turn(PEER, peer), *(Turn(("ours", *point), switch, "", *point) for point in POINTS)]
        with counting("measuring") as advance:
            samples = measure(turns, rounds, seconds, advance)
        for name, dropped in ((chosen.app, switch.dropped()), ("l3fwd", peer.dropped())):
            if dropped > 0.01:
                raise BenchError(f"{name} drops {dropped:.0%} of the frames")
        return samples


def main(arguments: list[str]) -> int:
    quick = "--quick" in arguments
    words = [word for word in arguments if word != "--quick"]
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    rounds, seconds = (3, 0.02) if quick else (ROUNDS, SECONDS)
    holds = True
    print(f"{'Mpps, 64 bytes':<26}{'l3fwd':>8}{'ours':>8}{'times':>8}")
    try:
        for chosen in CONTESTS:
            samples = contest(chosen, words[0], rounds, seconds)
            best = min((key for key in samples if key != PEER), key=lambda key: figure(samples[key]).ns)
            times = ratio(samples[PEER], samples[best])
            holds &= times >= chosen.must
            cells = f"{figure(samples[PEER]).millions:>8.1f}{figure(samples[best]).millions:>8.1f}{times:>8.2f}"
            verdict = f"{'holds' if times >= chosen.must else 'MISSED'}: ≥ {chosen.must} (B={best[1]}, b={best[2]})"
            print(f"{f'{chosen.app}, {chosen.entries:,}: {chosen.mode}':<26}{cells}  {verdict}", flush=True)
    except (BenchError, SampleError, ToolchainError, click.ClickException) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
