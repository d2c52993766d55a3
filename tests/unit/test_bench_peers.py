"""Programs of others over DPDK: when they forward, what they are measured by, and what they have dropped. They are of this
file."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from bench_scripts import Clock

from macsad.bench import beside
from macsad.bench.beside import Beside, Peer
from macsad.bench.contestants import BenchError
from macsad.bench.feeds import Feed


class Forwarding:
    """Two ports, one not started; it forwards nine of ten frames from half a second on, and has a part of its CPU."""

    def __init__(self, clock: Clock, share: float = 1.0) -> None:
        self.clock, self.share = clock, share
        self.done: list[str] = []
        self.asked: list[str] = []
        self.process: Any = self
        self.pid = 7
        self.ended = False

    def poll(self) -> int | None:
        return 1 if self.ended else None

    def send(self, asked: bytes) -> None:
        self.asked.append(asked.decode())

    def recv(self, most: int) -> bytes:
        if self.ended:
            raise OSError("broken")
        name, _, port = self.asked[-1].partition(",")
        sent = max(0, round(900 * (self.clock.now - 0.5)))
        stats = {"0": {"ipackets": sent * 10 // 9, "opackets": sent}, "1": None}.get(port)
        return json.dumps({name: [0, 1] if name == "/ethdev/list" else stats}).encode()

    def times(self, pid: int) -> Any:
        assert pid == self.pid
        used = round(1e9 * self.share * self.clock.now)
        return beside._Times(round(1e9 * self.clock.now), used + 1000, {"7": 1000, "8": used})

    def pause(self) -> None:
        self.done.append("pause")

    def resume(self) -> None:
        self.done.append("resume")

    def close(self) -> None:
        self.done.append("close")

    def failure(self, what: str) -> BenchError:
        return BenchError(f"{what}: no ports")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(beside, "time", made)
    return made


def started(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, share: float = 1.0
) -> tuple[Beside, Forwarding]:
    peer = Forwarding(clock, share)
    monkeypatch.setattr(beside, "Process", lambda command, log, stdin: peer)
    monkeypatch.setattr(beside, "_telemetry", lambda path: peer)
    monkeypatch.setattr(beside, "_times", peer.times)
    monkeypatch.setattr(beside.shutil, "which", lambda name: name)
    feed = Feed("dpdk", "dpdk:a", "dpdk:b", 10, 2048, ("a", "b"))
    return Beside(Peer("io", "pmd {eal}"), feed, tmp_path / "f", tmp_path), peer


def test_a_peer_is_waited_for_until_it_forwards(clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made, peer = started(clock, monkeypatch, tmp_path)
    assert clock.now == pytest.approx(0.5, abs=0.11) and peer.done == ["pause"]
    assert peer.asked[:3] == ["/ethdev/list", "/ethdev/stats,0", "/ethdev/stats,1"]
    clock.now = 1.5
    assert made.packets() == (1000, 900) and made.dropped() == pytest.approx(0.1)
    assert peer.done == ["pause", "resume", "pause"]
    made.close()
    assert peer.done[-1] == "close"


@pytest.mark.parametrize(("share", "takes"), [(1.0, 0.1), (0.5, 0.1), (0.3, 0.2)])
def test_a_sample_is_of_its_busiest_thread(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, share: float, takes: float
) -> None:
    made, peer = started(clock, monkeypatch, tmp_path, share)
    begin = clock.now
    found = made.measure("", 0, 0, 0.1)
    assert clock.now - begin == pytest.approx(beside.SETTLE_S + takes)
    assert found.operations == pytest.approx(1000 * takes, abs=2) and found.cpu_ns == pytest.approx(1e9 * share * takes)
    assert found.wall_ns == pytest.approx(1e9 * takes) and peer.done[1:] == ["resume", "pause"]


def test_a_peer_that_ends_tells_why(clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made, peer = started(clock, monkeypatch, tmp_path)
    peer.ended = True
    with pytest.raises(BenchError, match=r"io has ended while it was measured \(broken\): no ports"):
        made.measure("", 0, 0, 0.1)
    with pytest.raises(BenchError, match="io does not start: no ports"):
        made._connect()


def test_times_are_those_of_a_process_and_its_threads() -> None:
    outer, before, inner = time.process_time_ns(), beside._times(os.getpid()), time.process_time_ns()
    while (inside := time.process_time_ns()) < inner + 5_000_000:
        pass
    after, end = beside._times(os.getpid()), time.process_time_ns()
    assert inside - inner <= after.cpu_ns - before.cpu_ns <= end - outer, "the clock is read in this order"
    assert after.wall_ns > before.wall_ns and str(os.getpid()) in after.threads


def test_dpdk_has_its_sockets_where_its_user_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside.os, "getuid", lambda: 0)
    assert beside._runtime_folder() == Path("/var/run/dpdk")
    monkeypatch.setattr(beside.os, "getuid", lambda: 1000)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    assert beside._runtime_folder() == Path("/run/user/1000/dpdk")
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert beside._runtime_folder() == Path("/tmp/dpdk")


def test_huge_pages_that_are_free_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "MemFree: 5 kB\nHugePages_Total: 9\nHugePages_Free:  3\nHugePages_Rsvd: 7\n"
    monkeypatch.setattr(beside.Path, "read_text", lambda path: rows)
    assert beside._free_huge_pages() == 3
    feed = Feed("dpdk", "a", "b", 1024, 2048, ())
    assert beside._memory(feed) == ["--in-memory"]
    monkeypatch.setattr(beside, "_free_huge_pages", lambda: 0)
    assert beside._memory(feed) == ["--no-huge", "-m", str(128 + 3)]
