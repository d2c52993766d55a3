"""Looks for packets that cover what none has covered: turns round decisions of walks, and changes choices of tables.

What nobody has done yet comes first, then what leads to where something is missing or writes what its condition reads; then
what was done least often. When nothing is left to turn round, every way has been taken: what is not covered cannot be.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from itertools import count
from random import Random

from transpiler.hlir import expressions as ex
from transpiler.hlir.program import Program
from transpiler.hlir.traverse import program_expressions, walk_expression
from transpiler.testgen.choices import SESSIONS, Choices, Outcome, alternatives
from transpiler.testgen.cover import Coverage
from transpiler.testgen.interest import Interest
from transpiler.testgen.record import LARGEST_BYTES, Assignment
from transpiler.testgen.solve import Answer, Solver
from transpiler.testgen.walk import PORTS, Walk, Walker

Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Turn:
    """Something to do otherwise: decision `at` of a walk, or choice `at` with another outcome."""

    walk: Walk
    at: int
    outcome: Outcome | None = None

    @property
    def key(self) -> Hashable:
        """What would be done, the same on each way."""
        if self.outcome is not None:
            return self.walk.made[self.at].table, self.outcome
        site = self.walk.decisions[self.at].site
        assert isinstance(site, tuple)
        return (*site[:-1], not site[-1])


_QUEUES = ("enq_qdepth", "deq_qdepth", "deq_timedelta", "qid")


def _not_chosen(program: Program) -> Iterator[str]:
    """What a program may ask for and a test cannot set up."""
    for value_set in program.value_sets:
        yield f"{value_set.span}: a value set stays empty"
    waits = {program.intrinsic[name] for name in _QUEUES if name in program.intrinsic}
    read = (e for whole in program_expressions(program) for e in walk_expression(whole) if isinstance(e, ex.Read))
    for inner in read:
        if isinstance(inner.place, ex.VariableRef) and inner.place.name in waits:
            yield f"{inner.span}: queues are empty"


@dataclass
class Search:
    """`found`: walks that covered something first, in their order. `complete`: every way was taken; `reasons`: why, if it is
    not; `clock` tells the seconds; a frame comes in at one of `ports`; `most` walks
    are made; `wanted`: the items that are looked for."""

    program: Program
    coverage: Coverage
    seconds: float
    largest: int = LARGEST_BYTES
    clock: Callable[[], float] = time.monotonic
    seed: int = 1
    ports: range = PORTS
    most: int | None = None
    found: list[Walk] = field(default_factory=list)
    covered: set[int] = field(default_factory=set)
    reasons: Counter[str] = field(default_factory=Counter)
    walks: int = 0

    def __post_init__(self) -> None:
        self.solver = Solver()
        self.walker = self.make_walker()
        self.interest = Interest(self.program, self.coverage)
        self.done: Counter[Hashable] = Counter()  # what was decided and chosen, by how many walks
        self.tried: Counter[Hashable] = Counter()
        self._queue: list[tuple[tuple[int, ...], int, Turn]] = []
        self._numbers = count()
        self._ways: set[int] = set()
        self.wanted = frozenset(range(len(self.coverage.items)))
        self.complete = False
        self.unsolved = 0
        self._chance = Random(self.seed)
        self.inexact: dict[str, None] = dict.fromkeys(_not_chosen(self.program))

    def make_walker(self) -> Walker:
        """What sends the packets."""
        return Walker(self.program, self.coverage, self.prefer, self.largest, self.ports)

    def begin(self) -> None:
        """The first packets."""
        self.take({}, {}, 0)

    def run(self, told: Told = lambda done, total: None) -> None:
        """Until everything is covered, nothing is left, or the time is up."""
        end = self.clock() + self.seconds
        self.begin()
        while self._queue and not self.wanted <= self.covered:
            told(len(self.covered & self.wanted), len(self.wanted))
            if self.clock() > end or self.walks == self.most:
                self.reasons["time"] += 1
                return
            self._next()
        self.complete = not self._queue and not self.unsolved

    def take(self, assignment: Assignment, choices: Choices, start: int, chosen: int = 0) -> Walk:
        """Walk, note what is new, and what could be done otherwise from there on."""
        walk = self.walker.walk(assignment, choices)
        self.walks += 1
        self.inexact.update(dict.fromkeys(walk.inexact))
        if walk.endless:
            self.reasons["packets that go round and round"] += 1
            self.unsolved += 1
        elif walk.covered - self.covered:
            self.keep(walk)
        for decision in walk.decisions:
            self.done[decision.site] += 1
        for choice in walk.made:
            self.done[choice.table, choice.outcome] += 1
        way = hash(
            (tuple(d.holds.hash() for d in walk.decisions), tuple((c.table, c.turn, c.outcome) for c in walk.made))
        )
        if way not in self._ways:
            self._ways.add(way)
            self._branch(walk, start, chosen)
        return walk

    def keep(self, walk: Walk) -> None:
        """A walk that covers something, if it goes that way whenever its packet comes."""
        if not self.solver.is_steady(walk):
            answer = self.solver.steady(walk)
            again = self.walker.walk(answer, walk.choices) if isinstance(answer, dict) else walk
            if not self.solver.is_steady(again):
                self.reasons["the time of day"] += 1
                return
            walk = again
        if walk.covered - self.covered:
            self.found.append(walk)
            self.covered |= walk.covered
            self.interest.update(self.covered)

    def _branch(self, walk: Walk, start: int, chosen: int) -> None:
        for at in range(start, len(walk.decisions)):
            if walk.decisions[at].site is not None:
                self._push(Turn(walk, at))
        for at in range(chosen, len(walk.made)):
            choice = walk.made[at]
            for outcome in alternatives(self.program, choice.table):
                if outcome != choice.outcome:
                    self._push(Turn(walk, at, outcome))

    def _push(self, turn: Turn) -> None:
        heapq.heappush(self._queue, (self.rank(turn), next(self._numbers), turn))

    def rank(self, turn: Turn) -> tuple[int, ...]:
        key = turn.key
        done, tried = self.done[key], self.tried[key]
        if not done and tried < 8:
            return 0, tried, turn.at
        if turn.outcome is not None:
            wanted = self.interest.of_outcome(turn.walk.made[turn.at].table, turn.outcome)
        else:
            decision = turn.walk.decisions[turn.at]
            wanted = 0 if decision.pinned else self.interest.of_place(decision.site)
        return (1 if wanted else 2), done + tried, -wanted

    def _next(self) -> None:
        rank, number, turn = heapq.heappop(self._queue)
        now = self.rank(turn)
        if now > rank:  # something was done since
            heapq.heappush(self._queue, (now, number, turn))
            return
        self.tried[turn.key] += 1
        walk = turn.walk
        if turn.outcome is not None:
            choice = walk.made[turn.at]
            kept = {(c.table, c.turn): c.outcome for c in walk.made[: turn.at]}
            kept[choice.table, choice.turn] = turn.outcome
            self.take(walk.assignment, kept, choice.at, turn.at + 1)
            return
        answer = self.solver.turned(walk, turn.at)
        if isinstance(answer, dict):
            before = [c for c in walk.made if c.at <= turn.at]
            self.take(answer, {(c.table, c.turn): c.outcome for c in before}, self.behind(turn), len(before))
        elif answer is not Answer.NO:
            self.unsolved += 1
            self.reasons["the time of day" if answer is Answer.NOT_CHOSEN else "a hash, or the solver's limit"] += 1

    def behind(self, turn: Turn) -> int:
        """The first decision that is new where this one went the other way."""
        return turn.at + 1

    def prefer(self, table: str, possible: tuple[Outcome, ...]) -> Outcome:
        """What was done least often; a clone session only where it is asked for."""
        if table == SESSIONS:
            return possible[0]

        def rank(outcome: Outcome) -> tuple[float, ...]:
            done = self.done[table, outcome] + self.tried[table, outcome]
            return done, -self.interest.of_outcome(table, outcome), self._chance.random()

        return min(possible, key=rank)
