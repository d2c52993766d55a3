"""UPDATE and READ: changes and state in binary form."""

from __future__ import annotations

import random
import struct

import pytest
from switch_harness import Switch, ethernet

from macsad.control import Client, ControlError, Message, Outcome, Status, Update


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
