"""Measure all series and draw them again: `make bench`. Figures go to build/bench/*.json, plots to docs/performance/.

  apps    each program of bench/suites.toml over B and b
  tables  l2fwd over the number of entries
  frames  l2fwd over the size of frames
  cores   l2fwd over the number of cores
  optimisations  four programs with and without each optimisation
  kernels  ipv6fwd with the trie and with its twin without compressed paths; router with access lists of 2, 16 and 1,000 entries
           with and without the scan of few entries
  changes adding, modifying and removing entries, of each kernel
  buffers self-described buffers against separate descriptions and buffers: bare forwarding and four programs
  io      port to port through each kind of port, beside testpmd and an installed ODP; interfaces need root

Arguments choose among them, --quick measures little, to see that it works. Exit status 0, or 1 with what failed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from macsad.bench import buffers, packet_io, packet_io_report, plots, report, session, suites
from macsad.bench.contestants import BenchError, Closing, worker_cpus
from macsad.bench.programs import program
from macsad.bench.rounds import measure
from macsad.bench.samples import SampleError, ratio
from macsad.bench.suites import Suite, suite_of
from macsad.compilation import Request
from macsad.generation import Order
from macsad.progress import counting
from macsad.resources import share
from transpiler.optimisations import NAMES

ROOT = Path(__file__).parents[1]
FIGURES, PLOTS = ROOT / "build" / "bench", ROOT / "docs" / "performance"
BURSTS, SUB_BATCHES = (1, 8, 32, 64, 128, 256), (1, 8, 32, 64, 128, 256)
GRID = tuple((burst, sub_batch) for burst in BURSTS for sub_batch in SUB_BATCHES if sub_batch <= burst)
COMPARED = ((1, 1), (32, 1), (256, 64))
ENTRIES = (256, 4096, 65_536, 1_000_000, 16_000_000)
SIZES = (64, 128, 256, 512, 1024, 1518)
MEDIUM = 1_000_000
BEST = (256, 64)
USUAL_POINT = (32, 32)
FEW = (2, 16, 1000)
FORWARDERS = ("l2fwd", "ipv4fwd", "ipv6fwd", "ndn")
OPTIMISED: dict[str, dict[str, object]] = {
    "l2fwd": {"entries": MEDIUM, "packets": MEDIUM},
    "ipv4fwd": {"packets": MEDIUM},
    "router": {},
    "l3fwd": {"packets": MEDIUM},
}

Lines = dict[str, list[tuple[float, float]]]


def measured(
    app: str,
    points: tuple[session.Point, ...],
    quick: bool,
    workers: int = 1,
    without: tuple[str, ...] = (),
    rounds: int = 7,
    **other: object,
) -> session.Result:
    """An app with its suite, changed where `other` says so."""
    path = share("apps") / app / f"{app}.p4"
    suite = replace(suite_of(path), **other) if other else suite_of(path)  # type: ignore[arg-type]
    if quick:
        suite = replace(suite, entries=min(suite.entries, 1000), tables=(), packets=1000)
    rounds, seconds = (1, 0.01) if quick else (rounds, 0.1)
    wanted = session.Wanted(
        Request(path), lambda folder: order(folder, suite), points, rounds, seconds, workers, without
    )
    result = session.run(wanted)
    Console(highlight=False, soft_wrap=True).print(report.screen(result), "")
    return result


def order(folder: Path, suite: Suite) -> Order:
    return Order(
        folder, suite.entries, suite.tables, suite.lengths, suite.packets, 1.0, "uniform", suite.size, 2, 0, 1, suite.replies
    )  # fmt: skip


def keep(name: str, results: Sequence[session.Result]) -> None:
    FIGURES.mkdir(parents=True, exist_ok=True)
    (FIGURES / f"{name}.json").write_text(json.dumps([report.data(result) for result in results], indent=1) + "\n")


def apps(quick: bool) -> None:
    for name in suites.apps():
        result = measured(name, COMPARED if quick else GRID, quick)
        keep(name, [result])
        plots.points(result, PLOTS / f"{name}.svg")


def over(name: str, label: str, values: Sequence[int], run: Callable[[int], session.Result], logarithmic: bool) -> None:
    """One result for each value; a line for each point, and for the limit of memory."""
    results = [run(value) for value in values]
    keep(name, results)
    lines: Lines = {
        f"B = {point[0]}, b = {point[1]}": [
            (value, report.mpps(result, result.at(point))) for value, result in zip(values, results, strict=True)
        ]
        for point in COMPARED
    }
    lines["empty program"] = [
        (value, report.mpps(result, result.floor("empty")[1])) for value, result in zip(values, results, strict=True)
    ]
    plots.lines(lines, "l2fwd", label, logarithmic, PLOTS / f"{name}.svg")


def tables(quick: bool) -> None:
    values = ENTRIES[:2] if quick else ENTRIES
    over(
        "tables", "entries of each of two tables", values, lambda n: measured("l2fwd", COMPARED, quick, entries=n), True
    )


def frames(quick: bool) -> None:
    values = SIZES[:2] if quick else SIZES

    def run(size: int) -> session.Result:
        return measured("l2fwd", COMPARED, quick, entries=MEDIUM, packets=MEDIUM, size=str(size))

    over("frames", "bytes of a frame", values, run, False)


def cores(quick: bool) -> None:
    values = [n for n in (1, 2, 4, 8, 16, 32) if len(worker_cpus(n)) == n]

    def run(workers: int) -> session.Result:
        return measured("l2fwd", COMPARED, quick, workers, entries=MEDIUM, packets=MEDIUM)

    over("cores", "cores", values, run, False)


def optimisations(quick: bool) -> None:
    """With tables smaller than those of the suites, since each switch has its own."""
    left_out = (
        ("prefetch", session.EVERYTHING) if quick else (*NAMES, "update_checksums_incrementally", session.EVERYTHING)
    )
    results = [measured(app, (BEST,), quick, without=left_out, **others) for app, others in OPTIMISED.items()]
    keep("optimisations", results)
    plots.gains(results, PLOTS / "optimisations.svg")


def kernels(quick: bool) -> None:
    """Switches side by side, with the same entries and the same frames."""
    routes, path = "V6Ingress.routes", share("apps") / "ipv6fwd" / "ipv6fwd.p4"
    plain = Request(path)
    ways = {"compressed": plain, "plain": replace(plain, kernels=(f"{routes}=lpm_trie_plain",))}
    suite = suite_of(path)
    if quick:
        suite = replace(suite, entries=1000, tables=(), packets=1000)
    gain, setups = beside(ways, suite, quick)
    tables = {name: next(t for t in setup.tables if t.name == routes) for name, setup in setups.items()}
    memory = {name: found.memory_bytes for name, found in tables.items()}
    print(f"ipv6fwd, {tables['plain'].entries:,} prefixes: {gain:.2f} times as fast with compressed paths as without")
    few = [{"entries": count, "gain": few_entries(count, quick)} for count in FEW]
    FIGURES.mkdir(parents=True, exist_ok=True)
    figures = {"app": "ipv6fwd", "gain": gain, "memory_bytes": memory, "few": few}
    (FIGURES / "kernels.json").write_text(json.dumps(figures, indent=1) + "\n")


def few_entries(count: int, quick: bool) -> float:
    """What the scan of few entries gains the router, whose access lists have so many."""
    path = share("apps") / "router" / "router.p4"
    plain = Request(path)
    ways = {"scanned": plain, "mapped": replace(plain, wanted=plain.wanted.without(("few-entries",)))}
    suite = replace(
        suites.USUAL, entries=1000, tables=(f"acl4={count}", f"acl6={count}"), packets=1000 if quick else 100_000
    )
    gain, _ = beside(ways, suite, quick)
    print(
        f"router, access lists of {count:,} entries: {gain:.2f} times as fast with the scan of few entries as without"
    )
    return gain


def beside(ways: dict[str, Request], suite: Suite, quick: bool) -> tuple[float, dict[str, session.Setup]]:
    """Two ways to compile a program, in turns: how many times as fast the first is as the second, and how both were set up."""
    rounds, seconds = (1, 0.01) if quick else (9, 0.1)
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch, Closing() as closing:
        setups: dict[str, session.Setup] = {}
        for name, request in ways.items():
            folder = Path(scratch) / name
            folder.mkdir()
            wanted = session.Wanted(request, lambda made: order(made, suite), (BEST,), rounds, seconds, 1)
            setups[name] = session.Setup(wanted, folder, closing)
        turns = [replace(turn, key=(name, *turn.key[1:])) for name, setup in setups.items() for turn in setup.turns()]
        with counting("measuring") as advance:
            samples = measure(turns, rounds, seconds, advance)
    first, second = ways
    return ratio(samples[second, *BEST], samples[first, *BEST]), setups


def buffer_layouts(quick: bool) -> None:
    """Programs with tables smaller than those of their suites, which leave something for packets to cost."""
    rounds, seconds = (1, 0.01) if quick else (15, 0.1)
    l2fwd = share("apps") / "l2fwd" / "l2fwd.p4"
    few = replace(suites.USUAL, entries=1000, packets=1000 if quick else suites.USUAL.packets)
    bare = buffers.run(l2fwd, lambda folder: order(folder, few), USUAL_POINT[0], rounds, seconds)
    apps = FORWARDERS[:1] if quick else FORWARDERS
    others = {"tables": (), "lengths": (), "entries": suites.USUAL.entries, "packets": suites.USUAL.packets}
    without = ("self-described-buffers",)
    results = [measured(app, (USUAL_POINT,), quick, without=without, rounds=rounds, **others) for app in apps]
    FIGURES.mkdir(parents=True, exist_ok=True)
    programs = [report.data(result) for result in results]
    (FIGURES / "buffers.json").write_text(json.dumps({"bare": bare.data(), "programs": programs}, indent=1) + "\n")
    gains = {what: bare.gain(what) for what in ("loop", "empty")}
    gains |= {result.name: result.gain_of(*without) for result in results}
    parts = {way: bare.parts(way) for way in buffers.WAYS}
    for way, cycles in parts.items():
        print(f"{way}:", ", ".join(f"{part} {each:.1f}" for part, each in cycles.items()), "cycles a packet")
    print("times as fast:", ", ".join(f"{name} {gain:.2f}" for name, gain in gains.items()))
    plots.buffers(parts, gains, PLOTS / "buffers.svg")


def ports(quick: bool) -> None:
    rows = packet_io.run(SIZES[:1] if quick else SIZES, *((1, 0.02) if quick else (5, 0.1)))
    Console(highlight=False, soft_wrap=True).print(packet_io_report.screen(rows), "")
    FIGURES.mkdir(parents=True, exist_ok=True)
    (FIGURES / "io.json").write_text(json.dumps(packet_io_report.data(rows), indent=1) + "\n")
    plots.packet_io(rows, PLOTS / "io.svg")


def changes(quick: bool) -> None:
    """Nanoseconds of CPU time for a change, in the order that bench/changes.c prints: add, modify, remove."""
    with tempfile.TemporaryDirectory(prefix="macsad-bench-") as scratch:
        binary = program("changes", Path(scratch))
        done = subprocess.run([str(binary), "100" if quick else "1"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"changes: {done.stderr.strip()}")
    rows = []
    for kernel, entries, *times in (line.split() for line in done.stdout.splitlines()):
        add, modify, remove = map(int, times)
        rows.append({"kernel": kernel, "entries": int(entries), "add": add, "modify": modify, "remove": remove})
        print(f"{kernel}, {int(entries):,} entries: add {add} ns, modify {modify} ns, remove {remove} ns")
    FIGURES.mkdir(parents=True, exist_ok=True)
    (FIGURES / "changes.json").write_text(json.dumps(rows, indent=1) + "\n")


SERIES = {
    "apps": apps,
    "tables": tables,
    "frames": frames,
    "cores": cores,
    "optimisations": optimisations,
    "kernels": kernels,
    "changes": changes,
    "buffers": buffer_layouts,
    "io": ports,
}


def main(arguments: list[str]) -> int:
    quick = "--quick" in arguments
    chosen = [word for word in arguments if word != "--quick"] or list(SERIES)
    if unknown := [word for word in chosen if word not in SERIES]:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(SERIES)}", file=sys.stderr)
        return 2
    begin = time.monotonic()
    try:
        plots.figures()
        PLOTS.mkdir(parents=True, exist_ok=True)
        for name in chosen:
            SERIES[name](quick)
    except (BenchError, SampleError, click.ClickException) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{(time.monotonic() - begin) / 60:.1f} minutes; figures in {FIGURES}, plots in {PLOTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
