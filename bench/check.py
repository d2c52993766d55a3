"""Measure what macsad must reach, and compare: `make bench-check`.

A line for each requirement: what, its figure, what it must reach, whether it holds, or why it could not be measured,
which counts as not held. The last line sums up. Exit status 0 only when every row holds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click

from macsad.bench import session
from macsad.bench.contestants import BenchError, Closing, Probe
from macsad.bench.programs import program
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Sample, SampleError, figure, ratio
from macsad.bench.suites import Suite, suite_of
from macsad.compilation import Request
from macsad.generation import Order
from macsad.progress import counting
from macsad.resources import share
from transpiler.diagnostics import Rejected
from transpiler.toolchain.toolchain import ToolchainError

ROUNDS, SECONDS = 9, 0.1
VANILLA, BURST_ONLY = (1, 1), (32, 1)
FULL = ((32, 32), (64, 64), (96, 64), (128, 64), (256, 64), (256, 128))
EMPTY_BURST = 32
SMALL, COUNTED, LARGE = 256, 4_000_000, 16_000_000
HALF = (64, 64)
SINGLY = "interleave"  # the optimisation of CRYPTO
CRYPTO_HEADERS = 32  # bytes of a frame of l2fwd-crypto before what is ciphered


@dataclass(frozen=True)
class Row:
    """A requirement: the figure must be at least (or at most) `must`. No figure: the reason why."""

    what: str
    must: float
    at_most: bool = False
    figure: float | None = None
    reason: str = ""
    parts: str = ""  # what the figure is made of

    def of(self, figure: float, parts: str = "") -> Row:
        """The same with its figure."""
        return replace(self, figure=figure, parts=parts)

    @property
    def holds(self) -> bool:
        if self.figure is None:
            return False
        return self.figure <= self.must if self.at_most else self.figure >= self.must

    def line(self) -> str:
        figure = "-" if self.figure is None else f"{self.figure:.2f}"
        must = f"{'≤' if self.at_most else '≥'} {self.must:g}"
        return f"{self.what:<62} {figure:>6}  {must:>6}  {'holds' if self.holds else 'MISSED'}{self._because()}"

    def _because(self) -> str:
        why = self.reason or self.parts
        return f": {why}" if why else ""


OVER_ONE = Row("l2fwd, 16 M + 16 M entries, over B=1,b=1", 2)
OVER_BURST = Row("l2fwd, 16 M + 16 M entries, over B=32,b=1", 1.25)
OF_MEMORY = Row("l2fwd, 16 M + 16 M entries, of the limit of memory", 0.6)
OF_SMALL = Row("l2fwd, throughput at 16 M entries, of that at 256", 0.5)
EMPTY = Row("empty program, cycles over the bare ODP loop's", 1.3, at_most=True)
IPV4FWD = Row("ipv4fwd, over B=1,b=1", 1.6)
IPV6FWD = Row("ipv6fwd, over B=1,b=1", 2)
NDN = Row("ndn, over B=1,b=1", 2)
HASH = Row("l2fwd lookups, 16 M entries, against rte_hash bulk", 2)
FIB = Row("IPv4 lookups, 500 k prefixes, against rte_fib", 1)
FIB6 = Row("IPv6 lookups, 200 k prefixes, against rte_fib6", 1.3)
ACL = Row("ternary lookups, 1,000 rules, against rte_acl", 1)
REGISTER = Row("a register of 32 M cells at a hash, B=64 over B=1", 6)
REGISTER_LIMIT = Row("the same, of the bare loop with that hash and access", 0.7)
COUNTER = Row("direct counter, 4 M entries, of the same table without", 0.75)
COUNTER_LIMIT = Row("the same, of the bare loop with such a lookup and count", 0.7)
COUNTING = Row("counting in the cache, 256 entries of 1,024, nanoseconds", 2, at_most=True)
SKETCH = Row("heavyhitter, 4 rows of 16 M cells, B=64 over B=1", 6)
SKETCH_LOOP, *BESIDE_LOOP = (
    Row(f"{name}, of the hand-written loop beside it", 0.8)
    for name in ("heavyhitter", "flows", "firewall", "policer", "balancer")
)
SPREAD = Row("a register, two workers over one, spread indexes", 1.6)
HOT = Row("a register, two workers over one, one index", 1)
SHARDED_SPREAD = Row("a sharded register, two workers over one, spread indexes", 1.6)
SHARDED_HOT = Row("a sharded register, CPU time with one worker over that with two, one index", 1)
TOTALS = Row("register totals, 2 and 4 workers, exact runs of all", 1)
CRC = Row("crc32 of 13 bytes, against a plain loop by eight tables", 1.5)
CRYPTO = Row("l2fwd-crypto, over one packet's chain after the other", 4)
CRYPTO_LOOP = Row("l2fwd-crypto, of the hand-written loop beside it", 0.8)
CRYPTO_SHARE = Row("l2fwd-crypto so, the switch's share beside the bare cipher", 0.1, at_most=True)


def wanted(
    app: str, points: tuple[session.Point, ...], entries: int | None = None, without: tuple[str, ...] = ()
) -> session.Wanted:
    """An app with its suite, or with so many entries in each table; beside it, without optimisations."""
    path = share("apps") / app / f"{app}.p4"
    if not path.is_file():
        raise BenchError(f"apps/{app} is not there")
    suite = suite_of(path)
    chosen = suite if entries is None else replace(suite, entries=entries, tables=())
    return session.Wanted(Request(path), lambda folder: order(folder, chosen), points, ROUNDS, SECONDS, 1, without)


def order(folder: Path, suite: Suite) -> Order:
    return Order(
        folder, suite.entries, suite.tables, suite.lengths, suite.packets, 1.0, "uniform", suite.size, 2, 0, 1, suite.replies
    )  # fmt: skip


def best_gain(result: session.Result, slow: session.Point) -> float:
    return max(result.gain(slow, point) for point in FULL)


# --- the rows --------------------------------------------------------------------------------------------------------


def l2fwd() -> Iterator[Row]:
    """Two switches side by side, with large and with small tables, beside the machine's limits."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        large_folder, small_folder = Path(scratch) / "large", Path(scratch) / "small"
        large_folder.mkdir()
        small_folder.mkdir()
        large = session.Setup(wanted("l2fwd", (VANILLA, BURST_ONLY, *FULL), LARGE), large_folder, closing)
        small = session.Setup(wanted("l2fwd", FULL, SMALL), small_folder, closing)
        limits = large.limits(large_folder, closing)
        others = [replace(turn, key=("small", *turn.key[1:])) for turn in small.turns()]
        samples = rounds([*large.turns(), *limits, *others])
        result = large.result(samples)
    best = result.best
    yield OVER_ONE.of(best_gain(result, VANILLA))
    yield OVER_BURST.of(best_gain(result, BURST_ONLY))
    yield OF_MEMORY.of(result.of_memory(best))
    nearest = max(ratio(samples["program", *best], samples["small", *point]) for point in FULL)
    yield OF_SMALL.of(1 / nearest)
    empty = ratio(samples["empty", EMPTY_BURST, EMPTY_BURST], samples["loop", EMPTY_BURST, EMPTY_BURST])
    yield EMPTY.of(empty)


def state(defines: str, entries: int, workers: int = 1) -> session.Wanted:
    """bench/state.p4, with what words of `defines` name."""
    request = Request(share("bench") / "state.p4", defines=tuple(defines.split()))
    suite = Suite(entries, (), (), 4_000_000, "64")
    return session.Wanted(request, lambda folder: order(folder, suite), (VANILLA, HALF), ROUNDS, SECONDS, workers)


def beside_bare(made: session.Wanted, contest: str, name: str = "state") -> tuple[float, float, str]:
    """One packet at a time over bursts; the bare loop with the same accesses over bursts; what these take."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folder = Path(scratch)
        setup = session.Setup(made, folder, closing)
        probe_folder = folder / "bare"
        probe_folder.mkdir()
        probe = Probe([str(program(name, folder)), *setup.feed.arguments], probe_folder)
        closing.add([probe])
        result = setup.result(rounds([*setup.turns(), Turn(("bare", *HALF), probe, contest, HALF[0])]))
    each = "; ".join(f"{what} {figure(result.samples[what, *HALF]).ns:.1f} ns" for what in ("program", "bare"))
    return result.gain(VANILLA, HALF), ratio(result.samples["bare", *HALF], result.samples["program", *HALF]), each


def register() -> Iterator[Row]:
    over_one, of_bare, each = beside_bare(state("REGISTER", SMALL), "cells")
    yield REGISTER.of(over_one)
    yield REGISTER_LIMIT.of(of_bare, each)


def workers() -> Iterator[Row]:
    """The register's switch with one and with two workers, in the same rounds, by CPU time: what others do meanwhile does not
    count. One index of a sharded register is one worker's, and the other sleeps."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        turns: list[Turn[session.Key]] = []
        cases = {
            SPREAD: "REGISTER",
            HOT: "REGISTER ONE",
            SHARDED_SPREAD: "REGISTER NUMBERED",
            SHARDED_HOT: "REGISTER ONE NUMBERED",
        }
        for row, defines in cases.items():
            for count in (1, 2):
                folder = Path(scratch) / f"{defines}-{count}"
                folder.mkdir()
                made = session.Setup(state(defines, SMALL, count), folder, closing)
                turns += [replace(turn, key=(f"{row.what} {count}", *turn.key[1:])) for turn in made.turns()]
        samples = rounds([turn for turn in turns if turn.key[1:] == HALF])
    for row in cases:
        one, two = (samples[f"{row.what} {count}", *HALF] for count in (1, 2))
        load = f"load {os.getloadavg()[0]:.1f}"
        each = f"{figure(one).ns:.1f} ns of one CPU, {figure(two).ns:.1f} ns of two; {load}"
        at_work = 1 if row is SHARDED_HOT else 2
        yield row.of(at_work * ratio(one, two), each)


def totals() -> Iterator[Row]:
    """Of packets that are multicast, recirculated, or neither, in each way to keep registers apart, while commands read and
    reset."""
    command = [sys.executable, str(Path(__file__).with_name("totals.py")), "--workers", "2", "--workers", "4"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    runs = [line for line in found.stdout.splitlines() if " workers: " in line]
    if not runs or found.returncode not in (0, 1):
        raise BenchError(found.stderr or f"totals.py ends with {found.returncode}")
    wrong = [line for line in runs if "WRONG" in line]
    yield TOTALS.of(1 - len(wrong) / len(runs), "; ".join(wrong) or f"{len(runs)} runs")


def counter() -> Iterator[Row]:
    """The same table twice, once with a direct counter, beside bare loops with as many lines of memory."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folders = Path(scratch) / "counted", Path(scratch) / "plain"
        for folder in folders:
            folder.mkdir()
        counted, plain = (
            session.Setup(state(define, COUNTED), folder, closing)
            for define, folder in zip(("COUNTER", ""), folders, strict=True)
        )
        others = [replace(turn, key=("plain", *turn.key[1:])) for turn in plain.turns()]
        probe_folder = Path(scratch) / "bare"
        probe_folder.mkdir()
        probe = Probe([str(program("state", probe_folder)), *plain.feed.arguments], probe_folder)
        closing.add([probe])
        bare = [Turn((contest, *HALF), probe, contest, HALF[0]) for contest in ("counts", "words")]
        samples = rounds([*counted.turns(), *others, *bare])
    names = {"counted": "program", "plain": "plain", "bare counted": "counts", "bare plain": "words"}
    each = [f"{what} {figure(samples[key, *HALF]).ns:.1f} ns" for what, key in names.items()]
    yield COUNTER.of(ratio(samples["plain", *HALF], samples["program", *HALF]), "; ".join(each[:2]))
    yield COUNTER_LIMIT.of(ratio(samples["counts", *HALF], samples["program", *HALF]), "; ".join(each[2:]))


def near_counter() -> Iterator[Row]:
    """A table that stays in the cache twice, once with a direct counter, beside bare loops with as many words and counts."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        turns = []
        for name, define in (("counted", "COUNTER "), ("plain", "")):
            folder = Path(scratch) / name
            folder.mkdir()
            setup = session.Setup(state(f"{define}SIZE=1024", SMALL), folder, closing)
            turns += [replace(turn, key=(name, *turn.key[1:])) for turn in setup.turns()]
        probe_folder = Path(scratch) / "bare"
        probe_folder.mkdir()
        probe = Probe([str(program("state", probe_folder)), *setup.feed.arguments], probe_folder)
        closing.add([probe])
        turns += [Turn((contest, *HALF), probe, contest, HALF[0]) for contest in ("near+count", "near")]
        samples = rounds(turns)
    counted, plain, bare_counted, bare = (
        figure(samples[name, *HALF]).ns for name in ("counted", "plain", "near+count", "near")
    )
    parts = (
        f"counted {counted:.1f} ns; plain {plain:.1f} ns; bare counted {bare_counted:.1f} ns; bare plain {bare:.1f} ns"
    )
    yield COUNTING.of(counted - plain, parts)


def sketch() -> Iterator[Row]:
    over_one, of_loop, each = beside_bare(wanted("heavyhitter", (VANILLA, HALF)), "heavyhitter", "peers/stateful")
    yield SKETCH.of(over_one)
    yield SKETCH_LOOP.of(of_loop, each)


def stateful(row: Row) -> Iterator[Row]:
    name = row.what.partition(",")[0]
    _, of_loop, each = beside_bare(wanted(name, (VANILLA, HALF)), name, "peers/stateful")
    yield row.of(of_loop, each)


def app(row: Row) -> Iterator[Row]:
    result = session.run(wanted(row.what.partition(",")[0], (VANILLA, *FULL)))
    yield row.of(best_gain(result, VANILLA))


def crypto() -> Iterator[Row]:
    """Chains interleaved beside the same switch without; and what is left of a packet's time there when that of OpenSSL's
    cipher, on as many bytes, is taken away."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folder = Path(scratch)
        setup = session.Setup(wanted("l2fwd-crypto", FULL, without=(SINGLY,)), folder, closing)
        probe_folder = folder / "cipher-runs"
        probe_folder.mkdir()
        probe = Probe([str(program("cipher", folder, ("libcrypto",)))], probe_folder)
        closing.add([probe])
        ((size, _),) = setup.made.traffic.sizes
        names = [filled.call.action for filled in setup.made.plan.tables]
        direction = next((word for word in ("encrypt", "decrypt") if any(word in name for name in names)), None)
        if direction is None:
            raise BenchError("the frames that were made are neither encrypted nor decrypted")
        cipher = Turn[session.Key](("cipher", 0, 0), probe, direction, size - CRYPTO_HEADERS)
        result = setup.result(rounds([*setup.turns(), cipher]))
    best = result.samples["program", *result.best]
    singly = result.samples[f"without {SINGLY}", *result.points[-1]]
    if result.dropped > 0.01:
        raise BenchError(f"{result.dropped:.0%} of the frames were dropped")
    each = "; ".join(f"{what} {figure(found).ns:.0f} ns" for what, found in (("one", singly), ("many", best)))
    yield CRYPTO.of(ratio(singly, best), each)
    yield CRYPTO_SHARE.of(1 - 1 / ratio(singly, result.samples["cipher", 0, 0]))


def crypto_loop() -> Iterator[Row]:
    _, of_loop, each = beside_bare(wanted("l2fwd-crypto", (VANILLA, HALF)), "ciphered", "peers/crypto")
    yield CRYPTO_LOOP.of(of_loop, each)


def peer(row: Row, name: str, entries: int) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folder = Path(scratch)
        probe = Probe([str(program(f"peers/{name}", folder, ("libdpdk",))), str(entries)], folder)
        closing.add([probe])
        samples = rounds([Turn((side, 0, 0), probe, side) for side in ("ours", "peer")])
    yield row.of(ratio(samples["peer", 0, 0], samples["ours", 0, 0]))


def crc(sizes: tuple[int, int] = (13, 64)) -> Iterator[Row]:
    """Of the shorter messages; the parts tell what one takes in a burst."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folder = Path(scratch)
        probe = Probe([str(program("hashes", folder))], folder)
        closing.add([probe])
        turns = [Turn((side, size, 0), probe, side, size) for size in sizes for side in ("ours", "plain")]
        samples = rounds(turns)
    each = "; ".join(f"{size} bytes {figure(samples['ours', size, 0]).ns:.1f} ns" for size in sizes)
    yield CRC.of(ratio(samples["plain", sizes[0], 0], samples["ours", sizes[0], 0]), each)


def acl(rules: int) -> Iterator[Row]:
    """Sets of rules and traffic one beside the other, each against the peer; the figure is their geometric mean."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        folder = Path(scratch)
        binary = str(program("peers/acl", folder, ("libdpdk",)))
        listed = subprocess.run([binary, "--contests"], capture_output=True, text=True, check=True)
        names = listed.stdout.splitlines()
        probe = Probe([binary, str(rules)], folder)
        closing.add([probe])
        turns = [Turn((side, n, 0), probe, side, n) for n in range(len(names)) for side in ("ours", "peer")]
        samples = rounds(turns)
    ratios = [ratio(samples["peer", n, 0], samples["ours", n, 0]) for n in range(len(names))]
    each = "; ".join(f"{name} {figure:.2f}" for name, figure in zip(names, ratios, strict=True))
    yield ACL.of(statistics.geometric_mean(ratios), f"mean of {each}")


def rounds(turns: list[Turn[session.Key]]) -> dict[session.Key, list[Sample]]:
    with counting("measuring") as advance:
        return measure(turns, ROUNDS, SECONDS, advance)


@dataclass(frozen=True)
class Part:
    """What is measured together, and the rows that come of it."""

    rows: tuple[Row, ...]
    run: Callable[[], Iterator[Row]]


# Those that need many huge pages come first: a large table takes what is there.
PARTS = (
    Part((FIB6,), lambda: peer(FIB6, "fib6", 200_000)),
    Part((HASH,), lambda: peer(HASH, "exact", LARGE)),
    Part((FIB,), lambda: peer(FIB, "fib4", 500_000)),
    Part((ACL,), lambda: acl(1_000)),
    Part((OVER_ONE, OVER_BURST, OF_MEMORY, OF_SMALL, EMPTY), l2fwd),
    Part((IPV4FWD,), lambda: app(IPV4FWD)),
    Part((IPV6FWD,), lambda: app(IPV6FWD)),
    Part((NDN,), lambda: app(NDN)),
    Part((REGISTER, REGISTER_LIMIT), register),
    Part((SPREAD, HOT, SHARDED_SPREAD, SHARDED_HOT), workers),
    Part((TOTALS,), totals),
    Part((COUNTER, COUNTER_LIMIT), counter),
    Part((COUNTING,), near_counter),
    Part((SKETCH, SKETCH_LOOP), sketch),
    *(Part((row,), partial(stateful, row)) for row in BESIDE_LOOP),
    Part((CRC,), crc),
    Part((CRYPTO, CRYPTO_SHARE), crypto),
    Part((CRYPTO_LOOP,), crypto_loop),
)


def measured(part: Part) -> Iterator[Row]:
    """The part's rows; those that cannot be measured have no figure but the reason."""
    missing = list(part.rows)
    reason = ""
    try:
        for row in part.run():
            missing.remove(replace(row, figure=None, parts=""))
            yield row
    except Rejected:
        reason = "the program is rejected, see above"
    except (BenchError, SampleError, ToolchainError, click.ClickException) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        reason = next((line for line in lines[1:] if " error: " in line), lines[0])
    yield from (replace(row, reason=reason) for row in missing)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "words", metavar="WORDS", nargs="*", help="measure the rows whose names contain one of these; all"
    )
    words = parser.parse_args(arguments).words
    parts = [part for part in PARTS if not words or any(word in row.what for word in words for row in part.rows)]
    if not parts:
        names = "\n".join(f"  {row.what}" for part in PARTS for row in part.rows)
        parser.error(f"no row has {' or '.join(map(repr, words))} in its name; there are:\n{names}")
    begin = time.monotonic()
    print(f"{'what':<62} {'is':>6}  {'must':>6}  (ratios, medians of {ROUNDS} rounds)")
    rows: list[Row] = []
    for part in parts:
        for row in measured(part):
            rows.append(row)
            print(row.line(), flush=True)
    held = sum(row.holds for row in rows)
    minutes = (time.monotonic() - begin) / 60
    print(f"{held} of {len(rows)} hold, {len(rows) - held} do not; {minutes:.1f} minutes")
    return 0 if held == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
