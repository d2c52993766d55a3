"""Makes the entries of tables that templates hit: keys that lead their frames there, and data of actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.interpreter.matches import PRIORITY_KINDS
from transpiler.traffic import patterns
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.keys import KeyBit, KeyField, KeySet, Own, Shared, Unknown
from transpiler.traffic.mended import mender
from transpiler.traffic.plan import (
    USUAL_ENTRIES,
    Fed,
    Parameter,
    Plan,
    Stream,
    Wishes,
    filled_of,
    outcomes_of,
    with_varied,
)
from transpiler.traffic.probe import Probe
from transpiler.traffic.restrictions import rule_of
from transpiler.traffic.search import Template
from transpiler.traffic.sources import DataBit, Sources, matched

Pairs = tuple[tuple[int, int], ...]
MARKS = 3
MIXED_GROUPS = 16  # values of data bits in a key that has bits of the frame as well


@dataclass(frozen=True)
class Kind:
    """What a template wants of a table's entries: where key bits come from, the action, its data that must be so."""

    bits: tuple[KeyBit, ...]
    action: str
    rigid: tuple[tuple[int, int], ...]


@dataclass
class Reached:
    """A table in a template, before its entries are counted."""

    template: Template
    table: Table
    sources: Sources
    kind: Kind
    places: tuple[int, ...]
    data: tuple[DataBit, ...]


class Lookups:
    """What the frames of templates look up where some tables are missed; each is tried once."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self._known: dict[tuple[int, frozenset[str]], tuple[Template, dict[str, tuple[int, ...]]]] = {}

    def of(self, template: Template, entries: Mapping[str, TableEntries]) -> dict[str, tuple[int, ...]]:
        """The tables that are applied, and their keys, where those without entries are missed."""
        case = id(template), frozenset(template.hits).intersection(entries)
        if case not in self._known:
            seen = self.probe.run(template.frame.data, outcomes_of(template, entries))
            self._known[case] = template, dict(seen.applied)  # the template lives on, so that its id stays its own
        return self._known[case][1]


class Builder:
    """Makes a plan of templates that fit each other. `spares`: tables are to have room left."""

    def __init__(
        self, program: Program, wishes: Wishes, diagnostics: Diagnostics, lookups: Lookups, *, spares: bool = False
    ) -> None:
        self.program, self.wishes, self.diagnostics, self.lookups = program, wishes, diagnostics, lookups
        self.spares = spares
        self.kinds: dict[str, list[Kind]] = {}
        self.made: dict[tuple[str, Kind], TableEntries] = {}
        self.feeds: dict[Parameter, Fed] = {}
        # tables whose entries match whole fields: their action data are in keys, so that a frame must hit the entry made for
        # it, or other frames are to miss them
        self.whole: set[str] = set()

    def build(self, reached: list[list[Reached]]) -> Plan:
        made = self.draft(reached)
        if not made.tables:
            ruled = ", ".join(table.name for table in self.program.tables if rule_of(table) is not None)
            why = f", by entries that @entry_restriction allows in {ruled}" if ruled else ""
            self.diagnostics.error(
                self.program.span, f"no table was found that entries and traffic can be made for{why}"
            )
        self.diagnostics.raise_if_errors()
        filled = {one.table.name for one in made.tables}
        return replace(made, streams=tuple(with_varied(self.lookups.probe, one, filled) for one in made.streams))

    def draft(self, reached: list[list[Reached]]) -> Plan:
        """Before it is known which bits decide about cells."""
        streams = tuple(self.streams(reached))
        used = {id(made) for stream in streams for made in stream.entries.values()}
        tables = tuple(made for made in self.made.values() if id(made) in used)
        return Plan(self.program, self.wishes, streams, tables, self.feeds, self.spares)

    def streams(self, reached: list[list[Reached]]) -> list[Stream]:
        """One for each template; those that come to nothing have no entries."""
        for one in (one for group in reached for one in group):
            self._note_kind(one)
            self.whole |= {bit.table for bit in one.data}
        for template in (group[0].template for group in reached):
            self.whole |= {name for name, _ in template.seen.applied} - set(template.hits)
        return [self._stream(group) for group in reached]

    def _note_kind(self, one: Reached) -> None:
        """Templates may want different keys of a table; entries are made for those that no key can be of two of."""
        known = self.kinds.setdefault(one.table.name, [])
        if _out_of_reach(_fields(one.table), one.kind.bits) or one.kind in known:
            return
        divisible = any(isinstance(b, Own) for b in one.kind.bits) or all(isinstance(b, int) for b in one.kind.bits)
        if all(_apart(one.kind.bits, k.bits) or (divisible and one.kind.bits == k.bits) for k in known):
            known.append(one.kind)

    def _stream(self, group: list[Reached]) -> Stream:
        """What is left of a template when tables without entries are missed."""
        template = group[0].template
        needs = {one.table.name: {bit.table for bit in one.data} for one in group}
        entries: dict[str, TableEntries] = {}
        for one in group:
            made = self._entries(one, entries)
            if made is not None:
                entries[one.table.name] = made
        applied = self.lookups.of(template, entries)
        while lost := [
            n for n, made in entries.items() if n not in applied or not _owners_of(made) | needs[n] <= entries.keys()
        ]:
            entries = {name: made for name, made in entries.items() if name not in lost}
            applied = self.lookups.of(template, entries)
        if any(self._always_hit(name, values) for name, values in applied.items() if name not in entries):
            return Stream(template, {}, {}, {})
        kept = [one for one in group if one.table.name in entries]
        return Stream(
            template,
            entries,
            {one.table.name: one.places for one in kept},
            {one.table.name: self._feeder(one) for one in kept if one.data and one.data[0].table in entries},
        )

    def _feeder(self, one: Reached) -> tuple[str, int]:
        parameter = next(iter(_feeders(one)))
        return parameter[0], self.feeds[parameter].keys.groups

    def _always_hit(self, name: str, values: tuple[int, ...]) -> bool:
        """Whether another template's entry, which has constants only, is hit although this one wants a miss."""
        if name not in self.kinds:
            return False
        widths = matched(self.program.table[name])
        bits = tuple(v >> (w - 1 - i) & 1 for v, w in zip(values, widths, strict=True) for i in range(w))
        return any(kind.bits == bits for kind in self.kinds[name])

    def _entries(self, one: Reached, before: Mapping[str, TableEntries]) -> TableEntries | None:
        """The entries of a table as a template wants them; None where there can be none."""
        name, owners = one.table.name, {}
        for bit in one.kind.bits:
            if isinstance(bit, Shared) and bit.table not in before:
                return None
            if isinstance(bit, Shared):
                owners[bit.table] = before[bit.table].keys
        if one.kind not in self.kinds[name]:
            return None
        known = self.made.get((name, one.kind)) or self._make(one, owners)
        if not known.count or known.owners != owners:
            return None  # its keys follow the entries of another kind of frames
        self.made[name, one.kind] = known
        for parameter, pairs in _feeders(one).items():
            if self.feeds.setdefault(parameter, Fed(known.keys, pairs)).bits != pairs:
                return None  # it holds a part of another table's key already
        return known

    def _make(self, one: Reached, owners: Mapping[str, KeySet]) -> TableEntries:
        call = one.template.outcomes[one.table.name]
        assert call is not None
        ports = frozenset(p for t, p in one.sources.ports if t == one.table.name)
        rigid = frozenset(p for t, p in one.sources.rigid if t == one.table.name) - ports
        indexes = {p: size for (t, p), size in one.sources.indexes.items() if t == one.table.name}
        keys, others, wanted, masks = self._keys(one, owners)
        made = TableEntries(one.table, keys, owners, call, ports, rigid, indexes)
        found = patterns.make(
            keys.fields, keys.bits, keys.marks, others, keys.part, self._count(one.table), wanted, keys.salt, masks,
            mender(made, others),
        )  # fmt: skip
        made = made.with_patterns(found)
        if made.count < (count := self._count(one.table)) and one.table.name in self.wishes.entries:
            less = f"table {one.table.name} has only {made.count} different keys for such frames"
            text = f"{less}, so {count} entries cannot be made"
            self.diagnostics.warning(one.table.span, "traffic", text)
        return made

    def _keys(self, one: Reached, owners: Mapping[str, KeySet]) -> tuple[KeySet, int, str | None, int]:
        """The keys, without patterns yet; what these need: how many keys come from others, the prefix lengths, how many masks."""
        name, bits, fields = one.table.name, one.kind.bits, _fields(one.table)
        kinds = self.kinds[name]
        alike = [kind for kind in kinds if kind.bits == bits]
        count = self._count(one.table)
        wanted = self.wishes.lengths.get(name, self.wishes.lengths.get(None))
        unicast = any(patterns.is_dfz(wanted, f.width) for f in fields if f.kind is MatchKind.LPM)
        marks = _marks(fields, bits) if self.wishes.hit < 1 or unicast else ()
        groups = min(MIXED_GROUPS, count) if any(isinstance(b, Own) for b in bits) else count
        feeders = {p: bits for p, bits in _feeders(one).items() if p in self.feeds}
        before = [self.feeds[p].keys for p in feeders]
        groups = min([groups, 1 << min(len(one.data), 63), *(k.groups for k in before)])
        others = min([k.count for k in owners.values()] + ([groups] if one.data else []), default=1)
        salt = self.wishes.seed * 4099 + self.program.tables.index(one.table) * 32 + kinds.index(alike[0])
        part = alike.index(one.kind), len(alike)
        masks = 1 if name in self.whole else patterns.MASKS
        data_salt = before[0].data_salt if before else salt + 5
        fed = tuple((self.feeds[p].keys, _same_bits(self.feeds[p].bits, bits)) for p, bits in feeders.items())
        return KeySet(name, fields, bits, marks, (), groups, salt, part, data_salt, fed), others, wanted, masks

    def _count(self, table: Table) -> int:
        """How many entries each kind of a table's keys is to have."""
        return max(1, self._wanted(table) // len(self.kinds[table.name]))

    def _wanted(self, table: Table) -> int:
        named = self.wishes.entries.get(table.name)
        if named is not None and named > table.size:
            text = f"{named} entries do not fit in table {table.name}: its size is {table.size}"
            self.diagnostics.error(table.span, text)
        return min(
            self.wishes.entries.get(None, USUAL_ENTRIES) if named is None else named, filled_of(table.size, self.spares)
        )


def _owners_of(made: TableEntries) -> set[str]:
    """The tables whose choice of entry is this table's too."""
    return {made.keys.follows} if made.keys.follows is not None else set()


def _feeders(one: Reached) -> dict[Parameter, Pairs]:
    """The parameters (table, action, number) that data bits come from: (bit of the parameter, data bit)."""
    result: dict[Parameter, Pairs] = {}
    for i, bit in enumerate(one.data):
        call = one.template.outcomes[bit.table]
        assert call is not None
        parameter = bit.table, call.action, bit.parameter
        result[parameter] = (*result.get(parameter, ()), (bit.bit, i))
    return result


def _same_bits(theirs: Pairs, ours: Pairs) -> Pairs:
    """Data bits of two keys that are the same bits of a parameter."""
    by_bit = dict(theirs)
    return tuple((by_bit[bit], i) for bit, i in ours if bit in by_bit)


def _fields(table: Table) -> tuple[KeyField, ...]:
    kinds = [k.match_kind for k in table.keys if k.match_kind is not MatchKind.SELECTOR]
    return tuple(KeyField(kind, width) for kind, width in zip(kinds, matched(table), strict=True))


def _by_field(fields: tuple[KeyField, ...], bits: tuple[KeyBit, ...]) -> list[tuple[KeyField, tuple[KeyBit, ...]]]:
    ends = [sum(f.width for f in fields[: i + 1]) for i in range(len(fields))]
    return [(f, bits[end - f.width : end]) for f, end in zip(fields, ends, strict=True)]


def _out_of_reach(fields: tuple[KeyField, ...], bits: tuple[KeyBit, ...]) -> bool:
    """Whether entries would have to match what is not known."""
    return any(
        isinstance(bit, Unknown) for f, part in _by_field(fields, bits) if f.kind not in PRIORITY_KINDS for bit in part
    )


def _apart(one: tuple[KeyBit, ...], other: tuple[KeyBit, ...]) -> bool:
    """Whether constant bits tell two keys apart."""
    return any({a, b} == {0, 1} for a, b in zip(one, other, strict=True) if isinstance(a, int) and isinstance(b, int))


def _marks(fields: tuple[KeyField, ...], bits: tuple[KeyBit, ...]) -> tuple[int, ...]:
    """The first own bits of the field that has most of them."""
    owns = [[b.index for b in part if isinstance(b, Own)] for _, part in _by_field(fields, bits)]
    return tuple(max(owns, key=len, default=[])[:MARKS])
