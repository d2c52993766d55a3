"""Write: updates become changes of the switch, many in a message. P4Runtime spec 1.4.1 section 12."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from macsad.control import Client, Outcome, Update
from macsad.p4runtime import elements, entries, reading, replication
from macsad.p4runtime.codes import Code, Refused, refusal
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.program import Extern, Program, Table

INSERT, MODIFY, DELETE = 1, 2, 3
_KINDS = {INSERT: Update.ADD, MODIFY: Update.MODIFY, DELETE: Update.REMOVE}
_HEAD = struct.Struct(">BH")
_INVERSE = {INSERT: DELETE, DELETE: INSERT, MODIFY: MODIFY}


class Writer:
    """Carries out updates. One thread at a time."""

    def __init__(self, client: Client, program: Program) -> None:
        self._client = client
        self._program = program

    def write(self, updates: Sequence[Message]) -> list[Refused | None]:
        """All that can be carried out, each with what is wrong with it."""
        results: list[Refused | None] = [None] * len(updates)
        changes: list[bytes] = []
        places: list[int] = []
        for at, update in enumerate(updates):
            try:
                kind, more = update.entity.WhichOneof("entity"), b""
                if kind == "table_entry":
                    more = self._entry(update.type, update.entity.table_entry)
                if more:
                    changes.append(more)
                    places.append(at)
                    continue
                self._flush(changes, places, results)
                self._one(update, kind)
            except Refused as refused:
                results[at] = refused
        self._flush(changes, places, results)
        return results

    def write_all_or_nothing(self, updates: Sequence[Message]) -> list[Refused | None]:
        """Up to the first that fails; then what was done is undone, in reverse."""
        undo: list[Message] = []
        results: list[Refused | None] = []
        for update in updates:
            try:
                inverse = self._inverse(update)
            except Refused as refused:
                results.append(refused)
                break
            (refused_or_none,) = self.write([update])
            results.append(refused_or_none)
            if refused_or_none is not None:
                break
            undo += inverse
        if all(result is None for result in results):
            return results
        failed = [result for result in self.write(undo[::-1]) if result is not None]
        why = "an update of the batch failed" + (f"; undoing it failed too: {failed[0].message}" if failed else "")
        aborted = Refused(Code.INTERNAL if failed else Code.ABORTED, why)
        results = [aborted if result is None else result for result in results]
        return results + [aborted] * (len(updates) - len(results))

    def _inverse(self, update: Message) -> list[Message]:
        """What undoes an update. Raises: Refused."""
        if update.type not in _INVERSE:
            raise Refused(Code.INVALID_ARGUMENT, "an update inserts, modifies or deletes")
        if update.type == INSERT:
            return [message("Update")(type=DELETE, entity=update.entity)]
        asked = message("Entity")()
        asked.CopyFrom(update.entity)
        if asked.WhichOneof("entity") == "table_entry":
            table = self._program.table(asked.table_entry.table_id)
            asked.table_entry.ClearField("action")
            if table.counter is not None:
                asked.table_entry.counter_data.SetInParent()
            if table.meter is not None:
                asked.table_entry.meter_config.SetInParent()
        before = list(reading.read(self._client, self._program, [asked]))
        return [message("Update")(type=_INVERSE[update.type], entity=entity) for entity in before]

    def _flush(self, changes: list[bytes], places: list[int], results: list[Refused | None]) -> None:
        if not changes:
            return
        outcomes = self._client.update(changes)
        for place, (outcome, _) in zip(places, outcomes, strict=True):
            if outcome is not Outcome.DONE:
                results[place] = refusal(outcome)
        changes.clear()
        places.clear()

    # --- tables ------------------------------------------------------------------------------------------------------

    def _entry(self, kind: int, entry: Message) -> bytes:
        """The change that an update of a table is, b"" where it takes more than one. Raises: Refused."""
        table = self._program.table(entry.table_id)
        if kind not in _KINDS:
            raise Refused(Code.INVALID_ARGUMENT, "an update inserts, modifies or deletes")
        self._check(table, entry)
        if entry.is_default_action:
            return self._default(table, kind, entry)
        if table.const_entries:
            raise Refused(Code.PERMISSION_DENIED, f"the entries of {table.name} are constant")
        key = entries.key_of(table, entry)
        head = _HEAD.pack(_KINDS[kind], table.number)
        if kind == DELETE:
            return head + key
        action = entries.action_of(table, entry.action, False)
        return b"" if _has_more(table, kind, entry) else head + key + action

    def _check(self, table: Table, entry: Message) -> None:
        if entry.idle_timeout_ns:
            supported = table.info.idle_timeout_behavior
            code = Code.UNIMPLEMENTED if supported else Code.INVALID_ARGUMENT
            raise Refused(code, f"entries of {table.name} do not time out")
        if entry.metadata or entry.controller_metadata:
            raise Refused(Code.UNIMPLEMENTED, "the switch keeps no metadata of entries")
        if entry.HasField("time_since_last_hit") or entry.HasField("meter_counter_data"):
            raise Refused(Code.INVALID_ARGUMENT, "it can be read only, or is not there")
        for field, direct in (("counter_data", table.counter), ("meter_config", table.meter)):
            if direct is None and entry.HasField(field):
                raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has nothing for {field}")

    def _default(self, table: Table, kind: int, entry: Message) -> bytes:
        if entry.match or entry.priority:
            raise Refused(Code.INVALID_ARGUMENT, "the default entry has neither key nor priority")
        if kind != MODIFY:
            raise Refused(Code.INVALID_ARGUMENT, "the default entry is always there: it can be modified")
        if table.const_default:
            raise Refused(Code.PERMISSION_DENIED, f"the default action of {table.name} is constant")
        if not entry.HasField("action"):
            return _HEAD.pack(Update.RESET_DEFAULT, table.number)
        if _has_more(table, kind, entry):
            return b""
        return _HEAD.pack(Update.SET_DEFAULT, table.number) + entries.action_of(table, entry.action, True)

    def _with_direct(self, table: Table, kind: int, entry: Message) -> None:
        """An entry, and its counter and meter. Raises: Refused."""
        if entry.is_default_action:
            head, key = _HEAD.pack(Update.SET_DEFAULT, table.number), b""
        else:
            head, key = _HEAD.pack(_KINDS[kind], table.number), entries.key_of(table, entry)
        action = entries.action_of(table, entry.action, entry.is_default_action)
        ((outcome, index),) = self._client.update([head + key + action])
        self._raise(outcome)
        if kind == MODIFY:
            index = table.size if entry.is_default_action else self._index(table, entry)
        more = []
        if entry.HasField("counter_data") and table.counter is not None:
            more.append(elements.set_counter(table.counter, index, entry.counter_data))
        if table.meter is not None:
            config = entry.meter_config if entry.HasField("meter_config") else None
            more.append(elements.set_meter(table.meter, index, config))
        for outcome, _ in self._client.update(more):
            self._raise(outcome)

    def _index(self, table: Table, entry: Message) -> int:
        """The index of an entry. Raises: Refused."""
        if entry.is_default_action:
            return table.size
        found = self._client.read_entry(table.number, entries.key_of(table, entry))
        if found is None:
            raise Refused(Code.NOT_FOUND, f"{table.name} has no such entry")
        return next(entries.entries_of(table, found))[1]

    def _raise(self, outcome: Outcome) -> None:
        refused = refusal(outcome)
        if refused is not None:
            raise refused

    # --- all others --------------------------------------------------------------------------------------------------

    def _one(self, update: Message, kind: str | None) -> None:
        """An update that is not one change of a table. Raises: Refused."""
        makers: dict[str, Callable[[Message], bytes]] = {
            "counter_entry": self._counter,
            "meter_entry": self._meter,
            "register_entry": self._register,
            "direct_counter_entry": self._direct_counter,
            "direct_meter_entry": self._direct_meter,
        }
        if kind == "table_entry":
            entry = update.entity.table_entry
            self._with_direct(self._program.table(entry.table_id), update.type, entry)
            return
        if kind == "packet_replication_engine_entry":
            replication.write(self._client, update.type, update.entity.packet_replication_engine_entry)
            return
        if kind is None:
            raise Refused(Code.INVALID_ARGUMENT, "an update has no entity")
        if kind not in makers:
            raise Refused(Code.UNIMPLEMENTED, f"{kind} is not implemented")
        if update.type != MODIFY:
            raise Refused(Code.INVALID_ARGUMENT, f"a {kind} is always there: it can be modified")
        ((outcome, _),) = self._client.update([makers[kind](getattr(update.entity, kind))])
        self._raise(outcome)

    def _at(self, extern: Extern, entry: Message) -> int:
        if not entry.HasField("index"):
            raise Refused(Code.UNIMPLEMENTED, "an index is needed: not all elements can be written at once")
        return reading.index_of(extern, entry)

    def _counter(self, entry: Message) -> bytes:
        extern = self._program.extern(entry.counter_id, "counter")
        return elements.set_counter(extern, self._at(extern, entry), entry.data)

    def _meter(self, entry: Message) -> bytes:
        extern = self._program.extern(entry.meter_id, "meter")
        config = entry.config if entry.HasField("config") else None
        return elements.set_meter(extern, self._at(extern, entry), config)

    def _register(self, entry: Message) -> bytes:
        extern = self._program.extern(entry.register_id, "register")
        return elements.set_register(extern, self._at(extern, entry), entry.data)

    def _direct_counter(self, entry: Message) -> bytes:
        table = self._program.table(entry.table_entry.table_id)
        if table.counter is None:
            raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has no direct counter")
        return elements.set_counter(table.counter, self._index(table, entry.table_entry), entry.data)

    def _direct_meter(self, entry: Message) -> bytes:
        table = self._program.table(entry.table_entry.table_id)
        if table.meter is None:
            raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has no direct meter")
        config = entry.config if entry.HasField("config") else None
        return elements.set_meter(table.meter, self._index(table, entry.table_entry), config)


def _has_more(table: Table, kind: int, entry: Message) -> bool:
    """It takes more than one change: its counter is set too, or its meter, which an update that names no rates resets."""
    return entry.HasField("counter_data") or (
        table.meter is not None and (entry.HasField("meter_config") or kind == MODIFY)
    )
