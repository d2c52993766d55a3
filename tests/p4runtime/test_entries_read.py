"""Entries as a controller reads them, with all that belongs to them; the switch is one of this file. P4Runtime spec 1.4.1
section 13."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest

from macsad.p4runtime import notes, reading, table_reading
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import message
from macsad.p4runtime.program import Action, Extern, Key, Param, Table
from macsad.p4runtime.roles import RoleConfig
from macsad.protocol import GROUP, MEMBER, Idle

GO = Action(12, 0, "go", (Param(1, 9),), True, True, bytes(4), (1,))
STOP = Action(13, 1, "stop", (), True, True, b"\0\0\0\1")
COUNTS = Extern(31, 6, "hits", "direct_counter", 99, 0, None)
PACE = Extern(32, 7, "pace", "direct_meter", 99, 0, None)
PLACES = {1: 3, 2: 4, 3: 40, 4: 41}  # where the entries of these keys have their elements
PRIORITIES = {1: 5, 2: 9, 3: 5, 4: 7}
RATES = (1000.4, 20.0, 1999.6, 40.0)


def table(**has: Any) -> Table:
    made = Table(
        21,
        4,
        "t",
        9,
        (Key(5, "k", 9, "ternary"),),
        {12: GO, 13: STOP},
        SimpleNamespace(implementation_id=0),
        False,
        False,
    )
    made.has_priority, made.by_number = True, {0: GO, 1: STOP}
    for name, value in has.items():
        setattr(made, name, value)
    return made


def key(number: int) -> bytes:
    return number.to_bytes(2, "big") + b"\1\xff" + PRIORITIES[number].to_bytes(4, "big")


ACTIONS = {1: GO.head + b"\1\2", 2: STOP.head, 3: GO.head + b"\0\7", 4: b"\0\0\0\x09"}


class Client:
    """A switch with the entries 1 to 4, in two parts; of each the counts, ages and metadata tell which it is."""

    def __init__(self, actions: dict[int, bytes] | None = None) -> None:
        self.actions = actions or ACTIONS
        self.notes = {notes.metadata(4, key(number)): b"m%d" % (number % 2) for number in (1, 2, 3)}
        self.asked: list[tuple[int, ...]] = []

    def one(self, number: int) -> bytes:
        return key(number) + PLACES[number].to_bytes(4, "big") + self.actions[number]

    def read_entries(self, number: int) -> list[bytes]:
        assert number == 4
        return [self.one(1) + self.one(2) + self.one(3), self.one(4)]

    def read_entry(self, number: int, of: bytes) -> bytes | None:
        return next((self.one(at) for at in self.actions if key(at) == of), None)

    def read_default(self, number: int) -> bytes:
        return (9).to_bytes(4, "big") + GO.head + b"\0\1"

    def read_elements(self, extern: int, first: int, count: int, size: int) -> bytes:
        self.asked.append((extern, first, count))
        places = range(first, first + count)
        if extern == COUNTS.number:
            return b"".join([struct.pack(">QQ", 100 + place, 1000 + place) for place in places])
        return b"".join([struct.pack(">Bdddd", place % 2, *RATES) for place in places])

    def read_ages(self, number: int, first: int, count: int) -> list[tuple[int, int]]:
        return [(place * 10, place) for place in range(first, first + count)]

    def read_notes(self, prefix: bytes) -> Any:
        return iter([(name, note) for name, note in self.notes.items() if name.startswith(prefix)])

    def notes_named(self, names: list[bytes]) -> list[bytes]:
        return [self.notes.get(name, b"") for name in names]


def matched(number: int, **has: Any) -> Any:
    """The entry without its action."""
    made = message("TableEntry")(table_id=21, priority=PRIORITIES[number], **has)
    match = made.match.add(field_id=5).ternary
    match.value, match.mask = bytes([number]), b"\1\xff"
    return made


def entry(number: int, **has: Any) -> Any:
    made = matched(number, **has)
    if number < 4:  # the last does what no controller has named
        made.action.action.action_id = 13 if number == 2 else 12
    if number in (1, 3):
        made.action.action.params.add(param_id=1, value=b"\7" if number == 3 else b"\1\2")
    if number < 4 and "metadata" not in has:
        made.metadata = b"m%d" % (number % 2)
    return made


def default(**has: Any) -> Any:
    made = message("TableEntry")(table_id=21, is_default_action=True, **has)
    made.action.action.action_id = 12
    made.action.action.params.add(param_id=1, value=b"\1")
    return made


def read(of: Table, asked: Any, client: Client | None = None, profiles: Any = None, **more: Any) -> list[Any]:
    parts = table_reading.table_entries(client or Client(), profiles, of, asked, **more)  # type: ignore[arg-type]
    return [one.table_entry for one in table_reading.objects(parts)]


def asked(**has: Any) -> Any:
    made = message("TableEntry")(table_id=21)
    for name, value in has.items():
        if value is None:
            getattr(made, name).SetInParent()
        elif name == "action":
            made.action.CopyFrom(value)
        else:
            setattr(made, name, value)
    return made


def counted(number: int) -> dict[str, int]:
    return {"packet_count": 100 + PLACES[number], "byte_count": 1000 + PLACES[number]}


def test_entries_have_what_is_asked_for() -> None:
    """A meter without rates has no configuration; rates are whole numbers. What the table does not have is not there."""
    rates = {"cir": 1000, "cburst": 20, "pir": 2000, "pburst": 40}
    whole = table(counter=COUNTS, meter=PACE, ages=True)
    everything = asked(counter_data=None, meter_config=None, time_since_last_hit=None)
    assert read(table(), asked()) == [entry(number) for number in PLACES]
    assert read(table(), asked(counter_data=None, meter_config=None)) == [entry(number) for number in PLACES]
    assert read(whole, asked()) == [entry(number, idle_timeout_ns=place * 10) for number, place in PLACES.items()]
    assert read(whole, everything) == [
        entry(number, idle_timeout_ns=place * 10, time_since_last_hit={"elapsed_ns": place}, counter_data=counted(number),
              **({"meter_config": rates} if place % 2 else {}))
        for number, place in PLACES.items()
    ]  # fmt: skip
    assert read(table(const_entries=True), asked()) == [entry(number, is_const=True) for number in PLACES]


def test_elements_of_entries_are_read_together() -> None:
    client = Client()
    read(table(counter=COUNTS), asked(counter_data=None), client)
    assert client.asked == [(6, 3, 2), (6, 40, 1), (6, 41, 1)]


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ({"priority": 5}, [1, 3]), ({"priority": 6}, []), ({"metadata": b"m1"}, [1, 3]), ({"metadata": b"m0"}, [2]),
        ({"metadata": b"m"}, []), ({"priority": 5, "metadata": b"m0"}, []),
        ({"action": {"action": {"action_id": 12}}}, [1, 3]), ({"action": {"action": {"action_id": 13}}}, [2]),
        ({"action": {"action": {"action_id": 99}}}, []), ({"action": {"action": {}}}, [1, 2, 3, 4]),
        ({"action": {}}, [1, 2, 3, 4]), ({"action": {"action": {"action_id": 12}}, "priority": 9}, []),
        ({"action": {"action_profile_member_id": 0}}, []),
    ],
)  # fmt: skip
def test_entries_that_a_part_of_them_stands_for(given: dict[str, Any], numbers: list[int]) -> None:
    if "action" in given:
        given = {**given, "action": message("TableAction")(**given["action"])}
    assert read(table(), asked(**given)) == [entry(number) for number in numbers]


def test_the_entry_with_a_key() -> None:
    """Its metadata are looked at, unless the very one is asked for."""
    assert read(table(), matched(3)) == [entry(3)] == read(table(), matched(3, metadata=b"m1"))
    assert read(table(), matched(3, metadata=b"m0")) == []
    assert read(table(), matched(3, metadata=b"m0"), exact=True) == [entry(3)]
    other = matched(3)
    other.priority = 6
    assert read(table(), other) == []


def test_the_default_entry() -> None:
    whole = table(counter=COUNTS, meter=PACE, ages=True, const_entries=True)
    client = Client()
    client.notes[notes.metadata(4, b"")] = b"d"
    assert read(whole, asked(is_default_action=True), client) == [default(metadata=b"d")]
    assert read(whole, asked(is_default_action=True, counter_data=None), client) == [
        default(metadata=b"d", counter_data={"packet_count": 109, "byte_count": 1009})
    ]
    with_key = matched(1)
    with_key.is_default_action = True
    for wrong in (with_key, asked(is_default_action=True, time_since_last_hit=None)):
        with pytest.raises(Refused) as refused:
            read(whole, wrong)
        assert refused.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(Refused, match="t has no times of entries"):
        read(table(), asked(time_since_last_hit=None))


# --- members and groups ----------------------------------------------------------------------------------------------


def named(kind: int, number: int) -> bytes:
    return kind.to_bytes(4, "big") + number.to_bytes(8, "big")


NAMED = {1: named(MEMBER, 5), 2: named(GROUP, 6), 3: named(GROUP, 7 << 32), 4: named(MEMBER, 1 << 63)}


class Sets:
    """Of profiles."""

    def sets_of(self, of: Table, numbers: list[int]) -> list[bytes]:
        assert set(numbers) <= {7 << 32}
        made = message("ActionProfileActionSet")()
        made.action_profile_actions.add(weight=3).action.action_id = 13
        return [made.SerializeToString()] * len(numbers)


@pytest.mark.parametrize(
    ("action", "numbers"),
    [
        (None, [1, 2, 3, 4]), ({"action_profile_member_id": 5}, [1]), ({"action_profile_member_id": 6}, []),
        ({"action_profile_member_id": 0}, [1]), ({"action_profile_group_id": 6}, [2]), ({"action_profile_group_id": 5}, []),
        ({"action_profile_group_id": 0}, [2]), ({"action": {"action_id": 12}}, []),
    ],
)  # fmt: skip
def test_entries_name_members_and_groups_or_have_a_set(action: dict[str, Any] | None, numbers: list[int]) -> None:
    """What commands have made has no id of a controller's."""
    of = table(info=SimpleNamespace(implementation_id=41))
    given = asked() if action is None else asked(action=message("TableAction")(**action))
    client = Client(NAMED)
    client.notes.clear()
    does: dict[int, Any] = {1: {"action_profile_member_id": 5}, 2: {"action_profile_group_id": 6}, 4: None}
    does[3] = {"action_profile_action_set": {"action_profile_actions": [{"weight": 3, "action": {"action_id": 13}}]}}
    expected = [matched(number, **({"action": does[number]} if does[number] else {})) for number in numbers]
    assert read(of, given, client, Sets()) == expected


# --- direct counters and meters, and what has expired ------------------------------------------------------------------


def direct(of: Table, kind: str, given: Any, config: RoleConfig | None = None, *tables: Table) -> list[Any]:
    program: Any = SimpleNamespace(table=lambda number: of, tables={one.id: one for one in (of, *tables)})
    device: Any = SimpleNamespace(client=Client(), program=program, profiles=None)
    entity = message("Entity")()
    getattr(entity, kind).table_entry.CopyFrom(given)
    return [getattr(one, kind) for one in table_reading.objects(reading.read(device, [entity], config))]


def test_direct_counters_and_meters_come_with_the_keys_of_their_entries() -> None:
    """With the priority, which is a part of the key."""
    of = table(counter=COUNTS, meter=PACE)
    counts = [message("DirectCounterEntry")(table_entry=matched(n), data=counted(n)) for n in PLACES]
    assert direct(of, "direct_counter_entry", asked()) == counts
    assert direct(of, "direct_counter_entry", asked(priority=5)) == [counts[0], counts[2]]
    assert direct(of, "direct_counter_entry", matched(2)) == [counts[1]]
    (of_default,) = direct(of, "direct_counter_entry", asked(is_default_action=True))
    assert of_default.table_entry == message("TableEntry")(table_id=21, is_default_action=True)
    assert (of_default.data.packet_count, of_default.data.byte_count) == (109, 1009)
    meters = direct(of, "direct_meter_entry", asked())
    assert [one.table_entry for one in meters] == [matched(number) for number in PLACES]
    assert [one.HasField("config") for one in meters] == [True, False, False, True]


def test_tables_that_have_no_counter_or_are_not_the_roles_are_left_out() -> None:
    """One that is named is refused."""
    bare = table(id=22)
    every = message("TableEntry")()
    mine, other = (RoleConfig(frozenset((number,)), frozenset(), False, None, False) for number in (21, 22))
    of = table(counter=COUNTS)
    assert len(direct(of, "direct_counter_entry", every, None, bare)) == 4
    assert len(direct(of, "direct_counter_entry", every, mine, bare)) == 4
    assert direct(of, "direct_counter_entry", every, other, bare) == []
    assert direct(of, "direct_meter_entry", every, None, bare) == []
    with pytest.raises(Refused, match="t has none") as refused:
        direct(of, "direct_meter_entry", asked())
    assert refused.value.code is Code.INVALID_ARGUMENT


def test_what_has_expired_is_told_with_timeout_and_metadata() -> None:
    of, client = table(ages=True), Client()
    program: Any = SimpleNamespace(tables={20: table(id=20, number=3), 21: of})
    ages = tuple((handle, 70 + handle, 99) for handle in (1, 4))
    told = list(reading.expired(client, program, Idle(4, ages, client.one(1) + client.one(4))))  # type: ignore[arg-type]
    assert told == [entry(1, idle_timeout_ns=71), entry(4, idle_timeout_ns=74)]
    assert list(reading.expired(client, program, Idle(5, ages, client.one(1)))) == []  # type: ignore[arg-type]
