"""Tables, externs and multicast groups as a switch describes them, and entries as it gives them."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from macsad.described import Action, Call, Extern, Field, Match, Reader, Table, externs_of, tables_of
from macsad.multicast import Multicast, Node, multicast_of
from macsad.protocol import GROUP, MEMBER


@pytest.mark.parametrize(
    ("kinds", "has"),
    [
        ((), False), (("exact",), False), (("exact", "lpm"), False), (("ternary",), True), (("range",), True),
        (("optional",), True), (("exact", "optional"), True), (("lpm", "ternary"), True),
    ],
)  # fmt: skip
def test_entries_have_a_priority_where_several_may_match(kinds: tuple[str, ...], has: bool) -> None:
    """Members of a value set have none."""
    key = tuple(Field(f"k{number}", 9, kind) for number, kind in enumerate(kinds))
    assert Table(0, "t", 16, key, (), None, False).has_priority is has
    assert not Table(0, "t", 16, key, (), None, False, is_value_set=True).has_priority
    assert all(field.bytes == 2 for field in key)


@pytest.mark.parametrize(("bits", "size"), [(1, 1), (8, 1), (9, 2), (16, 2), (17, 3), (128, 16), (1000, 125)])
def test_fields_are_of_whole_bytes(bits: int, size: int) -> None:
    assert Field("f", bits).bytes == size


TOLD: dict[str, Any] = {
    "tables": [
        {"name": "I.t", "size": 9, "key": [{"name": "h.a", "bits": 9, "match": "lpm"}], "ages": True, "profile": "sel",
         "actions": [{"name": "I.go", "params": [{"name": "port", "bits": 9}, {"name": "mac", "bits": 48}]},
                     {"name": "I.no", "params": []}]},
        {"name": "I.u", "size": 1, "key": [], "actions": [], "ages": False, "profile": None},
    ],
    "value_sets": [{"name": "P.kinds", "size": 4, "key": [{"name": "kind", "bits": 16, "match": "ternary"}]}],
    "externs": [
        {"name": "I.hits", "kind": "direct_counter", "size": 10, "bits": 0, "unit": "both", "table": "I.t"},
        {"name": "I.reg", "kind": "register", "size": 4, "bits": 17, "unit": ""},
    ],
}  # fmt: skip


def test_value_sets_are_numbered_behind_tables() -> None:
    actions = (Action("I.go", (Field("port", 9), Field("mac", 48))), Action("I.no", ()))
    assert tables_of(TOLD) == (
        Table(0, "I.t", 9, (Field("h.a", 9, "lpm"),), actions, "sel", True), Table(1, "I.u", 1, (), (), None, False),
        Table(2, "P.kinds", 4, (Field("kind", 16, "ternary"),), (), None, False, is_value_set=True),
    )  # fmt: skip
    assert externs_of(TOLD) == (
        Extern(0, "I.hits", "direct_counter", 10, 0, "both", "I.t"), Extern(1, "I.reg", "register", 4, 17, "", None),
    )  # fmt: skip


KEY = tuple(
    Field(kind, bits, kind)
    for kind, bits in (("exact", 9), ("lpm", 32), ("range", 16), ("ternary", 8), ("optional", 17))
)
BYTES = bytes.fromhex("01010a000000000800030007f0f801020301ffff")


def test_entries_are_read_one_after_the_other() -> None:
    """A prefix's length has two bytes, other second parts are as long as the field; priorities have a sign."""
    actions = (Action("go", (Field("a", 9), Field("b", 1))), Action("no", ()))
    table = Table(0, "t", 9, KEY, actions, None, False)
    calls = (
        (struct.pack(">I", 0) + b"\x01\x02\x03", Call(0, (b"\x01\x02", b"\x03"))), (struct.pack(">I", 1), Call(1)),
        (struct.pack(">IQ", MEMBER, 1 << 40), Call(MEMBER, (), 1 << 40)), (struct.pack(">IQ", GROUP, 7), Call(GROUP, (), 7)),
        (struct.pack(">I", 2), Call(2)), (struct.pack(">I", 0xFFFFFFFF), Call(0xFFFFFFFF)),
    )  # fmt: skip
    entries = [
        (struct.pack(">Q", handle) + BYTES + struct.pack(">iI", priority, 5) + said, handle, priority, call)
        for handle, (priority, (said, call)) in enumerate(
            zip((1, 0, -1, -(1 << 31), (1 << 31) - 1, 9), calls, strict=True)
        )
    ]
    reader = Reader(table, b"".join(data for data, *_ in entries))
    seconds = (b"", b"\0\x08", b"\0\7", b"\xf8", b"\1\xff\xff")
    values = (b"\1\1", b"\x0a\0\0\0", b"\0\3", b"\xf0", b"\1\2\3")
    for _, handle, priority, call in entries:
        assert reader.more and reader.number(8) == handle
        matches, found, whole = reader.key()
        assert matches == tuple(Match(*one) for one in zip(KEY, values, seconds, strict=True))
        assert (found, whole) == (priority, BYTES + struct.pack(">i", priority))
        assert reader.number(4) == 5 and reader.call() == call
    assert not reader.more
    exact = Reader(Table(0, "t", 9, KEY[:2], actions, None, False), BYTES[:8] + b"more")
    assert exact.key() == ((Match(KEY[0], b"\1\1"), Match(KEY[1], b"\x0a\0\0\0", b"\0\x08")), None, BYTES[:8])


DUMP = """mgrp(5)
  -> (L1h=4, rid=3) -> (ports=[1, 0, 12], lags=[])
  -> (L1h=9, rid=0) -> (ports=[], lags=[1, 0])
mgrp(6)
  -> (L1h=0, rid=65535) -> (ports=[511], lags=[7])
mgrp(70)
nothing of these
LAGS
lag(0) -> ports=[10, 11]
lag(1) -> ports=[]
"""


def test_groups_have_nodes_and_nodes_ports() -> None:
    """In the order in which they are told; a node that is in no group is told of nowhere."""
    assert multicast_of(DUMP) == Multicast(
        {5: [4, 9], 6: [0], 70: []},
        {4: Node(3, (1, 0, 12), ()), 9: Node(0, (), (1, 0)), 0: Node(65535, (511,), (7,))},
        {0: (10, 11), 1: ()},
    )
    assert multicast_of("") == Multicast()
