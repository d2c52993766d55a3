"""Packets of a running switch, told by the interpreter with the switch's live entries."""

from __future__ import annotations

import itertools
import json
import random
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import switches
from served_switch import CPU, PROGRAM
from switch_harness import Switch, ethernet

from macsad import cli, compilation
from macsad.compilation import Request, packets_seen
from macsad.control import Client
from macsad.protocol import ControlError, Filter
from macsad.trace import tracing
from macsad.trace.tracing import Told, Tracer
from transpiler.analysis.packet_profile import packet_profile

# Entries of all kinds of keys, an action selector, a value set.
LINES = """
table_add exact_t count_forward 1 => 1
table_add exact_t count_forward 2 => 0
table_set_default exact_t to_controller
table_add lpm_t forward 0x0a0000000000/8 => 1
table_add lpm_t forward 0x0a0b00000000/16 => 0
table_add aging_t forward 5 => 1
table_add all_t drop 0x1200&&&0xff00 0->1 * => 7
table_add all_t NoAction 0x1234&&&0xffff 1->1 4 => 3
act_prof_create_member ways forward 0
act_prof_create_member ways drop
act_prof_create_group ways
act_prof_add_member_to_group ways 0 0
act_prof_add_member_to_group ways 1 0
table_indirect_add_with_group selector_t 0x4321 => 0
act_prof_create_member hops forward 1
table_indirect_add member_t 7 => 0
pvs_add special 0x99
""".strip().splitlines()


@pytest.fixture(scope="module")
def filled(switch: Switch) -> Switch:
    switch.do(*LINES)
    return switch


@pytest.fixture
def client(filled: Switch) -> Iterator[Client]:
    """A client of the switch with those entries."""
    with Client(filled.socket) as connected:
        yield connected


def told_of(tracer: Tracer, count: int) -> list[Told]:
    return list(itertools.islice(tracer, count))


def test_what_is_told_is_what_is_sent(switch: Switch, client: Client) -> None:
    chosen = random.Random(7)
    kinds = (0x1234, 0x12FF, 0x4321, 7, 0x99, 0xDEAD, 0xBEEF)
    addresses = (1, 2, 3, 5, 0x0A << 40, 0x0A0B << 32)
    tracer, ways = Tracer(partial(switches.load, PROGRAM), client, Filter()), set()
    for at in range(80):
        frame = ethernet(chosen.choice(addresses), chosen.choice(kinds), chosen.choice(addresses), bytes([at]) * 46)
        port = chosen.choice((0, 1))
        sent = switch.client.exchange([(port, frame)])
        (told,) = told_of(tracer, 1)
        assert (told.port, told.frame, list(told.sent)) == (port, frame, sent), told.text()
        ways |= {
            event.text.partition("(")[0] + event.text.partition(":")[2][:4]
            for event in told.events
            if event.kind == "table"
        }
    hit = {way.removesuffix(" hit") for way in ways if way.endswith(" hit")}
    assert hit == {
        f"I.{name}" for name in ("exact_t", "lpm_t", "aging_t", "all_t", "selector_t", "member_t", "const_t")
    }


def test_a_meter_and_a_register_are_read(switch: Switch, client: Client) -> None:
    """Of a burst of none, every packet is red."""
    tracer = Tracer(partial(switches.load, PROGRAM), client, Filter())
    for rates, sent in (("1:0 1:0", []), ("1000:1000 1000:1000", [(1, ethernet(1))])):
        switch.do(f"meter_set_rates police 1 {rates}")
        assert switch.client.exchange([(1, ethernet(1))]) == sent
        assert list(told_of(tracer, 1)[0].sent) == sent


def test_entries_that_change_are_told_as_they_are_then(switch: Switch, client: Client) -> None:
    frame = ethernet(1, 0x5555)
    tracer = Tracer(partial(switches.load, PROGRAM), client, Filter(port=0, per_second=1000))
    switch.client.exchange([(0, frame)])
    assert told_of(tracer, 1)[0].sent == ((1, frame),)
    handle = switch.do("table_add all_t drop 0x5555&&&0xffff 0->1 * => 1").split()[-1]
    switch.client.exchange([(0, frame)])
    (told,) = told_of(tracer, 1)
    switch.do(f"table_delete all_t {handle}")
    assert not told.sent
    assert f"all_t(hdr.eth.kind=0x5555, std.ingress_port=0x0, meta.small=0x5): hit entry {handle}" in told.text()
    assert "I.drop()" in told.text() and "I.exact_t(hdr.eth.dst=0x1): hit entry" in told.text()


@pytest.mark.parametrize(
    "filter, passed",
    [
        (Filter(port=1), [1, 3, 5]),
        (Filter(pattern=((0, 0, 0xFF), (15, 2, 0xFE))), [2, 3]),
        (Filter(pattern=((200, 0, 0),)), []),
        (Filter(every=2), [0, 2, 4]),
        (Filter(per_second=4), [0, 1, 2, 3]),
        (Filter(count=2), [0, 1]),
        (Filter(every=2, count=2), [0, 2]),
        (Filter(port=1, every=2, per_second=9), [1, 5]),
        (Filter(pattern=((15, 1, 0x01),), count=1), [1]),
    ],
)
def test_filters(switch: Switch, filter: Filter, passed: list[int]) -> None:
    """Frame n has n in its 15th and 16th byte, and comes from port n % 2."""
    frames = [(n % 2, ethernet(payload=bytes([n, n]) * 23)) for n in range(6)]
    with Client(switch.socket) as client:
        client.trace(filter)
        for frame in frames:
            switch.client.exchange([frame])
        got: list[int] = []
        while (pushed := client.pushed(0.3)) is not None:
            got += [frame[15] for _, _, frame in pushed.frames]  # type: ignore[union-attr]
        assert got == passed


def test_one_client_traces(switch: Switch, client: Client) -> None:
    client.trace(Filter())
    with Client(switch.socket) as other:
        with pytest.raises(ControlError, match="another client traces"):
            other.trace(Filter())
        client.trace(None)
        other.trace(Filter())
    with Client(switch.socket) as other:  # one that has gone does not
        other.trace(Filter())
        with pytest.raises(ControlError, match="not a filter"):
            other._good(17, b"123")  # type: ignore[arg-type]


def test_another_program_is_refused(switch: Switch, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["trace", str(PROGRAM.with_name("other.p4")), "--socket", str(switch.socket)]) == 1
    assert "the switch runs another program: served, of " in capsys.readouterr().err


def test_command(switch: Switch, client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    done = threading.Event()

    def send() -> None:
        while not done.wait(0.1):
            switch.client.exchange([(CPU, b"\x00\x80" + ethernet(1, 0x4444)), (0, ethernet(2))])

    sender = threading.Thread(target=send)
    sender.start()
    words = ["trace", str(PROGRAM), "--socket", str(switch.socket), "--port", str(CPU), "-n", "2", "--json"]
    try:
        assert cli.call([*words, "--bytes", "14=4444"]) == 0
    finally:
        done.set()
        sender.join()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 2 and lines[0]["port"] == CPU and lines[0]["lost"] == 0
    assert lines[0]["sent"] == [{"port": 1, "frame": ethernet(1, 0x4444).hex()}]
    assert [event["text"] for event in lines[0]["events"] if event["kind"] == "state"][:2] == [
        "start",
        "from_controller",
    ]


def test_beside_a_switch(switch: Switch, tmp_path: Path) -> None:
    """As `macsad run --trace FILE` has it."""
    file, end = tmp_path / "told", time.monotonic() + 20
    file.write_text("kept\n")
    place = tracing.Place(file, shared=True, most=18)
    frame = ethernet(3)
    with tracing.beside(partial(switches.load, PROGRAM), {}, Filter(), place, switch.socket):
        while "\n   bytes  from port 1\n" not in file.read_text():
            switch.client.exchange([(1, frame)])
            assert time.monotonic() < end
    told = file.read_text()
    assert told.startswith("kept\n") and " receive  port 1, 60 bytes\n" in told
    rows = f"   bytes  0000  {frame[:16].hex(' ')}\n   bytes  0010  {frame[16:18].hex(' ')}\n"
    assert f"\n   bytes  from port 1\n{rows}" in told


def test_a_profile(switch: Switch, client: Client, tmp_path: Path) -> None:
    """What the packets of a running switch did: more come than are looked at."""
    done, file = threading.Event(), tmp_path / "served.profile.json"

    def send() -> None:
        while not done.wait(0.1):
            switch.client.exchange([(0, ethernet(1))] * 3)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        words = ["trace", str(PROGRAM), "--socket", str(switch.socket), "--port", "0", "--rate", "0", "-n", "4"]
        assert cli.call([*words, "--profile", str(file)]) == 0
    finally:
        done.set()
        sender.join()
    seen = packet_profile(json.loads(file.read_text()))
    table = seen.table("I.exact_t")
    assert seen.packets == 4 and (table.hits, table.misses) == (4, 0)
    assert table.actions == {"I.count_forward": 4} and sum(map(sum, seen.branches.values())) > 0
    assert compilation.load(Request(PROGRAM, profile=packets_seen(file))).name == "served"
