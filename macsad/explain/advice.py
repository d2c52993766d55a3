"""What limits a program, how far it is from that, and what to try next: all as the model predicts it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from macsad.explain.curves import by_cores
from macsad.explain.explained import Explained
from macsad.place.place_file import chosen
from transpiler.model.choice import ranked
from transpiler.model.throughput import Limit, Read

WORTH = 0.02  # of gain; less is within the model's error by far


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the model: `cycles` that it adds to a packet's, and what a packet would take if there were nothing else."""

    limit: Limit
    what: str
    cycles: float
    alone: float


@dataclass(frozen=True, slots=True)
class Trial:
    """Something to try: `gain` is how many times as fast it is predicted to be; `command` how, "" where that is no option."""

    what: str
    command: str
    gain: float
    why: str


def terms(explained: Explained) -> tuple[Term, ...]:
    """Of the point that is explained, the largest first."""
    made = explained.predict()
    found = (
        Term(Limit.IO, "receiving and sending, Υ(B)", made.upsilon, made.upsilon),
        Term(Limit.COMPUTE, "what the program computes, Δcompute", made.compute, made.compute),
        Term(Limit.MEMORY, "waiting for reads, Δfetch − Δhide", made.stall, made.fetch),
    )
    return tuple(sorted(found, key=lambda term: -term.cycles))


def limiting(explained: Explained) -> Term:
    """The one that limits."""
    limit = explained.predict().limit
    return next(term for term in terms(explained) if term.limit is limit)


def how_far(explained: Explained) -> float:
    """How many times as long a packet takes as what limits it takes alone: 1 is as fast as that allows."""
    alone = limiting(explained).alone
    return explained.predict().cycles / alone if alone else 1.0


def trials(explained: Explained) -> tuple[Trial, ...]:
    """What is predicted to gain, the most first."""
    found = [*_batch(explained), *_pages(explained), *_cores(explained), *_tables(explained)]
    return tuple(sorted((one for one in found if one.gain > 1 + WORTH), key=lambda one: -one.gain))


def _batch(explained: Explained) -> Iterator[Trial]:
    best = ranked(explained.machine, explained.program)[0]
    burst, b = best.point
    if best.point != explained.point:
        yield Trial(f"B = {burst}, b = {b}", f"--burst {burst} --sub-batch {b}",
                    explained.predict().cycles / best.prediction.cycles,
                    "options of the switch; macsad tune measures what the model finds worth it")  # fmt: skip


def _pages(explained: Explained) -> Iterator[Trial]:
    if explained.program.pages == "small":
        huge = explained.predict(program=replace(explained.program, pages="huge")).cycles
        yield Trial("tables on huge pages", "without --no-huge-pages", explained.predict().cycles / huge,
                    "fewer misses of the TLB")  # fmt: skip


def pages_gain(explained: Explained) -> float:
    """How many times as fast the program is with its tables on huge pages as on small ones."""
    both = [explained.predict(program=replace(explained.program, pages=pages)).cycles for pages in ("small", "huge")]
    return both[0] / both[1]


def _cores(explained: Explained) -> Iterator[Trial]:
    one, _ = by_cores(explained, 1)
    placed = explained.placed
    if placed.cores > 1:
        best = placed.best
        taken = chosen(placed, best)
        yield Trial(str(taken), " ".join(("--cut " + taken.cut if taken.cut else "", *taken.options)).strip(),
                    best.rate / one.rate, "macsad place writes it for macsad run --place")  # fmt: skip


def _tables(explained: Explained) -> Iterator[Trial]:
    """Each memory whose reads wait: what it costs that it is no smaller."""
    now = explained.predict().cycles
    near = explained.machine.caches[0] or 1 << 15
    for name in dict.fromkeys(read.memory for stage in explained.alone for read in stage.reads):
        less = explained.predict(program=replace(explained.program, reads=_without(explained, name, near))).cycles
        yield Trial(f"a smaller {name.rpartition('.')[2]}", "", now / less,
                    f"if what packets read of {name} were in the first cache: fewer entries in use, a shorter key or less "
                    "action data, another kernel (--kernel)")  # fmt: skip


def _without(explained: Explained, name: str, near: int) -> tuple[Read, ...]:
    """The program's reads, those of one memory near. They stand in the order of the stages'."""
    names = [read.memory for stage in explained.alone for read in stage.reads]
    return tuple(
        replace(read, footprint=min(read.footprint, near // 2)) if memory == name else read
        for read, memory in zip(explained.program.reads, names, strict=True)
    )
