"""macsad trace"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click

from macsad import compilation, sockets
from macsad.compilation import Request
from macsad.options import program_options
from macsad.outputs import apart, written
from macsad.protocol import ControlError, Filter
from macsad.trace import profiled, tracing
from transpiler.hlir.program import Program

PER_SECOND = 100
_BYTES = re.compile(r"(\d+)=((?:[0-9a-fA-F]{2})+)(?:/((?:[0-9a-fA-F]{2})+))?")
BYTES_MAX = 256
OFFSETS = 1 << 16  # in a frame


class _Bytes(click.ParamType):  # type: ignore[type-arg]
    """OFFSET=HEX[/MASK], as (offset, value, mask) of each byte."""

    name = "bytes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[int, int, int], ...]:
        match = _BYTES.fullmatch(str(value))
        if match is None or int(match[1]) + len(match[2]) // 2 > OFFSETS:
            self.fail(f"'{value}' is not OFFSET=HEX or OFFSET=HEX/MASK", param, ctx)
        wanted = bytes.fromhex(match[2])
        mask = bytes.fromhex(match[3] or "ff" * len(wanted))
        if len(mask) != len(wanted):
            self.fail(f"'{value}': the mask has {len(mask)} bytes, not {len(wanted)}", param, ctx)
        return tuple((int(match[1]) + at, one, of) for at, (one, of) in enumerate(zip(wanted, mask, strict=True)))


@click.command("trace")
@program_options
@click.option("--socket", type=click.Path(path_type=Path),
              help="The switch's control socket; that of the only running switch if left out.")  # fmt: skip
@click.option("-p", "--port", type=click.IntRange(0, 65535), help="Packets that came from this port.")
@click.option("--bytes", "wanted", type=_Bytes(), multiple=True, metavar="OFFSET=HEX[/MASK]",
              help="Packets that have these bytes there: 12=0800 is IPv4. All that are given must be there.")  # fmt: skip
@click.option("--every", type=click.IntRange(1, 0xFFFFFFFF), default=1, show_default=True, help="Each Nth of them.")
@click.option("--rate", type=click.IntRange(0, 0xFFFFFFFF), default=PER_SECOND, show_default=True,
              help="At most so many in a second, 0: no limit.")  # fmt: skip
@click.option("-n", "--count", type=click.IntRange(0), default=0, help="End after so many.")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each packet.")
@click.option("--profile", "profile_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help=f"Tell no packets, but write what they did at tables and conditions, for --profile of `macsad build`; of "
                   f"{profiled.PACKETS:,} packets unless -n says another number.")  # fmt: skip
def command(
    socket: Path | None, port: int | None, wanted: tuple[tuple[tuple[int, int, int], ...], ...], every: int, rate: int,
    count: int, as_json: bool, profile_file: Path | None, **program: object,
) -> int:  # fmt: skip
    """Tell the way of packets of a running switch of PROGRAM, with its live entries: states, tables, actions.

    Until Ctrl-C, or until the switch ends. The switch goes on as if nobody looked.
    """
    asked = tuple(one for each in wanted for one in each)
    if len(asked) > BYTES_MAX:
        raise click.UsageError(f"--bytes: {BYTES_MAX} bytes at most")
    try:
        path = socket or sockets.running_socket()
    except ControlError as error:
        raise click.ClickException(str(error)) from None
    request = Request.of(program)
    hlir = compilation.load(request)
    if profile_file is not None:
        if as_json:
            raise click.UsageError("--profile tells no packets: it does not go with --json")
        return _profile(request, hlir, path, Filter(port, every, rate, count or profiled.PACKETS, asked), profile_file)
    filter = Filter(port, every, rate, count, asked)
    return tracing.show(lambda: hlir, path, filter, as_json=as_json, output=sys.stdout, errors=sys.stderr)


def _profile(request: Request, program: Program, socket: Path, filter: Filter, file: Path) -> int:
    apart([file], request.inputs)
    try:
        made = profiled.profile(request, program, socket, filter)
    except ControlError as error:
        raise click.ClickException(str(error)) from None
    with written(file, makes_folder=True) as beside:
        beside.write_text(json.dumps(made, indent=1) + "\n")
    click.echo(f"{file}: what {made['packets']:,} packets did")
    return 0
