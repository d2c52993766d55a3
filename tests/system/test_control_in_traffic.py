"""Tables change while packets flow: by hand with `macsad ctl`, and by the controller of l2fwd, which learns from digests."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import Switch, ethernet

APPS = Path(__file__).parents[2] / "apps"
STATIONS = {number: 0x020000000000 + number for number in range(4)}  # port → MAC address of who is behind it
TOLD = "told"  # what the controller prints
FLOODED = "mc_mgrp_create 1", "mc_node_create 0 0 1 2 3", "mc_node_associate 1 0"


def until(condition: Callable[[], bool], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.02)


def frame(source: int, destination: int) -> bytes:
    return ethernet(STATIONS[destination], src=STATIONS[source])


@pytest.fixture(params=["l2fwd", "l2fwd_14"])
def learning(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Switch]:
    """The learning switch with four ports, and its controller beside it."""
    binary = switches.build(APPS / "l2fwd" / f"{request.param}.p4", ("address", "undefined"))
    switch = Switch(binary, tmp_path, [f"--port={port}=ctl:" for port in range(4)])
    switch.do(*FLOODED)
    script = [sys.executable, APPS / "l2fwd" / "learn.py", "--socket", switch.socket]
    with (tmp_path / TOLD).open("wb") as told:
        controller = subprocess.Popen(script, stdout=told)
    try:
        until(lambda: "learning" in (tmp_path / TOLD).read_text())
        yield switch
        switch.stop()
        assert controller.wait(timeout=10) == 1  # the switch has gone
    finally:
        switch.process.kill()
        controller.kill()


def test_stations_are_learnt_and_followed(learning: Switch, tmp_path: Path) -> None:
    def ports_reached(source_port: int, data: bytes) -> list[int]:
        return sorted(port for port, _ in learning.client.exchange([(source_port, data)]))

    def everybody_is_known() -> bool:
        for port in STATIONS:
            learning.client.exchange([(port, frame(port, (port + 1) % 4))])
        return learning.do("table_num_entries smac", "table_num_entries dmac") == "4\n4\n"

    assert ports_reached(0, frame(0, 1)) == [1, 2, 3]
    until(everybody_is_known)
    for port in STATIONS:
        until(lambda line=f"02:00:00:00:00:0{port} is at port {port}": line in (tmp_path / TOLD).read_text())
    for source in STATIONS:
        for destination in STATIONS:
            expected = [] if source == destination else [destination]
            assert ports_reached(source, frame(source, destination)) == expected
    assert ports_reached(2, ethernet(0xFFFFFFFFFFFF, src=STATIONS[2])) == [0, 1, 3]
    learning.client.exchange([(2, frame(3, 0))])  # station 3 is behind port 2 now
    until(lambda: "02:00:00:00:00:03 has moved from port 3 to port 2" in (tmp_path / TOLD).read_text())
    assert ports_reached(0, frame(0, 3)) == [2]
    assert learning.do("table_num_entries smac", "table_num_entries dmac") == "4\n4\n"


class Traffic(threading.Thread):
    """Packets to 10.1.3.4 without end, over a connection of its own; notes the port that each batch left by."""

    def __init__(self, switch: Switch) -> None:
        super().__init__()
        self.client = type(switch.client)(switch.socket)
        self.seen: list[set[int]] = []
        self.sent = self.came = 0
        self.running = True

    def run(self) -> None:
        packet = bytes.fromhex("020000000100 020000000010 0800 4500001c0007400040110391 c6336401 0a010304") + bytes(8)
        while self.running:
            out = self.client.exchange([(3, packet)] * 64)
            self.sent += 64
            self.came += len(out)
            self.seen.append({port for port, _ in out})

    def wait_for(self, ports: set[int]) -> None:
        """Until whole batches leave by these ports, none by another."""
        until(lambda: self.seen[-1:] == [ports])


def test_routes_change_by_hand(tmp_path: Path) -> None:
    binary = switches.build(APPS / "l3fwd" / "l3fwd.p4", ("address", "undefined"))
    switch = Switch(binary, tmp_path, [f"--port={port}=ctl:" for port in range(4)])

    def ctl(command: str) -> str:
        macsad = [str(Path(sys.executable).with_name("macsad")), "ctl", "--socket", str(switch.socket)]
        done = subprocess.run([*macsad, command], capture_output=True, text=True, check=False, timeout=20)
        assert done.returncode == 0, done.stderr
        return done.stdout

    traffic = Traffic(switch)
    traffic.start()
    try:
        traffic.wait_for(set())
        ctl("table_add routes next_hop 10.0.0.0/8 => 02:00:00:00:00:10 02:00:00:00:01:00 0")
        traffic.wait_for({0})
        handle = ctl("table_add routes next_hop 10.1.0.0/16 => 02:00:00:00:00:11 02:00:00:00:01:01 1").split()[-1]
        traffic.wait_for({1})
        ctl(f"table_modify routes next_hop {handle} 02:00:00:00:00:12 02:00:00:00:01:02 2")
        traffic.wait_for({2})
        ctl(f"table_delete routes {handle}")
        traffic.wait_for({0})
        ctl("table_clear routes")
        traffic.wait_for(set())
    finally:
        traffic.running = False
        traffic.join()
    stats = switch.client.stats()
    assert (stats["received"], stats["sent"]) == (traffic.sent, traffic.came)
    assert stats["received"] == stats["sent"] + stats["dropped"]
    assert f"{stats['ports'][1]['tx_packets']} packets" in ctl("counter_read sent 1")
    traffic.client.close()
    switch.stop()
