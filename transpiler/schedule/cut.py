"""Cuts a pipe in two at a stage boundary, so that one core can run the stages before it and another core those after it.

    cut at 2:   front:  stage 0, stage 1, and for each entry a stage whose packets are handed over
                back:   dispatch on the entry, stage 2, stage 3, …

Each half is a pipe like any other. In the front, a packet that crosses is submitted to a stage that hands it over. So its live
values are stored in its state, as for any stage. The back begins with a stage that submits the packet to its next stage.

A burst crosses as a whole, and bursts in the order of their reception. Packets that are finished in the front cross too: the
back transmits them. So packets leave in the same order as from the whole pipe.

All accesses to a state whose order matters are in one stage (order.py), so they are in one half, which has the packets in
order. The cut needs no lock, and accesses find the same values as in the whole pipe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from transpiler.analysis.locations import Location
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Program
from transpiler.hlir.statements import Leave
from transpiler.schedule.architectures import describe, preserved_lists
from transpiler.schedule.order import joins_of, statements_of, states_of
from transpiler.schedule.pipeline import Deparse, Step
from transpiler.schedule.stages import (
    Code,
    Dispatch,
    Fork,
    HandOver,
    Jump,
    Piece,
    PipeSchedule,
    Plain,
    Schedule,
    Stage,
    Submit,
    Target,
)
from transpiler.schedule.successors import fed_by, whole

Live = frozenset[Location]


class NoBoundary(ValueError):
    """There is no stage boundary at that number. The message says which numbers there are."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stage of the back that packets of the front go to: `stage` is its number in the back. `values`: the locations whose
    values cross with a packet; `known`: those that have one value there, which need not cross. All else is as in a fresh
    packet, or is read by nobody."""

    stage: int
    values: Live
    known: Mapping[Location, int]


@dataclass(frozen=True, slots=True)
class Cut:
    """`front`, `back`: the halves. `entries`: by their numbers, those of HandOver and Dispatch. `ended`,
    `to_replication`: what crosses with the packets that the front is done with, and with those that it leaves to the
    replication pipeline."""

    front: PipeSchedule
    back: PipeSchedule
    entries: tuple[Entry, ...]
    ended: Live
    to_replication: Live


def cut(pipe: PipeSchedule, at: int, after: Live = frozenset()) -> Cut:
    """Cut a pipe into its stages before number `at` and the others. `after`: see read_behind().

    The schedule must be one that check_cut() has nothing against. Raises: NoBoundary.
    """
    if not 0 < at < len(pipe.stages):
        raise NoBoundary(
            f"'{pipe.name}' has no stages on both sides of {at}: its stages are 0 to {len(pipe.stages) - 1}"
        )
    left = sorted({to for stage in pipe.stages[:at] for to in fed_by(pipe, stage.code) if to >= at})
    entries = tuple(Entry(1 + to - at, pipe.stages[to].live_in, pipe.stages[to].known) for to in left)
    handing = tuple(
        Stage(f"hand_over_{n}", (), (HandOver(n),), entry.known, entry.values) for n, entry in enumerate(entries)
    )
    numbers = {number: number for number in range(at)} | {to: at + n for n, to in enumerate(left)}
    front = replace(_part(pipe, pipe.stages[:at], numbers), name=f"{pipe.name}_front")
    dispatch = Stage(
        "dispatch",
        (),
        (Dispatch(tuple(entry.stage for entry in entries)),),
        live_in=frozenset().union(*(entry.values for entry in entries)),
    )
    back = _part(pipe, pipe.stages[at:], {number: 1 + number - at for number in range(at, len(pipe.stages))})
    diverts = any(map(_diverts, (whole(pipe, stage.code) for stage in pipe.stages[:at])))
    return Cut(
        replace(front, stages=(*front.stages, *handing)),
        replace(back, name=f"{pipe.name}_back", stages=(dispatch, *back.stages), renews=False, keeps=()),
        entries,
        after,
        pipe.to_replication if diverts else frozenset(),
    )


def read_behind(program: Program, schedule: Schedule, pipe: PipeSchedule) -> Live:
    """The live values at the end of a pipe: what the pipes behind read of the state of packets, and what packets that begin
    anew and clones keep."""
    number = schedule.pipes.index(pipe) + 1
    ends = number == len(schedule.pipes) or schedule.pipes[number].replication
    lists = preserved_lists(program)
    needed = () if ends else schedule.pipes[number].keeps
    if describe(program).second_passes(program):
        needed = tuple(range(len(lists)))
    kept = frozenset(Location(*field) for number in needed for field in lists[number])
    return kept | pipe.to_next


def check_cut(program: Program, schedule: Schedule, diagnostics: Diagnostics) -> None:
    """Report why the pipes of a program cannot be cut, if there is a reason.

    If several pipes, or several passes of a packet, access an ordered state, a packet and all that comes of it must be finished
    before the next packet begins. A front that runs ahead of the back would break that.
    """
    if not schedule.ordered:
        return
    touches = Counter(name for pipe in schedule.pipes for name in states_of(program, pipe))
    if shared := next((name for name, count in sorted(touches.items()) if count > 1), ""):
        name, message = shared, "in several pipes: none of these can be cut in two"
    else:
        name, message = min(touches), "and may begin anew or are cloned: no pipe of the program can be cut in two"
    span = program.extern[name].span if name in program.extern else program.span
    diagnostics.error(span, f"packets pass '{name}' in order {message}")


# --- halves --------------------------------------------------------------------------------------------------------------


def _part(pipe: PipeSchedule, stages: tuple[Stage, ...], numbers: Mapping[int, int]) -> PipeSchedule:
    """The pipe with these stages alone, and the joins and exits that they need. `numbers`: the new ones of stages."""
    needed: set[int] = set()
    todo = [join for stage in stages for join in joins_of(stage.code, pipe.exits)]
    while todo:
        if (join := todo.pop()) not in needed:
            needed.add(join)
            todo += joins_of(pipe.joins[join], pipe.exits)
    joins = sorted(needed)
    made = _Renumbered(numbers, {join: number for number, join in enumerate(joins)})
    codes = (*(stage.code for stage in stages), *(pipe.joins[join] for join in joins))
    labels = {s.label for code in codes for s in statements_of(code) if isinstance(s, Leave)}
    return replace(
        pipe,
        stages=tuple(replace(stage, code=made.code(stage.code)) for stage in stages),
        joins=tuple(made.code(pipe.joins[join]) for join in joins),
        exits={label: made.target(to) for label, to in pipe.exits.items() if label in labels},
    )


@dataclass(frozen=True, slots=True)
class _Renumbered:
    stages: Mapping[int, int]
    joins: Mapping[int, int]

    def target(self, to: Target) -> Target:
        match to:
            case Submit(stage=stage):
                return Submit(self.stages[stage])
            case Jump(join=join):
                return Jump(self.joins[join])
        return to

    def code(self, code: Code) -> Code:
        return tuple(map(self._piece, code))

    def _piece(self, piece: Piece) -> Piece:
        match piece:
            case Submit() | Jump():
                return self.target(piece)
            case Fork(arms=arms):
                return replace(piece, arms=tuple(map(self.code, arms)))
        return piece


def _diverts(code: Code) -> bool:
    """Whether packets may leave the pipe for the replication pipeline."""
    for piece in code:
        match piece:
            case Plain(what=Step(diverts=True) | Deparse(then=Step(diverts=True))):
                return True
            case Fork(arms=arms) if any(map(_diverts, arms)):
                return True
    return False
