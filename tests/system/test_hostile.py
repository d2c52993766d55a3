"""Frames that mean harm: random, damaged and truncated ones, each of them accounted for by a sanitized switch; one that
a program never gets done with."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import switches
from frames import hostile_frame, ipv4_frame
from switch_harness import Switch, write_pcap

L3FWD = Path(__file__).parents[2] / "apps" / "l3fwd"
FRAMES = 1_000_000
SEED = 20_240_229


def frames_in(path: Path) -> int:
    """How many frames a pcap file holds."""
    data, at, count = path.read_bytes(), 24, 0
    while at < len(data):
        at += 16 + int.from_bytes(data[at + 8 : at + 12], "little")
        count += 1
    assert at == len(data)
    return count


def test_a_million_frames(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    right = [ipv4_frame(chance) for _ in range(1000)]
    write_pcap(tmp_path / "in.pcap", [hostile_frame(chance, right) for _ in range(FRAMES)])
    binary = switches.build(L3FWD / "l3fwd.p4", ("address", "undefined"))
    outputs = [tmp_path / f"out{port}.pcap" for port in range(4)]
    ports = [f"--port={port}=pcap:{tmp_path / 'in.pcap' if port == 0 else ''},{outputs[port]}" for port in range(4)]
    command = [binary, *ports, "--entries", L3FWD / "entries.txt", "--until-idle"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stderr and "runtime error" not in done.stderr
    counted = re.search(r"received (\d+) \+ copies 0 = sent (\d+) \+ dropped (\d+): (.*)", done.stdout)
    assert counted, done.stdout
    received, sent, dropped = map(int, counted.groups()[:3])
    assert received == FRAMES == sent + dropped, done.stdout
    causes = {name: int(count) for name, count in re.findall(r"([a-z-]+) (\d+)", counted[4])}
    assert sum(causes.values()) == dropped
    assert causes["program"] > FRAMES // 2 and causes["rx-error"] > FRAMES // 2000, done.stdout
    assert sent == sum(map(frames_in, outputs)) > FRAMES // 10


def test_a_frame_that_the_program_never_gets_done_with(tmp_path: Path) -> None:
    """The switch still answers, and ends when it is told to: loudly, as what it held is lost."""
    binary = switches.build(Path(__file__).parent / "endless.p4")
    switch = Switch(binary, tmp_path, ["--port=0=ctl:", "--port=1=ctl:"])
    assert switch.client.exchange([(0, bytes([3]) * 60)]) == [(1, bytes([3]) * 60)]
    before = switch.client.stats()["cpu_ns"]
    switch.client.inject(0, [bytes(60)])
    deadline = time.monotonic() + 30
    while switch.client.stats()["cpu_ns"] < before + 100_000_000:  # by then the worker has come across it
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert switch.client.stats()["sent"] == 1
    os.kill(switch.process.pid, signal.SIGTERM)
    _, errors = switch.process.communicate(timeout=60)
    assert switch.process.returncode == 1
    assert errors.startswith("error: worker 0 has been in the same burst for 5 s: ")
    assert "endless.p4 loops without end" in errors
