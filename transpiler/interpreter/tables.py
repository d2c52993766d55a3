"""Tables at run time: a list of entries, searched from the first to the last.

Of several entries that match, the one with the larger priority wins, in a table with ternary, range or optional keys;
the one with the longer prefix in others. What is then still equal goes by age, the oldest first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.externs.learning import EXPIRE_SECONDS
from transpiler.hlir.program import MatchKind, Program, Table, TableKey
from transpiler.hlir.types import width_of
from transpiler.interpreter.matches import (
    PRIORITY_KINDS,
    Exact,
    Match,
    Prefix,
    key_bits,
    normalised,
    of_key_set,
    wildcard,
)
from transpiler.interpreter.state import State


class ControlError(Exception):
    """A request of the control plane that cannot be carried out; the text says why."""


@dataclass(frozen=True, slots=True)
class Call:
    """An action with the values of its parameters."""

    action: str
    arguments: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MemberRef:
    """An entry's choice in a table with an action profile: one member."""

    member: int


@dataclass(frozen=True, slots=True)
class GroupRef:
    """An entry's choice in a table with an action selector: a group, of which a hash picks a member."""

    group: int


Choice = Call | MemberRef | GroupRef


@dataclass(frozen=True, slots=True)
class Entry:
    """`handle` is unique in its table and never used again. Handles of the program's own entries come first."""

    handle: int
    matches: tuple[Match, ...]
    choice: Choice
    priority: int


@dataclass
class Profile:
    """An action profile or selector: members, and groups of them. Handles of members and those of groups count from 0."""

    name: str
    selector: bool
    algorithm: str
    width: int
    members: dict[int, Call] = field(default_factory=dict)
    groups: dict[int, list[int]] = field(default_factory=dict)


@dataclass
class _Time:
    """Since when an entry lives for the time of its expire time profile; None: for ever."""

    since_us: int
    profile: int | None


class RuntimeTable:
    """One table's entries and default action."""

    def __init__(self, program: Program, table: Table) -> None:
        self.program = program
        self.declared = table
        self.keys: tuple[TableKey, ...] = tuple(k for k in table.keys if k.match_kind is not MatchKind.SELECTOR)
        self._types = tuple(map(key_bits, self.keys))
        self.selector_keys = tuple(k for k in table.keys if k.match_kind is MatchKind.SELECTOR)
        self.by_priority = any(k.match_kind in PRIORITY_KINDS for k in self.keys)
        self.entries: dict[int, Entry] = {}
        self.next_handle = 0
        self.expire_us: dict[int, int] = {n: 1_000_000 * seconds for n, seconds in enumerate(EXPIRE_SECONDS)}
        self._times: dict[int, _Time] = {}
        self.default = self._initial_default()
        self._add_constant_entries()

    def _initial_default(self) -> Call:
        call = self.declared.default_action
        return Call(call.action, tuple(c.value for c in call.arguments))

    def _add_constant_entries(self) -> None:
        if not self.declared.entries:
            return
        state = State(self.program)
        for entry in self.declared.entries:
            found = tuple(of_key_set(k, key, state) for k, key in zip(entry.keys, self.keys, strict=True))
            call = Call(entry.call.action, tuple(c.value for c in entry.call.arguments))
            self._insert(found, call, entry.priority if self.by_priority else 0)

    def _insert(self, found: tuple[Match, ...], choice: Choice, priority: int) -> int:
        handle = self.next_handle
        self.next_handle += 1
        self.entries[handle] = Entry(handle, found, choice, priority)
        return handle

    # --- control plane -----------------------------------------------------------------------------------------------

    def add(self, wanted: tuple[Match | None, ...], choice: Choice, priority: int) -> int:
        """Add an entry; None stands for "any value". Returns its handle. Raises: ControlError."""
        self._check_mutable()
        found = self.normalise(wanted)
        priority = priority if self.by_priority else 0
        if any(e.matches == found and e.priority == priority for e in self.entries.values()):
            raise ControlError(f"{self.declared.name} already has an entry with this key")
        if len(self.entries) >= self.declared.size:
            raise ControlError(f"{self.declared.name} is full: it has room for {self.declared.size} entries")
        if isinstance(choice, Call):
            self.check_call(choice, default=False)
        return self._insert(found, choice, priority)

    def modify(self, handle: int, choice: Choice) -> None:
        """Give an entry another action. Raises: ControlError."""
        self._check_mutable()
        old = self._entry(handle)
        if isinstance(choice, Call):
            self.check_call(choice, default=False)
        self.entries[handle] = Entry(handle, old.matches, choice, old.priority)

    def delete(self, handle: int) -> None:
        """Take an entry out. Raises: ControlError."""
        self._check_mutable()
        self._entry(handle)
        del self.entries[handle]
        self._times.pop(handle, None)

    def clear(self) -> None:
        """Take all entries out. Raises: ControlError."""
        self._check_mutable()
        self.entries.clear()
        self._times.clear()

    def set_default(self, call: Call) -> None:
        """Set the action of a miss. Raises: ControlError."""
        if self.declared.const_default:
            raise ControlError(f"{self.declared.name} has a constant default action")
        self.check_call(call, default=True)
        self.default = call

    def normalise(self, wanted: tuple[Match | None, ...]) -> tuple[Match, ...]:
        """The key of an entry in its one form. Raises: ControlError."""
        if len(wanted) != len(self.keys):
            raise ControlError(f"{self.declared.name} has {len(self.keys)} keys, not {len(wanted)}")
        result = []
        for match, key in zip(wanted, self.keys, strict=True):
            given = wildcard(key) if match is None else match
            if given is None:
                raise ControlError(f"{key.name} is matched by {key.match_kind.value} and needs a value")
            try:
                result.append(normalised(given, key))
            except ValueError as error:
                raise ControlError(str(error)) from None
        return tuple(result)

    def check_call(self, call: Call, default: bool) -> None:
        """Whether this table may run that action with these arguments. Raises: ControlError."""
        use = next((u for u in self.declared.actions if u.action == call.action), None)
        if use is None:
            raise ControlError(f"{self.declared.name} has no action {call.action}")
        if (use.default_only and not default) or (use.table_only and default):
            where = "entries" if use.default_only else "the default action"
            raise ControlError(f"{self.declared.name}: {call.action} is not allowed for {where}")
        parameters = self.program.action[call.action].parameters
        if len(parameters) != len(call.arguments):
            raise ControlError(f"{call.action} has {len(parameters)} parameters, not {len(call.arguments)}")
        for name, value in zip(parameters, call.arguments, strict=True):
            width = width_of(self.program.variable[name].type)
            if not 0 <= value < 1 << width:
                raise ControlError(f"{call.action}: {value:#x} does not fit in the {width} bits of {name}")

    def _check_mutable(self) -> None:
        if self.declared.const_entries:
            raise ControlError(f"{self.declared.name} has constant entries")

    def _entry(self, handle: int) -> Entry:
        if handle not in self.entries:
            raise ControlError(f"{self.declared.name} has no entry {handle}")
        return self.entries[handle]

    # --- packets -----------------------------------------------------------------------------------------------------

    def learn(self, key: tuple[int, ...], call: Call, profile: int, now_us: int) -> bool:
        """Add an entry for a key that missed. False: there is one, or no room."""
        if self.lookup(key) is not None or len(self.entries) >= self.declared.size:
            return False
        found = self.normalise(tuple(Exact(value) for value in key))
        self._times[self._insert(found, call, 0)] = _Time(now_us, profile)
        return True

    def restart(self, handle: int, profile: int | None, now_us: int) -> None:
        """The entry lives for its expire time from now on; for that of `profile`, if one is given."""
        time = self._times.setdefault(handle, _Time(now_us, None))
        time.since_us = now_us
        if profile is not None:
            time.profile = profile

    def expire(self, now_us: int) -> None:
        """Delete the entries whose time is over."""
        for handle, time in list(self._times.items() if self.declared.deletes else ()):
            limit = self.expire_us.get(time.profile) if time.profile is not None else None
            if limit is not None and now_us - time.since_us >= limit:
                self.entries.pop(handle, None)
                del self._times[handle]

    def lookup(self, values: tuple[int, ...]) -> Entry | None:
        """The entry that these key values hit; a table without keys always misses."""
        if not self.keys:
            return None
        best: Entry | None = None
        for entry in self.entries.values():
            if self._hit(entry, values) and (best is None or self._rank(entry) > self._rank(best)):
                best = entry
        return best

    def _hit(self, entry: Entry, values: tuple[int, ...]) -> bool:
        triples = zip(entry.matches, values, self._types, strict=True)
        return all(match.takes(value, type_) for match, value, type_ in triples)

    def _rank(self, entry: Entry) -> int:
        if self.by_priority:
            return entry.priority
        return sum(m.length for m in entry.matches if isinstance(m, Prefix))
