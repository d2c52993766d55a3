"""In which order updates become messages of the switch, and what their answers mean. P4Runtime spec 1.4.1 section 12."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from macsad.p4runtime import writing
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import message
from macsad.p4runtime.program import Extern, Key, Table
from macsad.p4runtime.writing import Writer
from macsad.protocol import Outcome, Update

INSERT, MODIFY, DELETE = 1, 2, 3
COUNTER, METER = Extern(31, 6, "c", "counter", 9, 0, None), Extern(32, 7, "m", "meter", 9, 0, None)
DIRECT, PACE = Extern(33, 8, "d", "direct_counter", 9, 0, None), Extern(34, 9, "p", "direct_meter", 9, 0, None)
EXTERNS = {one.id: one for one in (COUNTER, METER)}


def table(number: int, counter: Any = None, meter: Any = None) -> Table:
    info = SimpleNamespace(implementation_id=0)
    made = Table(number, 4, "t", 9, (Key(5, "k", 8, "exact"),), {}, info, False, False)
    made.counter, made.meter = counter, meter
    return made


TABLES = {21: table(21), 22: table(22, DIRECT, PACE)}


class Client:
    """Answers that all is done but changes with these bytes in them. `messages`: the kinds of the changes of each."""

    def __init__(self, *wrong: bytes) -> None:
        self.wrong, self.messages, self.last = wrong, list[list[Update]](), list[bytes]()

    def update(self, changes: list[bytes], keep_going: bool = True) -> list[tuple[Outcome, int]]:
        self.messages.append([Update(one[0]) for one in changes])
        self.last = list(changes)
        return [(Outcome.NONE if any(one in change for one in self.wrong) else Outcome.DONE, 0) for change in changes]

    def read_notes(self, prefix: bytes) -> list[Any]:
        return []

    def read_entry(self, number: int, key: bytes) -> bytes | None:
        return key + (7).to_bytes(4, "big") if key != b"\xee" else None


class Made:
    """A writer, and what it has had others do."""

    def __init__(self, *wrong: bytes) -> None:
        self.client, self.did = Client(*wrong), list[Any]()
        program: Any = SimpleNamespace(
            table=TABLES.__getitem__, extern=lambda number, *kinds: EXTERNS[number], tables=TABLES, externs=EXTERNS,
        )  # fmt: skip
        profiles: Any = SimpleNamespace(
            begin=lambda: self.did.append("begin"), member=lambda kind, given: [bytes([Update.ADD_MEMBER, 0, 1])],
            group=lambda kind, given: [bytes([Update.ADD_GROUP + kind - 1, 0, 1]), bytes([Update.NOTE, 0, 0])],
        )  # fmt: skip
        digests: Any = SimpleNamespace(write=lambda kind, given: self.did.append(("digest", kind)))
        device: Any = SimpleNamespace(client=self.client, program=program, profiles=profiles, digests=digests)
        self.writer = Writer(device)

    def write(self, *updates: Any) -> list[Code]:
        return [refused.code if refused else Code.OK for refused in self.writer.write(updates)]


def update(kind: int, **entity: Any) -> Any:
    made = message("Update")(type=kind)
    for name, given in entity.items():
        getattr(made.entity, name).CopyFrom(given)
    return made


def entry(key: int, number: int = 21) -> Any:
    made = message("TableEntry")(table_id=number)
    made.match.add(field_id=5).exact.value = bytes([key])
    return made


def removed(key: int) -> Any:
    return update(DELETE, table_entry=entry(key))


def count(number: int = 31, index: int | None = 3) -> Any:
    made = message("CounterEntry")(counter_id=number)
    if index is not None:
        made.index.index = index
    return made


MEMBER = update(INSERT, action_profile_member=message("ActionProfileMember")(member_id=1))


def group(kind: int) -> Any:
    return update(kind, action_profile_group=message("ActionProfileGroup")(group_id=1))


def test_updates_go_together_up_to_one_that_takes_answers() -> None:
    """Each has the outcome of its own first change."""
    made = Made(b"\2")
    digest = update(INSERT, digest_entry=message("DigestEntry")())
    assert made.write(removed(1), removed(2), MEMBER, digest, removed(3), group(INSERT)) == [
        Code.OK, Code.NOT_FOUND, Code.OK, Code.OK, Code.OK, Code.OK,
    ]  # fmt: skip
    assert made.client.messages == [
        [Update.REMOVE, Update.REMOVE, Update.ADD_MEMBER], [Update.REMOVE, Update.ADD_GROUP, Update.NOTE],
    ]  # fmt: skip
    assert made.did == ["begin", ("digest", INSERT)] and made.write() == [] and len(made.client.messages) == 2


def test_what_is_refused_keeps_no_other_back() -> None:
    made = Made()
    assert made.write(removed(1), removed(1), update(0, table_entry=entry(1)), removed(2)) == [
        Code.OK, Code.OK, Code.INVALID_ARGUMENT, Code.OK,
    ]  # fmt: skip
    assert made.client.messages == [[Update.REMOVE] * 3]


def test_a_group_is_modified_as_the_switch_is_then() -> None:
    made = Made()
    assert made.write(MEMBER, group(MODIFY), group(DELETE)) == [Code.OK] * 3
    assert made.client.messages == [
        [Update.ADD_MEMBER], [Update.ADD_GROUP + 1, Update.NOTE], [Update.ADD_GROUP + 2, Update.NOTE],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (update(MODIFY, counter_entry=count()), Code.OK), (update(INSERT, counter_entry=count()), Code.INVALID_ARGUMENT),
        (update(DELETE, counter_entry=count()), Code.INVALID_ARGUMENT),
        (update(MODIFY, counter_entry=count(index=None)), Code.UNIMPLEMENTED),
        (update(MODIFY, counter_entry=count(index=9)), Code.OUT_OF_RANGE),
        (update(MODIFY, counter_entry=count(index=0)), Code.OK),
        (update(4, table_entry=entry(1)), Code.INVALID_ARGUMENT), (update(INSERT), Code.INVALID_ARGUMENT),
        (update(INSERT, extern_entry=message("ExternEntry")()), Code.UNIMPLEMENTED),
        (update(INSERT, direct_counter_entry=message("DirectCounterEntry")()), Code.INVALID_ARGUMENT),
    ],
)  # fmt: skip
def test_what_can_be_written(given: Any, code: Code) -> None:
    assert Made().write(given) == [code]


@pytest.mark.parametrize(
    ("kind", "key", "number", "code"),
    [
        ("direct_counter_entry", 1, 22, Code.OK), ("direct_meter_entry", 1, 22, Code.OK),
        ("direct_counter_entry", 1, 21, Code.INVALID_ARGUMENT), ("direct_meter_entry", 1, 21, Code.INVALID_ARGUMENT),
        ("direct_counter_entry", 0xEE, 22, Code.NOT_FOUND), ("direct_meter_entry", 0xEE, 22, Code.NOT_FOUND),
    ],
)  # fmt: skip
def test_direct_elements_are_those_of_an_entry(kind: str, key: int, number: int, code: Code) -> None:
    """By its index in the switch."""
    made = Made()
    name = "DirectCounterEntry" if kind == "direct_counter_entry" else "DirectMeterEntry"
    given = message(name)()
    given.table_entry.CopyFrom(entry(key, number))
    assert made.write(update(MODIFY, **{kind: given})) == [code]
    if code is Code.OK:
        (change,) = made.client.last
        extern = DIRECT if kind == "direct_counter_entry" else PACE
        assert change[:7] == bytes([Update.ELEMENT, 0, extern.number, 0, 0, 0, 7])


def test_a_meter_without_a_configuration_is_green() -> None:
    """The flag before its rates says whether it has any."""
    given = message("MeterEntry")(meter_id=32)
    given.index.index = 2
    for configured in (False, True):
        if configured:
            given.config.SetInParent()
        made = Made()
        assert made.write(update(MODIFY, meter_entry=given)) == [Code.OK]
        assert made.client.last[0][3:8] == bytes([0, 0, 0, 2, configured])


def test_what_undoes_an_update(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was inserted is deleted; else what was there before is written again, with its counter and meter."""
    asked: list[Any] = []

    def table_entries(client: Any, profiles: Any, table: Table, given: Any, exact: bool) -> list[bytes]:
        asked.append(
            (table.id, given.HasField("action"), given.HasField("counter_data"), given.HasField("meter_config"), exact)
        )
        return []

    before = message("Entity")(table_entry=entry(9))
    monkeypatch.setattr(writing, "table_entries", table_entries)
    monkeypatch.setattr(writing, "objects", lambda read: [before])
    monkeypatch.setattr(
        writing.reading, "entities", lambda device, given: asked.append(given.WhichOneof("entity")) or []
    )
    undo = Made().writer._inverse
    (deleted,) = undo(update(INSERT, table_entry=entry(1)))
    assert (deleted.type, deleted.entity.table_entry) == (DELETE, entry(1)) and asked == []
    changed = entry(1, 22)
    changed.action.action.action_id = 5
    for number, has in ((21, False), (22, True)):
        changed.table_id = number
        (back,) = undo(update(MODIFY, table_entry=changed))
        assert (back.type, back.entity) == (MODIFY, before) and asked.pop() == (number, False, has, has, True)
    assert undo(update(DELETE, table_entry=entry(1)))[0].type == INSERT
    assert undo(update(DELETE, counter_entry=count())) == [] and asked[-1] == "counter_entry"
    with pytest.raises(Refused):
        undo(update(0, table_entry=entry(1)))
