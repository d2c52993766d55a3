"""Entries between Thrift's structs, the words of commands, and the bytes of the control socket, without a switch."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest
from thriftpy2.utils import serialize

from macsad.described import Action, Field, Table
from macsad.protocol import GROUP, MEMBER
from macsad.thrift.described import standard
from macsad.thrift.entries import data_words, default, key_bytes, key_words, rules, signed, unsigned
from macsad.thrift.externs import RATES
from macsad.thrift.management import Identity
from macsad.thrift.refusals import Refused
from macsad.thrift.server import Standard
from macsad.thrift.state import serialized
from macsad.thrift.switch import Program

KINDS = standard.BmMatchParamType
TOP = 2**31 - 1
GO = Action("go", (Field("port", 9), Field("bit", 1)))
NONE = Action("none", ())


def table(*key: tuple[int, str]) -> Table:
    fields = tuple(Field(f"f{number}", bits, kind) for number, (bits, kind) in enumerate(key))
    return Table(0, "t", 16, fields, (GO, NONE), None, False)


PLAIN = table((9, "exact"), (12, "lpm"))
RANKED = table((1, "exact"), (9, "ternary"), (8, "range"), (12, "optional"))


def exact(key: bytes) -> Any:
    return standard.BmMatchParam(type=KINDS.EXACT, exact=standard.BmMatchParamExact(key=key))


def valid(holds: bool) -> Any:
    return standard.BmMatchParam(type=KINDS.VALID, valid=standard.BmMatchParamValid(key=holds))


def lpm(key: bytes, length: int) -> Any:
    return standard.BmMatchParam(type=KINDS.LPM, lpm=standard.BmMatchParamLPM(key=key, prefix_length=length))


def ternary(key: bytes, mask: bytes) -> Any:
    return standard.BmMatchParam(type=KINDS.TERNARY, ternary=standard.BmMatchParamTernary(key=key, mask=mask))


def ranged(start: bytes, end: bytes) -> Any:
    return standard.BmMatchParam(type=KINDS.RANGE, range=standard.BmMatchParamRange(start=start, end_=end))


ENTRIES = [
    (PLAIN, [exact(b"\1\xff"), lpm(b"\x0f\xf0", 8)], "0x01ff 0x0ff0/8", "01ff 0ff0 0008"),
    (PLAIN, [exact(b"\0\0"), lpm(b"\x0f\xff", 5)], "0x0000 0x0fff/5", "0000 0f80 0005"),
    (PLAIN, [exact(b"\0\0"), lpm(b"\x0f\xff", 0)], "0x0000 0x0fff/0", "0000 0000 0000"),
    (PLAIN, [exact(b"\0\0"), lpm(b"\x0f\xff", 12)], "0x0000 0x0fff/12", "0000 0fff 000c"),
    (table((1, "exact")), [valid(False)], "0x00", "00"),
    (
        RANKED,
        [valid(True), ternary(b"\1\xff", b"\0\xf0"), ranged(b"\2", b"\2"), ternary(b"\0\5", b"\x0f\xff")],
        "0x01 0x01ff&&&0x00f0 0x02->0x02 0x0005",
        "01 00f0 00f0 02 02 0005 0fff 7ffffff5",
    ),
    (
        RANKED,
        [exact(b"\0"), ternary(b"\0\0", b"\0\0"), ranged(b"\0", b"\xff"), ternary(b"\0\5", b"\0\0")],
        "0x00 0x0000&&&0x0000 0x00->0xff *",
        "00 0000 0000 00 ff 0000 0000 7ffffff5",
    ),
]


@pytest.mark.parametrize(("of", "key", "words", "raw"), ENTRIES)
def test_keys(of: Table, key: list[Any], words: str, raw: str) -> None:
    """In messages bits that do not count are zero, and the larger priority wins: behind the key, of tables that have any."""
    assert key_words(of, key) == words.split()
    assert key_bytes(of, key, 10) == bytes.fromhex(raw)


@pytest.mark.parametrize(
    ("of", "key"),
    [
        (PLAIN, [exact(b"\0\0")]),
        (PLAIN, [exact(b"\0\0"), lpm(b"\0\0", 0), exact(b"\0")]),
        (PLAIN, [exact(b"\2\0"), lpm(b"\0\0", 0)]),
        (PLAIN, [exact(b"\0"), lpm(b"\0\0", 0)]),
        (PLAIN, [valid(True), lpm(b"\0\0", 0)]),
        (PLAIN, [exact(b"\0\0"), lpm(b"\0\0", 13)]),
        (PLAIN, [exact(b"\0\0"), lpm(b"\0\0", -1)]),
        (PLAIN, [exact(b"\0\0"), lpm(b"\x10\0", 8)]),
        (PLAIN, [exact(b"\0\0"), exact(b"\0\0")]),
        (PLAIN, [lpm(b"\0\0", 9), lpm(b"\0\0", 0)]),
        (table((8, "range")), [ternary(b"\0", b"\0")]),
        (table((8, "ternary")), [ranged(b"\0", b"\0")]),
        (table((8, "ternary")), [ternary(b"\0", b"\0\0")]),
        (table((7, "ternary")), [ternary(b"\0", b"\x80")]),
    ],
)
def test_keys_that_are_none(of: Table, key: list[Any]) -> None:
    for refused in (lambda: key_words(of, key), lambda: key_bytes(of, key, 0)):
        with pytest.raises(Refused) as raised:
            refused()
        assert raised.value.code == "BAD_MATCH_KEY"


def test_commands_have_no_empty_ranges_nor_optional_fields_with_other_masks() -> None:
    for of, param in ((table((8, "range")), ranged(b"\2", b"\1")), (table((8, "optional")), ternary(b"\1", b"\xfe"))):
        with pytest.raises(Refused) as raised:
            key_words(of, [param])
        assert raised.value.code == "BAD_MATCH_KEY"


def call(number: int, rest: str = "") -> bytes:
    return struct.pack(">I", number) + bytes.fromhex(rest)


@pytest.mark.parametrize(("of", "key", "words", "raw"), ENTRIES)
def test_entries_come_back(of: Table, key: list[Any], words: str, raw: str) -> None:
    """With the bits that count; entries without priority have -1."""
    data = b"".join(
        struct.pack(">Q", handle) + bytes.fromhex(raw) + struct.pack(">I", index) + called
        for handle, index, called in ((7, 3, call(0, "01ff 01")), (0x8000_0001, 4, call(1)))
    )
    first, second = rules(of, data)
    for entry, entered, _ in (first, second):
        assert entered == bytes.fromhex(raw)
        assert key_bytes(of, entry.match_key, 10) == entered
        assert entry.options.priority == (10 if of is RANKED else -1)
    assert (first[0].entry_handle, first[2]) == (7, 3) and (second[0].entry_handle, second[2]) == (1 - 2**31, 4)
    action = first[0].action_entry
    assert (action.action_name, action.action_data) == ("go", [b"\1\xff", b"\1"])
    assert (second[0].action_entry.action_name, second[0].action_entry.action_data) == ("none", [])


@pytest.mark.parametrize(
    ("called", "kind", "name", "member", "group"),
    [
        (call(1), "ACTION_DATA", "none", None, None),
        (call(2), "NONE", None, None, None),
        (call(MEMBER, "8000000000000005"), "MBR_HANDLE", None, 5, None),
        (call(GROUP, "8000000000000000"), "GRP_HANDLE", None, None, 0),
        (call(MEMBER, "00000000fffffffe"), "MBR_HANDLE", None, -2, None),
        (call(GROUP, "0000000080000000"), "GRP_HANDLE", None, None, -(2**31)),
    ],
)
def test_what_an_entry_does(called: bytes, kind: str, name: str | None, member: int | None, group: int | None) -> None:
    """Whatever id a member or group has, it can be told: Thrift has no numbers without a sign."""
    found = default(PLAIN, b"\0\0\0\1" + called)
    assert found.action_type == getattr(standard.BmActionEntryType, kind)
    assert (found.action_name, found.mbr_handle, found.grp_handle) == (name, member, group)
    assert serialize(found)


def test_data_are_cut_off_to_their_bits() -> None:
    assert data_words(GO, [b"\1\xff", b"\1"]) == ["0x1ff", "0x1"]
    assert data_words(GO, [b"\xff\xff\xff", b""]) == ["0x1ff", "0x0"]
    for wrong in ([], [b"\1"], [b"\1"] * 3):
        with pytest.raises(Refused) as raised:
            data_words(GO, wrong)
        assert raised.value.code == "BAD_ACTION_DATA"


@pytest.mark.parametrize(("number", "told"), [(0, 0), (TOP, TOP), (TOP + 1, -TOP - 1), (2**32 - 1, -1), (2**32, 0)])
def test_numbers_with_a_sign(number: int, told: int) -> None:
    assert signed(number) == told and unsigned(told) == number % 2**32


@pytest.mark.parametrize(("bits", "size"), [(0, 0), (1, 1), (8, 1), (9, 2), (16, 2), (17, 3), (128, 16)])
def test_fields_have_whole_bytes(bits: int, size: int) -> None:
    assert Field("x", bits).bytes == size


@pytest.mark.parametrize("kind", ["ternary", "range", "optional"])
def test_members_of_value_sets_have_no_priority(kind: str) -> None:
    """Whatever the kinds of their fields; of one that is a range the services tell the first value. docs/control.md, READ"""
    key = [{"name": "a", "bits": 16, "match": kind}, {"name": "b", "bits": 8, "match": "lpm"}]
    told = {
        "name": "p",
        "source": "p.p4",
        "tables": [],
        "externs": [],
        "value_sets": [{"name": "s", "size": 4, "key": key}],
    }
    members = [bytes.fromhex("1200 ff00 05 0008"), bytes.fromhex("1300 ff00 06 0004")]
    data = b"".join(struct.pack(">Q", at) + member + struct.pack(">I", at) for at, member in enumerate(members))
    program = Program(told)
    assert [(raw, index) for _, raw, index in rules(program.value_set("s"), data)] == [
        (one, at) for at, one in enumerate(members)
    ]
    client = SimpleNamespace(read_entries=lambda number, kind: [data])
    switch = SimpleNamespace(program=program, ask=lambda request: request(client))
    assert Standard(switch, Identity("{}")).bm_parse_vset_get(0, "s") == [b"\x12\0\5", b"\x13\0\6"]  # type: ignore[arg-type]


class Metered:
    """A switch with a table of entries that have a direct meter and a life, one without a key, one of the same entries without
    either, and a meter of four; rates and lives are as these numbers. `places`: of each entry its handle and its index; its key
    is its handle."""

    def __init__(self, places: list[tuple[int, int]]) -> None:
        of = {"name": "t", "size": 8, "key": [{"name": "k", "bits": 8, "match": "exact"}], "const_entries": False}
        of |= {"actions": [{"name": "none", "params": []}], "const_default": True, "ages": True}
        meters = [
            {"name": "pace", "kind": "direct_meter", "size": 8, "table": "t"},
            {"name": "flow", "kind": "meter", "size": 4},
        ]
        externs = [one | {"bits": 0, "unit": "packets"} for one in meters]
        tables = [of, of | {"name": "keyless", "key": []}, of | {"name": "bare", "ages": False}]
        self.told = {"name": "p", "source": "p.p4", "tables": tables, "value_sets": [], "externs": externs}
        self.program, self.places = Program(self.told), places

    def described(self) -> dict[str, Any]:
        return self.told

    def ask(self, request: Callable[[Any], Any]) -> Any:
        return request(self)

    def read_entries(self, number: int, kind: Any) -> list[bytes]:
        return [struct.pack(">QBII", handle, handle, index, 0) for handle, index in self.places]

    def read_elements(self, extern: int, index: int, count: int, size: int) -> bytes:
        assert count == 1
        has_rates = (index, extern) not in ((6, 0), (2, 1))
        return RATES.pack(has_rates, index * 1e6, 10 * extern + index, 100e6 + index * 1e6, 10 * extern + index)

    def read_ages(self, number: int, first: int, count: int) -> list[tuple[int, int]]:
        return [(1_000_000 * (100 + index) * (index != 5), 0) for index in range(first, first + count)]


def rates(name: str, place: int, index: int, burst: int) -> str:
    return f"meter_set_rates {name} {place} {float(index)!r}:{burst} {100.0 + index!r}:{burst}"


@pytest.mark.parametrize("count", range(5))
def test_lives_and_rates_are_written_for_the_handles_that_entries_will_have(count: int) -> None:
    """Handles are given anew from 0 on, whatever handle and index an entry has; a meter without rates has no line."""
    entries = [(0, 3), (1, 6), (4, 0), (5, 5), (9, 7)]
    fixed = [rates("flow", index, index, 10 + index) for index in (0, 1, 3)]
    for places in combinations(entries, count):
        switch: Any = Metered(list(places))
        lines = ["table_clear t"]
        for number, (handle, index) in enumerate(places):
            lines.append(f"table_add t none 0x{handle:02x} =>")
            if index != 5:
                lines.append(f"table_set_timeout t {number} {100 + index}")
            if index != 6:
                lines.append(rates("pace", number, index, index))
        lines += ["table_clear bare", *(f"table_add bare none 0x{handle:02x} =>" for handle, _ in places)]
        assert serialized(switch).splitlines() == [*lines, *fixed]
