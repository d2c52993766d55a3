"""Several workers leave what the interpreter leaves, of random programs whose result does not depend on the order of packets.

MACSAD_EXAMPLES sets how many programs, MACSAD_FUZZ_SEED which.
"""

from __future__ import annotations

import os
import re
import threading
import time
from pathlib import Path

import pytest
import random_state
import switches
from random_state import COPIES, GROUP
from switch_harness import Switch, write_pcap

from macsad.control import Client
from macsad.stf.interpreted import InterpretedDevice
from transpiler.hlir.program import Program
from transpiler.optimisations import ALL

SEED = int(os.environ["MACSAD_FUZZ_SEED"])
PROGRAMS = max(1, int(os.environ.get("MACSAD_EXAMPLES", "5")) // 5)
UNSTEERED = ALL.without(["sharding"])
WAYS = (ALL, UNSTEERED, UNSTEERED.without(["atomic-updates"]), UNSTEERED.without(["tallies"]))
Left = tuple[dict[str, list[int]], list[tuple[int, int]]]  # of registers, of the counter
PORTS = range(4)
FRAMES = 6000


def expected(program: Program, frames: list[bytes]) -> Left:
    """What registers and the counter hold in the end."""
    device = InterpretedDevice(program)
    device.group_create(GROUP)
    device.node_associate(GROUP, device.node_create(0, COPIES))
    for number, frame in enumerate(frames):
        device.inject(number % len(PORTS), frame)
        device.collect()
    registers = {e.name: int(e.attribute("size")) for e in program.externs if e.kind == "register"}
    left = {name: [device.register_read(name, cell) for cell in range(size)] for name, size in registers.items()}
    return left, [device.counter("I.counted", cell) for cell in range(4)]


def meddle(switch: Switch, done: threading.Event) -> None:
    """Read what packets write, set and reset what they do not."""
    lines = ["register_read I.passes", "register_write I.untouched 1 7", "register_reset I.untouched"]
    with Client(switch.socket) as client:
        while not done.is_set():
            assert not client.bulk(lines, answers=True).failed


def is_through(switch: Switch, count: int) -> bool:
    """Whether it is done with so many frames, and with all that came of them."""
    stats = switch.client.stats()
    return bool(stats["received"] == count and count + stats["copies"] == stats["sent"] + stats["dropped"])


def left_by(binary: Path, names: list[str], frames: list[bytes], workers: int, folder: Path) -> Left:
    """What a switch has in the end."""
    for port in PORTS:
        write_pcap(folder / f"{port}.pcap", frames[port :: len(PORTS)])
    entries = folder / "entries"
    copies = " ".join(map(str, COPIES))
    entries.write_text(f"mc_mgrp_create {GROUP}\nmc_node_create 0 {copies}\nmc_node_associate {GROUP} 0\n")
    ports = [f"--port={port}=mem:{folder}/{port}.pcap" for port in PORTS]
    ports += [f"--port={port}=null:{port}" for port in (9, *COPIES)]
    switch = Switch(binary, folder, [*ports, f"--workers={workers}", f"--entries={entries}"])
    done = threading.Event()
    meddler = threading.Thread(target=meddle, args=(switch, done))
    try:
        meddler.start()
        until = time.monotonic() + 60
        while not is_through(switch, len(frames)):
            assert time.monotonic() < until, switch.client.stats()
            time.sleep(0.02)
        done.set()
        meddler.join()
        read = {name: switch.do(f"register_read {name}").partition("=")[2].split(",") for name in names}
        counts = "".join(switch.do(f"counter_read I.counted {cell}") for cell in range(4))
        pairs = re.findall(r"(\d+) bytes, (\d+) packets", counts)
        switch.stop()
    finally:
        done.set()
        switch.process.kill()
    return {name: [int(v, 0) for v in values] for name, values in read.items()}, [(int(p), int(b)) for b, p in pairs]


@pytest.mark.parametrize("number", range(PROGRAMS))
def test_several_workers_leave_what_the_interpreter_leaves(number: int, tmp_path: Path) -> None:
    maker = random_state.Maker(SEED * 1000 + number)
    path = tmp_path / "random.p4"
    path.write_text(maker.text)
    frames = maker.frames(FRAMES)
    program = switches.load(path)
    wanted = expected(program, frames)
    for workers, ways in ((2, WAYS[number % 4]), (4, WAYS[number % 4]), (4, WAYS[(number + 1) % 4])):
        folder = tmp_path / f"{workers}-{len(ways.left_out)}"
        folder.mkdir()
        got = left_by(switches.build(path, wanted=ways), list(wanted[0]), frames, workers, folder)
        assert got == wanted, f"{workers} workers, without {ways.left_out}: {path}"


@pytest.mark.parametrize(("workers", "way"), [(1, 0), (2, 1), (4, 0), (4, 1), (4, 2), (4, 3)])
def test_workers_race_for_nothing(workers: int, way: int, tmp_path: Path) -> None:
    """The same under ThreadSanitizer, with packets that are multicast and recirculated, while commands read and reset."""
    maker = random_state.Maker(SEED * 1000 + 500 + way)
    path = tmp_path / "random.p4"
    path.write_text(maker.text)
    frames = maker.frames(FRAMES // 6)
    wanted = expected(switches.load(path), frames)
    binary = switches.build(path, ("thread",), wanted=WAYS[way])
    wrapper = tmp_path / "run"  # the sanitizer's shadow memory and address randomisation collide on some kernels
    wrapper.write_text(f'#!/bin/sh\nexec setarch -R "{binary}" "$@"\n')
    wrapper.chmod(0o755)
    assert left_by(wrapper, list(wanted[0]), frames, workers, tmp_path) == wanted
