"""Chooses kinds of frames that leave each other their entries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.interpreter.matches import PRIORITY_KINDS
from transpiler.interpreter.tables import Call
from transpiler.traffic.agreed import Entries, meets
from transpiler.traffic.builder import Builder, Kind, Lookups, Reached
from transpiler.traffic.choose import choose
from transpiler.traffic.continued import continued
from transpiler.traffic.fuller import fuller
from transpiler.traffic.keys import Data, KeyBit, Own, Shared, Unknown
from transpiler.traffic.plan import Wishes, outcomes_of
from transpiler.traffic.probe import Observation, Probe
from transpiler.traffic.search import Advance, Finder, Template, fillable
from transpiler.traffic.sources import DataBit, Sources, trace
from transpiler.traffic.symbolic import ONE, UNKNOWN, ZERO
from transpiler.traffic.told_apart import told_apart

ROUNDS, FRUITLESS = 6, 2  # of looking for templates beside others; those one after the other that find none
PATIENCE = 2000  # frames tried for templates that do not fit those that are taken


def together(wishes: Wishes, probe: Probe, finder: Finder, met: Entries, advance: Advance) -> list[list[Reached]]:
    """Templates that meet the entries `met` and leave each other frames, the first ones first: entries for one may be hit
    where another wants a miss. Where that leaves out tables that can be hit, others are looked for that fit those that are
    taken. Those that are dropped come last."""
    hit = {name for template in finder.templates for name in template.hits}
    chosen = choose(probe.program, probe, [t for t in finder.templates if meets(t, met)])
    taken = _Taken(wishes, probe)
    fruitless = 0
    for turn in range(ROUNDS):
        before = len(taken.filled)
        for template in _continued(taken, finder, hit, turn) if turn else chosen:
            if set(template.hits) - taken.filled and template.seen.ports and taken.patient:
                taken.take(template)
        fruitless = fruitless + 1 if turn and len(taken.filled) == before else 0
        advance(turn, ROUNDS)
        if not taken.groups or taken.filled >= hit or fruitless == FRUITLESS or not taken.patient:
            break
    taken.calm()
    for template in (*chosen, *(_continued(taken, finder, hit, ROUNDS) if taken.groups else ())):
        if set(template.hits) - taken.filled and taken.patient:
            taken.take(template, sent=False)
    advance(ROUNDS, ROUNDS)
    return taken.groups


def _continued(taken: _Taken, finder: Finder, hit: set[str], turn: int) -> list[Template]:
    """Templates beside those that are taken, for the tables of `hit` that have no entries."""
    old = [group[0].template for group in taken.groups]
    wanted = hit - taken.filled
    return continued(finder, taken.probe, old, _fixed(taken.groups), wanted, taken.wishes.seed + turn) if wanted else []


class _Taken:
    """Templates that fit each other, as `groups` of the tables that they reach, and the tables `filled` by them."""

    def __init__(self, wishes: Wishes, probe: Probe) -> None:
        self.wishes, self.probe = wishes, probe
        self.groups: list[list[Reached]] = []
        self.filled: set[str] = set()
        self._lookups = Lookups(probe)
        self._spent = 0
        self._claims: dict[
            int, tuple[Template, list[Reached]]
        ] = {}  # the template lives on, so that its id stays its own

    @property
    def patient(self) -> bool:
        """Whether not too many frames were tried since a template was found to fit."""
        return self._spent < PATIENCE

    def calm(self) -> None:
        """Begin to count anew."""
        self._spent = 0

    def take(self, template: Template, *, sent: bool = True) -> None:
        """Add a template if it fits and one more table is filled then; `sent`: and if its frames still come out."""
        begin = self.probe.runs
        self._take(template, sent)
        self._spent += self.probe.runs - begin

    def _take(self, template: Template, sent: bool) -> None:
        program = self.probe.program
        if self.groups and not self._adds(template):
            return
        if id(template) not in self._claims:
            apart = told_apart(self.probe, self._fuller(template), self.wishes.seed)
            self._claims[id(template)] = template, _claim(program, apart, trace(program, self.probe, apart))
        group = self._claims[id(template)][1]
        if not group:
            return
        template = group[0].template
        streams = Builder(program, self.wishes, Diagnostics(), self._lookups).streams([*self.groups, group])
        now = {name for stream in streams for name in stream.entries}
        seen = self.probe.run(template.frame.data, outcomes_of(template, streams[-1].entries))
        if (sent and not seen.ports) or not self._as_traced(template, seen, streams[-1].entries):
            return
        if all(stream.entries for stream in streams) and self.filled < now:
            self.groups.append(group)
            self.filled = now
            self._spent = 0

    def _fuller(self, template: Template) -> Template:
        """With hits where it misses tables that have no entries yet."""
        names = {table.name for table in fillable(self.probe.program)} - self.filled
        outcomes = fuller(self.probe, template.frame.data, template.outcomes, _fixed(self.groups), names)
        return replace(template, outcomes=outcomes, seen=self.probe.run(template.frame.data, outcomes))

    def _as_traced(self, template: Template, seen: Observation, filled: Collection[str]) -> bool:
        """Whether tables that get entries are looked up by the same keys still, when those that get none are missed."""
        before, now = dict(template.seen.applied), dict(seen.applied)
        return all(now.get(name) == before[name] for name in filled)

    def _adds(self, template: Template) -> bool:
        """Whether it hits one more table where those whose keys are constant do what the templates before it want."""
        fixed = _fixed(self.groups)
        seen = self.probe.run(template.frame.data, template.outcomes, fixed)
        hits = {name for name, key in seen.applied if fixed.get((name, key), template.outcomes.get(name)) is not None}
        return not hits <= self.filled


def _fixed(taken: Sequence[list[Reached]]) -> dict[tuple[str, tuple[int, ...]], Call | None]:
    """What tables do whose keys are the same for all frames of a template."""
    found: dict[tuple[str, tuple[int, ...]], Call | None] = {}
    for group in taken:
        template = group[0].template
        values = dict(template.seen.applied)
        for one in group:
            if all(isinstance(bit, int) for bit in one.kind.bits):
                name = one.table.name
                found.setdefault((name, values[name]), template.outcomes[name])
    return found


def _claim(program: Program, template: Template, sources: Sources) -> list[Reached]:
    """Divide the frame's bits among the tables: LPM first, then exact, then those with masks, which can do without."""
    claimed: dict[int, Shared] = {}
    result = []
    for name in sorted(template.hits, key=lambda n: _order(program.table[n])):
        bits: list[KeyBit] = []
        places: list[int] = []
        data: list[DataBit] = []
        for source in sources.keys[name]:
            if isinstance(source, DataBit):
                bits.append(Data(len(data)))
                data.append(source)
            elif source in (ZERO, ONE, UNKNOWN):
                bits.append({ZERO: 0, ONE: 1}.get(source, Unknown()))
            elif source in claimed:
                bits.append(claimed[source])
            else:
                claimed[source] = Shared(name, len(places))
                bits.append(Own(len(places)))
                places.append(source)
        kind = _kind(template, sources, name, tuple(bits))
        result.append(Reached(template, program.table[name], sources, kind, tuple(places), tuple(data)))
    return result


def _kind(template: Template, sources: Sources, name: str, bits: tuple[KeyBit, ...]) -> Kind:
    call = template.outcomes[name]
    assert call is not None
    fixed = sorted(p for t, p in sources.rigid - sources.ports if t == name)
    return Kind(bits, call.action, tuple((p, call.arguments[p]) for p in fixed))


def _order(table: Table) -> int:
    kinds = {k.match_kind for k in table.keys}
    return 2 if kinds & PRIORITY_KINDS else 0 if MatchKind.LPM in kinds else 1
