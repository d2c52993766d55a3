"""Single frames beside all entries that are there already, found by symbolic execution, where z3 is installed.

Tables answer as the entries that were made so far do (`committed`); only keys that nothing has yet are free. So a frame that
would hit a table alone meets the entries of other frames, and says where: that its key is one of theirs is a decision, which z3
turns round as any other. The search begins with the frames that were found to hit the tables that are looked for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from transpiler.interpreter.tables import Call
from transpiler.testgen.choices import Choices, Outcome, Setting, outcomes
from transpiler.testgen.cover import Coverage
from transpiler.testgen.record import Assignment
from transpiler.testgen.search import Search, Turn
from transpiler.testgen.walk import ChosenCopies, Walk, Walker
from transpiler.traffic.committed import Keyed, Own
from transpiler.traffic.copies import RID, Copies
from transpiler.traffic.search import Advance, Finder, Frame, Template, quality
from transpiler.traffic.solved import frame_of

LEADS = 3  # frames that the search begins with, for each table
WALKS, FEW_WALKS = 600, 120  # frames tried; not seconds, as the same seed is to give the same files

Offer = Callable[[Frame, Own, bool], set[str]]  # a frame; whether it comes out → the tables still wanted


@dataclass(frozen=True)
class Around:
    """What is there: `copies`: the groups and sessions; `room` for entries of a table; a frame comes in at `port`."""

    finder: Finder
    committed: Mapping[Keyed, Call | None]
    copies: Copies
    room: Callable[[str], int]
    port: int
    seed: int


def beside(
    around: Around, wanted: set[str], leads: Sequence[Template], offer: Offer, advance: Advance
) -> Callable[[], None]:
    """Offer frames that hit wanted tables and come out. Returns what offers those that do not."""
    program = around.finder.program
    search = _Beside(
        program, Coverage(program), math.inf, clock=time.monotonic, seed=around.seed,
        ports=range(around.port, around.port + 1), most=WALKS, around=around, offer=offer, leads=leads,
    )  # fmt: skip
    search.look_for(wanted)
    search.run(advance)

    def others() -> None:
        for walk in search.dropped:
            search.propose(walk, sent=False)

    return others


def asked(around: Around, wanted: set[str]) -> list[Template]:
    """Frames that hit the wanted tables, each alone beside what is there."""
    program = around.finder.program
    search = _Alone(
        program, Coverage(program), math.inf, clock=time.monotonic, seed=around.seed,
        ports=range(around.port, around.port + 1), most=FEW_WALKS, around=around, offer=lambda *_: set(),
        leads=around.finder.templates,
    )  # fmt: skip
    search.look_for(wanted)
    search.run()
    return search.templates


@dataclass
class _Beside(Search):
    """`dropped`: walks that hit what is looked for, and do not come out."""

    around: Around = field(kw_only=True)
    offer: Offer = field(kw_only=True)
    leads: Sequence[Template] = field(kw_only=True)
    dropped: list[Walk] = field(default_factory=list)

    def make_walker(self) -> Walker:
        around = self.around
        setting = Setting(around.committed, around.room, defaults=False)
        copies = _There(around.copies)
        return Walker(self.program, self.coverage, self.prefer, self.largest, self.ports, setting, copies)

    def look_for(self, tables: set[str]) -> None:
        """Look for frames that hit these."""
        self.items = {name: self._hits(name) for name in sorted(tables)}
        self.wanted = frozenset[int]().union(*self.items.values())
        self.rest = frozenset(range(len(self.coverage.items))) - self.wanted
        self.interest.update(self.covered | self.rest)

    def _hits(self, table: str) -> frozenset[int]:
        found = self.coverage.outcome_items(table)
        return frozenset(item for (_, hit), item in found.items() if hit and item >= 0)

    def begin(self) -> None:
        """The frames that were found already, and one of nothing."""
        for lead in _first(self.leads, set(self.items), self.around):
            self.take(*_as_chosen(lead, self.program.action), 0)
        self.take({}, {}, 0)

    def keep(self, walk: Walk) -> None:
        if walk.sent:
            self.propose(walk, sent=True)
        else:
            self.dropped.append(walk)

    def propose(self, walk: Walk, *, sent: bool) -> None:
        """Offer a walk's frame, if it hits what is still wanted."""
        if not (self.wanted - self.covered) & walk.covered:
            return
        own: dict[Keyed, Call | None] = dict.fromkeys(walk.missed)
        own.update({(entry.table, entry.key): Call(entry.action, entry.arguments) for entry in walk.entries})
        left = self.offer(frame_of(self.around.finder, self, walk)[1], own, sent)
        done = (items for name, items in self.items.items() if name not in left)
        self.covered |= frozenset[int]().union(*done)
        self.interest.update(self.covered | self.rest)

    def rank(self, turn: Turn) -> tuple[int, ...]:
        """What leads to what is looked for goes first, and of this, what was done least often."""
        done, tried = self.done[turn.key], self.tried[turn.key]
        return (0 if (hope := self._hope(turn)) else 1), done + 2 * tried, -hope, turn.at

    def behind(self, turn: Turn) -> int:
        """A key that no entry has is no decision: what follows stands in the place of the one that an entry has."""
        match turn.walk.decisions[turn.at].site:
            case (("table", str() as name), *_) if any(name == table.name for table in self.around.finder.targets):
                return turn.at
        return turn.at + 1

    def _hope(self, turn: Turn) -> int:
        if turn.outcome is not None:
            return self.interest.of_outcome(turn.walk.made[turn.at].table, turn.outcome)
        decision = turn.walk.decisions[turn.at]
        site: Hashable = decision.site[0] if isinstance(decision.site, tuple) else None
        match site:
            case ("table", str() as name):  # another key, one that nothing has
                return max(
                    (self._of_outcome(name, outcome) for outcome in outcomes(self.program.table[name])), default=0
                )
        return 0 if decision.pinned else self.interest.of_place(decision.site)

    def _of_outcome(self, table: str, outcome: Outcome) -> int:
        missing = self._hits(table) & self.wanted - self.covered
        return self.interest.of_outcome(table, outcome) + len(missing)


@dataclass
class _Alone(_Beside):
    """Takes each frame that hits a table first, or comes out first."""

    templates: list[Template] = field(default_factory=list)
    known: set[tuple[str, bool]] = field(default_factory=set)

    def keep(self, walk: Walk) -> None:
        hit = [name for name, items in self.items.items() if items & walk.covered]
        new = {(name, out) for name in hit for out in {False, bool(walk.sent)}} - self.known
        if new:
            self.known |= new
            self.templates.append(self._template(walk))
        if walk.sent:
            self.covered |= frozenset[int]().union(*(self.items[name] for name in hit))
        self.interest.update(self.covered | self.rest)

    def _template(self, walk: Walk) -> Template:
        finder, entries = self.around.finder, self.around.committed
        frame = frame_of(finder, self, walk)[1]
        outcomes: dict[str, Call | None] = dict.fromkeys(table.name for table in finder.targets)
        for entry in reversed(walk.entries):
            outcomes[entry.table] = Call(entry.action, entry.arguments)
        seen = finder.probe.run(frame.data, outcomes, entries)
        return Template(
            frame, outcomes | {place[0]: entries[place] for place in seen.applied if place in entries}, seen
        )


class _There(ChosenCopies):
    """The groups and sessions that were set up."""

    def __init__(self, copies: Copies) -> None:
        super().__init__()
        self.there = copies

    def copies(self, group: int) -> list[tuple[int, int]]:
        found = any(group == number for number in sorted(self.there.groups))
        return [(self.there.port, RID)] if found else []

    def clones(self, session: int) -> list[tuple[int, int]]:
        found = any(session == number for number in sorted(self.there.sessions))
        return [(self.there.port, 0)] if found else []


def _first(leads: Sequence[Template], wanted: set[str], around: Around) -> list[Template]:
    """For each table the best of the frames that hit it, those for several tables first."""
    program = around.finder.program
    ranked = sorted(leads, key=lambda t: (len(wanted.intersection(t.hits)), quality(program, t)), reverse=True)
    count = dict.fromkeys(wanted, 0)
    chosen = []
    for lead in ranked:
        fresh = [name for name in lead.hits if count.get(name, LEADS) < LEADS]
        if fresh:
            chosen.append(lead)
            for name in fresh:
                count[name] += 1
    return chosen


def _as_chosen(lead: Template, actions: Mapping[str, object]) -> tuple[Assignment, Choices]:
    """A template as numbers of variables and choices."""
    data = lead.frame.data
    assignment: Assignment = {f"p{at}": byte for at, byte in enumerate(data)} | {"length": len(data)}
    choices: Choices = {}
    for name, call in lead.outcomes.items():
        choices[name, 0] = Outcome(call is not None, call.action if call is not None else "")
        if call is not None:
            parameters = actions[call.action].parameters  # type: ignore[attr-defined]
            for parameter, value in zip(parameters, call.arguments, strict=True):
                assignment[f"{name}#0:{call.action}.{parameter}"] = value
    return assignment, choices
