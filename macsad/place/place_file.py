"""P.place.toml: where the stages of a program run, as `macsad place` has chosen it and `macsad run --place` takes it; the same
as lines for people and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from macsad.compilation import Request
from macsad.subject import decided
from transpiler.shown import shown
from transpiler.targets.description import MAX_WORKERS

if TYPE_CHECKING:  # reading a file waits for nothing that measures
    from macsad.place.placing import Placed
    from transpiler.placement.search import Placement

VERSION = 2
ALL = 0.97  # of a core: more is nobody's
ONCE = 1.05  # passes: fewer are those that sampling counts askew
KEYS = ("cut", "part_workers")


class BadPlacement(click.ClickException):
    """A file is no placement; the message says why."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """`part_workers`: of each part of the program, one number where each worker runs all of it. `cut`: as --cut has it, ""
    there."""

    part_workers: tuple[int, ...]
    cut: str = ""

    def __post_init__(self) -> None:
        if not self.part_workers or min(self.part_workers) < 1 or self.workers > MAX_WORKERS:
            raise ValueError(f"'part_workers' are from 1 to {MAX_WORKERS} together")
        if any(after > before for before, after in pairwise(self.part_workers)):
            raise ValueError("no part has more workers than the one before")
        if len(self.part_workers) != len(self.cut.split(",")) + 1 if self.cut else len(self.part_workers) != 1:
            raise ValueError("'part_workers' has a number for each part, one more than 'cut' has places")

    @property
    def workers(self) -> int:
        return sum(self.part_workers)

    def of(self, request: Request) -> Request:
        """The program cut so. Raises: click.UsageError."""
        if request.cut is not None:
            raise click.UsageError("--cut and --place exclude each other")
        return replace(request, cut=self.cut or None)

    @property
    def options(self) -> tuple[str, ...]:
        """Of the switch."""
        each = ("--part-workers", ",".join(map(str, self.part_workers))) if self.cut else ()
        return ("--workers", str(self.workers), *each)

    def __str__(self) -> str:
        if not self.cut:
            return f"{self.workers} workers, each with the whole program"
        return f"cut at {self.cut.replace(',', ' and ')}, {' + '.join(map(str, self.part_workers))} workers"


def chosen(placed: Placed, placement: Placement) -> Chosen:
    """A placement, as a switch has it."""
    return Chosen(tuple(part.cores for part in placement.parts), placed.cut(placement))


def read(path: Path) -> Chosen:
    """The placement in a file. Raises: BadPlacement."""
    try:
        data = decided.read(path, "place", VERSION, KEYS)
        numbers = data.get("part_workers")
        if not isinstance(numbers, list) or any(type(number) is not int for number in numbers):
            raise ValueError("'part_workers' is a list of numbers")
        if not isinstance(data.get("cut", ""), str):
            raise ValueError("'cut' is a text")
        return Chosen(tuple(numbers), data.get("cut", ""))
    except (OSError, ValueError) as error:
        raise BadPlacement(f"{path}: {error}") from None


def toml(placed: Placed, program: str, where: str) -> str:
    """The file of the best placement, with the others in comments."""
    best = chosen(placed, placed.best)
    cut = [f'cut = "{best.cut}"  # in front of these stages'] if best.cut else []
    lines = [
        f"# Where `macsad place` has put the stages of {shown(program)}, for {where}.",
        f"# Traffic: {shown(placed.traffic)}. `macsad run --place FILE` takes this file.",
        "",
        f"version = {VERSION}",
        *cut,
        f"part_workers = {list(best.part_workers)}  # of each part",
        "",
        *(f"# {line}" for line in rows(placed)),
    ]
    return "\n".join(lines) + "\n"


def stage_rows(placed: Placed) -> list[str]:
    """What the stages cost."""
    wide = max(len("stage"), *(len(stage.name) for stage in placed.stages))
    head = f"{'stage':<{wide}} {'cycles':>7}  reads"
    return [head, *(f"{s.name:<{wide}} {s.cycles:>7.0f}  {_reads(s.reads)}".rstrip() for s in placed.stages)]


def _reads(reads: tuple[Any, ...]) -> str:
    return ", ".join(
        f"{read.each:.2g} of {read.footprint / 1024:,.0f} KiB ({read.in_flight or 'one after the other'}"
        f"{' in flight' if read.in_flight else ''})"
        for read in reads
    )


def rows(placed: Placed) -> list[str]:
    """The best placements, the fastest first, with what limits each."""
    head = f"{'million/s':>9}  {'cores':<12} {'cycles a packet':<16} placement; what limits"
    return [head, *(_row(placed, placement) for placement in placed.placements)]


def _row(placed: Placed, placement: Placement) -> str:
    cores = " + ".join(str(part.cores) for part in placement.parts)
    cycles = " + ".join(f"{part.cycles:.0f}" for part in placement.parts)
    cut = placed.cut(placement)
    what = f"cut at {cut}" if cut else "cloned"
    return f"{placed.mpps(placement):>9.1f}  {cores:<12} {cycles:<16} {what}; {limit(placement)}"


def limit(placement: Placement) -> str:
    """What keeps it from forwarding more, for people."""
    if len(placement.parts) == 1:
        return "the cores"
    idle = max(1 - placement.rate / part.rate for part in placement.parts)
    names = ("the front", "the back") if len(placement.parts) == 2 else ("the first part", "the second", "the third")
    others = "another part" if len(names) > 2 else names[1 - placement.limit]
    return f"{names[placement.limit]}, {others} idles {idle:.0%}"


def had(placed: Placed) -> list[str]:
    """How much there is of the cores, where others use them."""
    return [f"Of each core the switch would have {placed.had:.0%}: others use them, too."] if placed.had < ALL else []


def passes(placed: Placed) -> list[str]:
    """How often packets begin again, where they do."""
    if placed.passes <= ONCE:
        return []
    return [
        f"A packet passes the first stage {placed.passes:.1f} times. The last part makes all passes but the first, of all stages."
    ]


def data(placed: Placed) -> dict[str, Any]:
    """For JSON."""
    return {
        "cores": placed.cores, "had": placed.had, "burst": placed.burst,
        "passes": placed.passes, "hz": placed.hz, "traffic": placed.traffic, "refused": placed.refused,
        "stages": [
            {"name": stage.name, "cycles": stage.cycles, "cut": stage.cut,
             "reads": [{"memory": r.memory, "each": r.each, "bytes": r.footprint, "in_flight": r.in_flight} for r in stage.reads]}
            for stage in placed.stages
        ],
        "placements": [
            {"cut": placed.cut(one), "mpps": placed.mpps(one), "limit": one.limit, "matrix": one.matrix(len(placed.stages)),
             "parts": [{"first": p.first, "end": p.end, "cores": p.cores, "cycles": p.cycles} for p in one.parts]}
            for one in placed.placements
        ],
    }  # fmt: skip
