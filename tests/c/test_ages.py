"""Idle timeouts: entries that nothing hits are told of, once, to who has subscribed."""

from __future__ import annotations

import io
import json
import re
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import Switch

from macsad import idle
from macsad.control import Client
from macsad.ctl import show_idle
from macsad.protocol import ControlError, Idle, Message, Outcome, Push, Reading, Status, Update

TABLES = ("words", "hashed", "prefixes", "masks", "members", "constants", "still")
MS = 1_000_000
ADD = {
    "words": "table_add words send 7 => 0",
    "hashed": "table_add hashed send 0x700000000 => 0",
    "prefixes": "table_add prefixes send 0x700000000/40 => 0",
    "masks": "table_add masks send 7&&&0xff 0->0xffffffffff => 0 1",
    "members": "table_indirect_add members 7 => 0",
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = switches.build(Path(__file__).parent / "ages.p4", ("address", "undefined"))
    switch = Switch(binary, tmp_path_factory.mktemp("ages"), ["--port=0=ctl:", "--port=1=ctl:"])
    switch.do("act_prof_create_member profile send 0")
    switch.client.subscribe(Push.IDLE)
    yield switch
    switch.stop()


@pytest.fixture
def switch(running: Switch) -> Switch:
    running.do(*(f"table_clear {table}" for table in (*ADD, "still")))
    while running.client.idle(0.15):
        pass
    return running


def hit(switch: Switch, table: str, key: int = 7, wide: int = 0x700000000) -> None:
    frame = bytes([TABLES.index(table), key]) + wide.to_bytes(8, "big")
    assert switch.client.exchange([(0, frame)]) == [(0, frame)]


def add(switch: Switch, line: str) -> int:
    return int(switch.do(line).split()[-1])


def number(switch: Switch, table: str) -> int:
    names = [t["name"].split(".")[-1] for t in switch.client.describe()["tables"]]
    return names.index(table)


def u32(value: int) -> bytes:
    return struct.pack(">I", value)


def since(switch: Switch, table: str, index: int = 0) -> int:
    """Milliseconds since the entry was hit."""
    return switch.client.read_ages(number(switch, table), index, 1)[0][1] // MS


@pytest.mark.parametrize("table", ADD)
def test_a_hit_is_seen_whatever_the_table_is_made_of(switch: Switch, table: str) -> None:
    handle = add(switch, ADD[table])
    time.sleep(0.06)
    assert since(switch, table, handle & 0xFFFFFF) >= 60
    before = time.monotonic()
    hit(switch, table)
    age = since(switch, table, handle & 0xFFFFFF)
    assert age <= 30 + (time.monotonic() - before) * 1000


def test_an_entry_of_the_program_is_hit_too(switch: Switch) -> None:
    time.sleep(0.06)
    before = time.monotonic()
    hit(switch, "constants", key=2)
    ages = switch.client.read_ages(number(switch, "constants"), 0, 2)
    assert ages[0][1] >= 60 * MS and ages[1][1] <= (30 + (time.monotonic() - before) * 1000) * MS
    assert "are constant" in switch.fail("table_set_timeout constants 0 100")


@pytest.mark.parametrize("table", ADD)
def test_an_idle_entry_is_told_of_once_until_it_is_hit(switch: Switch, table: str) -> None:
    handle = add(switch, ADD[table])
    switch.do(f"table_set_timeout {table} {handle} 50")
    told = switch.client.idle(5)
    assert told is not None
    assert told.table == number(switch, table)
    ((which, timeout, since_hit),) = told.ages
    assert (which, timeout) == (handle, 50 * MS)
    assert 50 * MS <= since_hit < 5000 * MS
    assert told.entries == b"".join(switch.client.read_entries(told.table))
    (entry,) = idle.shown(switch.client.describe(), told)
    assert (entry["table"], entry["handle"], entry["timeout_ms"]) == (f"I.{table}", handle, 50)
    dumped = re.findall(r"^\* .*?: [A-Z]+ +(.*)$", switch.do(f"table_dump {table}"), re.MULTILINE)
    assert entry["key"] == dumped
    assert switch.client.idle(0.25) is None
    hit(switch, table)
    again = switch.client.idle(5)
    assert again is not None
    assert again.ages[0][0] == handle


def test_entries_are_shown_one_after_the_other(switch: Switch) -> None:
    """Those that name members are as long as an id makes them."""
    handles = [add(switch, f"table_indirect_add members {key} => 0") for key in (7, 8)]
    read = b"".join(switch.client.read_entries(number(switch, "members")))
    told = Idle(number(switch, "members"), tuple((handle, 50 * MS, 60 * MS) for handle in handles), read)
    shown = list(idle.shown(switch.client.describe(), told))
    dumped = re.findall(r"^\* .*?: [A-Z]+ +(.*)$", switch.do("table_dump members"), re.MULTILINE)
    assert [word for one in shown for word in one["key"]] == dumped and len(dumped) == 2


def test_an_entry_that_is_hit_in_time_is_not_told_of(switch: Switch) -> None:
    handle = add(switch, ADD["words"])
    switch.do(f"table_set_timeout words {handle} 2000")
    for _ in range(4):
        hit(switch, "words")
        assert switch.client.idle(0.1) is None
    switch.do(f"table_set_timeout words {handle} 1")
    assert switch.client.idle(5) is not None


def test_a_deleted_entry_leaves_no_timeout_behind(switch: Switch) -> None:
    handle = add(switch, ADD["words"])
    switch.do(f"table_set_timeout words {handle} 1", f"table_delete words {handle}")
    next_one = add(switch, ADD["words"])
    assert next_one & 0xFFFFFF == handle & 0xFFFFFF
    assert switch.client.idle(0.25) is None
    assert switch.client.read_ages(number(switch, "words"), next_one & 0xFFFFFF, 1)[0][0] == 0


def test_who_takes_frames_is_told_as_before(switch: Switch) -> None:
    with Client(switch.socket) as client:
        client.subscribe(Push.IDLE)
        client.take_frames(1)
        switch.do(f"table_set_timeout words {add(switch, ADD['words'])} 1")
        assert isinstance(client.pushed(10), Idle)


def test_timeouts_in_binary_changes(switch: Switch) -> None:
    table = number(switch, "words")
    head = struct.pack(">H", table) + bytes([7]) + struct.pack(">IH", 0, 0)
    changes = [bytes([Update.ADD]) + head + struct.pack(">Q", 40 * MS), bytes([Update.ADD]) + head + bytes(7)]
    (done, index), (wrong, _) = switch.client.update(changes)
    assert (done, wrong) == (Outcome.DONE, Outcome.WRONG)
    assert switch.client.read_ages(table, index, 1)[0][0] == 40 * MS
    switch.client.update([bytes([Update.MODIFY]) + head])
    assert switch.client.read_ages(table, index, 1)[0][0] == 40 * MS  # left as it is
    switch.client.update([bytes([Update.MODIFY]) + head + bytes(8)])
    assert switch.client.read_ages(table, index, 1)[0][0] == 0
    default = struct.pack(">BHIH", Update.SET_DEFAULT, table, 0, 1)
    outcomes = [outcome for outcome, _ in switch.client.update([default + bytes(8), default])]
    assert outcomes == [Outcome.WRONG, Outcome.DONE]  # a default entry has none
    switch.do("table_reset_default words")
    still = struct.pack(">H", number(switch, "still")) + bytes([7]) + struct.pack(">IH", 0, 0)
    assert switch.client.update([bytes([Update.ADD]) + still + bytes(8)])[0][0] is Outcome.WRONG


@pytest.mark.parametrize("late", [0.0, 1.5])
def test_many_entries_are_told_of_in_messages_of_bounded_length(switch: Switch, late: float) -> None:
    """All of them, also to a client that reads late: more than it may have unread waits."""
    table, count = number(switch, "hashed"), 70000
    changes = [bytes([Update.ADD]) + struct.pack(">HQIHQ", table, wide, 0, 0, 1 * MS) for wide in range(1, count + 1)]
    assert {outcome for outcome, _ in switch.client.update(changes)} == {Outcome.DONE}
    time.sleep(late)
    handles: list[int] = []
    while len(handles) < count:
        told = switch.client.idle(10)
        assert told is not None
        assert len(told.entries) <= (256 << 10) + 32
        handles += [handle for handle, _, _ in told.ages]
    assert len(set(handles)) == count
    assert switch.client.idle(0.25) is None


def test_many_members_and_groups_are_shown_in_parts(switch: Switch) -> None:
    """By commands in slices of time, in messages in parts of half a MiB: each once, in order, to the last."""
    told = switch.client.describe()
    profile = next(at for at, one in enumerate(told["externs"]) if one["name"].endswith(".profile"))
    last, head = 40_000, struct.Struct(">BHQ")
    ids = [1 << 63, *range(1, last)]  # the first was made by a command
    added = [head.pack(Update.ADD_MEMBER, profile, i) + struct.pack(">IH", 0, i % 512) for i in ids[1:]]
    added += [head.pack(Update.ADD_GROUP, profile, i) + struct.pack(">QI", i % 9 + 1, 3) for i in range(1, last + 1)]
    assert {outcome for outcome, _ in switch.client.update(added)} == {Outcome.DONE}
    (full, _) = switch.client.update([head.pack(Update.ADD_MEMBER, profile, last) + struct.pack(">IH", 0, 1)])[0]
    assert full is Outcome.FULL
    members = b"".join(switch.client.read_profile(Reading.MEMBERS, profile))
    ports = [0, *(i % 512 for i in ids[1:])]
    assert members == b"".join(struct.pack(">QIH", i, 0, port) for i, port in zip(ids, ports, strict=True))
    groups = b"".join(switch.client.read_profile(Reading.GROUPS, profile))
    assert groups == b"".join(struct.pack(">QIQI", i, 1, i % 9 + 1, 3) for i in range(1, last + 1))
    first = switch.client._ask(Message.READ, struct.pack(">BHI", Reading.MEMBERS, profile, 0))
    assert first[0] is Status.MORE and len(first[1]) <= (512 << 10) + 18
    shown = ["==========", "MEMBERS"]
    for handle, port in enumerate(ports):
        shown += ["**********", f"Dumping member {handle}", f"Action entry: I.send - {port:04x}"]
    shown += ["==========", "GROUPS"]
    for handle in range(last):
        one = (handle + 1) % 9 + 1
        shown += ["**********", f"Dumping group {handle}", f"Members: [{one}, {one}, {one}]"]
    assert switch.do("act_prof_dump profile").splitlines() == shown
    removed = [head.pack(Update.REMOVE_GROUP, profile, i) for i in range(1, last + 1)]
    removed += [head.pack(Update.REMOVE_MEMBER, profile, i) for i in ids[1:]]
    assert {outcome for outcome, _ in switch.client.update(removed)} == {Outcome.DONE}


class Once(io.StringIO):
    """Output whose reader presses Ctrl-C behind the first line."""

    def flush(self) -> None:
        raise KeyboardInterrupt


@pytest.mark.parametrize("as_json", [False, True])
def test_ctl_shows_what_is_told_of(switch: Switch, as_json: bool) -> None:
    handle = add(switch, ADD["words"])
    switch.do(f"table_set_timeout words {handle} 10")
    output, errors = Once(), io.StringIO()
    assert show_idle(socket=switch.socket, as_json=as_json, output=output, errors=errors) == 0
    assert not errors.getvalue()
    if as_json:
        told = json.loads(output.getvalue())
        assert (told["table"], told["handle"], told["key"], told["timeout_ms"]) == ("I.words", handle, ["07"], 10)
    else:
        assert re.fullmatch(rf"I.words {handle}: 07: \d+ ms since hit, timeout is 10 ms\n", output.getvalue())


def test_what_dumps_and_errors_say(switch: Switch) -> None:
    handle = add(switch, ADD["words"])
    switch.do(f"table_set_timeout words {handle} 60000")
    assert "ms since hit, timeout is 60000ms\n" in switch.do(f"table_dump_entry words {handle}")
    still = add(switch, "table_add still send 7 => 0")
    assert "Life" not in switch.do("table_dump still")
    assert "do not time out" in switch.fail(f"table_set_timeout still {still} 1")
    assert "no such entry" in switch.fail("table_set_timeout words 99 1")
    for wrong in ("soon", "-1", 2**64, (2**64 - 1) // 10**6 + 1):
        assert "not a number of milliseconds" in switch.fail(f"table_set_timeout words {handle} {wrong}")
    switch.do(f"table_set_timeout words {handle} {(2**64 - 1) // 10**6}")
    assert switch.client.read_ages(number(switch, "words"), handle & 0xFFFFFF, 1)[0][0] == (2**64 - 1) // 10**6 * 10**6
    with pytest.raises(ControlError, match="may time out"):
        switch.client.read_ages(number(switch, "still"), 0, 1)
    with pytest.raises(ControlError, match="indices"):
        switch.client.read_ages(number(switch, "words"), 200, 57)
    for first, count in ((0, 256), (200, 56), (255, 1), (256, 0)):
        assert len(switch.client.read_ages(number(switch, "words"), first, count)) == count
    many = switch.client.read_ages(number(switch, "hashed"), 0, 70000)  # in parts
    assert len(many) == 70000 and many[0][0] == 0
    for wrong in (bytes(7), bytes(9), u32(0) + u32(257), u32(257) + u32(0), u32(1) + u32(2**32 - 1)):
        ask = struct.pack(">BH", Reading.AGES, number(switch, "words")) + wrong
        assert switch.client._ask(Message.READ, ask)[0] is Status.WRONG
    told = {t["name"].split(".")[-1]: t["ages"] for t in switch.client.describe()["tables"]}
    assert told == {table: table != "still" for table in TABLES}
