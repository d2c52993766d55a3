"""Tests for a program: searches, takes what the plain interpreter confirms, and says what was not reached and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from transpiler.hlir.program import Program
from transpiler.testgen.choices import Choices
from transpiler.testgen.cover import Coverage
from transpiler.testgen.packet import terms_of
from transpiler.testgen.record import VOLATILE
from transpiler.testgen.scenario import Scenario, Sent, fewest, replay
from transpiler.testgen.search import Search, Told
from transpiler.testgen.solve import Solver
from transpiler.testgen.unreached import Reason, reasons
from transpiler.testgen.walk import Walk, Walker

SMALLEST_BYTES = 14  # of a frame, where the parser asks for no more


@dataclass(frozen=True)
class Generated:
    """`tests` cover `covered` items of `coverage`; `unreached` has a reason for each of the others. `walks`: packets tried;
    `complete`: every way through the program was taken."""

    coverage: Coverage
    tests: tuple[Scenario, ...]
    covered: frozenset[int]
    unreached: dict[int, Reason]
    walks: int
    queries: int
    complete: bool
    seconds: float


def generate(
    program: Program,
    seconds: float,
    *,
    seed: int = 1,
    at_most: int | None = None,
    left_out: str = "",
    told: Told = lambda done, total: None,
    clock: Callable[[], float],
) -> Generated:
    """Look for tests for so many seconds; `left_out`: the folder whose files do not count."""
    begin = clock()
    coverage = Coverage(program, left_out)
    search = Search(program, coverage, seconds, clock=clock, seed=seed)
    search.run(told)
    confirmed = _confirmed(program, coverage, search)
    tests = tuple(fewest(confirmed, at_most))
    covered = frozenset[int]().union(*(t.covered for t in tests))
    everywhere = frozenset[int]().union(*(t.covered for t in confirmed))
    unreached = reasons(program, coverage, search, covered, everywhere)
    return Generated(
        coverage, tests, covered, unreached, search.walks, search.solver.queries, search.complete, clock() - begin
    )


def _confirmed(program: Program, coverage: Coverage, search: Search) -> list[Scenario]:
    """What the walks that were found do on the plain interpreter."""
    confirmed = []
    again = Walker(program, coverage, lambda table, possible: possible[0], search.largest)
    for walk in search.found:
        scenario = _shortened(program, coverage, walk)
        if scenario is None:
            search.reasons["not set up"] += 1
            continue
        confirmed.append(_freed(scenario, walk, again, search.solver))
    return confirmed


def _shortened(program: Program, coverage: Coverage, walk: Walk) -> Scenario | None:
    """The walk as a scenario, its frame as short as its way allows."""
    whole = scenario_of(program, walk)
    short = replace(whole, frame=whole.frame[: max(walk.reached, SMALLEST_BYTES)])
    long = replay(program, coverage, whole)
    cut = replay(program, coverage, short)
    return cut if cut is not None and long is not None and cut.covered == long.covered else long


def scenario_of(program: Program, walk: Walk) -> Scenario:
    return Scenario(
        walk.port,
        bytes(walk.frame),
        tuple(walk.entries),
        tuple((table, action, arguments) for table, (action, arguments) in walk.defaults.items()),
        tuple((name, index, value) for (name, index), value in walk.registers.items()),
        tuple((name, index, colour) for (name, index), colour in walk.meters.items() if colour),
        tuple(walk.groups),
        tuple(walk.sessions),
        walk.host,
    )


def _freed(scenario: Scenario, walk: Walk, walker: Walker, solver: Solver) -> Scenario:
    """With the bytes marked that depend on the time."""
    choices: Choices = walk.choices
    done = walker.walk(walk.assignment | {"length": len(scenario.frame)}, choices)
    sent = []
    for known, (_, data) in zip(scenario.sent, done.sent, strict=False):
        terms = enumerate(terms_of(data))
        free = frozenset(i for i, term in terms if term is not None and solver.names(term) & VOLATILE)
        sent.append(Sent(known.port, known.data, free))
    return replace(scenario, sent=(*sent, *scenario.sent[len(sent) :]))
