"""What the interpreter asks of a running switch, and when: entries, state, groups and sessions of a client of this file."""

from __future__ import annotations

import struct
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import Builder, apply, extract, goto, state

from macsad.described import Field, Table
from macsad.protocol import GROUP, MEMBER, Reading
from macsad.trace import live
from macsad.trace.live import AnotherProgram, Live
from transpiler.externs.meter import Meter
from transpiler.externs.register import Register
from transpiler.hlir.program import Program
from transpiler.interpreter.matches import Exact, Prefix, Range, Ternary
from transpiler.interpreter.replication import Session
from transpiler.interpreter.tables import Call, Entry, GroupRef, MemberRef

RATES = struct.Struct(">Bdddd")
US = 1000


@pytest.fixture(scope="module")
def program() -> Program:
    b = Builder()
    b.header("hdr.h", "h_t", f=9, g=16)
    b.action("c.go", port=9)
    b.action("c.drop")
    b.extern("c.reg", "register", size=4, width=17)
    b.extern("c.met", "meter", size=3, unit="packets")
    b.extern("c.pace", "direct_meter", unit="packets", automatic=1)
    b.table("c.net", [("hdr.h.f", "exact"), ("hdr.h.g", "lpm")], ["c.go", "c.drop"])
    b.table("c.wild", [("hdr.h.g", "ternary")], ["c.go"], direct=["c.pace"])
    b.table("c.none", [], ["c.go"])
    start = state("start", [extract("hdr.h")], goto("accept"))
    return b.build([start], [apply("c.net"), apply("c.wild"), apply("c.none")])


def told(**more: Any) -> dict[str, Any]:
    def table(name: str, *keys: tuple[str, int, str]) -> dict[str, Any]:
        key = [{"name": name, "bits": bits, "match": match} for name, bits, match in keys]
        actions = [{"name": "c.go", "params": [{"name": "port", "bits": 9}]}, {"name": "c.drop", "params": []}]
        return {"name": name, "size": 9, "key": key, "actions": actions}

    def extern(name: str, kind: str, size: int, bits: int = 0, table: str | None = None) -> dict[str, Any]:
        return {"name": name, "kind": kind, "size": size, "bits": bits, "unit": "packets", "table": table}

    return {
        "name": "p", "source": "p.p4", "swaps": 0, "value_sets": [],
        "tables": [table("c.net", ("f", 9, "exact"), ("g", 16, "lpm")), table("c.wild", ("g", 16, "ternary")), table("c.none")],
        "externs": [extern("c.reg", "register", 4, 17), extern("c.met", "meter", 3),
                    extern("c.pace", "direct_meter", 9, 0, "c.wild")],
        **more,
    }  # fmt: skip


def go(port: int) -> bytes:
    return bytes(4) + port.to_bytes(2, "big")


class Client:
    """`rules`: of table 1, in READ's form; `by_key`: of table 0; `elements`: by extern and index. `asked`: what was read."""

    def __init__(self) -> None:
        self.told = told()
        self.defaults: dict[int, bytes] = {}
        self.rules: list[bytes] = []
        self.by_key: dict[bytes, bytes] = {}
        self.elements: dict[tuple[int, int], bytes] = {}
        self.texts: dict[str, str] = {}
        self.asked: list[Any] = []

    def describe(self) -> dict[str, Any]:
        self.asked.append("describe")
        return self.told

    def read_default(self, number: int) -> bytes:
        return bytes(4) + self.defaults.get(number, (9).to_bytes(4, "big"))

    def read_entries(self, number: int, kind: Reading) -> list[bytes]:
        assert (number, kind) == (1, Reading.RULES)
        return self.rules

    def read_entry(self, number: int, key: bytes, kind: Reading) -> bytes | None:
        assert kind is Reading.RULE_OF_KEY
        self.asked.append((number, key.hex()))
        return self.by_key.get(key)

    def read_elements(self, number: int, index: int, count: int, size: int) -> bytes:
        assert count == 1
        self.asked.append((number, index, size))
        return self.elements.get((number, index), bytes(size))

    def command(self, line: str) -> Any:
        return SimpleNamespace(ok=line in self.texts, text=self.texts.get(line, ""))


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def running(program: Program, client: Client) -> Live:
    made = Live(program, client, lambda event: None)  # type: ignore[arg-type]
    made.refresh(1)
    client.asked.clear()
    return made


def test_state_is_read_again_where_something_has_changed(running: Live, client: Client) -> None:
    client.defaults[0] = go(5)
    running.refresh(1)
    assert client.asked == [] and running.switch.table("c.net").default == Call("")
    running.refresh(2)
    assert client.asked == ["describe"] and running.switch.table("c.net").default == Call("c.go", (5,))
    client.defaults[0] = go(6)
    running.refresh(2)
    assert running.switch.table("c.net").default == Call("c.go", (5,))
    running.refresh(0)
    assert running.switch.table("c.net").default == Call("c.go", (6,)), "less than before is a change, too"


def test_another_program_is_told(running: Live, client: Client, program: Program) -> None:
    """By how often programs were swapped; by its tables, where that is not known."""
    client.told = told(swaps=1)
    with pytest.raises(AnotherProgram, match="another program now: p"):
        running.refresh(2)
    Live(program, client, lambda event: None).refresh(2)  # type: ignore[arg-type]
    running.refresh(1)
    client.told = told()
    again = Live(program, client, lambda event: None)  # type: ignore[arg-type]
    again._swaps = 3
    with pytest.raises(AnotherProgram):
        again.refresh(2)
    client.told = told(tables=told()["tables"][1:])
    with pytest.raises(AnotherProgram, match=r"the switch runs another program: p, of p\.p4"):
        Live(program, client, lambda event: None)  # type: ignore[arg-type]


def test_entries_are_asked_for_by_the_longest_prefix_first(running: Live, client: Client) -> None:
    """Up to the first that is there; bits behind the prefix are none of the key."""
    table = running.switch.table("c.net")
    key = bytes.fromhex("0101ab00" + "0008")
    client.by_key[key] = (7).to_bytes(8, "big") + key + (3).to_bytes(4, "big") + go(6)
    found = table.lookup((0x101, 0xABCD))
    assert found == Entry(7, (Exact(0x101), Prefix(0xAB00, 8)), Call("c.go", (6,)), 0)
    lengths = [int(key[-4:], 16) for _, key in client.asked]
    assert (
        lengths == list(range(16, 7, -1))
        and client.asked[0] == (0, "0101abcd0010")
        and client.asked[3] == (0, "0101abc8000d")
    )
    client.asked.clear()
    assert table.lookup((0, 0xFFFF)) is None and len(client.asked) == 17 and client.asked[-1] == (0, "000000000000")


def test_a_table_without_a_key_is_asked_for_nothing(running: Live, client: Client) -> None:
    assert running.switch.table("c.none").lookup(()) is None and client.asked == []


def rule(handle: int, value: int, mask: int, priority: int, index: int) -> bytes:
    return struct.pack(">QHHiI", handle, value, mask, priority, index) + go(handle)


def test_entries_with_priorities_are_read_as_a_whole(running: Live, client: Client) -> None:
    """The one that is hit has its meter, by its index in the switch."""
    client.rules = [rule(1, 0, 0, 5, 2) + rule(2, 0x100, 0xFF00, 9, 3), rule(3, 0x101, 0xFFFF, 5, 4)]
    client.elements[2, 3] = RATES.pack(1, 2e6, 5, 3e6, 7)
    running.refresh(2)
    table = running.switch.table("c.wild")
    assert table.entries[2] == Entry(2, (Ternary(0x100, 0xFF00),), Call("c.go", (2,)), 9) and len(table.entries) == 3
    found = [table.lookup((value,)) for value in (0x101, 0x200)]
    assert [one and one.handle for one in found] == [2, 1]
    assert [one for one in client.asked if isinstance(one, tuple)] == [(2, 3, RATES.size), (2, 2, RATES.size)]
    client.rules = []
    running.refresh(3)
    assert table.lookup((0x101,)) is None


def test_only_meters_of_the_table_itself_have_rates_of_its_entries(program: Program, client: Client) -> None:
    """Those of another table are not read."""
    others = [dict(one, table="c.net") if one["name"] == "c.pace" else one for one in told()["externs"]]
    client.told = told(externs=others)
    made = Live(program, client, lambda event: None)  # type: ignore[arg-type]
    client.rules = [rule(1, 0, 0, 5, 2)]
    made.refresh(1)
    client.asked.clear()
    found = made.switch.table("c.wild").lookup((1,))
    assert found is not None and found.handle == 1 and client.asked == []


def test_a_default_entry_may_be_a_member(running: Live, client: Client) -> None:
    """What it does is read of the profile; one that is not there does nothing."""
    client.defaults[2] = MEMBER.to_bytes(4, "big") + (9).to_bytes(8, "big")
    table: Any = running._tables["c.none"]
    table.said = replace(table.said, profile="sel")
    for members, default in (({9: Call("c.go", (4,))}, Call("c.go", (4,))), ({}, Call(""))):
        table.refresh({"sel": SimpleNamespace(members=members)})
        assert table.default == default


@pytest.mark.parametrize(
    ("said", "choice"),
    [
        (go(5), Call("c.go", (5,))), ((1).to_bytes(4, "big"), Call("c.drop")), ((2).to_bytes(4, "big"), Call("")),
        (GROUP.to_bytes(4, "big") + (9).to_bytes(8, "big"), Call("a member of group 9")),
    ],
)  # fmt: skip
def test_default_entries(running: Live, client: Client, said: bytes, choice: Call) -> None:
    """A number that is no action's runs nothing."""
    client.defaults[2] = said
    running.refresh(2)
    assert running.switch.table("c.none").default == choice


def test_members_of_value_sets_are_read_anew_with_each_change() -> None:
    """Part by part: of each field what it matches, a mask or the end of a range behind it; without a priority."""
    key = tuple(
        Field(kind, bits, kind)
        for kind, bits in (("exact", 16), ("ternary", 9), ("range", 8), ("optional", 4), ("lpm", 12))
    )
    said = Table(3, "P.kinds", 4, key, (), None, False, is_value_set=True)

    def member(*numbers: int) -> bytes:
        return struct.pack(">HHHBBBBHHI", *numbers)

    parts = [
        member(5, 0x101, 0x1FF, 1, 2, 3, 15, 0xAB0, 8, 7) + member(6, 0, 0, 0, 255, 0, 0, 0, 0, 8),
        member(*[9] * 10),
    ]
    bare: Any = Live.__new__(Live)
    bare._changes, bare._swaps, bare._profiles, bare._tables, bare._value_sets = -1, 0, [], {}, [said]
    bare._client = SimpleNamespace(
        read_entries=lambda number: iter(parts if number == 3 else ()),
        describe=told,
        command=lambda line: SimpleNamespace(text=""),
    )
    store = SimpleNamespace(value_sets={"P.kinds": [()], "P.other": [()]})
    bare.switch = SimpleNamespace(store=store, replication=SimpleNamespace())
    bare.refresh(1)
    first = (Exact(5), Ternary(0x101, 0x1FF), Range(1, 2), Ternary(3, 15), Prefix(0xAB0, 8))
    second = (Exact(6), Ternary(0, 0), Range(0, 255), Ternary(0, 0), Prefix(0, 0))
    nine = (Exact(9), Ternary(9, 9), Range(9, 9), Ternary(9, 9), Prefix(9, 9))
    assert store.value_sets == {"P.kinds": [first, second, nine], "P.other": [()]}
    del parts[0]
    bare.refresh(2)
    assert store.value_sets["P.kinds"] == [nine]


def test_what_entries_name(running: Live) -> None:
    table: Any = running._tables["c.net"].said
    named = {
        number: live._choice(table, SimpleNamespace(number=number, named=7, data=())) for number in (MEMBER, GROUP, 1)
    }  # type: ignore[arg-type]
    assert named == {MEMBER: MemberRef(7), GROUP: GroupRef(7), 1: Call("c.drop")}
    kinds = {
        "exact": Exact(5),
        "lpm": Prefix(5, 6),
        "range": Range(5, 6),
        "ternary": Ternary(5, 6),
        "optional": Ternary(5, 6),
    }
    for kind, match in kinds.items():
        said: Any = SimpleNamespace(field=SimpleNamespace(kind=kind), value=b"\0\5", second=b"\6")
        assert live._match(said) == match


# --- state -----------------------------------------------------------------------------------------------------------


def test_registers_are_read_where_a_packet_has_not_written(running: Live, client: Client) -> None:
    register: Any = running.switch.store.states(Register)
    (register,) = register.values()
    client.elements[0, 3] = b"\1\0\7"
    assert register.read(3) == 0x10007 and client.asked == [(0, 3, 3)]
    register.write(3, 5)
    assert register.read(3) == 5 and register.read(4) == 0 and len(client.asked) == 1
    running.run(0, b"", 1)
    assert register.read(3) == 0x10007


def test_meters_have_the_rates_of_the_switch_and_full_buckets(running: Live, client: Client) -> None:
    """Rates are a second's there, and a microsecond's here; those that are not set are green."""
    client.elements[1, 2] = RATES.pack(1, 2e6, 4.6, 3e6, 7)
    extern: Any = SimpleNamespace(number=1)
    expected = Meter()
    expected.set_rates((2.0, 5), (3.0, 7), 0)
    assert running._rates(extern)(2) == expected and running._rates(extern)(1) == Meter()


def test_meters_are_read_for_each_packet(client: Client) -> None:
    read: list[int] = []
    meters = live._LiveMeters("packets", 3, lambda index: read.append(index) or Meter())  # type: ignore[func-returns-value]
    assert [meters.colour(index, 64, 0) for index in (0, 2, 2, 3)] == [0, 0, 0, 0] and read == [0, 2, 2]


@pytest.mark.parametrize(
    ("told", "session"),
    [
        ("session 5: port 3", Session(3, None)), ("session 5: multicast group 9", Session(None, 9)),
        ("session 5: port 0", Session(0, None)), ("session 5: multicast group 9, at most 64 bytes", Session(None, 9, 64)),
        ("session 5: port 3, at most 64 bytes, priority 2", Session(3, None, 64, 2)),
        ("session 5: port 3, priority 2", Session(3, None, 0, 2)), ("what?", "default"), (None, "default"),
    ],
)  # fmt: skip
def test_clone_sessions_are_asked_for_one_by_one(client: Client, told: str | None, session: Any) -> None:
    if told is not None:
        client.texts["mirroring_get 5"] = told
    assert live._Sessions(client).get(5, "default") == session  # type: ignore[arg-type]


DUMP = """mgrp(5)
  -> (L1h=4, rid=3) -> (ports=[1, 2], lags=[])
  -> (L1h=9, rid=6) -> (ports=[7], lags=[1, 2, 8])
mgrp(6)
LAGS
lag(1) -> ports=[10, 11, 12, 13]
lag(2) -> ports=[]
"""


def test_groups_are_those_of_the_switch(running: Live, client: Client) -> None:
    """Of a link aggregation group one port has the copy; of an empty one, none."""
    client.texts["mc_dump"] = DUMP
    running.refresh(2)
    replication = running.switch.replication
    assert (
        replication.copies(5) == [(1, 3), (2, 3), (7, 6), ((10, 11, 12, 13)[255 % 4], 6)]
        and replication.copies(6) == []
    )
    client.texts["mc_dump"] = ""
    running.refresh(3)
    assert replication.groups == {} and replication.nodes == []


def test_members_and_groups_are_read_of_profiles() -> None:
    """A member is in a group as often as it weighs, the first numbers first."""
    of = SimpleNamespace(said=SimpleNamespace(profile="sel", actions=told()["tables"][0]["actions"]))
    of.said.actions = (SimpleNamespace(name="c.go", params=(SimpleNamespace(bytes=2),)),)
    members = b"".join((number).to_bytes(8, "big") + go(number) for number in (3, 4))
    groups = struct.pack(">QIQIQI", 7, 2, 4, 2, 3, 1) + struct.pack(">QI", 8, 0)
    read = {Reading.MEMBERS: [members], Reading.GROUPS: [groups]}
    bare: Any = Live.__new__(Live)
    bare._client = SimpleNamespace(read_profile=lambda kind, number: read[kind])
    bare._tables = {"t": of}
    for selector in (True, False):
        kept = SimpleNamespace(members={99: None}, groups={99: None}, selector=selector)
        bare.switch = SimpleNamespace(store=SimpleNamespace(profiles={"sel": kept, "free": kept}))
        bare._read_profile(SimpleNamespace(name="sel", number=0))
        assert kept.members == {3: Call("c.go", (3,)), 4: Call("c.go", (4,))}
        assert kept.groups == ({7: [3, 4, 4], 8: []} if selector else {})
        bare._read_profile(SimpleNamespace(name="free", number=1))  # of no table: nothing reads it
        assert len(kept.members) == 2


def test_a_packet_has_the_time_at_which_it_came(running: Live) -> None:
    running.run(0, bytes(4), 5 * US + 999)
    assert running._now_us == 5
