"""Random table entries and packets for a given program, made so that they meet: hypothesis strategies that shrink.

Packets grow along the program's own parser: whatever the parser reads is drawn when it reads it, from the values that
its select cases and the table entries speak of, or from anywhere. Then they are cut short or damaged, now and then.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as some

from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.program import (
    Control,
    ExternInstance,
    MatchKind,
    Parser,
    Program,
    Role,
    Select,
    Table,
    TableKey,
    ValueSet,
)
from transpiler.hlir.statements import If, Switch
from transpiler.hlir.traverse import keyset_expressions, walk
from transpiler.hlir.types import Bits
from transpiler.interpreter.evaluate import to_bytes
from transpiler.interpreter.execute import Execution, Runaway
from transpiler.interpreter.matches import Exact, Match, Prefix, Range, Ternary, key_bits, member_keys, normalised
from transpiler.interpreter.packet import ParserReject, Reader, Transit
from transpiler.interpreter.parse import parse
from transpiler.interpreter.state import BitString, HeaderValue, State
from transpiler.interpreter.store import Store
from transpiler.interpreter.tables import RuntimeTable
from transpiler.interpreter.trace import silent

Draw = Callable[[Any], Any]
FieldName = tuple[str, str]  # header type, field

LONGEST_BYTES = 400


@dataclass(frozen=True, slots=True)
class NewEntry:
    table: str
    matches: tuple[Match, ...]
    action: str
    arguments: tuple[int, ...]
    priority: int


@dataclass(frozen=True, slots=True)
class NewProfile:
    """Members of an action profile (action, arguments), and groups of them by their places here."""

    name: str
    members: tuple[tuple[str, tuple[int, ...]], ...]
    groups: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class NewChoice:
    """An entry of a table with a profile: a member or a group, by its place in `NewProfile`."""

    table: str
    profile: str
    matches: tuple[Match, ...]
    chosen: int
    priority: int
    group: bool


Default = tuple[str, str, tuple[int, ...]]  # table, action, arguments


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is done to a switch: what the control plane sets first, frames (port, bytes), then what it does after half of
    these: adds the entries of `late` tables, which are empty until then, sets other defaults, takes out entries (by their
    place in `entries`)."""

    entries: tuple[NewEntry, ...]
    defaults: tuple[Default, ...]
    packets: tuple[tuple[int, bytes], ...]
    profiles: tuple[NewProfile, ...] = ()
    choices: tuple[NewChoice, ...] = ()
    value_sets: tuple[tuple[str, tuple[Match, ...]], ...] = ()
    bursts: tuple[tuple[str, int, int], ...] = ()  # of meters (name, index, packets), never refilled: that takes time
    later: tuple[Default, ...] = ()
    removed: tuple[int, ...] = ()
    late: tuple[str, ...] = ()


@dataclass
class Hints:
    """Values that are worth trying: by field, and by width where no field is known."""

    fields: dict[FieldName, list[int]] = field(default_factory=lambda: defaultdict(list))
    widths: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    aims: list[dict[FieldName, int]] = field(default_factory=list)  # fields that together hit an entry

    def add(self, program: Program, expression: ex.Expression, values: list[int]) -> None:
        """Note that an expression is compared with these values."""
        width = getattr(expression.type, "width", 1)
        self.widths[width] += values
        for name in _fields_of(program, expression):
            self.fields[name] += values


def _fields_of(program: Program, expression: ex.Expression) -> list[FieldName]:
    """The header fields that an expression reads."""
    found = []
    for place in _fields_read(expression):
        header = place.header.name if isinstance(place.header, ex.HeaderRef) else place.header.stack
        found.append((program.header_type_of[header].name, place.field))
    return found


def _fields_read(expression: ex.Expression) -> Iterator[ex.FieldRef]:
    match expression:
        case ex.Read(place=ex.FieldRef() as place):
            yield place
        case ex.Unary(operand=operand) | ex.Slice(operand=operand) | ex.Cast(operand=operand):
            yield from _fields_read(operand)
        case ex.Binary(left=left, right=right):
            yield from _fields_read(left)
            yield from _fields_read(right)
        case ex.ListExpression(items=items):
            for item in items:
                yield from _fields_read(item)


def parser_hints(program: Program) -> Hints:
    """What the parser's select cases, the program's conditions and its own entries compare with."""
    hints = Hints()
    parser = program.pipe(Role.PARSER)
    for state in parser.states if isinstance(parser, Parser) else ():
        if not isinstance(state.transition, Select):
            continue
        for case in state.transition.cases:
            for subject, keys in zip(state.transition.subjects, case.keys, strict=False):
                hints.add(program, subject, _constants(keys))
    for pipe in program.pipes:
        for statement in walk(pipe.body) if isinstance(pipe, Control) else ():
            if isinstance(statement, If):
                _condition_hints(program, statement.condition, hints)
            if isinstance(statement, Switch):
                hints.add(program, statement.subject, [v for c in statement.cases for v in c.values])
    for table in program.tables:
        keyed = [k for k in table.keys if k.match_kind is not MatchKind.SELECTOR]
        for entry in table.entries:
            for key, keys in zip(keyed, entry.keys, strict=True):
                hints.add(program, key.expression, _constants(keys))
    return hints


def _condition_hints(program: Program, condition: ex.Expression, hints: Hints) -> None:
    match condition:
        case ex.Binary(left=left, right=ex.Const(value=value)) | ex.Binary(left=ex.Const(value=value), right=left):
            hints.add(program, left, [value])
        case ex.Binary(left=left, right=right):
            _condition_hints(program, left, hints)
            _condition_hints(program, right, hints)
        case ex.Unary(operand=operand):
            _condition_hints(program, operand, hints)


def _constants(keys: ex.KeySet) -> list[int]:
    return [e.value for e in keyset_expressions(keys) if isinstance(e, ex.Const)]


def numbers(width: int, hints: list[int]) -> some.SearchStrategy[int]:
    """Numbers of a width: hints, ends of the range, small ones, any."""
    top = ones(width)
    known = sorted({h & top for h in hints} | {0, 1 & top, top, top >> 1})
    likely = some.sampled_from(known)
    return some.one_of(likely, likely, some.integers(0, min(top, 15)), some.integers(0, top))


# --- entries ---------------------------------------------------------------------------------------------------------


@some.composite
def entries_of(
    draw: Draw, program: Program, table: Table, hints: Hints, ports: tuple[int, ...]
) -> tuple[NewEntry, ...]:
    """Entries of a table, each with another key and another priority."""
    actions = [u.action for u in table.actions if not u.default_only]
    if table.implementation or not actions:
        return ()
    found = []
    for matches, priority in draw(_keys_of(program, table, hints)):
        action = draw(some.sampled_from(actions))
        found.append(NewEntry(table.name, matches, action, draw(_arguments(program, action, ports)), priority))
    return tuple(found)


@some.composite
def _keys_of(draw: Draw, program: Program, table: Table, hints: Hints) -> list[tuple[tuple[Match, ...], int]]:
    """Keys of entries, each with a priority; all different, none that the program's own entries have. Packets are told."""
    keys = [k for k in table.keys if k.match_kind is not MatchKind.SELECTOR]
    if not keys or table.const_entries:
        return []
    count = draw(some.integers(0, min(8, table.size - len(table.entries))))
    priorities = draw(some.lists(some.integers(1, 1000), min_size=count, max_size=count, unique=True))
    taken = {entry.matches for entry in RuntimeTable(program, table).entries.values()}
    found: dict[tuple[Match, ...], int] = {}
    for priority in priorities:
        matches = tuple(draw(_match(key, hints.widths[key_bits(key).width])) for key in keys)
        if matches not in taken:
            found.setdefault(matches, priority)
    for matches in found:
        aim = {}
        for key, match in zip(keys, matches, strict=True):
            hints.add(program, key.expression, _values(match))
            aim |= dict.fromkeys(_fields_of(program, key.expression), _values(match)[0])
        hints.aims.append(aim)
    return list(found.items())


@some.composite
def profile_of(draw: Draw, program: Program, profile: ExternInstance, ports: tuple[int, ...]) -> tuple[NewProfile, ...]:
    """Some members of a profile, and groups of a selector, which may be empty."""
    tables = [t for t in program.tables if t.implementation == profile.name]
    lists = [{u.action for u in t.actions if not u.default_only} for t in tables]
    actions = sorted(set.intersection(*lists)) if lists else []
    if not actions:
        return ()
    members = []
    for _ in range(draw(some.integers(1, 4))):
        action = draw(some.sampled_from(actions))
        members.append((action, draw(_arguments(program, action, ports))))
    some_members = some.lists(some.integers(0, len(members) - 1), max_size=4, unique=True).map(tuple)
    selects = profile.kind == "action_selector"
    groups = draw(some.lists(some_members, min_size=1, max_size=3)) if selects else []
    return (NewProfile(profile.name, tuple(members), tuple(groups)),)


@some.composite
def choices_of(
    draw: Draw, program: Program, table: Table, hints: Hints, profiles: dict[str, NewProfile]
) -> tuple[NewChoice, ...]:
    """Entries of a table with a profile."""
    profile = profiles.get(table.implementation or "")
    if profile is None:
        return ()
    found = []
    for matches, priority in draw(_keys_of(program, table, hints)):
        group = bool(profile.groups) and draw(some.sampled_from([True, True, False]))
        known = profile.groups if group else profile.members
        chosen = draw(some.integers(0, len(known) - 1))
        found.append(NewChoice(table.name, profile.name, matches, chosen, priority, group))
    return tuple(found)


@some.composite
def members_of(draw: Draw, program: Program, hints: Hints, value_set: ValueSet) -> Any:
    """Members of a value set."""
    keys = member_keys(value_set)
    found = []
    for _ in range(draw(some.integers(0, min(3, value_set.size)))):
        member = tuple(draw(_match(key, hints.widths[key_bits(key).width])) for key in keys)
        for key, match in zip(keys, member, strict=True):
            hints.widths[key_bits(key).width] += _values(match)
        found.append((value_set.name, member))
    return tuple(dict.fromkeys(found))


@some.composite
def _match(draw: Draw, key: TableKey, hints: list[int]) -> Match:
    type_ = key_bits(key)
    value = draw(numbers(type_.width, hints))
    match key.match_kind:
        case MatchKind.LPM:
            found: Match = Prefix(value, draw(some.integers(0, type_.width)))
        case MatchKind.TERNARY:
            whole = ones(type_.width)
            masks = some.one_of(some.sampled_from([0, whole, whole & ~1, whole >> 1]), some.integers(0, whole))
            found = Ternary(value, draw(masks))
        case MatchKind.OPTIONAL:
            found = Ternary(value, draw(some.sampled_from([0, ones(type_.width)])))
        case MatchKind.RANGE:
            found = Range(*sorted((value, draw(numbers(type_.width, hints)))))
        case _:
            found = Exact(value)
    return normalised(found, key)


def _values(match: Match) -> list[int]:
    return [match.low, match.high] if isinstance(match, Range) else [match.value]


@some.composite
def _arguments(draw: Draw, program: Program, action: str, ports: tuple[int, ...]) -> tuple[int, ...]:
    """Action data; what is as wide as a port is mostly one of the switch's."""
    values = []
    for name in program.action[action].parameters:
        width = getattr(program.variable[name].type, "width", 1)
        values.append(
            draw(some.one_of(some.sampled_from(ports), numbers(9, [511])) if width == 9 else numbers(width, []))
        )
    return tuple(values)


# --- packets ---------------------------------------------------------------------------------------------------------


class _Enough(Exception):
    """The packet is long enough."""


class _GrowingReader(Reader):
    """A reader that makes up the frame as the parser reads it."""

    def __init__(self, draw: Draw, hints: Hints, aim: dict[FieldName, int]) -> None:
        super().__init__(b"")
        self.draw, self.hints, self.aim = draw, hints, aim
        self.value = self.width = 0  # what the frame has so far

    def _grow(self, width: int, values: some.SearchStrategy[int]) -> None:
        if self.width + width > LONGEST_BYTES * 8:
            raise _Enough
        self.value = self.value << width | self.draw(values)
        self.width += width

    def _grow_field(self, width: int, name: FieldName) -> None:
        values = numbers(width, self.hints.fields[name])
        if name in self.aim:
            aimed = some.just(self.aim[name] & ones(width))
            values = some.one_of(aimed, aimed, aimed, values)
        self._grow(width, values)

    def peek(self, width: int) -> int:
        missing = self.cursor + width - self.width
        if missing > 0:
            self._grow(missing, numbers(missing, self.hints.widths[missing]))
        return self.value >> (self.width - self.cursor - width) & ones(width)

    def advance(self, width: int) -> None:
        if width > LONGEST_BYTES * 8:
            raise ParserReject("PacketTooShort")
        self.peek(width)
        self.cursor += width

    def extract(self, header: HeaderValue, varbit_bits: int | None) -> None:
        variable = varbit_bits or 0
        limit = next((f.type.max_width for f in header.layout.fields if not isinstance(f.type, Bits)), 0)
        if variable % 8 or variable > limit:
            raise ParserReject("HeaderTooShort")
        for declared in header.layout.fields:
            width = declared.type.width if isinstance(declared.type, Bits) else variable
            if self.cursor + width > self.width:
                seen = max(0, self.width - self.cursor)
                self._grow_field(width - seen, (header.layout.name, declared.name))
            value = self.peek(width)
            self.cursor += width
            header.fields[declared.name] = value if isinstance(declared.type, Bits) else BitString(value, width)
        header.valid = True

    def frame(self) -> bytes:
        return to_bytes(self.value, self.width)


@some.composite
def frames(draw: Draw, program: Program, hints: Hints) -> bytes:
    """A frame along the parser, with some payload; sometimes cut short, or with a byte changed, or just noise."""
    kind = draw(some.sampled_from(["whole"] * 6 + ["cut", "changed", "noise"]))
    if kind == "noise":
        return draw(some.binary(min_size=1, max_size=80))
    state = State(program)
    reader = _GrowingReader(draw, hints, draw(some.sampled_from([{}, *hints.aims])))
    parser = program.pipe(Role.PARSER)
    if isinstance(parser, Parser):
        with contextlib.suppress(_Enough, Runaway):
            parse(Execution(Store(program), state, Transit(0, 0), silent), parser, reader)
    frame = reader.frame() + draw(some.binary(max_size=12))
    if kind == "cut" and len(frame) > 1:
        frame = frame[: draw(some.integers(1, len(frame) - 1))]
    if kind == "changed" and frame:
        at = draw(some.integers(0, len(frame) - 1))
        frame = frame[:at] + bytes([draw(some.integers(0, 255))]) + frame[at + 1 :]
    return frame or b"\0"


@some.composite
def scenarios(draw: Draw, program: Program, ports: tuple[int, ...] = (0, 1, 2, 3)) -> Scenario:
    """Everything for one run of a program: entries, then a few trains of frames, each at one port, one or more times."""
    hints = parser_hints(program)
    value_sets = tuple(m for v in program.value_sets for m in draw(members_of(program, hints, v)))
    entries = tuple(e for t in program.tables for e in draw(entries_of(program, t, hints, ports)))
    made = [x for x in program.externs if x.kind in ("action_profile", "action_selector")]
    profiles = tuple(p for x in made for p in draw(profile_of(program, x, ports)))
    by_name = {p.name: p for p in profiles}
    choices = tuple(c for t in program.tables for c in draw(choices_of(program, t, hints, by_name)))
    defaults = tuple(d for t in program.tables for d in draw(_default(program, t, ports)))
    later = tuple(d for t in program.tables for d in draw(_default(program, t, ports)))
    train = some.lists(frames(program, hints), min_size=1, max_size=16)
    sent: list[tuple[int, bytes]] = []
    for _ in range(draw(some.integers(1, 3))):
        port = draw(some.sampled_from(ports))
        sent += [(port, frame) for frame in draw(train) * draw(some.sampled_from([1, 1, 3, 20]))]
    removed = draw(some.sets(some.integers(0, len(entries) - 1), max_size=2)) if entries else set()
    tables = sorted({e.table for e in entries})
    fixed = [name for name in tables if not program.table[name].learns]  # elsewhere packets may have added a late key
    late, emptied = (
        draw(some.lists(some.sampled_from(names), max_size=2, unique=True)) if names else []
        for names in (fixed, tables)
    )
    removed |= {i for i, e in enumerate(entries) if e.table in emptied}
    bursts = tuple(b for x in program.externs if x.kind == "meter" for b in draw(_bursts(x)))
    return Scenario(
        entries,
        defaults,
        tuple(sent),
        profiles,
        choices,
        value_sets,
        bursts,
        later,
        tuple(sorted(removed)),
        tuple(late),
    )


@some.composite
def _bursts(draw: Draw, meter: ExternInstance) -> tuple[tuple[str, int, int], ...]:
    indices = some.integers(0, min(int(meter.attribute("size")), 8) - 1)
    return tuple((meter.name, i, draw(some.integers(0, 5))) for i in draw(some.lists(indices, max_size=3, unique=True)))


@some.composite
def _default(
    draw: Draw, program: Program, table: Table, ports: tuple[int, ...]
) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    actions = [u.action for u in table.actions if not u.table_only]
    if table.const_default or not actions or not draw(some.booleans()):
        return ()
    action = draw(some.sampled_from(actions))
    return ((table.name, action, draw(_arguments(program, action, ports))),)
