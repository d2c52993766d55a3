"""Tables whose answer is chosen: for each key that is looked up, a hit with one of the actions, or a miss.

What the control plane may not change is looked up. A choice is made true by an entry for that very key, or by the default action.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

import z3

from transpiler.hlir.program import MAX_SIZE, Program, Table
from transpiler.hlir.types import width_of
from transpiler.interpreter.tables import Call, Entry, RuntimeTable
from transpiler.testgen.record import Record
from transpiler.testgen.terms import Term


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a lookup ends with; of a miss, `action` "" is the program's own default."""

    hit: bool
    action: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The lookup number `turn` of a table; `at`: so many decisions were made before it."""

    table: str
    turn: int
    outcome: Outcome
    at: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """An entry that makes a choice true."""

    table: str
    key: tuple[int, ...]
    action: str
    arguments: tuple[int, ...]


GROUPS, SESSIONS, HOSTS = "multicast group", "clone session", "port of the host"  # in place of a table
_THERE, _ABSENT = Outcome(True, ""), Outcome(False, "")
Choices = dict[tuple[str, int], Outcome]  # table, turn
Prefer = Callable[[str, tuple[Outcome, ...]], Outcome]


def alternatives(program: Program, name: str) -> tuple[Outcome, ...]:
    """What there is to choose at a place."""
    return (_ABSENT, _THERE) if name in (GROUPS, SESSIONS, HOSTS) else outcomes(program.table[name])


@cache
def outcomes(table: Table) -> tuple[Outcome, ...]:
    """What the control plane can make of a lookup in a table."""
    hits = [] if not table.keys or table.const_entries else [u.action for u in table.actions if not u.default_only]
    if not table.size and not table.entries:
        hits = []
    # of a table that has keys, an action that entries can have needs no second way
    misses = [
        u.action
        for u in table.actions
        if not u.table_only and not table.const_default and u.action not in (*hits, table.default_action.action)
    ]
    return (*(Outcome(True, a) for a in hits), Outcome(False, ""), *(Outcome(False, a) for a in misses))


@dataclass(frozen=True)
class Setting:
    """What is there before a packet's choices. `known`: what tables answer for a key already, None: a miss; `room`: entries
    that a table has room for; `defaults`: whether a default action may be chosen, too."""

    known: Mapping[tuple[str, tuple[int, ...]], Call | None] = field(default_factory=dict)
    room: Callable[[str], int] = lambda table: MAX_SIZE
    defaults: bool = True


@dataclass
class Desk:
    """The choices of one packet. `prefer` makes those that are free."""

    program: Program
    fixed: Choices
    prefer: Prefer
    record: Record
    setting: Setting = Setting()
    made: list[Choice] = field(default_factory=list)
    entries: list[Chosen] = field(default_factory=list)
    defaults: dict[str, Call] = field(default_factory=dict)
    missed: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)  # keys that are to have no entry
    answers: dict[tuple[str, tuple[int, ...]], Entry | None] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    there: dict[tuple[str, int], bool] = field(default_factory=dict)

    def answer(self, table: RuntimeTable, key: tuple[int, ...]) -> Entry | None:
        """What a lookup of a key gives that no entry of the program matches."""
        name = table.declared.name
        if (name, key) in self.answers:
            return self.answers[name, key]
        possible = self._possible(table)
        if len(possible) == 1 and possible[0] == Outcome(False, ""):
            self.missed.append((name, key))
            return None
        turn = self.turns[name] = self.turns.get(name, -1) + 1
        outcome = self.fixed.get((name, turn))
        if outcome not in possible:
            outcome = self.prefer(name, possible)
        self.made.append(Choice(name, turn, outcome, len(self.record.decisions)))
        entry = self._entry(table, key, turn, outcome) if outcome.hit else None
        if not outcome.hit:
            self._miss(table, outcome)
            self.missed.append((name, key))
        self.answers[name, key] = entry
        return entry

    def is_there(self, kind: str, number: int) -> bool:
        """Whether the group or session of that number was made."""
        if (kind, number) not in self.there:
            turn = self.turns[kind] = self.turns.get(kind, -1) + 1
            outcome = self.fixed.get((kind, turn)) or self.prefer(kind, (_ABSENT, _THERE))
            self.made.append(Choice(kind, turn, outcome, len(self.record.decisions)))
            self.there[kind, number] = outcome.hit
        return self.there[kind, number]

    def _possible(self, table: RuntimeTable) -> tuple[Outcome, ...]:
        name = table.declared.name
        found = outcomes(table.declared)
        if not self.setting.defaults:
            found = tuple(o for o in found if o.hit or not o.action)
        taken = self.counts.get(name, 0)
        if len(table.entries) + taken >= table.declared.size or taken >= self.setting.room(name):
            found = tuple(o for o in found if not o.hit) or (Outcome(False, ""),)
        if name in self.defaults:  # there is one default action for all misses
            action = self.defaults[name].action
            found = (*tuple(o for o in found if o.hit), Outcome(False, action))
        return found

    def _entry(self, table: RuntimeTable, key: tuple[int, ...], turn: int, outcome: Outcome) -> Entry:
        name = table.declared.name
        call = self._call(name, outcome.action, f"{turn}")
        self.counts[name] = self.counts.get(name, 0) + 1
        self.entries.append(Chosen(name, key, call.action, call.arguments))
        return Entry(table.next_handle + self.counts[name] - 1, (), call, 0)

    def _miss(self, table: RuntimeTable, outcome: Outcome) -> None:
        name = table.declared.name
        if name in self.defaults:
            return
        if outcome.action:
            table.default = self._call(name, outcome.action, "default")
            self.defaults[name] = table.default
        else:
            self.defaults[name] = Call("")

    def _call(self, table: str, action: str, which: str) -> Call:
        """The action with arguments that one chooses."""
        arguments = []
        for name in self.program.action[action].parameters:
            width = width_of(self.program.variable[name].type)
            variable = f"{table}#{which}:{action}.{name}"
            arguments.append(self.record.variable(variable, width, 1) if width else 0)
        return Call(action, tuple(arguments))


class ChosenTable(RuntimeTable):
    """A table that asks the desk."""

    def __init__(self, table: RuntimeTable) -> None:
        self.__dict__.update(table.__dict__)
        self.initial = table.default, dict(table.entries), table.next_handle
        self.desk: Desk | None = None

    def begin(self, desk: Desk) -> None:
        """Another packet, which knows nothing of those before it."""
        self.default, entries, self.next_handle = self.initial
        self.entries.clear()
        self.entries.update(entries)
        self._times.clear()
        self.desk = desk

    def lookup(self, values: tuple[int, ...]) -> Entry | None:
        assert self.desk is not None
        self.desk.record.at(("table", self.declared.name))
        found = super().lookup(values)
        if found is not None:
            return found
        key = tuple(int(v) for v in values)
        known, place = self.desk.setting.known, (self.declared.name, key)
        if place not in known:
            return self.desk.answer(self, key)
        same = [v.bits == n for v, n in zip(values, key, strict=True) if isinstance(v, Term)]
        if same:
            self.desk.record.decide(z3.And(*same) if len(same) > 1 else same[0], True)
        call = known[place]
        return None if call is None else Entry(0, (), call, 0)


def arguments_of(call: Call) -> tuple[int, ...]:
    """As numbers alone."""
    return tuple(int(a) if isinstance(a, Term) else a for a in call.arguments)
