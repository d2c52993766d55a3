"""Optimisations that change what a worker does with a burst, as edits of its plan: `EDITS` has them all, in order.

Each gives the plan that it got where it finds nothing to do. So a plan without an optimisation is one whose edit is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from transpiler.schedule.plan import (
    Access,
    Advance,
    Finish,
    Follow,
    Form,
    Gather,
    Lap,
    PackKeys,
    Pass,
    PipelinePlan,
    Receive,
    Run,
    RunSubBatches,
    Start,
    Step,
    Steps,
    Take,
    Transmit,
)

Edit = Callable[[PipelinePlan], PipelinePlan]


def edited(plan: PipelinePlan, edits: Iterable[Edit]) -> PipelinePlan:
    """The plan after these edits."""
    for edit in edits:
        plan = edit(plan)
    return plan


# --- bulk ----------------------------------------------------------------------------------------------------------------


def with_arrays(plan: PipelinePlan) -> PipelinePlan:
    """With lookups whose keys go to the tables as arrays, in stages whose tables all take them so.

    gather n, run n in sub-batches    →   gather n (keyed), start n, advance n, finish n, run n
    """
    return replace(plan, passes=tuple(_with_arrays(plan, made) for made in plan.passes))


def _with_arrays(plan: PipelinePlan, made: Pass) -> Pass:
    steps: list[Step] = []
    for number, block in groupby(made.steps, lambda step: getattr(step, "stage", 0)):
        lookups = plan.pipe.stages[number].lookups
        accesses = tuple(plan.tables.access(lookup.table) for lookup in lookups)
        old = tuple(block)
        gather = old[0]
        if number and isinstance(gather, Gather) and accesses and all(access.is_array for access in accesses):
            steps += _as_arrays(gather, accesses)
        else:
            steps += old
    return replace(made, steps=tuple(steps))


def _as_arrays(gather: Gather, accesses: tuple[Access, ...]) -> Steps:
    """The steps of a stage. Lookups that can wait are started first."""
    stage, every = gather.stage, range(len(accesses))
    waiting = tuple(n for n in every if accesses[n].can_wait)
    others = tuple(n for n in every if not accesses[n].can_wait)
    phases = tuple(n for n in every if accesses[n] is Access.PHASES)
    words = tuple(n for n in every if accesses[n] is Access.WORDS)
    return (
        replace(gather, keyed=gather.listed),
        *((PackKeys(stage),) if not gather.listed else ()),
        *(Start(stage, started) for started in (waiting, others) if started),
        *((Advance(stage, phases), Finish(stage, phases)) if phases else ()),
        Run(stage, words),
    )


# --- entries that lead to more -------------------------------------------------------------------------------------------


def with_entries_followed(plan: PipelinePlan) -> PipelinePlan:
    """With what entries lead to fetched for many packets, before the work on any of them.

    start n, finish n, run n    →   start n, finish n, follow n, run n
    run n in sub-batches        →   run n in sub-batches (followed)
    run n, its entries ahead    →   run n, its entries ahead (followed)
    """
    passes = (
        replace(made, steps=tuple(new for step in made.steps for new in _followed(plan, step))) for made in plan.passes
    )
    return replace(plan, passes=tuple(passes))


def _followed(plan: PipelinePlan, step: Step) -> Steps:
    if not isinstance(step, Run | RunSubBatches) or not step.stage:
        return (step,)
    every = plan.pipe.stages[step.stage].lookups
    leading = {n: steps for n, lookup in enumerate(every) if (steps := plan.tables.leading(lookup.table)) is not None}
    within = tuple(n for n in leading if n in step.lookups)
    if isinstance(step, RunSubBatches):
        steps = max((leading[n] for n in within), default=0)
        return (replace(step, followed=within, leading=steps),)
    before = tuple(n for n in leading if n not in step.lookups)
    steps = max((leading[n] for n in before), default=0)
    run = replace(step, followed=within)
    return (Follow(step.stage, before, steps), run) if before else (run,)


# --- software pipelining -------------------------------------------------------------------------------------------------


def software_pipelined(plan: PipelinePlan) -> PipelinePlan:
    """With the lookups of a burst's first stage in flight while the burst before is finished.

    burst: receive, gather 1, start 1, run 1, …, transmit
        →   prologue: receive, gather 1, start 1      epilogue: gather 1, run 1 (and prefetch for the next burst), …, transmit

    Not where the stage after the first has no lookups that can wait, nor where packets come to the first stage by another way
    too: they must do so before the next burst.
    """
    if any(made.form is Form.PACKETS for made in plan.passes):
        return plan
    return replace(plan, passes=tuple(half for made in plan.passes for half in _halves(made)))


def _halves(made: Pass) -> tuple[Pass, ...]:
    gather = next((s for s in made.steps if isinstance(s, Gather)), None)  # each the first: of stage 1
    started = next((s for s in made.steps if isinstance(s, Start)), None)
    if started is None or gather is None or not gather.keyed or not _waits(made.steps, started):
        return (made,)
    receive, *rest = made.steps
    epilogue = [_begun(step) for step in rest if step != started]
    phases = next((s for s in epilogue if isinstance(s, Advance) and s.begun), None)
    if phases is not None:
        run = next(n for n, s in enumerate(epilogue) if isinstance(s, Run))
        epilogue.insert(run + 1, replace(phases, begun=False, next_burst=True))
    return Pass(Form.PROLOGUE, (receive, gather, started)), Pass(Form.EPILOGUE, tuple(epilogue))


def _waits(steps: Steps, started: Start) -> bool:
    """Whether the lookups can wait for the rest of their work."""
    used = {n for s in steps if isinstance(s, Advance | Run) and s.stage == started.stage for n in s.lookups}
    return set(started.lookups) <= used


def _begun(step: Step) -> Step:
    """A step of the first stage's lookups, which the prologue has begun."""
    if isinstance(step, Advance | Run) and step.stage == 1 and step.lookups:
        return replace(step, begun=True)
    return step


# --- read ahead ----------------------------------------------------------------------------------------------------------


def with_read_ahead(plan: PipelinePlan) -> PipelinePlan:
    """With the headers of later packets of a received burst prefetched."""
    passes = (replace(made, steps=tuple(_read_ahead(step) for step in made.steps)) for made in plan.passes)
    return replace(plan, passes=tuple(passes))


def _read_ahead(step: Step) -> Step:
    match step:
        case Receive() | Take(received=True):
            return replace(step, ahead=True)
    return step


# --- stage clocks --------------------------------------------------------------------------------------------------------


def with_laps(plan: PipelinePlan) -> PipelinePlan:
    """With a reading of the clock behind the lookups of each stage, behind its work, and behind what is first and last.

    receive, gather 1, start 1, run 1, transmit    →    receive, lap, gather 1, start 1, lap, run 1, lap, transmit, lap
    """
    passes = (replace(made, steps=tuple(_timed(made.steps))) for made in plan.passes)
    return replace(plan, passes=tuple(passes))


_VERBS: dict[type[Step], str] = {Receive: "receive", Take: "take", Transmit: "transmit"}
_LOOKING_UP = (PackKeys, Start, Advance, Finish, Follow)


def _timed(steps: Steps) -> Iterator[Step]:
    verb = ""
    for step, after in zip(steps, (*steps[1:], None), strict=True):
        yield step
        if isinstance(step, Gather):
            continue
        if not isinstance(step, _LOOKING_UP):
            yield Lap(getattr(step, "stage", 0), _VERBS.get(type(step), "run"))
            continue
        verb = verb or ("advance" if isinstance(step, Advance) and step.next_burst else "start")
        if not isinstance(after, _LOOKING_UP):
            yield Lap(step.stage, verb)
            verb = ""


EDITS: tuple[Edit, ...] = (with_arrays, with_entries_followed, software_pipelined, with_read_ahead, with_laps)
