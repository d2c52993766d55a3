"""paced: frames come as they are in the file, at random times, and the time to their sending is counted."""

from __future__ import annotations

import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest
from test_odp import TESTS, WARNINGS, read_pcap, run, udp_frames, write_pcap
from test_odp_replay import PLAIN, varied

from macsad.bench.latency import BUCKETS, HEAD, Control, middle

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


def arrivals(control: Control) -> tuple[int, int]:
    """Of frames that come each nanosecond: those that were counted since the beginning, and the nanoseconds of that time."""
    *_, missed, interrupted, _, called = HEAD.unpack(control.path.read_bytes()[: HEAD.size])
    return missed + sum(control.read().times), called - interrupted


def test_what_comes_is_taken_or_missed(tmp_path: Path) -> None:
    """A frame each nanosecond is more than anything takes; an interruption counts for itself, until counting begins anew."""
    pcap = write_pcap(tmp_path / "in.pcap", FRAMES)
    with Control(tmp_path / "control") as control:
        control.begin(1)
        ports = (f"paced:{pcap},{control.path}", f"paced:,{control.path}")
        process = subprocess.Popen([PLAIN.program("forward"), *ports], stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            time.sleep(0.1)
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.3)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.1)
            before = control.read()
            control.begin(1)
            time.sleep(0.1)
            after, (first, begun), _, (last, end) = (
                control.read(),
                arrivals(control),
                time.sleep(0.3),
                arrivals(control),
            )
        finally:
            process.kill()
            process.communicate()
    assert 0.25 < before.interrupted < before.seconds and 0 < after.seconds < before.seconds
    assert after.missed < before.missed
    assert after.interrupted < before.interrupted - 0.1
    assert 0.8 < (last - first) / (end - begun) < 1.2


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


def test_on_a_clock_that_the_test_moves(tmp_path: Path) -> None:
    objects = [file for file in PLAIN.objects() if file.name != "pktio_paced.o"]  # it is in the program
    flags = ["-std=gnu11", "-D_GNU_SOURCE", *PLAIN.flags, *WARNINGS, *PLAIN.includes, "-Wl,--wrap=macs_odp_clock_ns"]
    run("gcc", *flags, TESTS / "test_clocked.c", *objects, "-o", tmp_path / "clocked", *PLAIN.libraries)
    run(tmp_path / "clocked", write_pcap(tmp_path / "in.pcap", udp_frames(7)), tmp_path / "control")


def test_buckets_follow_each_other() -> None:
    times = [middle(bucket) for bucket in range(BUCKETS)]
    assert times == sorted(set(times)) and times[:34] == [*map(float, range(32)), 32.5, 33.5]
    assert all(after / before < 1.04 for before, after in pairwise(times[40:]))
