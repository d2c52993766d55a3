"""P.place.toml: where the stages of a program run, as `macsad place` has chosen it and `macsad run --place` takes it; the same
as lines for people and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

VERSION = 1
KEYS = ("cut", "workers", "back_workers")


class BadPlacement(click.ClickException):
    """A file is no placement; the message says why."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """`cut`: as --cut has it, "" where each worker runs the whole program. `back_workers`: of the workers, those that run what is
    behind the cut."""

    workers: int
    cut: str = ""
    back_workers: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.workers <= MAX_WORKERS:
            raise ValueError(f"'workers' is from 1 to {MAX_WORKERS}, not {self.workers}")
        if bool(self.cut) != bool(self.back_workers) or not 0 <= 2 * self.back_workers <= self.workers:
            raise ValueError("'back_workers' goes with 'cut', and is at most half of the workers")

    def of(self, request: Request) -> Request:
        """The program cut so. Raises: click.UsageError."""
        if request.cut is not None:
            raise click.UsageError("--cut and --place exclude each other")
        return replace(request, cut=self.cut or None)

    @property
    def options(self) -> tuple[str, ...]:
        """Of the switch."""
        back = ("--back-workers", str(self.back_workers)) if self.cut else ()
        return ("--workers", str(self.workers), *back)

    def __str__(self) -> str:
        if not self.cut:
            return f"{self.workers} workers, each with the whole program"
        return (
            f"cut at {self.cut}, {self.workers - self.back_workers} workers in front of it, {self.back_workers} behind"
        )


def chosen(placed: Placed, placement: Placement) -> Chosen:
    """A placement, as a switch has it."""
    cut = placed.cut(placement)
    return Chosen(placed.cores, cut, placement.parts[-1].cores if cut else 0)


def read(path: Path) -> Chosen:
    """The placement in a file. Raises: BadPlacement."""
    try:
        data = decided.read(path, "place", VERSION, KEYS)
        numbers = [data.get("workers"), data.get("back_workers", 0)]
        if any(type(number) is not int for number in numbers) or not isinstance(data.get("cut", ""), str):
            raise ValueError("'workers' and 'back_workers' are numbers, 'cut' a text")
        return Chosen(data["workers"], data.get("cut", ""), data.get("back_workers", 0))
    except (OSError, ValueError) as error:
        raise BadPlacement(f"{path}: {error}") from None


def toml(placed: Placed, program: str, where: str) -> str:
    """The file of the best placement, with the others in comments."""
    best = chosen(placed, placed.best)
    back = [f'cut = "{best.cut}"  # in front of this stage', f"back_workers = {best.back_workers}  # that run the rest"]
    lines = [
        f"# Where `macsad place` has put the stages of {shown(program)}, for {where}.",
        f"# Traffic: {shown(placed.traffic)}. `macsad run --place FILE` takes this file.",
        "",
        f"version = {VERSION}",
        f"workers = {best.workers}",
        *(back if best.cut else ()),
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
    idle = [1 - placement.rate / part.rate for part in placement.parts]
    part = ("the front", "the back")
    return f"{part[placement.limit]}, {part[1 - placement.limit]} idles {max(idle):.0%}"


def data(placed: Placed) -> dict[str, Any]:
    """For JSON."""
    return {
        "cores": placed.cores, "burst": placed.burst, "hz": placed.hz, "traffic": placed.traffic, "refused": placed.refused,
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
