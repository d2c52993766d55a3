"""Each cell of a sharded register has one worker, whatever port its frames come by."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import switches
from sharded_frames import STEERED, WIDE, elements, frames
from switch_harness import Switch, write_pcap
from test_interfaces import in_own_network

SHARDED = Path(__file__).with_name("sharded.p4")
TOTALS = Path(__file__).parents[2] / "bench" / "totals.py"


def check(switch: Switch, count: int) -> None:
    """Nothing is lost in any cell of either register."""
    packets, wide = (elements(switch.do(f"register_read {name}")) for name in ("I.packets", "E.wide"))
    assert sum(packets) == count
    assert wide == [number * WIDE for number in packets]


def wait_for(switch: Switch, count: int) -> None:
    until = time.monotonic() + 60
    while switch.client.stats()["received"] < count:
        assert time.monotonic() < until, switch.client.stats()
        time.sleep(0.05)


@pytest.mark.parametrize(("driver", "workers", "each"), [("mem", 2, 50_000), ("pcap", 3, 20_000)])
def test_files(driver: str, workers: int, each: int, tmp_path: Path) -> None:
    """A file of `pcap:` has one queue: where one is read, registers have locks. What is only written is no obstacle."""
    for port in range(2):
        write_pcap(tmp_path / f"{port}.pcap", frames(each, 4, port))
    ports = [f"--port={port}={driver}:{tmp_path}/{port}.pcap" for port in range(2)]
    ports.append(f"--port=9=pcap:,{tmp_path}/out.pcap")
    switch = Switch(switches.build(SHARDED), tmp_path, [*ports, f"--workers={workers}", "--verbose"])
    try:
        wait_for(switch, 2 * each)
        check(switch, 2 * each)
        assert (f"{STEERED} {workers} workers" in switch.stop()) == (driver == "mem")
    finally:
        switch.process.kill()


def test_what_is_handed_over_is_there_at_the_end(tmp_path: Path) -> None:
    """A port that is added later does not steer: its worker hands over what is another's. The switch ends by itself only when all
    workers are through."""
    write_pcap(tmp_path / "0.pcap", frames(3000, 4))
    write_pcap(tmp_path / "1.pcap", frames(30_000, 4, 1))
    ports = [f"--port=0=mem:{tmp_path}/0.pcap,loop", "--port=9=null:"]
    switch = Switch(switches.build(SHARDED), tmp_path, [*ports, "--workers=4", "--until-end", "--verbose"])
    switch.do(f"port_add pcap:{tmp_path}/1.pcap 1", "port_remove 0")
    output, errors = switch.process.communicate(timeout=60)
    assert switch.process.returncode == 0 and not errors, errors
    counted = re.search(r"received (\d+) \+ copies 0 = sent (\d+) \+ dropped 0", output)
    handed = re.search(r"port 1: (\d+) frames came to another worker", output)
    assert counted and counted[1] == counted[2], output
    assert handed and 15_000 < int(handed[1]) < 30_000, output


def test_frames_of_the_control_plane_go_to_their_workers(tmp_path: Path) -> None:
    switch = Switch(switches.build(SHARDED), tmp_path, ["--port=0=ctl:", "--port=9=ctl:", "--workers=3", "--verbose"])
    try:
        sent = frames(300, 3)
        for at in range(0, 300, 50):
            switch.client.exchange([(0, frame) for frame in sent[at : at + 50]])
        check(switch, 300)
        assert f"{STEERED} 3 workers" in switch.stop()
    finally:
        switch.process.kill()


def test_interfaces() -> None:
    """Packet sockets: the kernel steers."""
    in_own_network("steered_ports.py", "af_packet", switches.build(SHARDED))


def test_ports_that_cannot_steer_leave_locks() -> None:
    in_own_network("steered_ports.py", "af_xdp", switches.build(SHARDED))


def test_no_steering_where_nothing_is_sharded(tmp_path: Path) -> None:
    endless = switches.build(SHARDED.with_name("endless.p4"))
    switch = Switch(endless, tmp_path, ["--port=0=ctl:", "--workers=2", "--verbose"])
    assert STEERED not in switch.stop()


@pytest.mark.parametrize(("way", "traffic"), [("sharding", "multicast"), ("updates", "recirculate")])
def test_counting_loses_nothing(way: str, traffic: str) -> None:
    """The command that does it with as many frames as one likes."""
    command = [sys.executable, TOTALS, "--frames=40000", "--workers=2", f"--way={way}", f"--traffic={traffic}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "40,000 of 40,000 in each register" in done.stdout, done.stdout
