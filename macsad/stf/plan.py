"""An STF file against a program: names found, values put into the form of their keys. Errors are located in the file."""

from __future__ import annotations

from dataclasses import dataclass

from macsad.stf import statements as st
from macsad.stf.names import find, find_key
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.program import MatchKind, Program, Table, TableKey
from transpiler.interpreter.matches import Exact, Match, Prefix, Range, Ternary, key_bits

Call = tuple[str, tuple[int, ...]]  # an action, the values of its parameters


@dataclass(frozen=True, slots=True)
class AddEntry:
    """`choice`: an action, or the name of a member or a group."""

    table: str
    matches: tuple[Match | None, ...]
    choice: Call | str
    priority: int
    handle: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class CreateMember:
    profile: str
    call: Call
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class CreateGroup:
    profile: str
    members: tuple[str, ...]
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class SetDefaultAction:
    table: str
    action: str
    arguments: tuple[int, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RemoveEntries:
    """One entry by its handle, or (None) all entries that the control plane may remove."""

    handle: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class CounterCheck:
    """`index` is a number, or the handle of an entry (direct counters)."""

    counter: str
    index: int | str
    check: st.CheckCounter

    @property
    def span(self) -> Span:
        return self.check.span


@dataclass(frozen=True, slots=True)
class RegisterCheck:
    register: str
    check: st.CheckRegister

    @property
    def span(self) -> Span:
        return self.check.span


@dataclass(frozen=True, slots=True)
class DeviceCommand:
    """A control-plane command with its name found."""

    word: str
    name: str
    command: st.Command

    @property
    def span(self) -> Span:
        return self.command.span

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(n.value for n in self.command.numbers)


Step = (
    AddEntry
    | CreateMember
    | CreateGroup
    | SetDefaultAction
    | RemoveEntries
    | CounterCheck
    | RegisterCheck
    | DeviceCommand
    | st.SendPacket
    | st.Expect
    | st.NoPacket
    | st.Wait
)

_KINDS = {
    "counter": ("counter", "direct_counter"),
    "register": ("register",),
    "meter": ("meter", "direct_meter"),
    "action profile": ("action_profile", "action_selector"),
    "action selector": ("action_selector",),
}


def make_plan(statements: tuple[st.Statement, ...], program: Program, diagnostics: Diagnostics) -> list[Step]:
    """The steps of the statements that make sense; what is wrong with the others is reported."""
    planner = _Planner(program, diagnostics)
    return [step for statement in statements if (step := planner.step(statement)) is not None]


class _Planner:
    def __init__(self, program: Program, diagnostics: Diagnostics) -> None:
        self.program = program
        self.diagnostics = diagnostics
        self.handles: set[str] = set()
        self.made: dict[str, str] = {}  # name of a member or a group → profile

    def step(self, statement: st.Statement) -> Step | None:
        match statement:
            case st.Add():
                return self._add(statement)
            case st.Member():
                return self._member(statement)
            case st.Group():
                return self._group(statement)
            case st.SetDefault(table=name, action=text, span=span):
                table = self._table(name)
                call = self._action(text, table) if table is not None else None
                return SetDefaultAction(table.name, *call, span) if table is not None and call is not None else None
            case st.Remove(handle=handle, span=span):
                known = handle is None or self._handle(handle) is not None
                return RemoveEntries(handle.text.lstrip("$") if handle else None, span) if known else None
            case st.CheckCounter():
                return self._check(statement)
            case st.CheckRegister():
                register = self._instance(statement.register, "register")
                return RegisterCheck(register, statement) if register is not None else None
            case st.Command():
                return self._command(statement)
            case _:
                return statement

    def _table(self, name: st.Name) -> Table | None:
        found = find(name, self.program.table, "table", self.diagnostics)
        return self.program.table[found] if found is not None else None

    def _add(self, add: st.Add) -> AddEntry | None:
        table = self._table(add.table)
        if table is None:
            return None
        choice = (
            self._action(add.action, table)
            if isinstance(add.action, st.ActionText)
            else self._choice(add.action, table)
        )
        matches = self._matches(add, table)
        if choice is None or matches is None:
            return None
        handle = add.handle.text.lstrip("$") if add.handle else None
        if handle is not None:
            self.handles.add(handle)
        priority = add.priority.value if add.priority else 0
        return AddEntry(table.name, matches, choice, priority, handle, add.span)

    # --- action profiles ---------------------------------------------------------------------------------------------

    def _member(self, member: st.Member) -> CreateMember | None:
        profile = self._instance(member.profile, "action profile")
        if profile is None:
            return None
        tables = [table for table in self.program.tables if table.implementation == profile]
        call = self._action(member.action, *tables) if tables else None
        name = member.name.text.lstrip("$")
        self.made[name] = profile
        return CreateMember(profile, call, name, member.span) if call is not None else None

    def _group(self, group: st.Group) -> CreateGroup | None:
        profile = self._instance(group.profile, "action selector")
        if profile is None:
            return None
        members = [self._made(member, profile) for member in group.members]
        name = group.name.text.lstrip("$")
        self.made[name] = profile
        known = tuple(member for member in members if member is not None)
        return CreateGroup(profile, known, name, group.span) if len(known) == len(members) else None

    def _choice(self, name: st.Name, table: Table) -> str | None:
        return self._made(name, table.implementation)

    def _made(self, name: st.Name, profile: str | None) -> str | None:
        """The name of a member or group of a profile."""
        made = name.text.lstrip("$")
        if self.made.get(made, "") == profile:
            return made
        self.diagnostics.error(name.span, f"no member or group '{made}' of {profile or 'an action profile'} was made")
        return None

    # --- actions -----------------------------------------------------------------------------------------------------

    def _action(self, text: st.ActionText, *tables: Table) -> Call | None:
        kind = f"action of table {' or '.join(table.name for table in tables)}"
        named = {self.program.action[use.action].control_name: use.action for table in tables for use in table.actions}
        found = find(text.name, named, kind, self.diagnostics)
        if found is None:
            return None
        action = named[found]
        parameters = self.program.action[action].parameters
        given: dict[str, int] = {}
        for argument in text.arguments:
            parameter = find(argument.name, parameters, f"parameter of action {action}", self.diagnostics)
            if parameter is None or not self._fits(argument, parameter):
                return None
            if parameter in given:
                self.diagnostics.error(argument.name.span, f"'{parameter}' has a value already")
                return None
            given[parameter] = argument.value.value
        missing = [p.rsplit(".", 1)[-1] for p in parameters if p not in given]
        if missing:
            self.diagnostics.error(text.name.span, f"action {action} needs a value for {', '.join(missing)}")
            return None
        return action, tuple(given[p] for p in parameters)

    def _fits(self, argument: st.Argument, parameter: str) -> bool:
        width = getattr(self.program.variable[parameter].type, "width", 32)
        if argument.value.wild:
            self.diagnostics.error(argument.value.span, "an action's argument cannot have wildcards")
        elif argument.value.value > ones(width):
            self.diagnostics.error(argument.value.span, f"the value does not fit in the {width} bits of '{parameter}'")
        else:
            return True
        return False

    # --- keys --------------------------------------------------------------------------------------------------------

    def _matches(self, add: st.Add, table: Table) -> tuple[Match | None, ...] | None:
        keys = [k for k in table.keys if k.match_kind is not MatchKind.SELECTOR]
        names = [k.name for k in keys]
        found: dict[int, Match] = {}
        for given in add.keys:
            position = find_key(given.name, names, table.name, self.diagnostics)
            if position is None:
                return None
            match = self._match(given, keys[position])
            if match is None:
                return None
            if position in found:
                self.diagnostics.error(given.name.span, f"the key '{names[position]}' has a value already")
                return None
            found[position] = match
        for position, key in enumerate(keys):
            if position not in found and key.match_kind in (MatchKind.EXACT, MatchKind.VALID):
                self.diagnostics.error(add.span, f"the exact key '{key.name}' of table {table.name} needs a value")
                return None
        return tuple(found.get(i) for i in range(len(keys)))

    def _match(self, given: st.KeyValue, key: TableKey) -> Match | None:
        width = key_bits(key).width
        numbers = [n for n in (given.first, given.second) if n is not None]
        if given.operator == "/":
            numbers = numbers[:1]
        for number in numbers:
            if number.value > ones(width):
                self.diagnostics.error(number.span, f"the value does not fit in the {width} bits of '{key.name}'")
                return None
        match = _of_text(given, key, width)
        if match is None:
            what = {"/": "a prefix", "&&&": "a mask", "..": "a range"}.get(given.operator, "wildcards")
            kind = key.match_kind.value
            self.diagnostics.error(given.first.span, f"'{key.name}' is matched by {kind}, which cannot have {what}")
        return match

    # --- the rest ----------------------------------------------------------------------------------------------------

    def _handle(self, name: st.Name) -> str | None:
        handle = name.text.lstrip("$")
        if handle in self.handles:
            return handle
        self.diagnostics.error(name.span, f"no entry was added with the handle '{handle}'")
        return None

    def _instance(self, name: st.Name, kind: str) -> str | None:
        names = [e.name for e in self.program.externs if e.kind in _KINDS[kind]]
        return find(name, names, kind, self.diagnostics)

    def _check(self, check: st.CheckCounter) -> CounterCheck | None:
        counter = self._instance(check.counter, "counter")
        index: int | str | None
        if isinstance(check.index, st.Name):
            index = self._handle(check.index)
            if counter is not None and self.program.extern[counter].kind != "direct_counter":
                self.diagnostics.error(check.index.span, f"counter {counter} is not direct: its index is a number")
                return None
        else:
            index = check.index.value
        return CounterCheck(counter, index, check) if counter is not None and index is not None else None

    def _command(self, command: st.Command) -> DeviceCommand | None:
        name: str | None = ""
        if command.name is not None:
            name = self._instance(command.name, command.word.split("_", 1)[0])
        return DeviceCommand(command.word, name, command) if name is not None else None


def _of_text(given: st.KeyValue, key: TableKey, width: int) -> Match | None:
    """A key's value as written, as a match; None when the key's kind has no such match."""
    first, second, full = given.first, given.second, ones(width)
    kind = key.match_kind
    if second is not None and given.operator == "/":
        fits = second.value <= width
        return Prefix(first.value, second.value) if fits and kind in (MatchKind.LPM, MatchKind.TERNARY) else None
    if second is not None and given.operator == "&&&":
        return Ternary(first.value, second.value) if kind in (MatchKind.TERNARY, MatchKind.OPTIONAL) else None
    if second is not None:
        return Range(first.value, second.value) if kind is MatchKind.RANGE else None
    if not first.wild:
        return Exact(first.value)
    cared = ones(first.digit_bits) & full & ~first.wild  # bits above the digits are wildcards too
    if kind is MatchKind.LPM:
        length = cared.bit_count()
        return Prefix(first.value, length) if cared == full ^ full >> length else None
    whole = cared == 0 and kind in (MatchKind.OPTIONAL, MatchKind.RANGE)
    return Ternary(first.value & full, cared) if kind is MatchKind.TERNARY or whole else None
