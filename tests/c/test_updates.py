"""UPDATE and READ: changes and state in binary form."""

from __future__ import annotations

import random
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import Switch, ethernet

from macsad.control import Client
from macsad.protocol import ControlError, Digest, Filter, Message, Outcome, Push, Reading, Status, Traced, Update


class Described:
    """Numbers of what the switch has, by the last part of its name."""

    def __init__(self, switch: Switch) -> None:
        told = switch.client.describe()
        tables = [*told["tables"], *told["value_sets"]]
        self.table = {t["name"].split(".")[-1]: i for i, t in enumerate(tables)}
        self.action = {
            t["name"].split(".")[-1]: {a["name"].split(".")[-1]: i for i, a in enumerate(t["actions"])}
            for t in told["tables"]
        }
        self.size = {t["name"].split(".")[-1]: t["size"] for t in told["tables"]}
        self.extern = {e["name"].split(".")[-1]: i for i, e in enumerate(told["externs"])}
        self.externs = told["externs"]


def change(kind: Update, number: int, *parts: bytes) -> bytes:
    return bytes([kind]) + struct.pack(">H", number) + b"".join(parts)


def mac(value: int) -> bytes:
    return value.to_bytes(6, "big")


def u16(value: int) -> bytes:
    return struct.pack(">H", value)


def u32(value: int) -> bytes:
    return struct.pack(">I", value)


def test_entries(start) -> None:
    switch = start()
    d = Described(switch)
    dmac, forward, drop = d.table["dmac"], d.action["dmac"]["forward"], d.action["dmac"]["drop"]

    def add(key: int, port: int) -> bytes:
        return change(Update.ADD, dmac, mac(key), u32(forward), u16(port))

    done = switch.client.update([add(1, 1), add(2, 0), add(1, 0)])
    assert done == [(Outcome.DONE, 0), (Outcome.DONE, 1), (Outcome.EXISTS, 0)]
    frames = [(0, ethernet(1)), (0, ethernet(2))]
    assert sorted(switch.client.exchange(frames)) == [(0, ethernet(2)), (1, ethernet(1))]
    modify = change(Update.MODIFY, dmac, mac(2), u32(forward), u16(1))
    other = change(Update.MODIFY, dmac, mac(3), u32(drop))
    remove = change(Update.REMOVE, dmac, mac(1))
    outcomes = [o for o, _ in switch.client.update([other, modify, remove, remove])]
    assert outcomes == [Outcome.NONE, Outcome.DONE, Outcome.DONE, Outcome.NONE]
    assert b"".join(switch.client.read_entries(dmac)) == mac(2) + u32(1) + u32(forward) + u16(1)
    assert switch.client.read_entry(dmac, mac(2)) == mac(2) + u32(1) + u32(forward) + u16(1)
    assert switch.client.read_entry(dmac, mac(1)) is None
    stopped = switch.client.update([add(4, 0), add(4, 0), add(5, 0)], keep_going=False)
    assert [o for o, _ in stopped] == [Outcome.DONE, Outcome.EXISTS, Outcome.NOT_TRIED]
    assert switch.do("table_num_entries dmac") == "2\n"


def test_an_entry_deleted_by_key_has_another_handle_next(start) -> None:
    switch = start()
    d = Described(switch)
    switch.do("table_add dmac forward 1 => 1")
    switch.client.update([change(Update.REMOVE, d.table["dmac"], mac(1))])
    assert int(switch.do("table_add dmac forward 2 => 1").split()[-1]) == 1 << 24


def test_default_entries(start) -> None:
    switch = start()
    d = Described(switch)
    dmac, forward = d.table["dmac"], d.action["dmac"]["forward"]
    before = switch.client.read_default(dmac)
    assert before[:4] == u32(d.size["dmac"])
    assert switch.client.update([change(Update.SET_DEFAULT, dmac, u32(forward), u16(1))]) == [(Outcome.DONE, 0)]
    assert switch.client.read_default(dmac) == u32(d.size["dmac"]) + u32(forward) + u16(1)
    assert switch.client.exchange([(0, ethernet())]) == [(1, ethernet())]
    assert switch.client.update([change(Update.RESET_DEFAULT, dmac)]) == [(Outcome.DONE, 0)]
    assert switch.client.read_default(dmac) == before


def test_other_kinds_of_keys(start) -> None:
    switch = start()
    d = Described(switch)
    routes, acl = d.table["routes"], d.table["acl"]
    prefix = bytes([10, 1, 2, 3])
    to_1 = u32(d.action["routes"]["forward"]) + u16(1)
    deny = u32(d.action["acl"]["deny"])
    key = u16(0x12FF) + u16(0xFF00) + u16(0) + u16(1) + u32(7)
    done = switch.client.update(
        [
            change(Update.ADD, routes, prefix, u16(8), to_1),
            change(Update.ADD, routes, prefix, u16(33), to_1),
            change(Update.ADD, acl, key, deny),
            change(Update.ADD, acl, u16(0), u16(0), u16(2), u16(1), u32(7), deny),  # an empty range
            change(Update.ADD, acl, u16(0), u16(0), u16(0), u16(0x200), u32(7), deny),  # 10 bits in 9
        ]
    )
    assert [o for o, _ in done] == [Outcome.DONE, Outcome.WRONG, Outcome.DONE, Outcome.WRONG, Outcome.WRONG]
    assert b"".join(switch.client.read_entries(routes)) == bytes([10, 0, 0, 0]) + u16(8) + u32(0) + to_1
    canonical = u16(0x1200) + key[2:]
    assert b"".join(switch.client.read_entries(acl)) == canonical + u32(0) + deny
    assert switch.client.read_entry(acl, key) == canonical + u32(0) + deny
    assert switch.client.read_entry(acl, key[:-4] + u32(8)) is None  # another priority, another entry


def test_elements(start) -> None:
    switch = start()
    d = Described(switch)
    for number, extern in enumerate(d.externs):
        if extern["kind"] in ("counter", "direct_counter"):
            element, other = struct.pack(">QQ", 3, 1 << 40), bytes(16)
        elif extern["kind"] == "register":
            element = (1).to_bytes((extern["bits"] + 7) // 8, "big")
            other = bytes(len(element))
        elif extern["kind"] in ("meter", "direct_meter"):
            element, other = struct.pack(">Bdddd", 1, 1e6, 100, 2e6, 200), bytes(33)
        else:
            with pytest.raises(ControlError):
                switch.client.read_elements(number, 0, 0, 1)
            continue
        last = extern["size"] - 1
        set_last = change(Update.ELEMENT, number, u32(last), element)
        beyond = change(Update.ELEMENT, number, u32(last + 1), element)
        assert [o for o, _ in switch.client.update([set_last, beyond])] == [Outcome.DONE, Outcome.WRONG]
        assert switch.client.read_elements(number, last, 1, len(element)) == element
        switch.client.update([change(Update.ELEMENT, number, u32(last), other)])
        assert switch.client.read_elements(number, last, 1, len(element)) == other
        assert len(switch.client.read_elements(number, 0, extern["size"], len(element))) == extern["size"] * len(
            element
        )


def test_many_entries_are_read_in_parts(start) -> None:
    switch = start()
    d = Described(switch)
    table, forward = d.table["routes"], d.action["routes"]["forward"]
    count = min(30_000, d.size["routes"])
    changes = [change(Update.ADD, table, u32(i << 8), u16(24), u32(forward), u16(i % 500)) for i in range(count)]
    assert {o for o, _ in switch.client.update(changes)} == {Outcome.DONE}
    size = 4 + 2 + 4 + 4 + 2
    parts = list(switch.client.read_entries(table))
    whole = b"".join(parts)
    assert sorted(whole[at : at + 4] for at in range(0, len(whole), size)) == [u32(i << 8) for i in range(count)]
    removed = [change(Update.REMOVE, table, u32(i << 8), u16(24)) for i in range(count)]
    assert {o for o, _ in switch.client.update(removed)} == {Outcome.DONE}
    assert list(switch.client.read_entries(table)) == []


def test_entries_come_and_go_between_the_parts_that_are_read(start) -> None:
    """Each that was there before and after is read once, and none twice."""
    switch = start()
    d = Described(switch)
    table, to_1 = d.table["routes"], u32(d.action["routes"]["forward"]) + u16(1)
    count, size = 40_000, 4 + 2 + 4 + 4 + 2

    def changed(kind: Update, numbers: range) -> None:
        more = to_1 if kind is Update.ADD else b""
        done = switch.client.update([change(kind, table, u32(i << 8), u16(24), more) for i in numbers])
        assert {outcome for outcome, _ in done} == {Outcome.DONE}

    changed(Update.ADD, range(count))
    parts = switch.client.read_entries(table)
    read = next(parts)
    first = len(read) // size
    assert 0 < first < count
    changed(Update.REMOVE, range(0, count, 3))
    changed(Update.ADD, range(count, count + 1000))
    keys = {read[at : at + 4] for at in range(0, len(read), size)}
    for part in parts:
        more = [part[at : at + 4] for at in range(0, len(part), size)]
        assert keys.isdisjoint(more) and len(set(more)) == len(more)
        keys |= set(more)
    assert keys >= {u32(i << 8) for i in range(count) if i % 3}
    assert keys <= {u32(i << 8) for i in range(count + 1000)}
    for kind in (Reading.ENTRIES, Reading.RULES):
        ask = struct.pack(">BHQ", kind, table, 1 << 20)  # behind the last
        assert switch.client._ask(Message.READ, ask) == (Status.OK, u64(1 << 20))


def test_a_table_without_keys_has_no_entries(start) -> None:
    switch = start()
    table = Described(switch).table["keyless"]
    action = u32(0) + bytes(16) + u32(7) + b"\1"
    kinds = (Update.ADD, Update.MODIFY, Update.REMOVE)
    done = switch.client.update([change(kind, table, action[: 25 * (kind is not Update.REMOVE)]) for kind in kinds])
    assert Outcome.DONE not in {outcome for outcome, _ in done}
    assert list(switch.client.read_entries(table)) == list(switch.client.read_entries(table, Reading.RULES)) == []
    assert switch.client.read_entry(table, b"") is switch.client.read_entry(table, b"", Reading.RULE_OF_KEY) is None
    assert switch.client.read_entry(table, bytes(8), Reading.RULE) is None
    assert switch.client.update([change(Update.SET_DEFAULT, table, action)]) == [(Outcome.DONE, 0)]
    assert switch.client.read_default(table)[4:] == action


def test_what_is_not_of_the_protocol(start) -> None:
    switch = start()
    d = Described(switch)
    good = change(Update.ADD, d.table["dmac"], mac(1), u32(d.action["dmac"]["forward"]), u16(1))

    def ask(client: Client, kind: Message, payload: bytes) -> Status:
        return client._ask(kind, payload)[0]

    framed = u32(len(good) - 1) + good
    for payload in (b"", b"\1\0", b"\1" + framed[:-1], b"\1" + u32(0xFFFFFFFF) + b"\1"):
        assert ask(switch.client, Message.UPDATE, payload) is Status.WRONG
    for payload in (
        b"",
        b"\0",
        b"\1",
        b"\1\0\0",
        b"\1\xff\xff" + bytes(8),
        b"\2\0\0\1",
        b"\3\0",
        b"\4\0\0" + b"\xff" * 8,
    ):
        assert ask(switch.client, Message.READ, payload) is Status.WRONG
    cut = [good[:-1], good + b"\0", b"\1\xff\xff", b"\7\0\0", b"\6\xff\xff" + bytes(8), b"\4"]
    assert {o for o, _ in switch.client.update(cut)} == {Outcome.WRONG}
    chance = random.Random(1)
    for _ in range(300):
        noise = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            noise[chance.randrange(len(noise))] = chance.randrange(256)
        ask(switch.client, Message.UPDATE, b"\1" + u32(len(noise) - 1) + bytes(noise) + framed)
        ask(switch.client, Message.READ, chance.randbytes(chance.randrange(14)))
    assert switch.client.command("table_num_entries dmac").ok


def action(number: int, *params: bytes) -> bytes:
    return u32(number) + b"".join(params)


def u64(value: int) -> bytes:
    return struct.pack(">Q", value)


MEMBER, GROUP = 0xFFFFFFFE, 0xFFFFFFFD


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = switches.build(Path(__file__).parent / "edges.p4", ("address", "undefined"))
    switch = Switch(binary, tmp_path_factory.mktemp("edges"), ["--port=0=ctl:"])
    yield switch
    switch.stop()


def test_members_and_groups_by_id(edges: Switch) -> None:
    told = edges.client.describe()
    tables = {t["name"].split(".")[-1]: (i, t) for i, t in enumerate(told["tables"])}
    chosen = next(i for i, e in enumerate(told["externs"]) if e["name"].endswith("chosen"))
    choices, shape = tables["choices"]
    go = next(i for i, a in enumerate(shape["actions"]) if a["name"].endswith("go"))
    update = edges.client.update

    def codes(*changes: bytes) -> list[Outcome]:
        return [outcome for outcome, _ in update(changes)]

    def member(kind: Update, number: int, port: int) -> bytes:
        return change(kind, chosen, u64(number), action(go, u16(port)))

    def group(kind: Update, number: int, *members: tuple[int, int]) -> bytes:
        return change(kind, chosen, u64(number), *(u64(m) + u32(weight) for m, weight in members))

    by_command = int(edges.do("act_prof_create_member chosen go 1").split()[-1])
    big, unnamed = 1 << 62, 1 << 63
    adds = [member(Update.ADD_MEMBER, number, port) for number, port in ((big, 0), (7, 1), (7, 0), (unnamed | 3, 0))]
    assert codes(*adds) == [Outcome.DONE, Outcome.DONE, Outcome.EXISTS, Outcome.WRONG]
    groups = [
        group(Update.ADD_GROUP, 7, (7, 3), (big, 1)),
        group(Update.ADD_GROUP, 7),
        group(Update.ADD_GROUP, 8, (9, 1)),
        group(Update.ADD_GROUP, 8, (7, 65537)),
        group(Update.MODIFY_GROUP, 8, (7, 1)),
        group(Update.ADD_GROUP, 9, (unnamed | by_command, 2)),
    ]
    assert codes(*groups) == [
        Outcome.DONE, Outcome.EXISTS, Outcome.NONE, Outcome.FULL, Outcome.NONE, Outcome.DONE
    ]  # fmt: skip
    longest = [
        group(Update.ADD_GROUP, 10, (7, 65536)),
        group(Update.MODIFY_GROUP, 10, (7, 65536), (big, 1)),
        group(Update.MODIFY_GROUP, 10, (7, 1), (big, 65535)),
        group(Update.MODIFY_GROUP, 10, (7, 2), (big, 65535)),
        change(Update.REMOVE_GROUP, chosen, u64(10)),
    ]
    assert codes(*longest) == [Outcome.DONE, Outcome.FULL, Outcome.DONE, Outcome.FULL, Outcome.DONE]
    key = bytes([0] * ((shape["key"][0]["bits"] + 7) // 8)) * 2 + u32(1)
    named = change(Update.ADD, choices, key, u32(GROUP), u64(7))
    assert codes(change(Update.ADD, choices, key, u32(GROUP), u64(6)), named) == [Outcome.NONE, Outcome.DONE]
    assert b"".join(edges.client.read_entries(choices)).endswith(u32(GROUP) + u64(7))
    assert edges.do("table_dump choices").count("Group: 0") == 1

    def read(kind: Reading) -> bytes:
        return b"".join(edges.client.read_profile(kind, chosen))

    members = [(unnamed | by_command, 1), (big, 0), (7, 1)]
    assert read(Reading.MEMBERS) == b"".join(u64(i) + action(go, u16(port)) for i, port in members)
    weights = [u64(7), u32(2), u64(big), u32(1), u64(7), u32(3)]
    assert read(Reading.GROUPS) == b"".join([*weights, u64(9), u32(1), u64(unnamed | by_command), u32(2)])
    remove = [
        change(Update.REMOVE_MEMBER, chosen, u64(7)),
        change(Update.REMOVE_GROUP, chosen, u64(7)),
        change(Update.REMOVE, choices, key),
        change(Update.REMOVE_GROUP, chosen, u64(7)),
        change(Update.REMOVE_MEMBER, chosen, u64(7)),
        change(Update.REMOVE_MEMBER, chosen, u64(7)),
        change(Update.SET_DEFAULT, choices, u32(MEMBER), u64(big)),
        change(Update.REMOVE_MEMBER, chosen, u64(big)),
        change(Update.RESET_DEFAULT, choices),
        change(Update.REMOVE_MEMBER, chosen, u64(big)),
        change(Update.REMOVE_GROUP, chosen, u64(9)),
        change(Update.REMOVE_MEMBER, chosen, u64(unnamed | by_command)),
    ]
    done, used = Outcome.DONE, Outcome.USED
    assert codes(*remove) == [used, used, done, done, done, Outcome.NONE, done, used, *[done] * 4]
    assert read(Reading.MEMBERS) == read(Reading.GROUPS) == b""


def test_what_an_entry_names_is_used_until_it_names_another(edges: Switch) -> None:
    """Entries and the default entry, changed to name another member, a group, or none, in messages and by commands."""
    d = Described(edges)
    chosen, choices, go = d.extern["chosen"], d.table["choices"], u32(d.action["choices"]["go"])

    def codes(*changes: bytes) -> list[Outcome]:
        return [outcome for outcome, _ in edges.client.update(changes)]

    def used() -> set[str]:
        """Which of members and group cannot be removed; the others come again."""
        names = {"1": Update.REMOVE_MEMBER, "2": Update.REMOVE_MEMBER, "group": Update.REMOVE_GROUP}
        found = set()
        for name, kind in names.items():
            number = 7 if kind is Update.REMOVE_GROUP else int(name)
            (outcome,) = codes(change(kind, chosen, u64(number)))
            if outcome is Outcome.USED:
                found.add(name)
            else:
                again = change(Update.ADD_GROUP, chosen, u64(7)) if number == 7 else member(number)
                assert [outcome, *codes(again)] == [Outcome.DONE] * 2
        return found

    def member(number: int) -> bytes:
        return change(Update.ADD_MEMBER, chosen, u64(number), go, u16(number))

    names = {"1": u32(MEMBER) + u64(1), "2": u32(MEMBER) + u64(2), "group": u32(GROUP) + u64(7), "": go + u16(1)}
    assert codes(member(1), member(2), change(Update.ADD_GROUP, chosen, u64(7))) == [Outcome.DONE] * 3
    assert used() == set()
    key = bytes(4) + u32(1)
    for order in (("1", "2", "group", "", "group", "1"), ("", "2", "2", "", "1", "group", "2")):
        for at, name in enumerate(order):
            kind = Update.MODIFY if at else Update.ADD
            assert codes(change(kind, choices, key, names[name])) == [Outcome.DONE]
            assert used() == {name} - {""}
        assert codes(change(Update.REMOVE, choices, key)) == [Outcome.DONE] and used() == set()
        for name in order:
            assert codes(change(Update.SET_DEFAULT, choices, names[name])) == [Outcome.DONE]
            assert used() == {name} - {""}
        assert codes(change(Update.RESET_DEFAULT, choices)) == [Outcome.DONE] and used() == set()
    one = change(Update.ADD, choices, key, names["1"])
    assert codes(one, one) == [Outcome.DONE, Outcome.EXISTS] and used() == {"1"}
    by_handle = edges.client.read_entry(choices, key, Reading.RULE_OF_KEY)
    assert by_handle is not None
    edges.do(f"table_modify choices go {int.from_bytes(by_handle[:8], 'big')} 1")
    assert used() == set()
    assert (
        codes(change(Update.MODIFY, choices, key, names["1"]), change(Update.SET_DEFAULT, choices, names["2"]))
        == [Outcome.DONE] * 2
    )
    edges.do("table_clear choices")
    assert used() == {"2"}
    edges.do("table_restore choices")
    assert used() == set()
    removes = [change(Update.REMOVE_MEMBER, chosen, u64(number)) for number in (1, 2)]
    assert codes(*removes, change(Update.REMOVE_GROUP, chosen, u64(7))) == [Outcome.DONE] * 3


def test_rules_have_the_handles_of_commands(edges: Switch) -> None:
    """Also where an index is used again; the handle of what is gone names nothing."""
    d = Described(edges)
    table = d.table["masks"]
    edges.do("table_clear masks")
    gone = [int(edges.do(f"table_add masks go {i}&&&15 * * => {i} {i}").split()[-1]) for i in range(4)]
    edges.do(*(f"table_delete masks {handle}" for handle in gone[:2]))
    handles = gone[2:] + [int(edges.do(f"table_add masks drop {i}&&&15 * * => {i}").split()[-1]) for i in (8, 9)]
    rules = b"".join(edges.client.read_entries(table, Reading.RULES))
    keys = {
        handle: u16(i) + u16(15) + bytes(10) + u16(0) + u16(1023) + struct.pack(">i", 2**31 - 1 - i)
        for handle, i in zip(handles, (2, 3, 8, 9), strict=True)
    }
    found = {}
    for handle, key in keys.items():
        rule = edges.client.read_entry(table, u64(handle), Reading.RULE)
        assert rule is not None and rule == edges.client.read_entry(table, key, Reading.RULE_OF_KEY)
        assert rule[8:] == edges.client.read_entry(table, key) and rule.startswith(u64(handle) + key)
        found[handle & 0xFFFFFF] = rule
    assert rules == b"".join(rule for _, rule in sorted(found.items()))
    for handle in (*gone[:2], max(handles) + (1 << 24), 2**64 - 1):
        assert edges.client.read_entry(table, u64(handle), Reading.RULE) is None
    assert edges.client.read_entry(table, keys[handles[0]][:-1] + b"\0", Reading.RULE_OF_KEY) is None
    edges.do("table_clear masks")


def test_many_ids(edges: Switch) -> None:
    """Ids are found whatever was removed between them."""
    told = edges.client.describe()
    few = next(i for i, e in enumerate(told["externs"]) if e["name"].endswith(".few"))
    table = next(t for t in told["tables"] if t["name"] == told["externs"][few]["table"])
    go = next(i for i, a in enumerate(table["actions"]) if a["name"].endswith("go"))
    dice, there = random.Random(1), set[int]()
    for _ in range(2000):
        number = dice.choice([1, 17, 33, 1 << 40, 5 << 32])
        kind = dice.choice([Update.ADD_MEMBER, Update.MODIFY_MEMBER, Update.REMOVE_MEMBER])
        more = () if kind is Update.REMOVE_MEMBER else (action(go, u16(1)),)
        ((outcome, _),) = edges.client.update([change(kind, few, u64(number), *more)])
        if kind is Update.ADD_MEMBER:
            assert outcome is (Outcome.EXISTS if number in there else Outcome.FULL if len(there) == 2 else Outcome.DONE)
            there |= {number} if outcome is Outcome.DONE else set()
        else:
            assert outcome is (Outcome.DONE if number in there else Outcome.NONE)
            there -= {number} if kind is Update.REMOVE_MEMBER else set()
    for number in there:
        edges.client.update([change(Update.REMOVE_MEMBER, few, u64(number))])


def test_notes(edges: Switch) -> None:
    dice, kept = random.Random(2), dict[bytes, bytes]()
    changes = []
    for _ in range(3000):
        name = b"n" + dice.randbytes(dice.randint(0, 1))
        note = dice.randbytes(dice.choice([0, 0, 1, 300, 20000]))
        changes.append(bytes([Update.NOTE]) + u16(len(name)) + name + note)
        if note:
            kept[name] = note
        else:
            kept.pop(name, None)
    kept[b"nn"] = b"of that name"
    changes.append(bytes([Update.NOTE]) + u16(2) + b"nn" + kept[b"nn"])
    assert {outcome for outcome, _ in edges.client.update(changes)} == {Outcome.DONE}
    assert list(edges.client.read_notes()) == sorted(kept.items())
    assert list(edges.client.read_notes(b"nn")) == [(k, v) for k, v in sorted(kept.items()) if k.startswith(b"nn")]
    wrong, fine = bytes([Update.NOTE]) + u16(9) + b"short", bytes([Update.NOTE]) + u16(1) + b"nX"
    edges.client.update([fine[:-1]])
    outcomes = [outcome for outcome, _ in edges.client.update([wrong, fine, change(Update.RESET_DEFAULT, 0), fine])]
    assert outcomes == [Outcome.WRONG, Outcome.NOT_TRIED, Outcome.DONE, Outcome.DONE]
    many = [change(Update.RESET_DEFAULT, 0), *[wrong, fine, change(Update.RESET_DEFAULT, 0), fine, fine] * 1999]
    of_each = [Outcome.WRONG, Outcome.NOT_TRIED, Outcome.DONE, Outcome.DONE, Outcome.DONE]
    assert [outcome for outcome, _ in edges.client.update(many)] == [Outcome.DONE, *of_each * 1999]  # in many slices
    kept[b"n"] = b"X"
    edges.client.update([bytes([Update.NOTE]) + u16(len(name)) + name for name in kept])
    assert list(edges.client.read_notes()) == []


def test_frames_are_pushed(start) -> None:
    switch = start()
    switch.do("table_add dmac forward 1 => 1", "table_add dmac forward 2 => 0")
    with Client(switch.socket) as taker, Client(switch.socket) as other:
        assert taker.pushed(0.0) is None
        taker.take_frames(1)
        with pytest.raises(ControlError, match="ctl: ports"):
            taker.take_frames(1, 9)
        for first in range(0, 3000, 500):
            switch.client.inject(0, [ethernet(1, src=src) for src in range(first, first + 500)])
            switch.client.inject(0, [ethernet(2)])
            assert switch.client.collect() == [(0, ethernet(2))]  # only what is not pushed
        frames: list[tuple[int, bytes]] = []
        while len(frames) < 3000:
            pushed = taker.pushed(20)
            assert isinstance(pushed, list)
            frames += pushed
        assert frames == [(1, ethernet(1, src=src)) for src in range(3000)]
        assert other.collect() == []
    deadline = time.monotonic() + 20
    while not (found := switch.client.exchange([(0, ethernet(1))])):
        assert time.monotonic() < deadline, "the switch has not seen that the taker is gone"
    assert found == [(1, ethernet(1))]  # whoever is gone gets nothing


def test_each_client_gets_the_frames_of_its_ports(start) -> None:
    """However they take turns."""
    switch = start(ports=3)
    switch.do(*(f"table_add dmac forward {port} => {port}" for port in (1, 2)))
    with Client(switch.socket) as one, Client(switch.socket) as two:
        one.take_frames(1)
        two.take_frames(2)
        frames = [ethernet(1 + at % 2, src=at) for at in range(40)]
        assert switch.client.inject(0, frames) == len(frames)
        for number, client in enumerate((one, two)):
            got: list[tuple[int, bytes]] = []
            while len(got) < 20:
                pushed = client.pushed(20)
                assert isinstance(pushed, list)
                got += pushed
            assert got == [(1 + number, frame) for frame in frames[number::2]]


def test_who_subscribes_again_keeps_what_it_has(start) -> None:
    """Frames of ports, digests, entries that nothing hits: each is asked for by itself, and only once told of."""
    switch = start()
    switch.do("table_add dmac forward 1 => 1")
    frames = [(0, ethernet(1, kind=0xD1E5))]
    with Client(switch.socket) as frames_only, Client(switch.socket) as all_of_it, Client(switch.socket) as idle_only:
        frames_only.take_frames(0)
        idle_only.subscribe(Push.IDLE)
        for wanted in (Push.DIGESTS, Push.IDLE):
            all_of_it.subscribe(wanted)
        all_of_it.take_frames(1)
        for _ in range(2):
            assert switch.client.exchange(frames) == []
            told = [all_of_it.pushed(20), all_of_it.pushed(20)]
            assert [(1, ethernet(1, kind=0xD1E5))] in told
            assert [len(one.records) for one in told if isinstance(one, Digest)] == [1]
        assert all_of_it.pushed(0.05) is frames_only.pushed(0.0) is idle_only.pushed(0.0) is None
        frames_only.take_frames(1)  # who asks last gets them
        assert switch.client.exchange(frames) == []
        assert frames_only.pushed(20) == [(1, ethernet(1, kind=0xD1E5))]
        assert isinstance(all_of_it.pushed(20), Digest) and all_of_it.pushed(0.05) is None


def test_who_goes_takes_nothing_from_others(start) -> None:
    """Neither frames of ports that another one takes, nor digests, of which all subscribers get each."""
    switch = start(ports=3)
    switch.do(*(f"table_add dmac forward {port} => {port}" for port in (1, 2)))
    frames = [(0, ethernet(port, kind=0xD1E5)) for port in (1, 2)]
    with Client(switch.socket) as stays, Client(switch.socket) as other:
        other.subscribe()
        with Client(switch.socket) as goes:
            goes.subscribe()
            goes.take_frames(1, 2)
            stays.take_frames(1)
            assert switch.client.exchange(frames) == [] and stays.pushed(20) == [(1, ethernet(1, kind=0xD1E5))]
            told = [goes.pushed(20), goes.pushed(20)]
            assert [(2, ethernet(2, kind=0xD1E5))] in told
            assert [len(one.records) for one in (*told, other.pushed(20)) if isinstance(one, Digest)] == [2, 2]
        deadline = time.monotonic() + 20
        while not (found := switch.client.exchange(frames)):
            assert time.monotonic() < deadline, "the switch has not seen that one is gone"
            assert stays.pushed(20) == [(1, ethernet(1, kind=0xD1E5))]
        assert found == [(2, ethernet(2, kind=0xD1E5))]
        assert stays.pushed(20) == [(1, ethernet(1, kind=0xD1E5))] and stays.pushed(0.0) is None
        assert isinstance(other.pushed(20), Digest)


def test_digests_are_lost_to_who_does_not_read(start) -> None:
    """When a MiB waits. What has been read makes room again."""
    switch = start("--burst=256")
    frames = [ethernet(kind=0xD1E5 + number % 2) for number in range(1000)]  # each another message
    rounds, least = 46, 2 + len("Ingress.moved") + 4 + 2
    with Client(switch.socket) as idle:
        idle.subscribe()
        for _ in range(rounds):
            assert switch.client.inject(0, frames) == len(frames)
            assert switch.client.collect() == []
        kept = 0
        while digest := idle.digest(0.2):
            kept += len(digest.records)
        assert (1 << 20) / (8 + least + 6) - 100 < kept < rounds * len(frames)
        switch.client.inject(0, frames[:2])
        assert idle.digest(20) is not None and idle.digest(20) is not None


def test_ports_have_numbers_of_more_than_8_bits(start) -> None:
    """In every message that has one."""
    switch = start("--port=256=ctl:", "--port=511=ctl:", ports=1)
    switch.do("table_add dmac forward 1 => 511", "table_add dmac forward 2 => 256", "table_add dmac forward 3 => 0")
    frames = [(256, ethernet(1, src=256)), (511, ethernet(2, src=511)), (256, ethernet(3)), (0, ethernet(1))]
    sent = [(511, frames[0][1]), (256, frames[1][1]), (0, frames[2][1]), (511, frames[3][1])]
    assert sorted(switch.client.exchange(frames)) == sorted(sent)
    with Client(switch.socket) as client:
        client.take_frames(511)
        client.trace(Filter(port=256))
        assert sorted(switch.client.exchange(frames)) == sorted(one for one in sent if one[0] != 511)
        pushed: list[tuple[int, bytes]] = []
        traced: list[tuple[int, bytes]] = []
        while len(pushed) < 2 or len(traced) < 2:
            told = client.pushed(20)
            if isinstance(told, Traced):
                traced += [(port, data) for port, _, data in told.frames]
            else:
                assert isinstance(told, list)
                pushed += told
        assert sorted(pushed) == sorted(one for one in sent if one[0] == 511)
        assert sorted(traced) == sorted(one for one in frames if one[0] == 256)
    counts = {one["port"]: (one["rx_packets"], one["tx_packets"]) for one in switch.client.stats()["ports"]}
    assert counts == {0: (2, 2), 256: (4, 2), 511: (2, 4)}


def test_frames_of_ctl_ports_alone_are_taken(start) -> None:
    switch = start("--port=7=null:")
    for payload in (b"\0\0\7", b"\0\0\1\0\7", b"\0\0", b"\1\0\1\0"):
        assert switch.client._ask(Message.SUBSCRIBE, payload)[0] is Status.WRONG
    switch.do("table_add dmac forward 1 => 1")
    assert switch.client.exchange([(0, ethernet(1))]) == [(1, ethernet(1))]  # what is wrong takes none


def test_a_port_that_comes_again_is_nobodys(start) -> None:
    switch = start(ports=3)
    switch.do("table_add dmac forward 1 => 2")
    with Client(switch.socket) as taker:
        taker.take_frames(2)
        assert switch.client.exchange([(0, ethernet(1))]) == []
        assert taker.pushed(20) == [(2, ethernet(1))]
        switch.do("port_remove 2", "port_add ctl: 2")
        assert switch.client.exchange([(0, ethernet(1))]) == [(2, ethernet(1))]
        taker.take_frames(2)
        assert switch.client.exchange([(0, ethernet(1))]) == []
        assert taker.pushed(20) == [(2, ethernet(1))]


def test_frames_wait_for_a_client_that_does_not_read(start) -> None:
    switch = start()
    switch.do("table_add dmac forward 1 => 1")
    frame = ethernet(1, payload=bytes(1400))
    with Client(switch.socket) as taker:
        taker.take_frames(1)
        taken, more = 0, 1
        while more and taken < 3000:  # all packets of the switch may be in use then
            more = switch.client.inject(0, [frame] * 300)
            taken += more
            switch.client.collect()
        assert taken > 900
        count = 0
        while count < taken:
            pushed = taker.pushed(20)
            assert isinstance(pushed, list)
            count += len(pushed)


def test_who_sends_no_more_gets_what_it_has_asked_for(start) -> None:
    """Also what takes a while: frames that wait for their workers, and many commands."""
    switch = start()
    switch.do("table_add dmac forward 1 => 1")
    lines = 50_000 * b"table_num_entries dmac\n"
    with Client(switch.socket) as collects, Client(switch.socket) as commands:
        switch.client.hold(True)
        assert collects.inject(0, [ethernet(1)]) == 1
        collects._socket.sendall(struct.pack(">IBBH", 0, Message.COLLECT, 0, 9))
        collects._socket.shutdown(socket.SHUT_WR)
        for _ in range(2):
            switch.client.stats()  # the server has seen that nothing more comes
        switch.client.hold(False)
        frame = struct.pack(">HI", 1, len(ethernet(1))) + ethernet(1)
        assert collects._receive() == (Message.COLLECT, Status.OK, 9, frame)
        commands._socket.sendall(struct.pack(">IBBH", 1 + len(lines), Message.BULK, 0, 8) + b"\0" + lines)
        commands._socket.shutdown(socket.SHUT_WR)
        assert commands._receive() == (Message.BULK, Status.OK, 8, struct.pack(">II", 50_000, 0))
        assert collects._socket.recv(1) == commands._socket.recv(1) == b""


def test_workers_rest(start) -> None:
    switch = start("--workers=2")
    switch.do("table_add dmac forward 1 => 1")
    client = switch.client
    with Client(switch.socket) as other:
        client.hold(True)
        other.inject(0, [ethernet(1)] * 3)
        with pytest.raises(ControlError, match="rest for another client"):
            other.hold(True)
        with pytest.raises(ControlError, match="rest for another client"):
            client.hold(True)  # nor twice for one
        switch.do("table_modify dmac forward 0 0")
        received = [client.stats()["received"] for _ in range(20)]
        client.hold(False)
        assert received == [0] * 20
        assert other.collect() == [(0, ethernet(1))] * 3
        with pytest.raises(ControlError, match="went on"):
            client.hold(False)
        with Client(switch.socket) as gone:
            gone.hold(True)
            other.inject(0, [ethernet(1)])
        assert other.collect() == [(0, ethernet(1))]
        client.hold(True)
        other.inject(0, [ethernet(1)])
        assert other.collect() == [(0, ethernet(1))]  # a second is over
        with pytest.raises(ControlError, match="went on"):
            client.hold(False)


def until_workers_rest_again(switch: Switch) -> float:
    """Seconds until workers rest for one client after the one has gone for which they rested."""
    with Client(switch.socket) as gone:
        gone.hold(True)
    begin = time.monotonic()
    while True:
        try:
            switch.client.hold(True)
        except ControlError:  # the switch has not seen yet that the other has gone
            continue
        switch.client.hold(False)
        return time.monotonic() - begin


def test_workers_go_on_when_the_client_for_which_they_rest_has_gone(start) -> None:
    """And not when the second is over that they rest at most."""
    switch = start("--workers=2")
    assert min(until_workers_rest_again(switch) for _ in range(5)) < 0.5
