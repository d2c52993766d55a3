"""mem: keeps what frames have in common once, and they come as they are in the file."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest
from test_odp import SANITIZE, Toolchain, read_pcap, write_pcap

PLAIN = Toolchain("gcc", ("-O1", "-g1", *SANITIZE))


def varied(count: int, length: int, start: int, end: int) -> list[bytes]:
    """Frames that differ from each other, at most in the bytes from `start` to before `end`."""
    choose = random.Random(f"{length} {start} {end}")
    common = choose.randbytes(length)
    return [common[:start] + choose.randbytes(end - start) + common[end:] for _ in range(count)]


KINDS = {  # lengths, and where their frames differ
    "alike": [(1, 0, 0), (60, 0, 0), (64, 0, 0), (65, 0, 0), (1514, 0, 0)],
    "short": [(3, 0, 1), (17, 16, 17), (59, 0, 12), (61, 60, 61), (63, 48, 63), (66, 64, 66), (128, 63, 65)],
    "longer": [(33, 0, 17), (62, 26, 58), (67, 40, 67), (78, 38, 70), (200, 180, 200), (1513, 1490, 1513)],
    "lines": [(55, 0, 33), (56, 23, 56), (79, 20, 60), (129, 1, 129), (201, 10, 140), (1512, 70, 1000)],
    "whole": [(2, 0, 2), (57, 0, 57), (58, 0, 58), (80, 0, 80), (192, 0, 192), (1511, 0, 1511), (2048, 0, 2048)],
}
ALL = "all of these"


@pytest.mark.parametrize("name", [*KINDS, ALL])
def test_frames_from_memory(tmp_path: Path, name: str) -> None:
    kinds = KINDS.get(name) or [kind for some in KINDS.values() for kind in some]
    frames = [frame for kind in kinds for frame in varied(40, *kind)]
    random.Random(name).shuffle(frames)
    pcap, out = write_pcap(tmp_path / "in.pcap", frames), tmp_path / "out.pcap"
    PLAIN.execute("forward", f"mem:{pcap}", f"pcap:,{out}")
    assert [data for _, _, data in read_pcap(out)[1]] == frames


def is_open(process: subprocess.Popen[str], path: Path) -> bool:
    files = Path(f"/proc/{process.pid}/fd").iterdir()
    return any(file.is_symlink() and file.readlink() == path for file in files)


FIRST = varied(10, 100, 40, 44)


@pytest.mark.parametrize(
    ("second", "accepted"),
    [
        (FIRST, True),
        (FIRST[:-1], False),
        ([*FIRST, FIRST[0]], False),
        ([*FIRST[:-1], FIRST[0][:60]], False),
        ([bytes([frame[0] ^ 1]) + frame[1:] for frame in FIRST], False),
        ([frame[:-1] + bytes([frame[-1] ^ 1]) for frame in FIRST], False),
    ],
    ids=["again", "fewer", "more", "length", "beginning", "end"],
)
def test_a_file_that_changes(tmp_path: Path, second: list[bytes], accepted: bool) -> None:
    """It is read twice; a pipe's two writers may say different things."""
    pipe, out = tmp_path.resolve() / "pipe", tmp_path / "out.pcap"
    os.mkfifo(pipe)
    program = PLAIN.program("forward")
    process = subprocess.Popen([program, f"mem:{pipe}", f"pcap:,{out}"], stderr=subprocess.PIPE, text=True)
    pipe.write_bytes(write_pcap(tmp_path / "in.pcap", FIRST).read_bytes())
    while is_open(process, pipe):  # until then this would be the same writer
        time.sleep(0.01)
    pipe.write_bytes(write_pcap(tmp_path / "in.pcap", second).read_bytes())
    errors = process.communicate(timeout=60)[1]
    if accepted:
        assert (process.returncode, [data for _, _, data in read_pcap(out)[1]]) == (0, FIRST)
    else:
        assert process.returncode == 2
        assert f"{pipe}: cannot be read twice (a pipe?), or changes" in errors
