"""The logic of `macsad gen`: reads the options, writes the files with a progress bar, prints a summary."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from macsad.compilation import Request, show
from macsad.options import named_table, natural
from macsad.outputs import apart, written
from macsad.progress import counting
from transpiler.hlir.program import MAX_SIZE, Program
from transpiler.recursion import deep_recursion
from transpiler.traffic import entries, frames
from transpiler.traffic.copies import GROUP, SESSION
from transpiler.traffic.frames import IMIX, Answers, Traffic
from transpiler.traffic.patterns import LengthsError
from transpiler.traffic.plan import Plan, Wishes
from transpiler.traffic.planning import plan
from transpiler.traffic.replies import Answered, answered
from transpiler.traffic.search import fillable

LARGEST = 65535
TOLD = {GROUP: "multicast group", SESSION: "clone session"}
ENTRIES, PACKETS, REPLIES = "entries.txt", "packets.pcap", "replies.pcap"


@dataclass(frozen=True)
class Order:
    """The options of `macsad gen`, as they were written."""

    folder: Path
    entries: int
    tables: tuple[str, ...]
    lengths: tuple[str, ...]
    packets: int
    hit: float
    flows: str
    size: str
    ports: int
    port: int
    seed: int
    replies: bool = False


@dataclass(frozen=True)
class Made:
    """What was made: for each table how many of the frames hit an entry, those without hits left out."""

    plan: Plan
    traffic: Traffic
    ratios: dict[str, float]
    entries: Path
    packets: Path
    replies: Path | None = None

    @property
    def alone(self) -> list[str]:
        """Tables with entries for single frames only."""
        single = {name for point in self.plan.points for name, _ in point.entries}
        return sorted(single - {one.table.name for one in self.plan.tables})

    @property
    def own(self) -> int:
        """Entries of single frames."""
        return sum(len(point.entries) for point in self.plan.points)


def run(request: Request, program: Program, order: Order, *, as_json: bool = False) -> None:
    """Make the files and tell of them. Raises: as `make`."""
    made = make(request, program, order)
    if as_json:
        click.echo(json.dumps(data(made, program), indent=1))
    else:
        _tell(made)


@deep_recursion()
def make(request: Request, program: Program, order: Order) -> Made:
    """Make the files. Raises: Rejected; click.ClickException for what was asked for wrongly."""
    wishes = _wishes(program, order)
    traffic = _traffic(order)
    if order.replies and order.ports != 2:
        raise click.BadParameter("replies come back from one port: they need --ports 2", param_hint="--replies")
    both = _plan(request, program, wishes, order.replies)
    planned = both.plan
    needed = frames.smallest(planned)
    if min(size for size, _ in traffic.sizes) < needed:
        if order.size != "64":
            raise click.BadParameter(f"the headers of a frame take {needed} bytes", param_hint="--size")
        traffic = Traffic(traffic.packets, ((needed, 1),), traffic.flows, traffic.exponent)
    apart([order.folder / name for name in (ENTRIES, PACKETS, REPLIES)], request.inputs)
    ratios = _write(both, traffic, order.folder)
    replies = order.folder / REPLIES if both.replies else None
    return Made(planned, traffic, ratios, order.folder / ENTRIES, order.folder / PACKETS, replies)


def _plan(request: Request, program: Program, wishes: Wishes, replies: bool) -> Answered:
    diagnostics = request.diagnostics()
    try:
        with counting("looking for frames") as advance:
            made = plan(program, wishes, diagnostics, advance)
        return answered(made, (wishes.port + 1) % wishes.ports, diagnostics) if replies else Answered(made)
    except LengthsError as error:
        raise click.BadParameter(str(error), param_hint="--lengths") from None
    finally:
        show(diagnostics)


def _write(both: Answered, traffic: Traffic, folder: Path) -> dict[str, float]:
    planned, replies = both.plan, both.replies
    total = sum(made.keys.count for made in planned.tables)
    with (
        counting("writing entries") as advance,
        written(folder / ENTRIES, makes_folder=True) as beside,
        beside.open("wb") as out,
    ):
        entries.write(planned, out, _adding(advance, total), replies)
    with ExitStack() as opened:
        advance = opened.enter_context(counting("writing frames"))
        names = (PACKETS, REPLIES) if replies else (PACKETS,)
        outs = [
            opened.enter_context(opened.enter_context(written(folder / name, makes_folder=True)).open("wb"))
            for name in names
        ]
        answers = Answers(replies, outs[1]) if replies else None
        return frames.write(planned, traffic, outs[0], _adding(advance, traffic.packets), answers)


def _adding(advance: Callable[[int, int], None], total: int) -> Callable[[int], None]:
    done = 0

    def add(count: int) -> None:
        nonlocal done
        done += count
        advance(done, total)

    return add


def _tell(made: Made) -> None:
    for filled in made.plan.tables:
        name = filled.table.name
        ratio = f", hit by {made.ratios[name]:.1%} of the frames" if name in made.ratios else ""
        forbidden = f", {filled.left_out:,} left out that @entry_restriction forbids" if filled.left_out else ""
        click.echo(f"{name}: {filled.count:,} entries, {filled.call.action}{ratio}{forbidden}")
    points, kinds = made.plan.points, len(made.plan.streams)
    if points:
        click.echo(f"by single frames, with {made.own} entries of their own: {', '.join(made.alone)}")
    for kind, number in made.plan.copies:
        click.echo(f"{TOLD[kind]} {number}: a copy to port {made.plan.wishes.outward}")
    click.echo(f"{made.entries}")
    more = f" of {kinds} kinds" if kinds > 1 else ""
    more += f", with {len(points)} different single ones" if points else ""
    click.echo(f"{made.packets}: {made.traffic.packets:,} frames{more}")
    if made.replies is not None:
        click.echo(f"{made.replies}: the replies to them, at port {made.plan.wishes.outward}")


def data(made: Made, program: Program) -> dict[str, Any]:
    """For JSON. `hit`: the share of the frames; `empty`: tables that get no entries."""
    planned = made.plan
    filled = {one.table.name for one in planned.tables}
    empty = [one.name for one in fillable(program) if one.name not in filled and one.name not in made.alone]
    return {
        "tables": [
            {
                "name": one.table.name, "entries": one.count, "left_out": one.left_out, "action": one.call.action,
                "hit": made.ratios.get(one.table.name),
            }
            for one in planned.tables
        ],
        "empty": empty,
        "single_frames": {"frames": len(planned.points), "entries": made.own, "tables": made.alone},
        "copies": [{"kind": TOLD[kind], "number": number, "port": planned.wishes.outward} for kind, number in planned.copies],
        "frames": made.traffic.packets, "kinds": len(planned.streams), "entries_file": str(made.entries),
        "packets_file": str(made.packets), "replies_file": str(made.replies) if made.replies else None,
    }  # fmt: skip


# --- options ---------------------------------------------------------------------------------------------------------


def _wishes(program: Program, order: Order) -> Wishes:
    wanted: dict[str | None, int] = {None: order.entries}
    for text in order.tables:
        name, equals, number = text.rpartition("=")
        if not equals or (count := natural(number, MAX_SIZE)) is None:
            raise click.BadParameter(f"'{text}' is not NAME=N", param_hint="--table")
        wanted[_table(program, name, "--table")] = count
    spread: dict[str | None, str] = {}
    for text in order.lengths:
        name, equals, which = text.rpartition("=")
        spread[_table(program, name, "--lengths") if equals else None] = which
    return Wishes(wanted, spread, order.hit, order.ports, order.port, order.seed)


def _table(program: Program, name: str, option: str) -> str:
    names = [table.name for table in fillable(program)]
    return named_table(names, name, option, "that entries can be made for")


def _traffic(order: Order) -> Traffic:
    kind, _, exponent = order.flows.partition(":")
    try:
        power = float(exponent or 1)
    except ValueError:
        power = -1.0
    if kind not in ("uniform", "zipf", "one") or not 0 <= power < 16 or (exponent and kind != "zipf"):
        raise click.BadParameter(f"'{order.flows}' is none of uniform, zipf:S, one", param_hint="--flows")
    sizes: tuple[tuple[int, int], ...]
    if order.size == "imix":
        sizes = IMIX
    elif (size := natural(order.size, LARGEST)) is not None:
        sizes = ((size, 1),)
    else:
        raise click.BadParameter(f"'{order.size}' is neither imix nor bytes, at most {LARGEST}", param_hint="--size")
    return Traffic(order.packets, sizes, kind, power)
