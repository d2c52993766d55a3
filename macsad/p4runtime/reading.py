"""Read: the entities that a request names or leaves open, as the switch has them. P4Runtime spec 1.4.1 section 13."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from macsad.control import Client
from macsad.p4runtime import elements, entries, notes, replication, value_sets
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.device import Device
from macsad.p4runtime.entries import Found
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.profiles import Profiles, is_one_shot
from macsad.p4runtime.program import Extern, Program, Table
from macsad.protocol import Idle


def read(device: Device, asked: Iterable[Message]) -> Iterator[Message]:
    """The entities. Raises: Refused."""
    client, program, profiles = device.client, device.program, device.profiles
    for entity in asked:
        kind = entity.WhichOneof("entity")
        match kind:
            case "table_entry":
                for table in _tables(program, entity.table_entry.table_id):
                    yield from table_entries(client, profiles, table, entity.table_entry)
            case "action_profile_member":
                yield from profiles.read_members(entity.action_profile_member)
            case "action_profile_group":
                yield from profiles.read_groups(entity.action_profile_group)
            case "direct_counter_entry" | "direct_meter_entry":
                yield from _direct(client, program, kind, getattr(entity, kind))
            case "counter_entry":
                yield from _elements(client, program, entity.counter_entry, "counter")
            case "meter_entry":
                yield from _elements(client, program, entity.meter_entry, "meter")
            case "register_entry":
                yield from _elements(client, program, entity.register_entry, "register")
            case "digest_entry":
                yield from device.digests.read(entity.digest_entry)
            case "value_set_entry":
                yield from value_sets.read(client, program, entity.value_set_entry)
            case "packet_replication_engine_entry":
                yield from replication.read(client, entity.packet_replication_engine_entry)
            case None:
                raise Refused(Code.INVALID_ARGUMENT, "an entity is empty")
            case _:
                raise Refused(Code.UNIMPLEMENTED, f"{kind} is not implemented")


def _tables(program: Program, number: int) -> list[Table]:
    return [program.table(number)] if number else list(program.tables.values())


def _found(client: Client, table: Table, asked: Message, exact: bool = False) -> Iterator[Found]:
    """The entries of a table that a TableEntry with things left out stands for; `exact`: the one with its key, also where
    that matches anything."""
    if asked.is_default_action:
        if asked.match:
            raise Refused(Code.INVALID_ARGUMENT, "the default entry has no key")
        entity = message("Entity")()
        entry = entity.table_entry
        entry.table_id, entry.is_default_action = table.id, True
        answer = client.read_default(table.number)
        entries.add_action(table, entry, answer, 4)
        yield Found(entity, entry, struct.unpack_from(">I", answer)[0], b"", answer[4:])
    elif asked.match or exact:
        one = client.read_entry(table.number, entries.key_of(table, asked))
        if one is not None:
            yield from entries.entries_of(table, one)
    else:
        for part in client.read_entries(table.number):
            for found in entries.entries_of(table, part):
                if not asked.priority or asked.priority == found.entry.priority:
                    yield found


def table_entries(
    client: Client, profiles: Profiles, table: Table, asked: Message, exact: bool = False
) -> Iterator[Message]:
    """The entities of a TableEntry: see _found()."""
    metadata, ages = _Metadata(client, table), _Ages(client, table)
    if asked.HasField("time_since_last_hit") and (not table.ages or asked.is_default_action):
        raise Refused(
            Code.INVALID_ARGUMENT, f"{table.name} has no times of entries, or is asked for that of its default entry"
        )
    for found in _found(client, table, asked, exact):
        entry = found.entry
        if asked.HasField("action") and not _same_action(asked.action, entry.action):
            continue
        group = entries.group_in(found.action)
        if is_one_shot(group):
            entry.action.action_profile_action_set.CopyFrom(profiles.set_of(table, group))
        if metadata.some:
            entry.metadata = metadata.of(found.key)
        if table.ages and not asked.is_default_action:
            entry.idle_timeout_ns, since = ages.of(found.index)
            if asked.HasField("time_since_last_hit"):
                entry.time_since_last_hit.elapsed_ns = since
        if asked.metadata and asked.metadata != entry.metadata and not exact:
            continue
        if asked.HasField("counter_data") and table.counter is not None:
            elements.fill_counter(entry.counter_data, _element(client, table.counter, found.index))
        if asked.HasField("meter_config") and table.meter is not None:
            elements.fill_meter(entry, "meter_config", _element(client, table.meter, found.index))
        yield found.entity


class _Ages:
    """Timeouts of entries of a table and the times since they were hit, read many at once."""

    _TOGETHER = 1024

    def __init__(self, client: Client, table: Table) -> None:
        self._client, self._table = client, table
        self._first, self._ages = -1, list[tuple[int, int]]()

    def of(self, index: int) -> tuple[int, int]:
        first = index - index % self._TOGETHER
        if first != self._first:
            count = min(self._TOGETHER, self._table.size - first)
            self._first, self._ages = first, self._client.read_ages(self._table.number, first, count)
        return self._ages[index - first]


def expired(client: Client, program: Program, idle: Idle) -> Iterator[Message]:
    """The TableEntry of each entry that nothing has hit for longer than it may."""
    table = next((table for table in program.tables.values() if table.number == idle.table), None)
    if table is None:
        return  # of the program before
    metadata = _Metadata(client, table)
    for found, (_, timeout, _) in zip(entries.entries_of(table, idle.entries), idle.ages, strict=True):
        found.entry.idle_timeout_ns = timeout
        if metadata.some:
            found.entry.metadata = metadata.of(found.key)
        yield found.entry


class _Metadata:
    """The metadata of entries of a table; `some`: there are any."""

    def __init__(self, client: Client, table: Table) -> None:
        self._client, self._table = client, table
        self.some = next(client.read_notes(notes.metadata(table.number, b"")), None) is not None

    def of(self, key: bytes) -> bytes:
        return notes.of(self._client, notes.metadata(self._table.number, key))


def _same_action(asked: Message, action: Message) -> bool:
    """The action is of the kind asked for: with that id, that member or that group; 0 stands for any."""
    kind = asked.WhichOneof("type")
    if kind == "action":
        return asked.action.action_id in (0, action.action.action_id)
    if kind in ("action_profile_member_id", "action_profile_group_id"):
        return kind == action.WhichOneof("type") and getattr(asked, kind) in (0, getattr(action, kind))
    return True


def _element(client: Client, extern: Extern, index: int) -> bytes:
    return client.read_elements(extern.number, index, 1, elements.element_bytes(extern))


def _direct(client: Client, program: Program, kind: str, asked: Message) -> Iterator[Message]:
    number = asked.table_entry.table_id
    for table in _tables(program, number):
        extern = table.counter if kind == "direct_counter_entry" else table.meter
        if extern is None:
            if number:
                raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has none")
            continue
        for found in _found(client, table, asked.table_entry):
            entry, index = found.entry, found.index
            entity = message("Entity")()
            made = getattr(entity, kind)
            entry.ClearField("action")
            made.table_entry.CopyFrom(entry)
            if extern.kind == "direct_counter":
                elements.fill_counter(made.data, _element(client, extern, index))
            else:
                elements.fill_meter(made, "config", _element(client, extern, index))
            yield entity


def index_of(extern: Extern, entry: Message) -> int:
    """The index in an entry of a counter, meter or register. Raises: Refused."""
    if not 0 <= entry.index.index < extern.size:
        raise Refused(Code.OUT_OF_RANGE, f"{extern.name} has {extern.size} elements, no {entry.index.index}")
    return int(entry.index.index)


def _elements(client: Client, program: Program, asked: Message, kind: str) -> Iterator[Message]:
    number = getattr(asked, f"{kind}_id")
    if not number and asked.HasField("index"):
        raise Refused(Code.INVALID_ARGUMENT, f"an index without a {kind}")
    every = [extern for extern in program.externs.values() if extern.kind == kind]
    for extern in [program.extern(number, kind)] if number else every:
        first, count = (index_of(extern, asked), 1) if asked.HasField("index") else (0, extern.size)
        for index, element in elements.read(client, extern, first, count):
            entity = message("Entity")()
            made = getattr(entity, f"{kind}_entry")
            setattr(made, f"{kind}_id", extern.id)
            made.index.index = index
            match kind:
                case "counter":
                    elements.fill_counter(made.data, element)
                case "meter":
                    elements.fill_meter(made, "config", element)
                case _:
                    elements.values(program, extern).unpack(element, made.data)
            yield entity
