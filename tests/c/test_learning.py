"""Entries that packets add, in the running switch: by many workers, with the control plane beside them, and their end."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import Switch, write_pcap

from macsad.control import Client
from macsad.protocol import Filter, Push, Traced, Update

PROGRAM = Path(__file__).parent / "learning.p4"
FLOWS, WIDE, AGING, NOTIFYING = range(4)
FEEDS = range(8, 12)
SOON = 20.0  # seconds


def frame(table: int, key: int, more: int = 0) -> bytes:
    return bytes([table]) + key.to_bytes(4, "big") + more.to_bytes(8, "big")


def until(what: object, done: object, wanted: object) -> None:
    """Wait until a function gives what is wanted."""
    end = time.monotonic() + SOON
    while (got := done()) != wanted:  # type: ignore[operator]
        assert time.monotonic() < end, (what, got, wanted)
        time.sleep(0.02)


def entries_of(switch: Switch, table: str) -> int:
    return int(switch.do(f"table_num_entries {table}").split()[-1])


def learned(switch: Switch, table: str) -> tuple[int, int, int]:
    """Added, refused, lost."""
    a, b, c = map(int, re.findall(r"\d+", switch.do(f"table_show_learned {table}")))
    return a, b, c


@pytest.mark.parametrize(
    ("table", "name", "counter"), [(FLOWS, "flows", "Work.hits"), (WIDE, "wide", "Work.wide_hits")]
)
@pytest.mark.parametrize("sanitize", [(), ("thread",)], ids=["plain", "threads"])
def test_each_key_is_added_once_by_many_workers(
    table: int, name: str, counter: str, sanitize: tuple[str, ...], tmp_path: Path
) -> None:
    """All that miss a key add it; one of them does, and whoever comes behind it hits, whichever worker it is with."""
    keys, times = 3000, 6
    frames = [frame(table, key) for key in range(keys) for _ in range(times)]
    random.Random(7).shuffle(frames)
    for number, port in enumerate(FEEDS):
        write_pcap(tmp_path / f"{port}.pcap", frames[number :: len(FEEDS)])
    ports = [f"--port={port}=mem:{tmp_path}/{port}.pcap" for port in FEEDS]
    ports += [f"--port={port}=null:{port}" for port in (2, 3, 4)]
    switch = Switch(switches.build(PROGRAM, sanitize), tmp_path, [*ports, "--workers=4"])
    try:
        until("received", lambda: switch.client.stats()["received"], len(frames))
        until("sent", lambda: switch.client.stats()["sent"], len(frames))
        sent = {port["port"]: port["tx_packets"] for port in switch.client.stats()["ports"]}
        added, refused, lost = learned(switch, name)
        assert (sent[3], sent[4], lost) == (added, refused, 0)
        assert added == entries_of(switch, name) <= keys
        counts = re.findall(r"(\d+) packets", "".join(switch.do(f"counter_read {counter} {i}") for i in range(added)))
        assert sum(map(int, counts)) == sent[2] == len(frames) - added - refused
        assert not refused or added + refused >= keys  # a key may go without: its packets came when there was no room
        switch.stop()
    finally:
        switch.process.kill()


@pytest.fixture
def switch(tmp_path: Path) -> Iterator[Switch]:
    ports = [f"--port={port}=ctl:" for port in (1, 2, 3, 4)]
    made = Switch(switches.build(PROGRAM, ("address", "undefined")), tmp_path, ports)
    yield made
    made.stop()


def pass_one(switch: Switch, *numbers: int) -> int:
    """The port at which a frame leaves."""
    ((port, _),) = switch.client.exchange([(1, frame(*numbers))])
    return port


@pytest.mark.parametrize(("table", "name"), [(FLOWS, "flows"), (WIDE, "wide")])
def test_what_packets_add_and_the_control_plane_takes_away(switch: Switch, table: int, name: str) -> None:
    """More than there is room for at once beside the table, again and again."""
    for turn in range(3):
        for first in range(0, 9000, 1000):
            sent = switch.client.exchange([(1, frame(table, key)) for key in range(first, first + 1000)])
            assert [port for port, _ in sent] == [3] * 1000, (turn, first)
        assert entries_of(switch, name) == 9000
        assert [pass_one(switch, table, key) for key in (0, 5000, 8999)] == [2, 2, 2]
        switch.do(f"table_clear {name}")
        assert entries_of(switch, name) == 0


def test_an_entry_that_was_deleted_misses_at_once(switch: Switch) -> None:
    for _ in range(200):
        assert pass_one(switch, FLOWS, 5) == 3
        handle = re.search(r"entry (?:handle )?(0x[0-9a-f]+|\d+)", switch.do("table_dump flows"), re.IGNORECASE)
        assert handle is not None
        switch.do(f"table_delete flows {handle[1]}")


def test_both_add(switch: Switch) -> None:
    switch.do("table_add flows known 7 => 9")
    assert pass_one(switch, FLOWS, 7) == 2 and pass_one(switch, FLOWS, 8) == 3
    assert "entry" in switch.fail("table_add flows known 8 => 9").lower()
    switch.do("table_add flows known 9 => 9")
    assert entries_of(switch, "flows") == 3


def test_what_the_control_plane_adds_and_fails_to_add_takes_nothing_from_packets(switch: Switch) -> None:
    """Of 64 places, each is for an entry of either."""
    switch.do("table_set_expire_time aging 1 0")
    for turn in range(3):
        handles = [switch.do(f"table_add aging passing {key} =>").split()[-1] for key in range(10)]
        for key in range(70):
            assert "with this key already" in switch.fail(f"table_add aging passing {key % 10} =>")
        sent = switch.client.exchange([(1, frame(AGING, key)) for key in range(100)])
        assert sorted(port for port, _ in sent) == [2] * 10 + [3] * 54 + [4] * 36, turn
        for key in (5, 63):  # entries of either
            assert "with this key already" in switch.fail(f"table_add aging passing {key} =>")
        assert switch.fail("table_add aging passing 100 =>") == "table Work.aging is full (64 entries)"
        switch.do(*(f"table_delete aging {handle}" for handle in handles))
        assert [pass_one(switch, AGING, key) for key in (1, 63)] == [3, 2]
        added, refused, lost = learned(switch, "aging")
        assert (added, refused, lost) == (55 * (turn + 1), 36 * (turn + 1), 0)
        switch.do("table_clear aging")


@pytest.mark.parametrize(("more", "restarted"), [(0, False), (1, True)])
def test_entries_whose_time_is_over_are_deleted(switch: Switch, more: int, restarted: bool) -> None:
    switch.do("table_set_expire_time aging 1 1000")  # a busy machine may stop us for some tenths
    assert pass_one(switch, AGING, 5, more) == 3
    gone, end = False, time.monotonic() + 3
    while time.monotonic() < end and not gone:
        gone = pass_one(switch, AGING, 5, more) != 2
        time.sleep(0.02)
    assert gone != restarted
    until("gone", lambda: entries_of(switch, "aging"), 0)


def test_an_entry_gets_another_time_to_live(switch: Switch) -> None:
    switch.do("table_set_expire_time aging 1 300", "table_set_expire_time aging 7 0")
    assert pass_one(switch, AGING, 5, 2) == 3 and pass_one(switch, AGING, 5, 2) == 2
    assert pass_one(switch, AGING, 6, 0) == 3
    until("one is left", lambda: entries_of(switch, "aging"), 1)
    assert pass_one(switch, AGING, 5, 2) == 2


def test_a_full_table_has_room_when_entries_are_gone(switch: Switch) -> None:
    switch.do("table_set_expire_time aging 1 300")
    sent = switch.client.exchange([(1, frame(AGING, key)) for key in range(100)])
    assert sorted(port for port, _ in sent) == [3] * 64 + [4] * 36
    until("gone", lambda: entries_of(switch, "aging"), 0)
    assert pass_one(switch, AGING, 99) == 3


def test_subscribers_are_told_of_entries_that_packets_have_added(switch: Switch) -> None:
    switch.do("table_set_expire_time notifying 1 100")
    switch.client.subscribe(Push.IDLE)
    assert pass_one(switch, NOTIFYING, 5) == 3
    told = switch.client.idle(SOON)
    assert told is not None and len(told.ages) == 1
    assert pass_one(switch, NOTIFYING, 5) == 2


def test_a_tracer_is_told_that_entries_come_and_go(switch: Switch) -> None:
    """Nobody else has asked for anything meanwhile; what the tracer asks for itself does not count."""
    switch.do("table_set_expire_time aging 1 300", "table_add flows known 7 => 9", "table_num_entries aging")

    def aging() -> int:
        return next(t["entries"] for t in switch.client.describe()["tables"] if t["name"].endswith("aging"))

    with Client(switch.socket) as tracer:
        tracer.trace(Filter(pattern=((0, FLOWS, 0xFF),)))

        def changes() -> int:
            assert pass_one(switch, FLOWS, 7) == 2
            traced = tracer.pushed(SOON)
            assert isinstance(traced, Traced)
            return traced.changes

        told = [changes(), changes()]
        assert tracer.command("table_num_entries flows").ok
        told.append(changes())
        assert len(set(told)) == 1
        assert pass_one(switch, AGING, 5) == 3
        until("added", aging, 1)
        told.append(changes())
        until("gone", aging, 0)
        told.append(changes())
        for others in (
            lambda: switch.do("table_num_entries flows"),
            lambda: switch.client.bulk(["table_num_entries flows"]),
            lambda: switch.client.update([bytes([Update.RESET_DEFAULT, 0, 0])]),
        ):
            others()
            told.append(changes())
        assert told[2:] == sorted(set(told))


def test_what_the_commands_refuse(switch: Switch) -> None:
    assert "do not time out" in switch.fail("table_set_expire_time flows 0 5")
    assert "is not an expire time profile (0 to 254)" in switch.fail("table_set_expire_time aging 255 5")
    for wrong in ("soon", "-1", 2**64, (2**64 - 1) // 10**6 + 1):
        assert "is not a number of milliseconds" in switch.fail(f"table_set_expire_time aging 0 {wrong}")
    switch.do(f"table_set_expire_time aging 254 {(2**64 - 1) // 10**6}")


def test_ports_of_the_host(tmp_path: Path) -> None:
    binary = switches.build(PROGRAM.parents[1] / "packets" / "pna_paths.p4", ("address", "undefined"))
    for hosts, from_host in (("1,3", {1, 3}), ("2-3", {2, 3})):
        made = Switch(binary, tmp_path, [*(f"--port={port}=ctl:" for port in (1, 2, 3, 9)), f"--host={hosts}"])
        for port in (1, 2, 3):
            given = bytes.fromhex("0709 0000 00000001 00000002")
            ((_, got),) = made.client.exchange([(port, given)])
            assert (got[3] == 0x80) == (port in from_host)
        made.do("port_net 2", "port_net 3", "port_host 1", "port_host 2", "port_net 1", "port_host 65535")
        told = [made.client.exchange([(port, given)])[0][1][3] == 0x80 for port in (1, 2, 3)]
        assert told == [False, True, False]
        assert "'65536' is not the number of a port" in made.fail("port_host 65536")
        made.stop()
