"""paced: frames come as they are in the file, at random times, and the time to their sending is counted."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from test_odp import read_pcap, write_pcap
from test_odp_replay import PLAIN, varied

from macsad.bench.latency import BUCKETS, Control, middle

FRAMES, COUNT = varied(10, 100, 40, 44), 5000
FORWARD = ("1", "2048", str(COUNT))  # queues, bytes, frames to end after


@pytest.mark.parametrize("gap_ns", [0, 1000])
def test_frames_come_and_their_times_are_counted(tmp_path: Path, gap_ns: int) -> None:
    pcap = write_pcap(tmp_path / "in.pcap", FRAMES)
    with Control(tmp_path / "control") as control:
        control.begin(gap_ns)
        done = PLAIN.execute("forward", f"paced:{pcap},{control.path}", f"paced:,{control.path}", *FORWARD)
        counted = control.read()
    received = int(done.stdout.splitlines()[1].split()[2])
    assert COUNT <= received < COUNT + 64
    assert 0 < sum(counted.times) <= received, "what is sent behind an interruption does not count"
    if gap_ns == 0:
        assert counted.missed == 0, "what is taken as fast as it comes leaves nothing behind"


def test_the_frames_are_those_of_the_file(tmp_path: Path) -> None:
    pcap, out = write_pcap(tmp_path / "in.pcap", FRAMES), tmp_path / "out.pcap"
    with Control(tmp_path / "control") as control:
        control.begin(500)
        PLAIN.execute("forward", f"paced:{pcap},{control.path}", f"pcap:,{out}", *FORWARD)
    sent = [data for _, _, data in read_pcap(out)[1]]
    assert sent == [FRAMES[n % len(FRAMES)] for n in range(len(sent))] and len(sent) >= COUNT


def test_what_came_from_elsewhere_is_not_counted(tmp_path: Path) -> None:
    pcap = write_pcap(tmp_path / "in.pcap", FRAMES)
    with Control(tmp_path / "control") as control:
        done = PLAIN.execute("forward", f"mem:{pcap}", f"paced:,{control.path}")
        assert "out 10 errors 0" in done.stdout and sum(control.read().times) == 0


@pytest.mark.parametrize("name", ["paced:", "paced:/nowhere", "paced:,/nowhere/control", "paced:,{small}"])
def test_names_that_are_refused(tmp_path: Path, name: str) -> None:
    small = tmp_path / "small"
    small.write_bytes(bytes(100))
    done = PLAIN.execute("forward", name.format(small=small), "null:", check=False)
    assert done.returncode == 2 and "expected paced:FILE,CONTROL" in done.stderr


def test_buckets_follow_each_other() -> None:
    times = [middle(bucket) for bucket in range(BUCKETS)]
    assert times == sorted(set(times)) and times[:34] == [*map(float, range(32)), 32.5, 33.5]
    assert all(after / before < 1.04 for before, after in pairwise(times[40:]))
