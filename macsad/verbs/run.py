"""macsad run"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from macsad import compilation, replacing, running
from macsad.addresses import BadAddress, host_and_port
from macsad.compilation import Request
from macsad.generating import GeneratingCommand, generating_options
from macsad.metrics import exporting
from macsad.options import READABLE, machine_options, program_options
from macsad.outputs import apart
from macsad.p4runtime.serving import Settings, serving
from macsad.place.placement_run import asked_for
from macsad.protocol import Filter
from macsad.served import Build, served
from macsad.targets import machine
from macsad.thrift.serving import Settings as Thrift, serving as serving_thrift
from macsad.trace import tracing
from macsad.trace.rotated import Limit
from macsad.tune.tuned import taken, tuning_options
from macsad.verbs.trace import PER_SECOND
from transpiler.toolchain import toolchain

PORT_HELP = (
    "Port N of the program: an interface, af_xdp:INTERFACE, netmap:PORT, pcap:IN[,OUT], mem:FILE, tap:NAME, loop, "
    "null: or ctl:; with --platform dpdk also dpdk:DEVICE[,ARGUMENTS]. Once for each port."
)


class Running(GeneratingCommand):
    """An option that nobody knows is told of as such, also where it stands for one that must be given, or
    in front of PROGRAM."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter:
            _known(ctx, words)
            raise


@click.command("run", cls=Running, context_settings={"ignore_unknown_options": True})
@program_options
@click.option("-p", "--port", "ports", multiple=True, required=True, metavar="N=NAME", help=PORT_HELP)
@click.option("--entries", type=READABLE, help="Commands to run before the first packet: table_add ...")
@click.option("-o", "folder", type=click.Path(file_okay=False, path_type=Path), default=Path("build"), show_default=True,
              help="Where the binary is made.")  # fmt: skip
@click.option(
    "--socket", type=click.Path(path_type=Path), help="Listen for `macsad ctl` here, if not at the usual place."
)
@click.option("--p4runtime", "address", metavar="ADDRESS",
              help="Serve P4Runtime at HOST:PORT or unix:PATH; `macsad serve` has more options.")  # fmt: skip
@click.option("--device-id", type=click.IntRange(0, (1 << 64) - 1), default=0, show_default=True,
              help="With --p4runtime or --thrift: the number by which controllers know the switch.")  # fmt: skip
@click.option("--cpu-port", type=click.IntRange(0, 65535),
              help="With --p4runtime: a port of this number for packets from and to controllers.")  # fmt: skip
@click.option("--await-program", "awaits", is_flag=True,
              help="With --p4runtime: PROGRAM only keeps ports open, until a controller sets another one.")  # fmt: skip
@click.option("--thrift", "thrift_port", type=click.IntRange(0, 65535), metavar="PORT",
              help="Serve BMv2's Thrift services at this port of this host.")  # fmt: skip
@click.option("--metrics", "metrics", metavar="ADDRESS", help="Serve metrics for Prometheus at HOST:PORT of this host.")
@click.option("--trace", "trace", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path), metavar="FILE",
              help="Tell the way of packets, 100 a second at most, in a file, - for standard output. It may be that of "
                   "--log.")  # fmt: skip
@click.option("--trace-limit", "limit", type=(click.IntRange(1), click.IntRange(0)), metavar="BYTES FILES",
              help="With --trace FILE.txt, which is appended to then: where it would have more bytes, it is moved to "
                   "FILE.1.txt, and so on, as many files as these.")  # fmt: skip
@click.option("--trace-bytes", "most", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="With --trace: also show the first N bytes of frames that are received and sent.")  # fmt: skip
@click.option("--place", metavar="auto|FILE",
              help="Run the stages on the cores that FILE says, which `macsad place` has written; auto: place now.")  # fmt: skip
@generating_options
@tuning_options
@machine_options
@click.argument("rest", nargs=-1, type=click.UNPROCESSED, metavar="[SWITCH OPTIONS]...")
def command(
    ports: tuple[str, ...],
    entries: Path | None,
    folder: Path,
    socket: Path | None,
    address: str | None,
    device_id: int,
    cpu_port: int | None,
    awaits: bool,
    thrift_port: int | None,
    metrics: str | None,
    trace: Path | None,
    limit: tuple[int, int] | None,
    most: int,
    place: str | None,
    rest: tuple[str, ...],
    **program: object,
) -> int:
    """Make PROGRAM's switch and let packets through until Ctrl-C, or until no port can receive any more.

    A port can receive no more when it is a file that has been read, or null:. An interface, ctl: and mem:FILE,loop can always.

    Counters are shown while it runs. What else the switch understands (--workers, --cpus, --burst, --until-idle, ...) can be
    given too; `build/PROGRAM --help` lists it. --cpu is the processor to compile for, --cpus says which CPUs to run on. For
    another --arch it runs under qemu-user.
    """
    _known(click.get_current_context(), rest)
    settings = None if address is None else Settings(address, device_id, cpu_port, awaits=awaits)
    thrift = None if thrift_port is None else Thrift(thrift_port, device_id)
    for one in (settings, thrift):
        if one is not None:
            one.check()
    if awaits and settings is None:
        raise click.UsageError("--await-program is for --p4runtime")
    if limit is not None and (trace is None or str(trace) == "-"):
        raise click.UsageError("--trace-limit is for --trace FILE")
    kept = None if limit is None else Limit(*limit)
    metrics_at = _metrics_at(metrics)
    if cpu_port is not None:
        if settings is None:
            raise click.UsageError("--cpu-port is for --p4runtime")
        ports = (*ports, f"{cpu_port}=ctl:")
    with contextlib.ExitStack() as ended:
        # before anything is compiled: who waits for the ports goes on, and its calls wait
        listening = [
            None if one is None else ended.enter_context(contextlib.closing(one.listen())) for one in (settings, thrift)
        ]
        request = taken(Request.of(program), program)
        logged = _logs(rest)
        traced = [] if trace is None or str(trace) == "-" or trace in logged else [trace]
        traced += [] if trace is None or kept is None else kept.kept(trace)
        read, written = _files_of(ports)
        written += logged
        read += [Path(str(one)) for one in (entries, place) if one]
        written += compilation.made_in(folder, request)
        apart([*written, *traced], [*request.inputs, *read])
        if place is not None:
            placement = asked_for(request, place)
            request, rest = placement.of(request), (*placement.options, *rest)
        built_for = machine(request.target, program)
        wrapper = toolchain.emulator(built_for.arch, built_for.sysroot)
        tools = compilation.toolchain(request.wanted, built_for)
        asked = "--replaceable" in rest
        can_be_replaced = built_for.platform == "linux" and not wrapper and request.cut is None
        if (asked or awaits) and not can_be_replaced:
            option = "--replaceable" if asked else "--await-program"
            raise click.UsageError(f"{option} is for --platform linux, this processor and programs that are not cut")
        replaceable = can_be_replaced and (asked or settings is not None)
        if replaceable:
            tools, rest = (
                replace(tools, form=toolchain.Form.REPLACEABLE),
                (*rest, *([] if asked else ["--replaceable"])),
            )
        known = served(request, Build(folder, tools), info=settings is not None, json=thrift is not None)
        assert known.binary is not None
        apart([*written, *traced], [*known.inputs, *read])  # what was included is known now
        command_line = (*wrapper, str(known.binary.resolve()))
        servers: list[running.Beside] = []
        pushed: replacing.Programs = {}  # programs that may take this one's place
        told = pushed if trace is not None else None
        if settings is not None:
            build = replacing.builder(request, tools, folder, told) if replaceable else None
            source = request.path.read_bytes()
            servers.append(functools.partial(serving, settings, listening[0], known, source, build=build))
        if thrift is not None:
            # where P4Runtime serves too, its controllers alone put other programs in place
            swapper = replacing.swapper(request, tools, folder, told) if replaceable and settings is None else None
            of_thrift = functools.partial(
                serving_thrift, replace(thrift, config=known.json), listening[1], build=swapper
            )
            servers.append(of_thrift)
        if metrics_at is not None:
            servers.append(functools.partial(exporting.listening, metrics_at))
        if trace is not None:
            where = tracing.Place(None if str(trace) == "-" else trace, trace in logged, kept, most)
            load = functools.partial(compilation.load_again, request)
            servers.append(functools.partial(tracing.beside, load, pushed, Filter(per_second=PER_SECOND), where))
        tells_ends = built_for.platform != "odp"
        # P4Runtime may put another program in place, of which Thrift has to know
        beside = _together(servers, replaced=settings is not None and thrift is not None)
        return running.run(command_line, ports, entries, socket, rest, tells_ends=tells_ends, beside=beside)


def _logs(rest: Sequence[str]) -> list[Path]:
    """Where the switch appends its messages."""
    apart = [text for word, text in itertools.pairwise(rest) if word == "--log"]
    return [Path(text) for text in (*apart, *(word.partition("=")[2] for word in rest if word.startswith("--log=")))]


def _files_of(ports: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """The files that may be there of which the switch reads and writes: what stands behind the kind of a port."""
    read: list[str] = []
    written: list[str] = []
    for port in ports:
        kind, _, names = port.partition("=")[2].partition(":")
        name, _, output = names.partition(",")
        read.append(name)
        if kind == "pcap":
            written.append(output)
    return [Path(name) for name in read if name], [Path(name) for name in written if name]


def _metrics_at(address: str | None) -> tuple[str, int] | None:
    """Raises: click.ClickException."""
    if address is None:
        return None
    exporting.require()
    try:
        return host_and_port(address, anywhere=False)
    except BadAddress as error:
        raise click.ClickException(str(error)) from None


def _together(servers: list[running.Beside], replaced: bool) -> running.Beside:
    """`replaced`: the first may put another program in place, and the second is told."""
    if not servers:
        return contextlib.nullcontext

    @contextlib.contextmanager
    def all_of_them(listening: Path) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            started = [stack.enter_context(server(listening)) for server in servers]
            if replaced:
                service, switch, *_ = started
                service.on_replaced = switch.forget_program
            yield

    return all_of_them


def _known(context: click.Context, words: Sequence[str]) -> None:
    """What is neither an option of ours nor of the switch's is told before anything is compiled. Raises:
    click.NoSuchOption."""
    ours = [
        name
        for option in context.command.get_params(context)
        for name in (*option.opts, *option.secondary_opts)
        if name.startswith("--")
    ]
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("--") and name not in (*ours, *running.SWITCH_OPTIONS):
            raise click.NoSuchOption(name, possibilities=[*ours, *running.SWITCH_OPTIONS], ctx=context)
