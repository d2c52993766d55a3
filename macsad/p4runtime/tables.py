"""Updates of table entries as changes of the switch. P4Runtime spec 1.4.1 section 9.1."""

from __future__ import annotations

import struct

from macsad.control import Client
from macsad.p4runtime import elements, entries, notes
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.found import form_of, group_in
from macsad.p4runtime.messages import Message
from macsad.p4runtime.profiles import Profiles, is_one_shot, raise_first
from macsad.p4runtime.program import Program, Table
from macsad.protocol import Update

INSERT, MODIFY, DELETE = 1, 2, 3
_KINDS = {INSERT: Update.ADD, MODIFY: Update.MODIFY, DELETE: Update.REMOVE}
_HEAD = struct.Struct(">BH")
# In the words of BMv2's server, which controllers' tests compare.
NO_TIMEOUT = "idle_timeout_ns must be set to 0 for tables which do not support idle timeout"
TIME_WRITTEN = "has_time_since_last_hit must not be set in WriteRequest"


class Tables:
    """The tables of a switch. One thread at a time."""

    def __init__(self, client: Client, program: Program, profiles: Profiles) -> None:
        self._client = client
        self._program = program
        self._profiles = profiles
        prefix = len(notes.metadata(0, b""))
        numbers = (int.from_bytes(n[prefix - 2 : prefix], "big") for n, _ in client.read_notes(notes.Names.METADATA))
        self._noted = set(numbers)  # tables whose entries may have metadata

    def changes(self, kind: int, entry: Message) -> list[bytes]:
        """The changes that an update is, none where it takes answers between them. Raises: Refused."""
        table = self._program.table(entry.table_id)
        self._check(table, entry)
        if entry.is_default_action:
            return self._default(table, kind, entry)
        if table.const_entries:
            raise Refused(Code.PERMISSION_DENIED, f"the entries of {table.name} are constant")
        key = entries.key_of(table, entry)
        head = _HEAD.pack(_KINDS[kind], table.number)
        if kind == DELETE:
            if table.info.implementation_id:
                return []
            return [head + key, *self._metadata(table, key, b"")]
        if _has_more(table, kind, entry):
            return []
        action = entries.action_of(table, entry.action, False)
        return [head + key + action + _timeout(table, entry), *self._metadata(table, key, entry.metadata)]

    def carry_out(self, kind: int, entry: Message) -> None:
        """An update that takes answers between changes. Raises: Refused."""
        table = self._program.table(entry.table_id)
        if kind == DELETE:
            self._delete(table, entry)
            return
        default = entry.is_default_action
        key = b"" if default else entries.key_of(table, entry)
        head = _HEAD.pack(Update.SET_DEFAULT if default else _KINDS[kind], table.number) + key
        index = self._make(head, table, entry, self._old(table, entry) if kind == MODIFY else 0)
        self._client.update(self._metadata(table, key, entry.metadata))
        if entry.HasField("counter_data") or table.meter is not None:
            self._set_direct(table, entry, index if kind == INSERT else self.index(table, entry))

    def _make(self, head: bytes, table: Table, entry: Message, old: int) -> int:
        """Add or change an entry: its index. `old`: the id of the group that it has named until now."""
        if entry.action.WhichOneof("type") != "action_profile_action_set":
            action = entries.action_of(table, entry.action, entry.is_default_action)
            index = self._one(head + action + _timeout(table, entry))
        else:
            if not table.info.implementation_id:
                raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has no action profile")
            group, changes = self._profiles.make_set(table, entry.action.action_profile_action_set)
            outcomes = self._client.update(changes, keep_going=False)
            try:
                raise_first(outcomes)
                index = self._one(head + entries.of_group(group) + _timeout(table, entry))
            except Refused:
                self._profiles.remove_set(table, group, entry.action.action_profile_action_set)
                raise
        if is_one_shot(old):
            self._profiles.remove_set(table, old)
        return index

    def _delete(self, table: Table, entry: Message) -> None:
        key = entries.key_of(table, entry)
        old = self._old(table, entry)
        self._one(_HEAD.pack(Update.REMOVE, table.number) + key)
        self._client.update(self._metadata(table, key, b""))
        if is_one_shot(old):
            self._profiles.remove_set(table, old)

    def _one(self, change: bytes) -> int:
        """Its number. Raises: Refused."""
        outcomes = self._client.update([change])
        raise_first(outcomes)
        return outcomes[0][1]

    def _old(self, table: Table, entry: Message) -> int:
        """The id of the group that an entry names, 0 for none."""
        if not table.info.implementation_id:
            return 0
        if entry.is_default_action:
            return group_in(self._client.read_default(table.number)[4:])
        found = self._client.read_entry(table.number, entries.key_of(table, entry))
        return group_in(next(form_of(table).all(found)).action) if found else 0

    def _check(self, table: Table, entry: Message) -> None:
        if entry.idle_timeout_ns and not table.ages:
            raise Refused(Code.INVALID_ARGUMENT, NO_TIMEOUT)
        if entry.idle_timeout_ns and (entry.is_default_action or entry.idle_timeout_ns < 0):
            raise Refused(Code.INVALID_ARGUMENT, "a default entry has no timeout, and none is negative")
        if entry.controller_metadata:
            raise Refused(Code.UNIMPLEMENTED, "metadata are bytes; their number is of an older version")
        if entry.HasField("time_since_last_hit"):
            raise Refused(Code.INVALID_ARGUMENT, TIME_WRITTEN)
        if entry.HasField("meter_counter_data"):
            raise Refused(Code.INVALID_ARGUMENT, "counters of meters are not there")
        for field, direct in (("counter_data", table.counter), ("meter_config", table.meter)):
            if direct is None and entry.HasField(field):
                raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has nothing for {field}")

    def _default(self, table: Table, kind: int, entry: Message) -> list[bytes]:
        if entry.match or entry.priority:
            raise Refused(Code.INVALID_ARGUMENT, "the default entry has neither key nor priority")
        if kind != MODIFY:
            raise Refused(Code.INVALID_ARGUMENT, "the default entry is always there: it can be modified")
        if table.const_default:
            raise Refused(Code.PERMISSION_DENIED, f"the default action of {table.name} is constant")
        note = self._metadata(table, b"", entry.metadata)
        if not entry.HasField("action"):
            return [_HEAD.pack(Update.RESET_DEFAULT, table.number), *note]
        if _has_more(table, kind, entry):
            return []
        action = entries.action_of(table, entry.action, True)
        return [_HEAD.pack(Update.SET_DEFAULT, table.number) + action, *note]

    def _metadata(self, table: Table, key: bytes, metadata: bytes) -> list[bytes]:
        """The change of the note that an entry with that key has, if there may be one."""
        if metadata:
            self._noted.add(table.number)
        return [notes.change(notes.metadata(table.number, key), metadata)] if table.number in self._noted else []

    def _set_direct(self, table: Table, entry: Message, index: int) -> None:
        """The counter and the meter of an entry. Raises: Refused."""
        changes = []
        if entry.HasField("counter_data") and table.counter is not None:
            changes.append(elements.set_counter(table.counter, index, entry.counter_data))
        if table.meter is not None:
            config = entry.meter_config if entry.HasField("meter_config") else None
            changes.append(elements.set_meter(table.meter, index, config))
        raise_first(self._client.update(changes))

    def index(self, table: Table, entry: Message) -> int:
        """The index of an entry. Raises: Refused."""
        if entry.is_default_action:
            return table.size
        found = self._client.read_entry(table.number, entries.key_of(table, entry))
        if found is None:
            raise Refused(Code.NOT_FOUND, f"{table.name} has no such entry")
        return next(form_of(table).all(found)).place


def _timeout(table: Table, entry: Message) -> bytes:
    """What stands behind the action of an entry that is added or modified."""
    has_timeout = table.ages and not entry.is_default_action
    return int(entry.idle_timeout_ns).to_bytes(8, "big") if has_timeout else b""


def _has_more(table: Table, kind: int, entry: Message) -> bool:
    """It takes more than one change: its counter is set too, or its meter, which an update that names no rates resets; or
    it comes with a group of its own, or may take the place of one that did."""
    return (
        entry.HasField("counter_data")
        or (table.meter is not None and (entry.HasField("meter_config") or kind == MODIFY))
        or entry.action.HasField("action_profile_action_set")
        or (kind == MODIFY and bool(table.info.implementation_id))
    )
