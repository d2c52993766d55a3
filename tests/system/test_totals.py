"""State is exact at any number of workers: what several of them add up to is what one would have."""

from __future__ import annotations

import functools
import random
import re
import struct
import threading
import time
from collections import Counter
from collections.abc import Sequence
from operator import or_, xor
from pathlib import Path

import pytest
import switches
from switch_harness import Switch, write_pcap

from macsad.compilation import Request, generate_c
from macsad.control import Client
from transpiler.optimisations import ALL, Optimisations

PROGRAM = Path(__file__).parent / "totals.p4"
PORTS = range(4)
KINDS = 11
STATIONS = 32  # places of the last kind: half of them always have an entry, the others now and then
COMMON, GUESTS = 3000, 200  # entries that no packet hits: they come to stay, so that the table grows; come and go
UPDATES = ALL.without(["sharding"])
LOCKS = UPDATES.without(["atomic-updates"])
LOCK = LOCKS.without(["lock-stripes"])


def frames(seed: int, count: int) -> list[bytes]:
    """Of each kind; most places are few, so that workers meet."""
    made = random.Random(seed)
    spread = (1 << 16, *(16 for _ in range(KINDS - 2)), STATIONS)
    kinds = [made.randrange(KINDS) for _ in range(count)]
    return [struct.pack(">BII", k, made.randrange(spread[k]), made.randrange(1 << 32)) + bytes(51) for k in kinds]


def values(switch: Switch, register: str) -> list[int]:
    return [int(value, 0) for value in switch.do(f"register_read {register}").partition("=")[2].split(",")]


def received(switch: Switch) -> int:
    return sum(port["rx_packets"] for port in switch.client.stats()["ports"])


def wait_for(switch: Switch, count: int) -> None:
    until = time.monotonic() + 60
    while received(switch) < count:
        assert time.monotonic() < until, f"{received(switch)} of {count} frames after a minute"
        time.sleep(0.05)


def meddle(switch: Switch, done: threading.Event) -> None:
    """Read and set cells that no packet touches while the others are in use."""
    lines = [
        *(f"register_read {place}" for place in ("I.sums 0", "I.wide 3", "I.large")),
        "register_write I.by_entry 15 7",
    ]
    made, common = random.Random(1), 0
    with Client(switch.socket) as client:
        while not done.is_set():
            assert not client.bulk(lines, answers=True).failed
            if common < COMMON:
                added(client, made.sample(range((common + 1) << 20, (common + 2) << 20), GUESTS))
                common += GUESTS
            guests = [*range(STATIONS // 2, STATIONS), *made.sample(range(1 << 30, 1 << 31), GUESTS)]
            handles = added(client, guests)
            change = [f"counter_read I.hits {handles[0]}", f"counter_write I.hits {handles[1]} 5 5"]
            change += [f"table_modify I.stations hit {handles[2]} => 9", "counter_read I.hits 1"]
            assert not client.bulk([*change, *(f"table_delete I.stations {h}" for h in handles)], answers=True).failed


def added(client: Client, places: Sequence[int]) -> list[int]:
    """Add entries to `stations`; their handles."""
    reply = client.bulk([f"table_add I.stations hit {place} => 1" for place in places], answers=True)
    assert not reply.failed, reply.text
    return [int(handle) for handle in re.findall(r"handle (\d+)", reply.text)]


@pytest.mark.parametrize(
    ("workers", "sanitize", "each", "wanted"),
    [
        (1, (), 100_000, ALL),
        (2, (), 100_000, ALL),
        (4, (), 100_000, ALL),
        (2, (), 100_000, UPDATES),
        (4, (), 100_000, LOCKS),
        (2, (), 100_000, LOCK),
        (2, ("thread",), 10_000, ALL),
        (2, ("thread",), 10_000, UPDATES),
        (4, ("address", "undefined"), 10_000, ALL),
    ],
    ids=["1", "2", "4", "2-updates", "4-locks", "2-one-lock", "2-thread", "2-thread-updates", "4-address"],
)
def test_totals(workers: int, sanitize: tuple[str, ...], each: int, wanted: Optimisations, tmp_path: Path) -> None:
    binary = switches.build(PROGRAM, sanitize, wanted=wanted)
    sent = [frame for port in PORTS for frame in frames(port, each)]
    for port in PORTS:
        write_pcap(tmp_path / f"{port}.pcap", sent[port * each : (port + 1) * each])
    ports = [f"--port={port}=mem:{tmp_path}/{port}.pcap" for port in PORTS]
    wrapper = tmp_path / "run"  # the thread sanitizer's shadow memory and address randomisation collide on some kernels
    wrapper.write_text(f'#!/bin/sh\nexec setarch -R "{binary}" "$@"\n')
    wrapper.chmod(0o755)
    entries = tmp_path / "entries.txt"
    entries.write_text("".join(f"table_add I.stations hit {place} => 1\n" for place in range(STATIONS // 2)))
    options = ["--port=9=null:", f"--workers={workers}", f"--entries={entries}"]
    switch = Switch(wrapper, tmp_path, [*ports, *options])
    try:
        meddled_with(switch, len(sent))
        check(switch, sent)
        switch.stop()
    finally:
        switch.process.kill()


def meddled_with(switch: Switch, count: int) -> None:
    """Wait for so many frames, with commands meanwhile."""
    done = threading.Event()
    meddler = threading.Thread(target=meddle, args=(switch, done))
    meddler.start()
    try:
        wait_for(switch, count)
    finally:
        done.set()
        meddler.join()


def check(switch: Switch, sent: list[bytes]) -> None:
    """The totals are those of the frames."""
    kinds = Counter(frame[0] for frame in sent)
    assert sum(values(switch, "I.sums")) == len(sent)
    assert sum(values(switch, "I.large")) == kinds[0]
    assert sum(values(switch, "I.row0")) == sum(values(switch, "I.row1")) == kinds[1]
    assert sum(values(switch, "I.wide")) == kinds[2] * 0x4000000000000001
    assert sum(values(switch, "I.chained")) == kinds[3]
    assert sum(values(switch, "I.by_entry")[:15]) == kinds[4]
    greatest = [
        max(struct.unpack(">I", f[5:9])[0] for f in sent if f[0] == 5 and f[4] & 3 == cell) for cell in range(4)
    ]
    assert values(switch, "I.greatest") == greatest
    valued = [(f[0], f[4] & 3, struct.unpack(">I", f[5:9])[0]) for f in sent]

    def of(kind: int) -> list[list[int]]:
        return [[value for k, at, value in valued if (k, at) == (kind, cell)] for cell in range(4)]

    assert values(switch, "I.odd") == [sum(added) & 0x1FFF for added in of(6)]
    assert values(switch, "I.seen") == [functools.reduce(or_, (1 << (v & 15) for v in seen)) for seen in of(7)]
    assert values(switch, "I.parity") == [functools.reduce(xor, seen) & 0xFF for seen in of(8)]
    assert values(switch, "I.limited") == [min(len(seen) << 60, (1 << 64) - 1) for seen in of(9)]
    counts = "".join(switch.do(f"counter_read I.counted {cell}") for cell in range(16))
    assert sum(map(int, re.findall(r"(\d+) packets", counts))) == kinds[5]
    places = Counter(struct.unpack(">I", f[1:5])[0] for f in sent if f[0] == 10)
    for handle in range(STATIONS // 2):
        count = switch.do(f"counter_read I.hits {handle}")
        assert re.findall(r"\d+", count.partition("=")[2]) == [str(places[handle] * 60), str(places[handle])]


PIPELINED = PROGRAM.with_name("pipelined_state.p4")


@pytest.mark.parametrize("workers", [1, 2])
def test_no_write_of_the_control_plane_is_lost(workers: int, tmp_path: Path) -> None:
    """What packets add to a cell, they add to what was written, also in the prologue of a burst."""
    assert ".prologue" in generate_c(Request(PIPELINED), switches.load(PIPELINED)).c
    ports = []
    for port in range(2):
        write_pcap(tmp_path / f"{port}.pcap", [bytes(64)] * 256)
        ports.append(f"--port={2 * port}=mem:{tmp_path}/{port}.pcap,loop")
    switch = Switch(switches.build(PIPELINED), tmp_path, [*ports, "--port=1=null:", f"--workers={workers}"])
    try:
        for number in range(1, 300):
            written = number << 40
            switch.do(f"register_write I.sum 0 {written}")
            (value,) = values(switch, "I.sum")
            assert written <= value < written + (1 << 40)
        switch.stop()
    finally:
        switch.process.kill()
