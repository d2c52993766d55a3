"""Port to port over DPDK: the empty program of bench/ beside DPDK's own testpmd, on devices alike, in the same rounds.

  python bench/testpmd.py [--quick] [COMMAND]

COMMAND is testpmd, `dpdk-testpmd` if left out (Debian: apt install dpdk-dev). A line for each kind of device: million packets a
second of testpmd in its modes io and macswap, of the bare ODP loop, of the empty program, and how many times as fast as
macswap the empty program is. Exit status 0 only when that is 0.9 everywhere.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import click

from macsad import compilation, generation
from macsad.bench import feeds, session
from macsad.bench.beside import Beside, Peer
from macsad.bench.contestants import BenchError, Closing
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Sample, SampleError, figure, ratio
from macsad.compilation import Request
from macsad.progress import counting
from macsad.resources import share
from transpiler.toolchain.toolchain import ToolchainError

ROUNDS, SECONDS = 15, 0.1
BURST, SIZE = 32, 64  # testpmd's own
MUST = 0.9
MODES = ("io", "macswap")
OPTIONS = "--auto-start --no-lsc-interrupt --total-num-mbufs={buffers}"

Key = session.Key
Samples = dict[Key, list[Sample]]


def frames(folder: Path) -> Path:
    """Those of l2fwd: the empty program does not look at them."""
    request = Request(share("apps") / "l2fwd" / "l2fwd.p4")
    order = generation.Order(folder, 1000, (), (), feeds.PACKETS["pcap"], 1.0, "uniform", str(SIZE), 2, 0, 1)
    return generation.make(request, compilation.load(request), order).packets


def samples(name: str, command: str, rounds: int, seconds: float) -> Samples:
    """From devices of a kind to null: of the empty program, the bare loop, testpmd's modes. Raises: BenchError, …"""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folder = Path(scratch)
        file = frames(folder / "traffic")
        feed = feeds.feed("dpdk", name, file, feeds.PACKETS["pcap"], SIZE, 1)
        turns = session.floors(feed, [BURST], folder, closing)
        for mode in MODES:
            own = folder / mode
            own.mkdir()
            beside = Beside(Peer("testpmd", f"{command} {{eal2}} -- {OPTIONS} --forward-mode={mode}"), feed, file, own)
            closing.add([beside])
            turns.append(Turn((mode, BURST, BURST), beside))
        with counting("measuring") as advance:
            return measure([replace(turn, key=(turn.key[0], 0, 0)) for turn in turns], rounds, seconds, advance)


def main(arguments: list[str]) -> int:
    quick = "--quick" in arguments
    words = [word for word in arguments if word != "--quick"]
    rounds, seconds = (3, 0.02) if quick else (ROUNDS, SECONDS)
    holds = True
    print(f"{'Mpps, 64 bytes':<16}{'io':>9}{'macswap':>9}{'bare loop':>11}{'empty':>9}{'over macswap':>14}")
    try:
        for name in feeds.FEEDS["dpdk"]:
            found = samples(name, " ".join(words) or "dpdk-testpmd", rounds, seconds)
            rates = [figure(found[what, 0, 0]).millions for what in (*MODES, "loop", "empty")]
            over = ratio(found["macswap", 0, 0], found["empty", 0, 0])
            holds &= over >= MUST
            cells = f"{rates[0]:>9.1f}{rates[1]:>9.1f}{rates[2]:>11.1f}{rates[3]:>9.1f}{over:>14.2f}"
            print(f"{f'{name} to null':<16}{cells}  {'holds' if over >= MUST else 'MISSED'}: ≥ {MUST}", flush=True)
    except (BenchError, SampleError, ToolchainError, click.ClickException) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
