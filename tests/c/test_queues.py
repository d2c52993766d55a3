"""Queues of ports: depth, rate, priorities, and what egress is told of them."""

from __future__ import annotations

import itertools
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import switches
from switch_harness import Switch

PROGRAM = Path(__file__).parents[1] / "packets" / "queues.p4"
_FRAME = struct.Struct(">BBHIIIIBBB")


class Told(NamedTuple):
    """A frame of queues.p4."""

    port: int
    priority: int = 0
    number: int = 0
    before: int = 0
    behind: int = 0
    waited: int = 0
    entered: int = 0
    queue: int = 0
    group: int = 0
    again: int = 0

    def frame(self) -> bytes:
        return _FRAME.pack(*self)


Start = Callable[..., Switch]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Switch] = []
    binary = switches.build(PROGRAM, ("address", "undefined"))

    def make(*arguments: str) -> Switch:
        running.append(Switch(binary, tmp_path, ["--port=1=ctl:", "--port=2=ctl:", *arguments]))
        return running[-1]

    yield make
    for switch in running:
        if switch.process.poll() is None:
            switch.stop()


def sent(switch: Switch, *frames: Told) -> list[Told]:
    """What comes of frames that come at once, in the order in which it goes out."""
    assert switch.client.inject(1, [frame.frame() for frame in frames]) == len(frames)
    return [Told(*_FRAME.unpack(frame)) for _, frame in switch.client.collect()]


def drops(switch: Switch, cause: str) -> int:
    return int(switch.client.stats()["drops"][cause])


def test_nothing_waits_without_a_rate(start: Start) -> None:
    switch = start("--burst=64")
    told = sent(switch, *(Told(2, number=n) for n in range(200)))
    assert [one.number for one in told] == list(range(200))
    assert {(one.before, one.behind, one.waited) for one in told} == {(0, 0, 0)}


def test_packets_wait_as_the_rate_says(start: Start) -> None:
    switch = start("--burst=64")
    switch.do("set_queue_rate 20")
    began = time.monotonic()
    told = sent(switch, *(Told(2, number=n) for n in range(10)))
    assert time.monotonic() - began > 0.44  # nine intervals of 50 ms, but for what came before the clock
    assert [one.number for one in told] == list(range(10))
    assert [one.before for one in told] == [0, *range(9)]
    assert told[0].waited == 0
    assert all(one.waited >= 45000 * number for number, one in enumerate(told))
    assert all(later.waited > one.waited for one, later in itertools.pairwise(told))
    assert [one.behind for one in told[1:]] == list(reversed(range(9)))
    assert all(one.entered >= one.waited for one in told)


def test_who_has_not_waited_is_told_so(start: Start) -> None:
    """Whatever packets there were in the same buffers."""
    switch = start("--buffers=512", "--burst=64")
    for _ in range(2):
        switch.do("set_queue_rate 1000 2")
        told = sent(switch, *[Told(2)] * 100)
        assert {one.waited > 0 for one in told[1:]} == {one.before + one.behind > 0 for one in told[1:-1]} == {True}
        switch.do("set_queue_rate 0 2")
        for _ in range(8):
            assert {(one.before, one.behind, one.waited) for one in sent(switch, *[Told(2)] * 100)} == {(0, 0, 0)}


def test_a_rate_in_bits_a_second(start: Start) -> None:
    switch = start()
    switch.do(f"set_queue_bit_rate {_FRAME.size * 8 * 20} 2")
    told = sent(switch, Told(2), Told(2), Told(2), Told(1))
    assert all(
        one.waited >= least for one, least in zip([o for o in told if o.port == 2], (0, 40000, 80000), strict=True)
    )
    assert [one.waited for one in told if one.port == 1] == [0]


@pytest.mark.parametrize(("packets", "a_second"), [(1_000_000, 20), (20, 1_000_000)])
def test_the_slower_of_two_rates_counts(start: Start, packets: int, a_second: int) -> None:
    switch = start()
    switch.do(f"set_queue_rate {packets} 2", f"set_queue_bit_rate {_FRAME.size * 8 * a_second} 2")
    assert sent(switch, Told(2), Told(2))[1].waited >= 40000


def test_nothing_overtakes_what_waits(start: Start) -> None:
    """Not even where there is no rate any more."""
    switch = start()
    switch.do("set_queue_rate 2 2")
    assert switch.client.inject(1, [Told(2, number=number).frame() for number in range(3)]) == 3
    while switch.client.stats()["received"] < 3:
        pass
    switch.do("set_queue_rate 0 2")
    assert [one.number for one in sent(switch, Told(2, number=3))] == [0, 1, 2, 3]


def test_a_rate_that_is_gone_keeps_nobody(start: Start) -> None:
    switch = start()
    switch.do("set_queue_rate 1 2")
    assert [one.waited for one in sent(switch, Told(2))] == [0]
    switch.do("set_queue_rate 0 2")
    assert sent(switch, Told(2))[0].waited < 500_000


def test_rates_and_depths_are_of_the_queues_that_are_named(start: Start) -> None:
    switch = start("--priority-queues=3")

    def shown() -> dict[tuple[str, str], list[str]]:
        words = [line.split() for line in switch.do("show_queues").splitlines()[1:]]
        return {(port, priority): [depth, packets, bits] for port, priority, _, depth, packets, bits, _ in words}

    before = shown()
    switch.do("set_queue_rate 7 2 1", "set_queue_bit_rate 9000 2 1", "set_queue_depth 5 2 1", "set_queue_rate 8 2 1")
    assert shown() == before | {("2", "1"): ["5", "8", "9000"]}
    switch.do("set_queue_depth 6 1")
    assert {depth for (port, _), (depth, *_) in shown().items() if port == "1"} == {"6"}
    assert shown()["2", "1"] == ["5", "8", "9000"] and shown()["2", "2"] == before["2", "2"]
    switch.do("set_queue_rate 0 2", "set_queue_bit_rate 18446744073709551615 2 2", "set_queue_depth 4294967295 2 0")
    rates = [shown()["2", priority][1:] for priority in "012"]
    assert rates == [["0", "0"], ["0", "9000"], ["0", "18446744073709551615"]]
    assert shown()["2", "0"][0] == "4294967295" and "'3' is not a priority (0 to 2)" in switch.fail(
        "set_queue_rate 1 2 3"
    )
    assert {port for port, _ in shown()} == {port for port, _ in before}
    switch.do("set_queue_depth 9", "port_remove 1")
    assert {(port, depth) for (port, _), (depth, *_) in shown().items()} == {(p, "9") for p, _ in before if p != "1"}


def test_a_port_that_is_added_begins_with_what_was_set_for_all(start: Start) -> None:
    """Whatever the port had that was in its place."""
    switch = start("--priority-queues=2")

    def shown(port: int) -> list[str]:
        return [line for line in switch.do("show_queues").splitlines() if line.split()[0] == str(port)]

    for number in (2, 7):
        switch.do("set_queue_rate 9", "set_queue_depth 3", "set_queue_bit_rate 8000")
        switch.do(f"set_queue_rate 20 {number}", f"set_queue_depth 0 {number}", f"set_queue_bit_rate 1 {number} 1")
        assert sent(switch, Told(number)) == []
        assert [line.split()[2:] for line in shown(number)] == [
            ["0", "0", "20", "8000", "1"],
            ["0", "0", "20", "1", "0"],
        ]
        switch.do(f"port_remove {number}", "port_add ctl: 7")
        assert [line.split()[2:] for line in shown(7)] == [["0", "3", "9", "8000", "0"]] * 2
        assert sent(switch, Told(7)) == [Told(7)]
    switch.do("port_add ctl: 8", "set_queue_rate 0")
    assert [line.split()[2:] for line in shown(8)] == [["0", "3", "0", "8000", "0"]] * 2


def test_a_full_queue_drops_what_comes_last(start: Start) -> None:
    switch = start("--burst=64")
    switch.do("set_queue_depth 4 2", "set_queue_rate 10 2")
    told = sent(switch, *(Told(2, number=n) for n in range(20)), *(Told(1, number=n) for n in range(3)))
    assert [one.number for one in told if one.port == 2] == [0, 1, 2, 3, 4]  # one went at once, four waited
    assert len([one for one in told if one.port == 1]) == 3
    assert drops(switch, "queue-full") == 15
    stats = switch.client.stats()
    assert stats["received"] + stats["copies"] == stats["sent"] + stats["dropped"]
    (line,) = [line.split() for line in switch.do("show_queues").splitlines() if line.split()[0] == "2"]
    assert line == ["2", "0", "0", "4", "10", "0", "15"]


def test_a_depth_of_none_drops_all(start: Start) -> None:
    switch = start()
    switch.do("set_queue_depth 0")
    assert sent(switch, Told(2)) == []
    assert drops(switch, "queue-full") == 1


def test_the_higher_priority_goes_first(start: Start) -> None:
    switch = start("--priority-queues=3", "--burst=64")
    switch.do("set_queue_rate 50")
    low = [Told(2, 0, number) for number in range(3)]
    high = [Told(2, 2, 10 + number) for number in range(3)]
    told = sent(switch, *low, *high)
    order = [one.number for one in told]
    assert [number for number in order if number < 10] == [0, 1, 2]
    assert [number for number in order if number >= 10] == [10, 11, 12]
    assert order.index(11) < order.index(1) and order.index(12) < order.index(2)
    assert {one.number: one.queue for one in told} == {0: 0, 1: 0, 2: 0, 10: 2, 11: 2, 12: 2}


@pytest.mark.parametrize("priority", range(3))
def test_packets_of_one_priority_alone_wait(start: Start, priority: int) -> None:
    switch = start("--priority-queues=3", "--burst=64")
    switch.do("set_queue_rate 20")
    told = sent(switch, *(Told(2, priority, number) for number in range(4)))
    assert [one.number for one in told] == [0, 1, 2, 3]
    assert [one.waited >= 45000 * number for number, one in enumerate(told)] == [True] * 4


def test_a_priority_without_a_queue(start: Start) -> None:
    switch = start("--priority-queues=3")
    assert sent(switch, Told(2, 3)) == []
    assert drops(switch, "no-queue") == 1
    assert len(sent(switch, Told(2, 2))) == 1


def test_one_queue_is_for_all_priorities(start: Start) -> None:
    assert len(sent(start(), Told(2, 7))) == 1


def test_clones_have_the_priority_of_their_session(start: Start) -> None:
    switch = start("--priority-queues=2", "--burst=64")
    switch.do("set_queue_rate 20")
    frames = [Told(2, number=number, queue=9 if number == 2 else 0) for number in range(3)]
    for session, order in (("mirroring_add 5 2 0 1", [0, 2, 1, 2]), ("mirroring_add 5 2", [0, 1, 2, 2])):
        switch.do(session)
        assert [one.number for one in sent(switch, *frames)] == order
        time.sleep(0.2)  # until all queues let a packet go at once again
    assert "'2' is not a priority (0 to 1)" in switch.fail("mirroring_add 5 2 0 2")
    switch.do("mirroring_add_mc 5 2 64 1")
    assert switch.do("mirroring_get 5") == "clone session 5: multicast group 2, at most 64 bytes, priority 1\n"


def test_a_rate_of_one_priority(start: Start) -> None:
    switch = start("--priority-queues=2")
    switch.do("set_queue_rate 4 2 0")
    told = sent(switch, *(Told(2, priority, number) for number in range(2) for priority in (0, 1)))
    assert [(one.priority, one.number) for one in told] == [(0, 0), (1, 0), (1, 1), (0, 1)]


def test_copies_wait_too(start: Start) -> None:
    switch = start()
    switch.do("mc_mgrp_create 1", "mc_node_create 0 1 2", "mc_node_create 1 2", "mc_node_associate 1 0")
    switch.do("mc_node_associate 1 1", "set_queue_rate 50")
    told = sent(switch, Told(1, group=1))
    assert [one.before for one in told] == [0, 0, 0]
    assert [one.waited >= 18000 for one in told] == [False, False, True]


def test_recirculated_packets_come_to_their_queue_again(start: Start) -> None:
    switch = start()
    switch.do("set_queue_rate 50")
    began = time.monotonic()
    (one,) = sent(switch, Told(2, again=3))
    assert time.monotonic() - began > 0.055
    assert (one.again, one.before) == (0, 0)


def test_what_waits_is_sent_when_the_switch_ends(start: Start) -> None:
    switch = start()
    switch.do("set_queue_rate 1")
    assert switch.client.inject(1, [Told(2, number=n).frame() for n in range(20)]) == 20
    while switch.client.stats()["received"] < 20:
        time.sleep(0.01)
    assert switch.client.stats()["sent"] == 1
    output = switch.stop()
    assert "sent 20" in output


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("set_queue_rate fast", "'fast' is not a number"),
        ("set_queue_depth 5000000000", "not a number from 0 to 4294967295"),
        ("set_queue_rate 1 9", "there is no port 9"),
        ("set_queue_rate 1 65538", "there is no port 65538"),
        ("set_queue_bit_rate 1 4294967298", "there is no port 4294967298"),
        ("set_queue_rate 1 2 1", "'1' is not a priority (0 to 0)"),
    ],
)
def test_commands_that_cannot_be(start: Start, line: str, why: str) -> None:
    assert why in start().fail(line)


def test_a_program_without_queues(sample: Path, tmp_path: Path) -> None:
    switch = Switch(sample, tmp_path, ["--port=0=ctl:"])
    for line in ("set_queue_rate 1", "set_queue_depth 1", "show_queues"):
        assert "without queues" in switch.fail(line)
    switch.stop()
    ended = subprocess.run([sample, "--port=0=ctl:", "--priority-queues=2"], capture_output=True, text=True)
    assert (ended.returncode, "without queues" in ended.stderr) == (2, True)


def test_what_waits_for_a_port_that_is_taken_away_is_dropped(start: Start) -> None:
    switch = start()
    switch.do("set_queue_rate 1")
    assert switch.client.inject(1, [Told(2).frame()] * 20) == 20
    while switch.client.stats()["received"] < 20:
        time.sleep(0.01)
    switch.do("port_remove 2", "port_add ctl: 2")  # the next one in its place gets none of them
    assert switch.client.collect() == [(2, Told(2).frame())]
    assert drops(switch, "no-port") == 19
    switch.do("set_queue_rate 20 1")  # the others' packets wait as before
    assert [one.waited >= 45000 * number for number, one in enumerate(sent(switch, *[Told(1)] * 3))] == [True] * 3
