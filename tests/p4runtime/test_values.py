"""Value sets, and values that are strings to controllers. P4Runtime spec 1.4.1 sections 9.6 and 8.5.6."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from controller import DELETE, INSERT, MODIFY, Controller, Stream, entity, octets, update
from switch_harness import ethernet

from macsad.p4runtime import value_sets
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import message
from macsad.p4runtime.program import Key, Table
from macsad.p4runtime.strings import Strings
from macsad.protocol import Outcome, Update

OK = Code.OK


def value_set(controller: Controller, *kinds: int) -> Any:
    made = message("ValueSetEntry")(value_set_id=controller.id("value_sets", "special"))
    for kind in kinds:
        made.members.add().match.add(field_id=1).exact.value = octets(kind)
    return made


def code(controller: Controller, kind: int, made: Any) -> Code:
    return controller.write(update(kind, value_set_entry=made))[0]


def members(controller: Controller) -> list[int]:
    (found,) = controller.read(entity(value_set_entry=message("ValueSetEntry")()))
    return sorted(int.from_bytes(m.match[0].exact.value, "big") for m in found.value_set_entry.members)


def test_value_sets(controller: Controller, served: Any) -> None:
    assert members(controller) == []
    assert code(controller, MODIFY, value_set(controller, 0x1111, 0x2222)) is OK
    assert members(controller) == [0x1111, 0x2222]
    frames = [(0, ethernet(1, kind)) for kind in (0x1111, 0x3333)]
    assert served.switch.client.exchange(frames) == [(1, frames[0][1])]  # what is not special is dropped
    assert code(controller, MODIFY, value_set(controller, 0x2222, 0x3333, 0x4444, 0x5555)) is OK
    assert members(controller) == [0x2222, 0x3333, 0x4444, 0x5555]
    assert served.switch.client.exchange(frames) == [(1, frames[1][1])]
    assert code(controller, MODIFY, value_set(controller, 1, 2, 3, 4, 5)) is Code.RESOURCE_EXHAUSTED
    assert code(controller, MODIFY, value_set(controller, 1, 1)) is Code.ALREADY_EXISTS
    assert code(controller, INSERT, value_set(controller, 1)) is Code.INVALID_ARGUMENT
    assert code(controller, DELETE, value_set(controller)) is Code.INVALID_ARGUMENT
    assert code(controller, MODIFY, message("ValueSetEntry")(value_set_id=1)) is Code.NOT_FOUND
    assert members(controller) == [0x2222, 0x3333, 0x4444, 0x5555]
    assert code(controller, MODIFY, value_set(controller)) is OK
    assert members(controller) == []


@pytest.mark.parametrize(
    ("there", "wanted", "first"),
    [((1,), (1, 2, 3, 4), "add"), ((1, 2), (3, 4), "add"), ((1, 2, 3), (3, 4, 5), "remove"), ((1,), (), "remove")],
)
def test_members_come_before_others_go_where_there_is_room(there: Any, wanted: Any, first: str) -> None:
    """Those that stay and those that come match all the time, up to the size of the set, four."""
    key = Key(1, "k", 16, "exact")
    table = Table(1, 7, "s", 4, (key,), {}, None, False, True)
    asked: list[bytes] = []
    client: Any = SimpleNamespace(
        read_entries=lambda number: [b"".join(at.to_bytes(2, "big") + bytes(4) for at in there)],
        update=lambda changes: asked.extend(changes) or [(Outcome.DONE, b"")] * len(changes),
    )
    given = message("ValueSetEntry")(value_set_id=1)
    for at in wanted:
        given.members.add().match.add(field_id=1).exact.value = octets(at)
    value_sets.write(client, SimpleNamespace(value_set=lambda number: table), MODIFY, given)  # type: ignore[arg-type]
    kinds = {Update.ADD: "add", Update.REMOVE: "remove"}
    changes = [(kinds[Update(one[0])], int.from_bytes(one[3:5], "big")) for one in asked]
    assert set(changes) == {("add", at) for at in set(wanted) - set(there)} | {
        ("remove", at) for at in set(there) - set(wanted)
    }
    assert not changes or changes[0][0] == first or len({kind for kind, _ in changes}) == 1


def named(controller: Controller, name: str, port: str) -> Any:
    entry = controller.entry("name_t", {1: name.encode()})
    entry.action.action.action_id = controller.id("actions", "to_port")
    entry.action.action.params.add(param_id=1, value=port.encode())
    return entry


def test_strings(controller: Controller, served: Any) -> None:
    entries = [named(controller, "gold", "1"), named(controller, "0x12", "0"), named(controller, "straße", "0")]
    assert controller.write(*(update(INSERT, table_entry=e) for e in entries)) == [OK] * 3
    found = [e.table_entry for e in controller.read(entity(table_entry=controller.entry("name_t", {})))]
    assert sorted(e.SerializeToString() for e in found) == sorted(e.SerializeToString() for e in entries)
    frames = [ethernet(name, 0x4E4D) for name in (7, 0x12, 0xFFFF)]  # the type's mapping; its number; the last free one
    sent = served.switch.client.exchange([(0, frame) for frame in frames])
    assert sorted(sent) == sorted([(1, frames[0]), (0, frames[1]), (0, frames[2])])
    assert controller.write(update(INSERT, table_entry=named(controller, "gold", "0"))) == [Code.ALREADY_EXISTS]
    assert controller.write(update(INSERT, table_entry=named(controller, "x", "nowhere"))) == [Code.INVALID_ARGUMENT]
    assert controller.write(update(INSERT, table_entry=named(controller, "", "1"))) == [Code.INVALID_ARGUMENT]
    assert controller.write(update(INSERT, table_entry=named(controller, "x", "512"))) == [Code.INVALID_ARGUMENT]
    bad = named(controller, "x", "1")
    bad.match[0].exact.value = b"\xff"
    assert controller.write(update(INSERT, table_entry=bad)) == [Code.INVALID_ARGUMENT]
    whole = controller.entry("name_t", {1: "straße".encode()})
    assert controller.read(entity(table_entry=whole)) == [entity(table_entry=entries[2])]
    assert controller.write(update(DELETE, table_entry=whole)) == [OK]


def test_a_number_stands_for_one_string(controller: Controller) -> None:
    """A string in digits that are another one's has a number that is free."""
    names = ["0x12", "18", "0b10010", "7", "65535", "0xffff", "free"]
    entries = [named(controller, name, "1") for name in names]
    assert controller.write(*(update(INSERT, table_entry=e) for e in entries)) == [OK] * len(names)
    found = [e.table_entry for e in controller.read(entity(table_entry=controller.entry("name_t", {})))]
    assert sorted(e.match[0].exact.value.decode() for e in found) == sorted(names)


def test_a_wider_type(controller: Controller, stream: Stream, served: Any) -> None:
    """Ports have 32 bits to controllers and 9 in the switch, in tables as in packets."""
    entry = controller.entry("wide_t", {1: octets(1)}, "to_wide", 0)
    assert controller.write(update(INSERT, table_entry=entry)) == [OK]
    assert controller.read(entity(table_entry=controller.entry("wide_t", {}))) == [entity(table_entry=entry)]
    wide = controller.entry("wide_t", {1: octets(0x200)}, "to_wide", 0)
    assert controller.write(update(INSERT, table_entry=wide)) == [Code.OUT_OF_RANGE]


def test_ports_are_called_by_their_names_unless_something_else_stands_for_them() -> None:
    ports = Strings("port_t", [("uplink", 3)], {"eth0": 1, "eth1": 2, "eth2": 3})
    assert [ports.string(number) for number in range(5)] == [b"0", b"eth0", b"eth1", b"uplink", b"4"]
    assert [ports.number(string, 9) for string in (b"eth1", b"uplink", b"4", b"0x10")] == [2, 3, 4, 16]
    assert (ports.string(4), ports.string(16)) == (b"4", b"0x10")
    for string in (b"eth2", b"3", b"eth9", b"512", b"-1"):  # of eth2 the port has another name
        with pytest.raises(Refused, match="the switch has no such port"):
            ports.number(string, 9)


def code_of(strings: Strings, value: bytes, bits: int = 16) -> Code:
    try:
        strings.number(value, bits)
    except Refused as refused:
        return refused.code
    return OK


def test_a_string_has_1_to_1024_bytes_of_text() -> None:
    """Not letters: some have several bytes."""
    strings = Strings("name_t", [], None)
    most = "ß" * 512
    for value, code in (
        (b"", Code.INVALID_ARGUMENT), (b"a", OK), (b"a" * 1024, OK), (b"a" * 1025, Code.INVALID_ARGUMENT),
        (most.encode(), OK), (f"{most}a".encode(), Code.INVALID_ARGUMENT), (("ß" * 1024).encode(), Code.INVALID_ARGUMENT),
        (b"\xff", Code.INVALID_ARGUMENT),
    ):  # fmt: skip
        assert code_of(strings, value) is code


def test_numbers_of_strings() -> None:
    """That of the mapping; else its own in digits; else the highest that is free."""
    strings = Strings("name_t", [("gold", 2), ("wide", 9)], None)
    given = (b"gold", b"3", b"0x3", b"free", b"other", b"gold", b"free", b"0", b"8", b"-1")
    assert [strings.number(value, 3) for value in given] == [2, 3, 7, 6, 5, 2, 6, 0, 4, 1]
    assert [strings.string(number) for number in range(10)] == [
        b"0", b"-1", b"gold", b"3", b"8", b"other", b"free", b"0x3", b"8", b"wide",
    ]  # fmt: skip
    assert (
        code_of(strings, b"one more", 3) is Code.RESOURCE_EXHAUSTED
        and code_of(strings, b"wide", 3) is Code.OUT_OF_RANGE
    )
    assert strings.number(b"one more", 4) == 15
    assert code_of(strings, b"one more", 3) is Code.OUT_OF_RANGE
    strings.forget()
    assert [strings.number(value, 3) for value in (b"new", b"gold", b"free")] == [7, 2, 6]
    assert strings.number("٣".encode(), 3) == 5, "a three, but not in ASCII"


def test_what_strings_stand_for_is_kept_with_the_switch() -> None:
    """As a note of the type and the string; each is written once, and a mapping is not."""
    told: list[bytes] = []
    there = [(b"sname_t\0old", (5).to_bytes(8, "big")), ("sname_t\0straße".encode(), (6).to_bytes(8, "big"))]

    def read_notes(prefix: bytes) -> Any:
        assert prefix == b"sname_t\0"
        return iter(there)

    strings = Strings("name_t", [("gold", 2)], None)
    strings.keep(SimpleNamespace(read_notes=read_notes, update=told.extend, close=lambda: told.append(b"closed")))  # type: ignore[arg-type]
    assert [strings.number(value.encode(), 3) for value in ("old", "straße", "gold", "new", "new", "1")] == [
        5,
        6,
        2,
        7,
        7,
        1,
    ]
    assert (strings.string(5), strings.string(6)) == (b"old", "straße".encode())
    notes = [bytes([Update.NOTE, 0, len(name)]) + name + number.to_bytes(8, "big")
             for name, number in ((b"sname_t\0new", 7), (b"sname_t\0" + b"1", 1))]  # fmt: skip
    assert told == notes
    strings.close()
    assert strings.number(b"later", 3) == 4 and told == [*notes, b"closed"]


class Sets:
    """A switch whose value sets 5 and 6 have these members, one part each; `told`: what it is asked to change."""

    def __init__(self) -> None:
        self.there, self.told = {5: (1, 2), 6: (3,)}, list[bytes]()

    def read_entries(self, number: int) -> list[bytes]:
        return [at.to_bytes(2, "big") + bytes(4) for at in self.there[number]]

    def update(self, changes: list[bytes]) -> list[Any]:
        self.told += changes
        return [(Outcome.DONE, b"")] * len(changes)


def test_all_value_sets_are_read_and_emptied() -> None:
    """Or the one that is named."""
    tables = {
        id: Table(id, number, "s", 4, (Key(1, "k", 16, "exact"),), {}, None, False, True)
        for id, number in ((51, 5), (52, 6))
    }
    program: Any = SimpleNamespace(value_set=lambda number: tables[number], value_sets=tables)
    client: Any = Sets()

    def read(number: int) -> list[tuple[int, list[bytes]]]:
        found = value_sets.read(client, program, message("ValueSetEntry")(value_set_id=number))
        sets = [one.value_set_entry for one in found]
        return [(one.value_set_id, [member.match[0].exact.value for member in one.members]) for one in sets]

    every = [(51, [b"\1", b"\2"]), (52, [b"\3"])]
    assert (read(0), read(51), read(52)) == (every, every[:1], every[1:])
    value_sets.clear(client, program)
    assert [change.hex() for change in client.told] == [
        f"{Update.REMOVE:02x}{number:04x}{member:04x}" for number, member in ((5, 1), (5, 2), (6, 3))
    ]
