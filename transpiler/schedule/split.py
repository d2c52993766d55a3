"""Cuts a tree at its Apply and Prefetch nodes into stages, in continuation-passing style.

Each path through the tree ends at its next cut. What follows (a *continuation*) becomes the code of a stage, or a join where
several paths meet. Before:

    if (c) { t1.apply(); A } else { B }  D  t2.apply();  E

After: stage 0: c ? submit t1 : { B; goto D }     stage t1: finish t1; A; goto D     D: submit t2     stage t2: finish t2; E
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from transpiler.analysis.locations import Location, Locator
from transpiler.hlir.statements import Leave
from transpiler.schedule.pipeline import Special
from transpiler.schedule.stages import Code, End, Finish, Fork, Jump, Piece, Plain, Submit, Target
from transpiler.schedule.state import StateAccess
from transpiler.schedule.tree import Apply, Branch, Cut, Leaf, Node, Prefetch, Region

TOGETHER = 8  # lookups and accesses that a packet has in flight at most: a burst's keys and cursors are on the stack


@dataclass(frozen=True, eq=False, slots=True)
class Continuation:
    """What is still to run: `rest`, then `after`. `started`: what the stage has started, in order, that stands in `rest`."""

    rest: tuple[Node, ...]
    after: Continuation | None
    started: tuple[Cut, ...] = ()


@dataclass
class _Stage:
    """A stage being made; `position` orders it."""

    position: int
    name: str
    started: tuple[Cut, ...]
    code: Code = ()

    @property
    def lookups(self) -> tuple[Apply, ...]:
        return lookups_of(self.started)

    @property
    def prefetched(self) -> tuple[StateAccess, ...]:
        return tuple(access for cut in self.started if isinstance(cut, Prefetch) for access in cut.accesses)


def lookups_of(started: tuple[Cut, ...]) -> tuple[Apply, ...]:
    return tuple(cut for cut in started if isinstance(cut, Apply))


@dataclass
class Split:
    """Stages by the position of their first node, joins likewise; numbers in Submit and Jump are those positions."""

    stages: dict[int, _Stage] = field(default_factory=dict)
    joins: dict[int, Code] = field(default_factory=dict)
    exits: dict[str, Target] = field(default_factory=dict)


class Splitter:
    """Cuts one pipe. `merges`: positions of joins that are to be stages of their own; `together`: lookups that a stage
    starts at most."""

    def __init__(self, locator: Locator, merges: frozenset[int], together: int = TOGETHER) -> None:
        self.locator = locator
        self.merges = merges
        self.together = together
        self.result = Split()
        self.waiting: list[Callable[[], None]] = []  # codes still to be made: programs are longer than stacks are deep

    def split(self, nodes: tuple[Node, ...]) -> Split:
        entry = _Stage(-1, "entry", ())
        self.result.stages[-1] = entry
        self._make(entry, Continuation(nodes, None))
        while self.waiting:
            self.waiting.pop()()
        return self.result

    def _make(self, stage: _Stage, at: Continuation) -> None:
        def make() -> None:
            stage.code = self._code(at)

        self.waiting.append(make)

    def _make_join(self, position: int, at: Continuation) -> None:
        def make() -> None:
            self.result.joins[position] = self._code(at)

        self.result.joins[position] = ()
        self.waiting.append(make)

    def _code(self, at: Continuation) -> Code:
        """The pieces up to the next cut on each way."""
        pieces: list[Piece] = []
        for number, node in enumerate(at.rest):
            follow = Continuation(at.rest[number + 1 :], at.after, at.started)
            match node:
                case Apply(statement=statement) if node in at.started:
                    pieces.append(Finish(statement, lookups_of(at.started).index(node)))
                case Prefetch() if node in at.started:
                    pass
                case Leaf(what=what):
                    pieces.append(Plain(what))
                    if isinstance(what, Leave):
                        return tuple(pieces)
                case Apply() | Prefetch():
                    return (*pieces, self._stage(node, follow))
                case Branch(statement=statement, arms=arms):
                    shared = self._shared(follow)
                    codes = tuple(self._code(Continuation(arm, shared)) for arm in arms)
                    return (*pieces, Fork(statement, codes))
                case Region(statement=block, body=body):
                    shared = self._shared(follow)
                    self.result.exits[block.label] = self._target(shared)
                    return (*pieces, *self._code(Continuation(body, shared)))
        return (*pieces, self._target(at.after))

    def _target(self, at: Continuation | None) -> Target:
        if at is None:
            return End()
        first = at.rest[0]
        if isinstance(first, Cut) and first not in at.started:
            return self._stage(first, Continuation(at.rest[1:], at.after, at.started))
        if first.position in self.merges:
            return self._merge(first, at)
        if first.position not in self.result.joins:
            self._make_join(first.position, at)
        return Jump(first.position)

    def _shared(self, at: Continuation) -> Continuation | None:
        """A continuation that several ways will reach: it starts lookups of its own."""
        return Continuation(at.rest, at.after) if at.rest else at.after

    def _stage(self, node: Cut, follow: Continuation) -> Submit:
        if node.position not in self.result.stages:
            together = (node, *islice(self._independent(node, follow.rest), self.together - 1))
            stage = _Stage(node.position, node.name, together)
            self.result.stages[node.position] = stage
            self._make(stage, Continuation((node, *follow.rest), follow.after, together))
        return Submit(node.position)

    def _merge(self, first: Node, at: Continuation) -> Submit:
        if first.position not in self.result.stages:
            stage = _Stage(first.position, "merge", ())
            self.result.stages[first.position] = stage
            self._make(stage, at)
        return Submit(first.position)

    def _independent(self, first: Cut, rest: tuple[Node, ...]) -> Iterator[Cut]:
        """The following lookups whose keys, and accesses to state whose indexes nothing before them in this stage writes: they
        can start with the first."""
        written = set(self._written(first)) if isinstance(first, Apply) else set()
        for node in rest:
            match node:
                case Prefetch(accesses=accesses):
                    if any(written & self.locator.read_by(access.index) for access in accesses):
                        return
                    yield node
                case Apply(statement=statement):
                    keys = self.locator.program.table[statement.table].keys
                    if written & self.locator.read_by_keys(keys):
                        return
                    yield node
                    written |= self._written(node)
                case Leaf(what=what) if isinstance(what, Leave):
                    return
                case Leaf():
                    if (effects := self._leaf_writes(node)) is None:
                        return
                    written |= effects
                case _:
                    return

    def _written(self, node: Apply) -> frozenset[Location]:
        return frozenset(self.locator.written_in((node.statement,)))

    def _leaf_writes(self, node: Leaf) -> frozenset[Location] | None:
        """What a leaf writes; None for the architecture's steps, which lookups do not pass."""
        if isinstance(node.what, Special):
            return None
        return frozenset(self.locator.written_in((node.what,)))
