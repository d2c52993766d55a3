"""The files of a switch: inputs that are not whole, outputs that cannot be written, files that are used twice."""

from __future__ import annotations

import os
import re
import resource
import struct
import subprocess
import time
from pathlib import Path

import pytest
from switch_harness import Switch, ethernet, read_pcap, write_pcap

TO_1 = "table_add dmac forward 00:00:00:00:00:01 => 1\n"
FRAMES = [ethernet(payload=i.to_bytes(46, "big")) for i in range(100)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a hundred frames, in.pcap, and entries that send them to port 1."""
    write_pcap(tmp_path / "in.pcap", FRAMES)
    (tmp_path / "entries").write_text(TO_1)
    return tmp_path


def run(
    binary: Path, folder: Path, *ports: str, options: tuple[str, ...] = (), file_bytes: int | None = None, **files: int
) -> subprocess.CompletedProcess[str]:
    """The switch until its inputs end. `file_bytes`: how long files may become."""

    def limit() -> None:
        if file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

    command = [binary, *(f"--port={number}={name}" for number, name in enumerate(ports)), "--entries=entries", *options]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **files}
    return subprocess.run(command, cwd=folder, text=True, timeout=60, check=False, preexec_fn=limit, **streams)


# --- inputs -----------------------------------------------------------------------------------------------------------


def record(frame: bytes, original: int) -> bytes:
    return struct.pack("<IIII", 1, 2, len(frame), original) + frame


def pcapng(frames: list[tuple[bytes, int]]) -> bytes:
    made = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28) + struct.pack(
        "<IIHHII", 1, 20, 1, 0, 0, 20
    )
    for frame, original in frames:
        padded = frame + bytes(-len(frame) % 4)
        total = 32 + len(padded)
        made += struct.pack("<IIIIIII", 6, total, 0, 0, 0, len(frame), original) + padded + struct.pack("<I", total)
    return made


@pytest.mark.parametrize("form", ["pcap", "pcapng"])
def test_a_record_that_makes_no_sense_is_passed_over(sample: Path, folder: Path, form: str) -> None:
    records = [(FRAMES[0], 60), (FRAMES[1], 59), (FRAMES[2], 60)]
    head = (folder / "in.pcap").read_bytes()[:24]
    whole = pcapng(records) if form == "pcapng" else head + b"".join(record(*r) for r in records)
    (folder / "in.pcap").write_bytes(whole)
    done = run(sample, folder, "pcap:in.pcap", "pcap:,out.pcap")
    assert done.returncode == 0, done.stderr
    assert "received 3 + copies 0 = sent 2 + dropped 1: rx-error 1\n" in done.stdout
    assert read_pcap(folder / "out.pcap") == [FRAMES[0], FRAMES[2]]
    assert run(sample, folder, "mem:in.pcap", "null:").returncode == 1


@pytest.mark.parametrize("form", ["pcap", "pcapng"])
@pytest.mark.parametrize("rest", [1, 20, 59])
def test_an_input_that_is_cut_off_is_no_success(sample: Path, folder: Path, rest: int, form: str) -> None:
    if form == "pcapng":
        (folder / "in.pcap").write_bytes(pcapng([(frame, len(frame)) for frame in FRAMES]))
    whole = (folder / "in.pcap").read_bytes()
    (folder / "in.pcap").write_bytes(whole[:-rest])
    done = run(sample, folder, "pcap:in.pcap", "pcap:,out.pcap")
    assert done.returncode == 1
    assert "the file is cut off" in done.stderr
    assert "error: port 0: not all of pcap:in.pcap was read or written" in done.stderr
    read = 100 if form == "pcapng" and rest == 1 else 99  # of its last block only the end is missing
    assert read_pcap(folder / "out.pcap") == FRAMES[:read]


@pytest.mark.parametrize("count", [1, 10, 50])
def test_count_is_how_many_packets_are_handled(sample: Path, folder: Path, count: int) -> None:
    done = run(sample, folder, "pcap:in.pcap,loops=0", "pcap:,out.pcap", options=(f"--count={count}", "--burst=32"))
    assert done.returncode == 0, done.stderr
    assert f"received {count} + copies 0 = sent {count} + dropped 0\n" in done.stdout
    assert len(read_pcap(folder / "out.pcap")) == count


@pytest.mark.parametrize("count", ["18446744073709551616", "99999999999999999999", "-1", "1x", "0x"])
def test_what_is_no_count_is_told(sample: Path, folder: Path, count: str) -> None:
    done = run(sample, folder, "pcap:in.pcap", options=(f"--count={count}",))
    assert done.returncode == 2 and f"error: --count {count}: expected a number from " in done.stderr


def test_frames_without_a_time_are_recorded_with_now(sample: Path, folder: Path) -> None:
    switch = Switch(
        sample, folder, ["--port=0=ctl:", f"--port=1=pcap:,{folder}/out.pcap", f"--entries={folder}/entries"]
    )
    before = time.time()
    switch.client.exchange([(0, FRAMES[0])] * 3)
    after = time.time()
    switch.stop()
    content = (folder / "out.pcap").read_bytes()
    times = [struct.unpack_from("<II", content, 24 + 76 * at) for at in range(3)]
    assert len(content) == 24 + 3 * 76
    assert all(before - 1e-5 <= seconds + micros / 1e6 <= after for seconds, micros in times)


# --- outputs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["pcap", "pcapng"])
@pytest.mark.parametrize("beyond", [-1, 0, 1, 50])
@pytest.mark.parametrize("records", [1, 52])
def test_a_full_disk_leaves_whole_records_and_says_how_many(
    sample: Path, folder: Path, suffix: str, records: int, beyond: int
) -> None:
    """The disk has room for so many records, and some bytes more or less."""
    each, head = (76, 24) if suffix == "pcap" else (92, 60)
    limit = head + records * each + beyond
    done = run(sample, folder, "pcap:in.pcap", f"pcap:,out.{suffix}", file_bytes=limit)
    assert done.returncode == 1
    assert "cannot write: File too large" in done.stderr
    size = (folder / f"out.{suffix}").stat().st_size
    written = (limit - head) // each
    assert size == head + written * each
    assert f"= sent {written} + dropped {100 - written}: tx-full {100 - written}\n" in done.stdout
    assert re.search(rf"^ +1 .* {written} +{written * 60}$", done.stdout, re.MULTILINE)
    assert f"pcap:,out.{suffix}" in next(line for line in done.stderr.splitlines() if line.startswith("error: port 1"))


def test_outputs_that_cannot_be_written_are_no_success(sample: Path, folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = run(sample, folder, "pcap:in.pcap", "null:", stdout=full.fileno())
    assert (done.returncode, done.stderr) == (1, "error: standard output could not be written\n")
    (folder / "entries").write_text("table_add dmac forward 1 => 1\n" * 2)
    done = run(sample, folder, "pcap:in.pcap", "null:", options=("--log=/dev/full",))
    assert done.returncode == 1


# --- files that are used twice ----------------------------------------------------------------------------------------


def links(folder: Path) -> None:
    (folder / "soft.pcap").symlink_to("in.pcap")
    os.link(folder / "in.pcap", folder / "hard.pcap")
    (folder / "port0_in.pcap").symlink_to("in.pcap")  # what --pcap names the first port's captures


@pytest.mark.parametrize(
    ("ports", "options"),
    [
        (("pcap:in.pcap,in.pcap",), ()),
        (("pcap:in.pcap,./in.pcap",), ()),
        (("pcap:in.pcap,soft.pcap",), ()),
        (("pcap:in.pcap,hard.pcap",), ()),
        (("pcap:,in.pcap", "pcap:soft.pcap"), ()),
        (("mem:in.pcap", "pcap:,hard.pcap"), ()),
        (("pcap:,in.pcap", "pcap:,hard.pcap"), ()),
        (("pcap:,entries",), ()),
        (("pcap:in.pcap",), ("--log=hard.pcap",)),
        (("pcap:in.pcap,out.pcap",), ("--log=out.pcap",)),
        (("ctl:", "pcap:in.pcap"), ("--pcap=.",)),
    ],
)
def test_no_file_is_read_and_written(
    sample: Path, folder: Path, ports: tuple[str, ...], options: tuple[str, ...]
) -> None:
    links(folder)
    before = [(folder / name).read_bytes() for name in ("in.pcap", "entries")]
    done = run(sample, folder, *ports, options=options)
    assert done.returncode == 1
    assert "would be written and is used for something else, too" in done.stderr
    assert [(folder / name).read_bytes() for name in ("in.pcap", "entries")] == before


def test_standard_streams_and_the_log_may_be_one_file(sample: Path, folder: Path) -> None:
    with (folder / "all").open("w") as all_of_it:
        done = run(
            sample, folder, "pcap:in.pcap", "null:", options=("--log=/dev/stderr",), stdout=all_of_it.fileno(),
            stderr=all_of_it.fileno(),
        )  # fmt: skip
    assert done.returncode == 0
    assert "received 100" in (folder / "all").read_text()
