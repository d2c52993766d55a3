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


HERE = Path(__file__).parent
LOOP = next(n for n, line in enumerate((HERE / "endless.p4").read_text().splitlines(), 1) if "for (" in line)
PLACE = f"endless.p4:{LOOP}"


def stopped(switch: Switch) -> tuple[str, str]:
    """What the switch says when it is told to end, which it does soon and well."""
    before = time.monotonic()
    os.kill(switch.process.pid, signal.SIGTERM)
    output, errors = switch.process.communicate(timeout=60)
    assert switch.process.returncode == 0, errors
    assert time.monotonic() - before < 4  # 0.5 s on a machine that has nothing else to do
    return output, errors


def test_a_frame_that_the_program_never_gets_done_with(tmp_path: Path) -> None:
    """It is told where the worker is; tables change as far as they can, and who changes them is told why no further."""
    switch = Switch(switches.build(HERE / "endless.p4"), tmp_path, ["--port=0=ctl:", "--port=1=ctl:"])
    switch.do(f"table_add steps forward 0x{'03' * 16} => 1")
    assert switch.client.exchange([(0, bytes([3]) * 60)]) == [(1, bytes([3]) * 60)]
    assert switch.client.stats()["kept"] == []
    switch.client.inject(0, [bytes(60), bytes([3]) * 60])
    deadline = time.monotonic() + 30
    while not (kept := switch.client.stats()["kept"]):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert kept == [{"worker": 0, "at": PLACE, "seconds": kept[0]["seconds"], "now": True}]
    assert 1 <= kept[0]["seconds"] < 30

    begun = time.monotonic()
    reply = switch.client.bulk([f"table_modify steps forward 0 => {n % 2}" for n in range(10_000)], keep_going=True)
    assert reply.done > 1000 and reply.failed > 1000
    assert re.search(rf"a worker hangs: .*; worker 0 has been in a loop at {PLACE} for \d+\.\d s\n", reply.text)
    assert time.monotonic() - begun < 20  # a second for each refusal would be half an hour
    output, errors = stopped(switch)
    assert "received 3 + copies 0 = sent 2 + dropped 1: endless 1\n" in output
    assert re.search(rf"^worker 0 was in one burst for \d+\.\d s, in a loop at {PLACE}$", output, re.MULTILINE)
    assert re.fullmatch(
        rf"warning: worker 0 has been in the same burst for \d+\.\d s, in a loop at {PLACE}\n"
        rf"warning: worker 0 was in a loop at {PLACE} when the switch ended\n",
        errors,
    )


def test_loops_without_end_wherever_there_may_be_some(tmp_path: Path) -> None:
    """In parser, action, egress, checksums and deparser: of packets that have been cloned, and of their clones. What else
    they asked for is forgotten; the one between them is as ever."""
    binary = switches.build(HERE / "endless_places.p4")
    switch = Switch(binary, tmp_path, ["--port=0=ctl:", "--port=1=ctl:"])
    switch.do("mirroring_add 1 1")
    switch.client.inject(0, [bytes([where, where == 0]) + bytes(58) for where in (1, 2, 0, 3, 4, 5)])
    time.sleep(0.3)
    output, errors = stopped(switch)
    assert "received 6 + copies 4 = sent 2 + dropped 8: endless 8\n" in output
    assert re.fullmatch(r"warning: worker 0 was in a loop at endless_places\.p4:\d+ when the switch ended\n", errors)


def test_buffers_are_as_long_as_frames_where_a_parser_may_loop(tmp_path: Path) -> None:
    """2,048 packets of 9,216 bytes each take 19 MB, of 65,535 bytes 134 MB."""
    switch = Switch(switches.build(HERE / "endless_places.p4"), tmp_path, ["--port=0=ctl:", "--port=1=ctl:"])
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{switch.process.pid}/status").read_text())
    assert peak and int(peak[1]) < 100_000
    switch.stop()
