"""Frames alone, with entries for their very keys, for tables that no kind of frame fits beside the others.

Kinds of frames want entries that match many keys, so two kinds that want different actions of a table often exclude each other.
One frame needs one entry of each table that it meets, for a key that nothing has yet. So a frame that hits such a table is
changed until its keys are free, or have entries already that do what it wants: all bits of it and of its entries' action data
that do not lead it another way get other values. Where that does not suffice, what is there already is varied, frame and
outcomes, in the way that `continued` does.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from random import Random

from transpiler.hlir.program import Program
from transpiler.hlir.types import width_of
from transpiler.interpreter.tables import Call
from transpiler.traffic.committed import Committed, Own
from transpiler.traffic.continued import continued
from transpiler.traffic.fuller import fuller
from transpiler.traffic.plan import Plan, Point
from transpiler.traffic.ports import within
from transpiler.traffic.probe import Fixed, Probe
from transpiler.traffic.search import Advance, Finder, Frame, Template, quality
from transpiler.traffic.varied import free_bits

LEADS = 8  # frames that are tried for a table
TRIES = 12  # values of a frame's free bits
ROUNDS = 3  # of varying what is there already

Item = int | tuple[str, int]  # a byte of the frame; a table and the number of its action's parameter


def points(plan: Plan, finder: Finder, probe: Probe, advance: Advance) -> tuple[Point, ...]:
    """One after the other, until the tables that can be hit are."""
    filled = {made.table.name for made in plan.tables}
    wanted = {t.name for t in finder.targets if finder.is_hit(t.name)} - filled
    if not wanted:
        return ()
    search = _Search(plan, finder, probe, wanted)
    all_of_them = len(wanted)
    if find_spec("z3") is not None:
        dropped = search.solved(advance)
    else:
        dropped = _nothing
    for sent in (True, False):
        if not sent:
            dropped()
        while wanted:
            advance(all_of_them - len(wanted), all_of_them)
            if not search.another(sent):
                break
    search.varied(advance)
    advance(1, 1)
    return tuple(search.found)


def _nothing() -> None:
    """Where no frames were asked for."""


@dataclass
class _Search:
    """`wanted`: tables that have no entries yet; `tried`: leads, by how many tables' sake."""

    plan: Plan
    finder: Finder
    probe: Probe
    wanted: set[str]
    found: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.committed = Committed(self.plan)
        self.chance = Random(self.plan.wishes.seed)
        self.room = _room(self.plan, self.committed)
        self.leads = sorted(self.finder.templates, key=lambda t: quality(self.finder.program, t), reverse=True)
        self.tried: dict[str, int] = dict.fromkeys(self.wanted, 0)
        self.failed: dict[bool, set[int]] = {True: set(), False: set()}
        self.loose: dict[int, _Loose] = {}

    def another(self, sent: bool) -> bool:
        """Look for one more point, from the lead that hits most of the tables that are wanted. False: no lead is left."""
        most = LEADS if sent else 2 * LEADS
        open_ = {name for name in self.wanted if self.tried[name] < most}
        leads = (lead for lead in self.leads if id(lead) not in self.failed[sent] and (lead.seen.ports or not sent))
        best = max(leads, key=lambda lead: len(open_.intersection(lead.hits)), default=None)
        if best is None or not open_.intersection(best.hits):
            return False
        if not self._embedded(best, sent):
            self.failed[sent].add(id(best))
            for name in self.wanted.intersection(best.hits):
                self.tried[name] += 1
        return True

    def _embedded(self, lead: Template, sent: bool) -> bool:
        """Whether a lead, its free bits changed, hits a wanted table beside all that is there."""
        loose = self.loose.get(id(lead))
        if loose is None:
            loose = self.loose[id(lead)] = _Loose.of(self.probe, lead, self.chance)
        for turn in range(TRIES):
            frame, outcomes = loose.changed(lead, self.chance) if turn else (lead.frame, lead.outcomes)
            if self._take(frame, outcomes, sent):
                return True
        return False

    def solved(self, advance: Advance) -> Callable[[], None]:
        """Ask for frames beside all that is there, that come out; what is returned takes those that do not."""
        from transpiler.traffic.beside import Around, beside

        def offer(frame: Frame, own: Own, sent: bool) -> set[str]:
            if not self._take(frame, self._by_table(own), sent):
                self._take(frame, {}, sent, own)
            return self.wanted

        def room(name: str) -> int:
            return self.room.left[self.room.of(name)]

        wishes = self.plan.wishes
        around = Around(self.finder, self.committed, self.probe.copies, room, wishes.port, wishes.seed)
        return beside(around, set(self.wanted), self.leads, offer, advance)

    def _by_table(self, own: Own) -> dict[str, Call | None]:
        """The outcomes of tables, where each is looked up for one key: the first of each."""
        found: dict[str, Call | None] = {}
        for (name, _), call in own.items():
            if call is not None:
                found.setdefault(name, call)
        return dict.fromkeys(self.plan.program.table) | found

    def _take(
        self, frame: Frame, outcomes: dict[str, Call | None], sent: bool, own: Own | None = None,
        without: frozenset[str] = frozenset(),
    ) -> bool:  # fmt: skip
        """Make a point of a frame, if it hits a wanted table now, and there is room for its entries. `own`: what tables shall
        answer to its keys, if not as `outcomes` have it. `without`: tables that may have no entries for it."""
        fixed: Fixed = self.committed
        if own is None:
            outcomes = dict(within(self.probe, self.plan.wishes, frame, outcomes, self.committed))
        else:
            mine = {place: call for place, call in own.items() if call is not None}
            fixed = ChainMap(mine, self.committed)  # type: ignore[arg-type]  # it only reads
            outcomes = dict.fromkeys(self.plan.program.table)
        seen = self.probe.run(frame.data, outcomes, fixed)
        hit = {name for (name, _), call in self.probe.lookups.items() if call is not None}
        if not hit & self.wanted or (sent and not (seen.ports and seen.accepted)):
            return False
        there = {table.name for table in self.finder.targets if self.room.left[self.room.of(table.name)]}
        outcomes = fuller(self.probe, frame.data, outcomes, fixed, there - without)
        seen = self.probe.run(frame.data, outcomes, fixed)
        lookups = dict(self.probe.lookups)
        hit = {name for (name, _), call in lookups.items() if call is not None}
        entries, forbidden = self.committed.needed(lookups)
        if forbidden:
            if forbidden <= without:
                return False
            left = None if own is None else {place: call for place, call in own.items() if place[0] not in forbidden}
            return self._take(frame, outcomes | dict.fromkeys(forbidden), sent, left, without | forbidden)
        needs = Counter(self.room.of(name) for name, _ in entries)
        if any(self.room.left[name] < count for name, count in needs.items()):
            return False
        self.room.left.subtract(needs)
        self.committed.add(lookups)
        met = {name: call for (name, _), call in reversed(lookups.items())}
        self.found.append(
            Point(Template(frame, outcomes | met, seen), {place: one.call for place, one in entries.items()})
        )
        self.wanted -= hit
        return True

    def varied(self, advance: Advance) -> None:
        """Vary what is there already."""
        for turn in range(ROUNDS):
            if not self.wanted:
                return
            advance(turn, ROUNDS)
            taken = [point.template for point in self.found] + [stream.template for stream in self.plan.streams]
            seed = self.plan.wishes.seed + turn
            for template in continued(self.finder, self.probe, taken, self.committed, set(self.wanted), seed):
                for sent in (True, False):
                    if self.wanted.intersection(template.hits) and self._take(template.frame, template.outcomes, sent):
                        break


@dataclass
class _Room:
    """`left`: the entries that a table has room for, and the members of a profile, by the name of each."""

    program: Program
    left: Counter[str]

    def of(self, table: str) -> str:
        """What an entry of a table takes room of."""
        return self.program.table[table].implementation or table


def _room(plan: Plan, committed: Committed) -> _Room:
    left = Counter({table.name: table.size for table in plan.program.tables})
    for made in plan.tables:
        left[made.table.name] -= made.count
    profiles = committed.profiles
    for table in plan.program.tables:
        name = table.implementation
        if name is not None:
            left[name] = min(left[table.name], profiles.size(name) - profiles.used[name])
    return _Room(plan.program, left)


@dataclass
class _Loose:
    """What of a template may have any value without leading it another way: bits of bytes of its frame, and action data."""

    probe: Probe
    masks: dict[int, int]  # of bytes: the bits that the parser leaves free
    widths: dict[tuple[str, int], int]
    kept: tuple[Item, ...]

    @staticmethod
    def of(probe: Probe, lead: Template, chance: Random) -> _Loose:
        """Found by trying values by chance."""
        masks: dict[int, int] = {}
        for bit in free_bits(lead.frame):
            masks[bit // 8] = masks.get(bit // 8, 0) | 0x80 >> bit % 8
        variables, widths = probe.program.variable, {}
        for name in lead.hits:
            call = lead.outcomes[name]
            assert call is not None
            for number, parameter in enumerate(probe.program.action[call.action].parameters):
                widths[name, number] = width_of(variables[parameter].type)
        made = _Loose(probe, masks, widths, ())

        def alike(items: Sequence[Item]) -> bool:
            frame, outcomes = _with(lead, made, items, chance)
            seen = probe.run(frame.data, outcomes)
            return (seen.way, seen.ports, seen.copies) == (lead.seen.way, lead.seen.ports, lead.seen.copies)

        return replace(made, kept=tuple(_kept([*masks, *widths], [], alike)))

    def changed(self, lead: Template, chance: Random) -> tuple[Frame, dict[str, Call | None]]:
        """The template with other values."""
        return _with(lead, self, self.kept, chance)


def _kept(items: Sequence[Item], kept: list[Item], alike: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """`kept`, and those of the items that may change together with these."""
    if not items or alike([*kept, *items]):
        return [*kept, *items]
    if len(items) == 1:
        return kept
    half = len(items) // 2
    return _kept(items[half:], _kept(items[:half], kept, alike), alike)


def _with(
    lead: Template, loose: _Loose, items: Sequence[Item], chance: Random
) -> tuple[Frame, dict[str, Call | None]]:  # fmt: skip
    """A template with other values of some items."""
    outcomes = dict(lead.outcomes)
    turned: list[int] = []
    for item in items:
        if isinstance(item, int):
            value = chance.randrange(256) & loose.masks[item]
            turned += [item * 8 + at for at in range(8) if value & 0x80 >> at]
            continue
        name, number = item
        call = outcomes[name]
        assert call is not None
        arguments = list(call.arguments)
        arguments[number] = chance.randrange(1 << loose.widths[item])
        outcomes[name] = replace(call, arguments=tuple(arguments))
    return replace(lead.frame, data=lead.frame.changed(turned)), outcomes
