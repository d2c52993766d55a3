"""Write: updates become changes of the switch, many in a message. P4Runtime spec 1.4.1 section 12."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from macsad.p4runtime import elements, reading, replication, value_sets
from macsad.p4runtime.codes import Code, Refused, refusal
from macsad.p4runtime.device import Device
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.profiles import raise_first
from macsad.p4runtime.program import Extern
from macsad.p4runtime.table_reading import objects, table_entries
from macsad.p4runtime.tables import Tables
from macsad.protocol import ControlError, NoSwitchError, Outcome

INSERT, MODIFY, DELETE = 1, 2, 3
_INVERSE = {INSERT: DELETE, DELETE: INSERT, MODIFY: MODIFY}


@dataclass(slots=True)
class _Pending:
    """Changes for the next message, and which update each first one of an update belongs to."""

    changes: list[bytes] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)  # (change, update)


class Writer:
    """Carries out updates. One thread at a time."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._client = device.client
        self._program = device.program
        self._profiles = device.profiles
        self._tables = Tables(device.client, device.program, device.profiles)
        self._elements: dict[str, Callable[[Message], bytes]] = {
            "counter_entry": self._counter,
            "meter_entry": self._meter,
            "register_entry": self._register,
        }
        self._direct: dict[str, Callable[[Message], bytes]] = {
            "direct_counter_entry": self._direct_counter,
            "direct_meter_entry": self._direct_meter,
        }

    def write(self, updates: Sequence[Message]) -> list[Refused | None]:
        """All that can be carried out, each with what is wrong with it."""
        results: list[Refused | None] = [None] * len(updates)
        pending = _Pending()
        self._profiles.begin()
        for at, update in enumerate(updates):
            try:
                entity = update.entity
                kind = entity.WhichOneof("entity")
                changes = self._changes(update.type, kind, entity)
                if changes:
                    pending.places.append((len(pending.changes), at))
                    pending.changes += changes
                    continue
                self._flush(pending, results)
                self._one(update.type, kind, entity)
            except Refused as refused:
                results[at] = refused
        self._flush(pending, results)
        return results

    def write_all_or_nothing(self, updates: Sequence[Message]) -> list[Refused | None]:
        """All, or none where one fails: then what was done is undone, in reverse."""
        if all(update.type == INSERT for update in updates):
            return self._insert_all_or_nothing(updates)
        undo: list[Message] = []
        results: list[Refused | None] = []
        for update in updates:  # up to the first that fails
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
        return self._undone(undo, results + [None] * (len(updates) - len(results)))

    def write_atomically(self, updates: Sequence[Message]) -> list[Refused | None]:
        """The same, and packets meet all of it or nothing: workers rest meanwhile. Raises: Refused."""
        try:
            self._client.hold(True)
        except NoSwitchError:
            raise
        except ControlError as error:
            raise Refused(Code.UNAVAILABLE, str(error)) from None
        results = self.write_all_or_nothing(updates)
        try:
            self._client.hold(False)
        except NoSwitchError:
            raise
        except ControlError:
            raise Refused(Code.INTERNAL, "the batch took more than a second, so that packets met parts of it") from None
        return results

    def _insert_all_or_nothing(self, updates: Sequence[Message]) -> list[Refused | None]:
        """What undoes them needs no look at what was there."""
        results = self.write(updates)
        if all(result is None for result in results):
            return results
        done = [update for update, result in zip(updates, results, strict=True) if result is None]
        return self._undone([message("Update")(type=DELETE, entity=update.entity) for update in done], results)

    def _undone(self, undo: list[Message], results: list[Refused | None]) -> list[Refused | None]:
        """Undo what was done, in reverse: the results of a batch of which nothing is left."""
        failed = [result for result in self.write(undo[::-1]) if result is not None]
        why = "an update of the batch failed" + (f"; undoing it failed too: {failed[0].message}" if failed else "")
        aborted = Refused(Code.INTERNAL if failed else Code.ABORTED, why)
        return [aborted if result is None else result for result in results]

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
            before = objects(table_entries(self._client, self._profiles, table, asked.table_entry, exact=True))
        else:
            before = reading.entities(self._device, asked)
        return [message("Update")(type=_INVERSE[update.type], entity=entity) for entity in before]

    def _flush(self, pending: _Pending, results: list[Refused | None]) -> None:
        if not pending.changes:
            return
        outcomes = self._client.update(pending.changes)
        for change, update in pending.places:
            if outcomes[change][0] is not Outcome.DONE:
                results[update] = refusal(outcomes[change][0])
        pending.changes.clear()
        pending.places.clear()

    def _changes(self, kind: int, what: str | None, entity: Message) -> list[bytes]:
        """The changes that an update is, of which the first tells whether it is done; none where it takes answers between
        them. Raises: Refused."""
        if kind not in _INVERSE:
            raise Refused(Code.INVALID_ARGUMENT, "an update inserts, modifies or deletes")
        if what == "table_entry":
            return self._tables.changes(kind, entity.table_entry)
        if what == "action_profile_member":
            return self._profiles.member(kind, entity.action_profile_member)
        if what == "action_profile_group" and kind != MODIFY:
            return self._profiles.group(kind, entity.action_profile_group)
        if what in self._elements or what in self._direct:
            if kind != MODIFY:
                raise Refused(Code.INVALID_ARGUMENT, f"a {what} is always there: it can be modified")
            return [self._elements[what](getattr(entity, what))] if what in self._elements else []
        return []

    def _one(self, kind: int, what: str | None, entity: Message) -> None:
        """An update that takes answers of the switch. Raises: Refused."""
        match what:
            case "table_entry":
                self._tables.carry_out(kind, entity.table_entry)
            case "action_profile_group":
                raise_first(self._client.update(self._profiles.group(kind, entity.action_profile_group)))
            case "digest_entry":
                self._device.digests.write(kind, entity.digest_entry)
            case "value_set_entry":
                value_sets.write(self._client, self._program, kind, entity.value_set_entry)
            case "packet_replication_engine_entry":
                replication.write(self._client, kind, entity.packet_replication_engine_entry)
            case "direct_counter_entry" | "direct_meter_entry":
                raise_first(self._client.update([self._direct[what](getattr(entity, what))]))
            case None:
                raise Refused(Code.INVALID_ARGUMENT, "an update has no entity")
            case _:
                raise Refused(Code.UNIMPLEMENTED, f"{what} is not implemented")

    # --- elements ----------------------------------------------------------------------------------------------------

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
        return elements.set_register(self._program, extern, self._at(extern, entry), entry.data)

    def _direct_counter(self, entry: Message) -> bytes:
        table = self._program.table(entry.table_entry.table_id)
        if table.counter is None:
            raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has no direct counter")
        return elements.set_counter(table.counter, self._tables.index(table, entry.table_entry), entry.data)

    def _direct_meter(self, entry: Message) -> bytes:
        table = self._program.table(entry.table_entry.table_id)
        if table.meter is None:
            raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has no direct meter")
        config = entry.config if entry.HasField("config") else None
        return elements.set_meter(table.meter, self._tables.index(table, entry.table_entry), config)
