"""Reading the entries of tables, and what belongs to them, as bytes of a ReadResponse. P4Runtime spec 1.4.1 section 13."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from macsad.control import Client
from macsad.p4runtime import elements, entries, notes
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.found import TOGETHER, Form, Found, form_of, group_in
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.profiles import Profiles, is_one_shot
from macsad.p4runtime.program import Extern, Table
from macsad.p4runtime.wire import Heads, number
from macsad.protocol import Idle

_ENTITIES = 1  # of ReadResponse
_TABLE_ENTRY = Heads(2, (b"", _ENTITIES))
_DIRECT = {
    "direct_meter_entry": Heads(6, (b"", _ENTITIES)),
    "direct_counter_entry": Heads(8, (b"", _ENTITIES)),
}
_DIRECT_ENTRY, _DIRECT_DATA = Heads(1), Heads(2)  # of DirectCounterEntry and DirectMeterEntry
_SET = Heads(4, (b"", 3))  # action_profile_action_set in the action of a TableEntry
_METER, _COUNTER, _SINCE, _METADATA = Heads(6), Heads(7), Heads(10), Heads(11)  # of TableEntry
_IS_DEFAULT, _IDLE_TIMEOUT = 8, 9
_GAP = 16  # elements that are read too, though nobody asks for them, so that there are fewer requests
_Column = Callable[[Sequence[Found]], list[bytes]]


def table_entries(
    client: Client, profiles: Profiles, table: Table, asked: Message, exact: bool = False
) -> Iterator[bytes]:
    """The entities of a TableEntry with things left out, some at a time; `exact`: the one with its key, also where that matches
    anything. Raises: Refused."""
    wants_since = asked.HasField("time_since_last_hit")
    if wants_since and (not table.ages or asked.is_default_action):
        raise Refused(
            Code.INVALID_ARGUMENT, f"{table.name} has no times of entries, or is asked for that of its default entry"
        )
    metadata = _Metadata(client, table)
    columns: list[_Column] = [lambda found: [one.match for one in found]]
    columns.append(lambda found: _actions(profiles, table, found))
    columns.append(lambda found: [one.priority for one in found])
    if asked.HasField("meter_config") and table.meter is not None:
        columns.append(_Direct(client, table.meter, _METER).of)
    if asked.HasField("counter_data") and table.counter is not None:
        columns.append(_Direct(client, table.counter, _COUNTER).of)
    if asked.is_default_action:
        columns.append(lambda found: [number(_IS_DEFAULT, 1)])
    elif table.ages:
        columns.append(lambda found: _ages(client, table, found, wants_since))
    only = asked.metadata if not exact else b""
    action = asked.action if asked.HasField("action") else None
    end = form_of(table).end if not asked.is_default_action else b""
    for found in _found(client, table, asked, exact):
        if action is not None:
            found = [one for one in found if _same_action(table, action, one)]
        noted = metadata.of(found)
        if only:
            found = [one for one, note in zip(found, noted, strict=True) if note == only]
            noted = [only] * len(found)
        rows = zip(*[column(found) for column in columns], strict=True)
        made = [b"".join(row) for row in rows]
        if metadata.some:
            made = [one + (_METADATA.on(note) if note else b"") for one, note in zip(made, noted, strict=True)]
        yield b"".join([_TABLE_ENTRY[len(one) + len(end)] + one + end for one in made])


def direct(client: Client, table: Table, extern: Extern, kind: str, asked: Message) -> Iterator[bytes]:
    """The direct counters or meters (`kind`, of Entity) of the entries that a TableEntry stands for."""
    head, end = _DIRECT[kind], form_of(table).end if not asked.is_default_action else number(_IS_DEFAULT, 1)
    read = _Direct(client, extern, _DIRECT_DATA)
    for found in _found(client, table, asked):
        rows = [_DIRECT_ENTRY.on(one.match + one.priority + end) for one in found]
        yield b"".join([head.on(row + data) for row, data in zip(rows, read.of(found), strict=True)])


def expired(client: Client, table: Table, idle: Idle) -> Iterator[Message]:
    """The TableEntry of each entry that nothing has hit for longer than it may."""
    form = form_of(table)
    found = list(form.all(idle.entries))
    notes_of = _Metadata(client, table).of(found)
    for one, note, (_, timeout, _) in zip(found, notes_of, idle.ages, strict=True):
        entry = form.entry(one)
        entry.idle_timeout_ns = timeout
        if note:
            entry.metadata = note
        yield entry


def _found(client: Client, table: Table, asked: Message, exact: bool = False) -> Iterator[list[Found]]:
    """The entries that a TableEntry stands for, some at a time."""
    form = form_of(table)
    if asked.is_default_action:
        if asked.match:
            raise Refused(Code.INVALID_ARGUMENT, "the default entry has no key")
        answer = client.read_default(table.number)
        action = form.action_at(answer, 4)
        yield [Found(form.table, form.does(action), b"", int.from_bytes(answer[:4], "big"), b"", action)]
    elif asked.match or exact:
        one = client.read_entry(table.number, entries.key_of(table, asked))
        if one is not None:
            yield list(form.all(one))
    else:
        priority = number(4, asked.priority)
        for part in client.read_entries(table.number):
            for found in _some(form, part):
                yield found if not priority else [one for one in found if one.priority == priority]


def _some(form: Form, part: bytes) -> Iterator[list[Found]]:
    at = 0
    while at < len(part):
        found, at = form.take(part, at, TOGETHER)
        yield found


def _same_action(table: Table, asked: Message, found: Found) -> bool:
    """The action is of the kind asked for: with that id, that member or that group; 0 stands for any."""
    kind = asked.WhichOneof("type")
    if kind == "action":
        wanted = table.actions.get(asked.action.action_id)
        return not asked.action.action_id or (wanted is not None and found.action[:4] == wanted.head)
    if kind in entries.NAMED:
        named = getattr(asked, kind)
        of_kind = bool(found.does) and found.action[:4] == entries.NAMED[kind].to_bytes(4, "big")
        return of_kind and named in (0, int.from_bytes(found.action[4:12], "big"))
    return True


def _actions(profiles: Profiles, table: Table, found: Sequence[Found]) -> list[bytes]:
    if not table.info.implementation_id:
        return [one.does for one in found]
    groups = [group_in(one.action) for one in found]
    sets = iter(profiles.sets_of(table, [group for group in groups if is_one_shot(group)]))
    return [_SET.on(next(sets)) if is_one_shot(group) else one.does for one, group in zip(found, groups, strict=True)]


class _Metadata:
    """The metadata of entries of a table; `some`: there are any."""

    def __init__(self, client: Client, table: Table) -> None:
        self._client, self._table = client, table
        self.some = next(client.read_notes(notes.metadata(table.number, b"")), None) is not None

    def of(self, found: Sequence[Found]) -> list[bytes]:
        if not self.some:
            return [b""] * len(found)
        return self._client.notes_named([notes.metadata(self._table.number, one.key) for one in found])


class _Direct:
    """The direct counter or meter of entries, as a field."""

    def __init__(self, client: Client, extern: Extern, heads: Heads) -> None:
        self._client, self._extern, self._heads = client, extern, heads
        self._size = elements.element_bytes(extern)
        self._encode = elements.counter_data if extern.kind == "direct_counter" else elements.meter_config

    def of(self, found: Sequence[Found]) -> list[bytes]:
        there: dict[int, bytes] = {}
        for first, count in _runs(one.place for one in found):
            read = self._client.read_elements(self._extern.number, first, count, self._size)
            there.update((first + at, read[at * self._size : (at + 1) * self._size]) for at in range(count))
        encoded = [self._encode(there[one.place]) for one in found]
        return [self._heads.on(data) if data is not None else b"" for data in encoded]


def _ages(client: Client, table: Table, found: Sequence[Found], wants_since: bool) -> list[bytes]:
    there: dict[int, tuple[int, int]] = {}
    for first, count in _runs(one.place for one in found):
        there.update(enumerate(client.read_ages(table.number, first, count), first))
    ages = [there[one.place] for one in found]
    return [
        number(_IDLE_TIMEOUT, timeout) + (_SINCE.on(number(1, since)) if wants_since else b"")
        for timeout, since in ages
    ]


def _runs(indices: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(first, count) of runs in which all of them are, with few between that nobody asks for."""
    first = last = -1
    for index in sorted(indices):
        if first >= 0 and index - last > _GAP:
            yield first, last - first + 1
            first = index
        elif first < 0:
            first = index
        last = index
    if first >= 0:
        yield first, last - first + 1


def objects(read: Iterable[bytes]) -> list[Message]:
    """The entities of parts of a ReadResponse."""
    return list(message("ReadResponse").FromString(b"".join(read)).entities)
