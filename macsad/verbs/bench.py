"""macsad bench"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console, RenderableType

from macsad import compilation, profiling
from macsad.bench import crossings, latency, plots, predicted, report, session
from macsad.bench.beside import Peer
from macsad.bench.contestants import BenchError, worker_cpus
from macsad.bench.feeds import PACKETS, named
from macsad.bench.samples import SampleError
from macsad.bench.suites import Suite, suite_of
from macsad.compilation import Request
from macsad.generating import GeneratingCommand, generating_options
from macsad.generation import Order
from macsad.options import natural, reading_options
from macsad.outputs import apart, written
from macsad.resources import share
from macsad.targets import Machine, machine
from macsad.terminal import plain
from transpiler.model.machine import BadProfile, MachineProfile
from transpiler.optimisations import NAMES, SYNONYMS
from transpiler.passes.pipeline import PASSES
from transpiler.targets.description import PLATFORMS
from transpiler.targets.target import Target
from transpiler.toolchain.architectures import host_arch

BURST_MAX = 256
EACH = "each"


class AppOrFile(click.Path):
    """A P4 file, or the name of a program in apps/."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, readable=True, path_type=Path)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        name = str(value)
        app = share("apps") / name / f"{name}.p4"
        return app if "/" not in name and app.is_file() else Path(str(super().convert(name, param, ctx)))


class Numbers(click.ParamType[tuple[int, ...]]):
    """1,32,256: numbers from 1 to BURST_MAX."""

    name = "LIST"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        words = str(value).split(",")
        if any(natural(word, BURST_MAX) is None for word in words):
            self.fail(f"'{value}' is not a list of numbers from 1 to {BURST_MAX}, as 1,32,256", param, ctx)
        return tuple(sorted({int(word) for word in words}))


class Without(click.ParamType[tuple[str, ...]]):
    """prefetch,fold_selects: optimisations and passes; `each`: all optimisations, one at a time; `all`: together."""

    name = "LIST"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        words = [SYNONYMS.get(word, word) for word in str(value).split(",")] if value else []
        known = (*NAMES, *(name for name, _ in PASSES), EACH, session.EVERYTHING)
        if unknown := [word for word in words if word not in known]:
            self.fail(f"there is no optimisation '{unknown[0]}'; there are {', '.join(known)}", param, ctx)
        return tuple(dict.fromkeys(name for word in words for name in (NAMES if word == EACH else (word,))))


class Beside(click.ParamType[Peer]):
    """NAME=COMMAND: a program of DPDK's to measure beside the switch."""

    name = "NAME=COMMAND"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Peer:
        name, _, command = str(value).partition("=")
        if not name or "{eal" not in command:
            self.fail(f"'{value}' is not NAME=COMMAND with {{eal}} in it", param, ctx)
        return Peer(name, command)


@click.command("bench", cls=GeneratingCommand)
@reading_options
@click.option(
    "--entries", type=click.IntRange(1, 1 << 31), metavar="N", help="Entries a table, as `macsad gen` has it."
)
@click.option("--table", "tables", multiple=True, metavar="NAME=N", help="Entries of one table. Once for each table.")
@click.option("--lengths", multiple=True, metavar="[NAME=]WHICH", help="Lengths of prefixes, as `macsad gen` has it.")
@click.option("--packets", type=click.IntRange(1), metavar="N", help="Different frames, which are replayed.")
@click.option("--hit", type=click.FloatRange(0, 1), default=1.0, show_default=True, metavar="RATIO",
              help="Of the frames that reach a table, how many hit an entry of it.")  # fmt: skip
@click.option("--flows", default="uniform", show_default=True, metavar="WHICH", help="uniform, zipf:S or one.")
@click.option("--size", metavar="BYTES|imix", help="Of a frame, without frame check sequence.  [default: 64]")
@click.option("--burst", "bursts", type=Numbers(), default="1,32,64,128,256", show_default=True,
              help="B: packets that are received at once.")  # fmt: skip
@click.option("--sub-batch", "sub_batches", type=Numbers(), default="1,8,16,32,64", show_default=True,
              help="b: lookups in flight at once; those above B are left out.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 128), default=1, show_default=True, metavar="N",
              help="Cores that process packets.")  # fmt: skip
@click.option("--platform", type=click.Choice(PLATFORMS),
              help="What the switch is built for, as `macsad build` has it.")  # fmt: skip
@click.option("--feed", metavar="NAME",
              help="Where frames come from. linux: mem; dpdk: pcap, which is net_pcap with infinite_rx, or null.")  # fmt: skip
@click.option("--beside", "peers", type=Beside(), multiple=True, metavar="NAME=COMMAND",
              help="With --platform dpdk or --latency: measure this program of DPDK's on devices like the switch's in the same "
                   "rounds. {eal} stands for DPDK's arguments, {eal2} for those with a second lcore, {buffers}, {frames}."
              )  # fmt: skip
@click.option("--repeat", type=click.IntRange(1, 10_000), default=7, show_default=True, metavar="N",
              help="Rounds; the figures are their medians.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0.001, 60), default=0.1, show_default=True, metavar="S",
              help="Of one measurement in one round.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write all figures there; - is standard output.")  # fmt: skip
@click.option("--plot", "plot_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Draw throughput over B and b: FILE.svg, .png or .pdf.")  # fmt: skip
@click.option("--without", type=Without(), default="", metavar="LIST",
              help="Measure the program without these optimisations, too, one at a time, at the largest B and b: names as "
                   f"in --no-NAME, or passes; {EACH}: all --no-NAME in turn, {session.EVERYTHING}: together.")  # fmt: skip
@click.option("--lookups/--no-lookups", "alone", default=None,
              help="Measure lookups alone, and their sum. Usual without --quick, with one worker on linux.")  # fmt: skip
@click.option("--predict", is_flag=True,
              help="Print beside each point what the model predicts from two of them (docs/model.md).")  # fmt: skip
@click.option("--machine", "machine_file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="With --predict or --report: the machine's profile, if not what `macsad profile` has kept.")  # fmt: skip
@click.option("--report", "report_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write a page (HTML) as `macsad explain` does, with what was measured.")  # fmt: skip
@click.option("--latency", "times", is_flag=True,
              help="Measure the time in the switch instead: p50, p99, p99.9 at 10 to 95 % of the most that it forwards; at B=64, "
                   "b=64 unless --burst and --sub-batch say others. With --beside or --platform dpdk from "
                   "one network interface to another, the kernel's part included.")  # fmt: skip
@generating_options
@click.option("--quick", is_flag=True, help="Small tables, few points, short rounds: to see that it works.")
@click.argument("program", type=AppOrFile(), metavar="P.p4|APP")
def command(
    program: Path, entries: int | None, tables: tuple[str, ...], lengths: tuple[str, ...], packets: int | None,
    hit: float, flows: str, size: str | None, bursts: tuple[int, ...], sub_batches: tuple[int, ...], workers: int,
    repeat: int, seconds: float, json_file: Path | None, plot_file: Path | None, quick: bool,
    without: tuple[str, ...], platform: str | None, feed: str | None, peers: tuple[Peer, ...], alone: bool | None,
    predict: bool, machine_file: Path | None, report_file: Path | None, times: bool, **reading: object,
) -> int | None:  # fmt: skip
    """Measure throughput and cycles a packet of P.p4, or of a program in apps/.

    The switch receives generated frames from memory and sends them nowhere, so that the figures are its own. All (B, b)
    are measured in turn in one process with the same tables; in the same rounds so are B=1,b=1, one packet at a time, and
    what this machine allows: random reads of memories as large as the tables, an empty program. Times are CPU time.

    \b
    macsad bench l2fwd
    macsad bench my.p4 --entries 100000 --hit 0.9 --burst 32,256 --plot my.svg
    macsad bench l2fwd --platform dpdk --beside 'io=dpdk-testpmd {eal2} -- --auto-start --total-num-mbufs={buffers}'
    """
    if workers > len(worker_cpus(workers)):
        raise click.BadParameter(f"this machine has {len(worker_cpus(workers))} CPUs to use", param_hint="--workers")
    request = Request.of({"program": program, **reading})
    measured_on = _here(machine(request.target, {"platform": platform}), request.target)
    if peers and measured_on.platform != "dpdk" and not times:
        raise click.BadParameter("others are measured with --platform dpdk, or with --latency", param_hint="--beside")
    can_alone = measured_on.platform == "linux" and workers == 1
    if alone and not can_alone:
        raise click.BadParameter(
            "lookups alone are measured with one worker on --platform linux", param_hint="--lookups"
        )
    if times and (plot_file or without or predict or report_file or alone or workers > 1):
        raise click.UsageError("--latency is measured with one worker, and told as text or --json")
    if times and feed is not None:
        raise click.UsageError("--latency has its own feeds: not with --feed")
    if report_file and workers > 1:
        raise click.UsageError("the page is of one worker: --report goes with --workers 1")
    if report_file and measured_on.platform != "linux":
        raise click.BadParameter("the page is made of what was measured on --platform linux", param_hint="--report")
    apart(_files(json_file, plot_file, report_file), request.inputs)
    profile = _profile(predict or report_file is not None, machine_file)
    if plot_file:
        plots.drawable(plot_file)
    try:
        feed = named(measured_on.platform, feed)
    except BenchError as error:
        raise click.UsageError(str(error)) from None
    suite = Suite(1000, (), (), 1000, "64") if quick else suite_of(program)
    asked = entries is not None or bool(tables)
    chosen = Suite(
        entries or suite.entries,
        tables if asked else suite.tables,
        lengths or suite.lengths,
        packets or min(suite.packets, PACKETS.get(feed or "", suite.packets)),
        size or suite.size,
        suite.replies and measured_on.platform == "linux",
    )
    points = ((1, 1), (32, 1), (32, 32)) if quick else _points(bursts, sub_batches)
    wanted = session.Wanted(
        request,
        lambda folder: _order(folder, chosen, hit, flows),
        points,
        min(repeat, 3) if quick else repeat,
        min(seconds, 0.02) if quick else seconds,
        workers,
        without,
        measured_on,
        feed,
        peers,
        can_alone and not quick if alone is None else alone,
        clocks=_explained_at(points) if report_file else None,
    )
    if times:
        _times(wanted, json_file)
        return None
    try:
        result = session.run(wanted)
        apart(_files(json_file, plot_file, report_file), request.inputs)  # what was included is known now
        model = None
        if profile is not None and predict:
            planned = compilation.decide(request, compilation.load_again(request)).planned
            pages = "huge" if request.wanted.huge_pages else "small"
            model = predicted.predicted(result, profile, predicted.whole_bursts(planned), result.length, pages)
            if model is None:
                raise BenchError("a prediction needs B=1, b=1, the largest B and b, and a point between them")
        _write(result, model, json_file, plot_file)
        if report_file and profile is not None:
            _report(request, result, _explained_at(points), profile, report_file)
    except (BenchError, SampleError) as error:
        raise click.ClickException(str(error)) from None
    return None


def _files(*paths: Path | None) -> list[Path]:
    """Those that are written."""
    return [path for path in paths if path is not None and str(path) != "-"]


def _explained_at(points: Sequence[session.Point]) -> session.Point:
    """The B and b that a page explains: those of a switch that is told nothing, where they are measured."""
    return predicted.USUAL if predicted.USUAL in points else max(points)


def _report(
    request: Request, result: session.Result, point: session.Point, profile: MachineProfile, place: Path
) -> None:
    """Write the page. Raises: BenchError."""
    from macsad.explain import measuring
    from macsad.explain.page import render_page
    from macsad.place.placement_run import usable_cores

    machines = measuring.Machines(profile, None, f"this machine, {host_arch()}")
    found = measuring.of_result(request, result, point, machines, usable_cores())
    page = render_page(found)
    for notice in page.notices:
        click.echo(notice, err=True)
    with written(place) as beside:
        beside.write_text(page.text, encoding="utf-8")


def _times(wanted: session.Wanted, json_file: Path | None) -> None:
    """Measure the time in the switch, and tell of it; from interface to interface where others are beside it, or over DPDK, which
    has no port with times. Raises: click.ClickException."""
    given = click.get_current_context().get_parameter_source("bursts") is not ParameterSource.DEFAULT
    try:
        crosses = wanted.peers or wanted.machine.platform != "linux"
        measured = crossings.run if crosses else latency.run
        rows = measured(wanted if given else replace(wanted, points=(predicted.USUAL,)))
    except (BenchError, SampleError) as error:
        raise click.ClickException(str(error)) from None
    apart(_files(json_file), wanted.request.inputs)  # what was included is known now
    _tell({"latency": latency.data(rows)}, [latency.screen(rows)], json_file)


def _profile(wanted: bool, file: Path | None) -> MachineProfile | None:
    """That of the machine, if the model is wanted. Raises: click.UsageError, click.ClickException."""
    if not wanted:
        if file is not None:
            raise click.UsageError("--machine goes with --predict or --report")
        return None
    try:
        return profiling.read(file or profiling.kept())
    except FileNotFoundError:
        raise click.ClickException("this machine has no profile yet: run 'macsad profile'") from None
    except BadProfile as error:
        raise click.ClickException(str(error)) from None


def _here(wanted: Machine, target: Target) -> Machine:
    """Raises: click.BadParameter, for a target of another architecture: an emulator's speed says nothing."""
    if wanted.arch not in (None, host_arch()):
        what = (
            f"target '{target.name}' is built for {wanted.arch}; measurements are made on this machine, {host_arch()}"
        )
        raise click.BadParameter(what, param_hint="--target")
    return wanted


def _points(bursts: tuple[int, ...], sub_batches: tuple[int, ...]) -> tuple[session.Point, ...]:
    """All b up to each B, and one packet at a time, which the others are compared with."""
    both = {(burst, sub_batch) for burst in bursts for sub_batch in sub_batches if sub_batch <= burst}
    return tuple(sorted(both | {session.VANILLA}))


def _order(folder: Path, suite: Suite, hit: float, flows: str) -> Order:
    return Order(
        folder, suite.entries, suite.tables, suite.lengths, suite.packets, hit, flows, suite.size, 2, 0, 1, suite.replies
    )  # fmt: skip


def _write(
    result: session.Result, model: predicted.Predicted | None, json_file: Path | None, plot_file: Path | None
) -> None:
    figures = report.data(result) | ({"model": predicted.data(model)} if model else {})
    more = ("", predicted.screen(model), predicted.summary(model)) if model else ()
    _tell(figures, [report.screen(result), *more], json_file)
    if plot_file:
        with written(plot_file) as beside:
            plots.points(result, beside)


def _tell(figures: dict[str, Any], shown: Sequence[RenderableType], json_file: Path | None) -> None:
    """Figures as JSON, where that is asked for, and else as they are shown."""
    text = json.dumps(figures, indent=1) + "\n"
    try:
        if str(json_file) == "-":
            click.echo(text, nl=False)
        else:
            Console(file=plain(sys.stdout), highlight=False, soft_wrap=True).print(*shown, sep="\n")
    except OSError as error:
        raise click.FileError("standard output", error.strerror) from None
    if json_file and str(json_file) != "-":
        with written(json_file) as beside:
            beside.write_text(text)
