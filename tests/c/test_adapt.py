"""A switch that chooses B and b by itself: what it tells, who overrules it, and that packets are the same."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from switch_harness import Switch, ethernet, ipv4, read_pcap, write_pcap

Start = Callable[..., Switch]
FORWARD = "table_add dmac forward 00:00:00:00:00:01 => 1"
LONG = 60.0  # nothing takes so long


@pytest.fixture
def endless(start: Start, tmp_path: Path) -> Callable[..., Switch]:
    """endless(*options): a switch that receives the same frame for ever."""
    write_pcap(tmp_path / "frames.pcap", [ethernet()] * 256)
    return lambda *options: start(f"--port=8=mem:{tmp_path}/frames.pcap,loop", "--port=1=null:", *options, ports=1)


def once(switch: Switch, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Its statistics as soon as they are as wanted."""
    end = time.monotonic() + LONG
    while not wanted(stats := switch.client.stats()):
        assert time.monotonic() < end, stats
        time.sleep(0.01)
    return stats


@pytest.mark.parametrize(
    ("options", "on"),
    [("", True), ("--batch=32", False), ("--burst=8", False), ("--sub-batch=8", False), ("--no-adapt", False),
     ("--adapt --batch=32", True), ("--batch=32 --adapt", True), ("--no-adapt --adapt", True)],
)  # fmt: skip
def test_on_where_no_pair_is_asked_for(options: str, on: bool, start: Start) -> None:
    assert start(*options.split()).client.stats()["adapt"]["on"] == on


def test_commands_turn_it_on_and_off(start: Start) -> None:
    switch = start("--adapt", "--no-adapt")
    assert switch.client.stats()["adapt"] == {
        "on": False,
        "searching": False,
        "searches": 0,
        "changes": 0,
        "cost_ns": 0,
    }
    assert switch.do("set_adapt on") == ""
    assert switch.client.stats()["adapt"]["on"] is True
    assert "neither on nor off" in switch.fail("set_adapt maybe")


def test_leaves_what_is_much_slower(endless: Start) -> None:
    switch = endless("--adapt", "--batch=1")
    stats = once(switch, lambda stats: stats["adapt"]["changes"] > 0)
    assert stats["adapt"]["searches"] >= 1
    stats = once(switch, lambda stats: not stats["adapt"]["searching"])
    assert stats["burst"] > 1
    switch.stop()


@pytest.mark.parametrize("overrule", ["message", "command", "off"])
def test_whoever_sets_the_pair_keeps_it(endless: Start, overrule: str) -> None:
    switch = endless("--adapt", "--batch=1")
    once(switch, lambda stats: stats["adapt"]["searching"])
    assert switch.client.set_batch() != (0, 0)  # only asks
    assert switch.client.stats()["adapt"]["on"]
    if overrule == "message":
        assert switch.client.set_batch(48, 12) == (48, 12)
    elif overrule == "command":
        assert switch.do("set_burst 48 12") == "burst 48, sub-batch 12\n"
    else:
        switch.do("set_adapt off")  # the search is given up, and the pair is the one that held
    stats = switch.client.stats()
    if overrule != "off":
        assert (stats["burst"], stats["sub_batch"]) == (48, 12)
    elif not stats["adapt"]["changes"]:
        assert (stats["burst"], stats["sub_batch"]) == (1, 1)
    assert (stats["adapt"]["on"], stats["adapt"]["searching"]) == (False, False)
    received = stats["received"]
    later = once(switch, lambda stats: stats["received"] > received + 1000)
    assert (later["burst"], later["sub_batch"]) == (stats["burst"], stats["sub_batch"])


@pytest.mark.parametrize(("workers", "rounds"), [(1, 8), (2, 1)])
def test_packets_and_totals_are_the_same(sample: Path, tmp_path: Path, workers: int, rounds: int) -> None:
    frames = [ipv4(f"10.{i >> 8 & 255}.{i & 255}.1", i.to_bytes(26, "big")) for i in range(40_000)]
    write_pcap(tmp_path / "in.pcap", frames)
    (tmp_path / "entries").write_text(FORWARD)
    count = rounds * len(frames)
    ports = [f"--port=0=mem:{tmp_path}/in.pcap" + (f",loop --count={count}" if rounds > 1 else "")]
    for name in ("--adapt", "--no-adapt"):
        options = [*ports, f"--port=1=pcap:,{tmp_path}/{name}.pcap", name, "--batch=1", f"--workers={workers}"]
        command = [str(sample), *" ".join(options).split(" "), f"--entries={tmp_path}/entries"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert f"received {count} + copies 0 = sent {count} + dropped 0\n" in done.stdout
    adapting, fixed = (read_pcap(tmp_path / f"{name}.pcap") for name in ("--adapt", "--no-adapt"))
    if workers > 1:  # of each one alone the order is the same
        adapting, fixed = sorted(adapting), sorted(fixed)
    assert adapting == fixed and len(adapting) == count
