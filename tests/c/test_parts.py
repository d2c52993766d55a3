"""A program in three parts: each on a worker of its own, or all on each; packets and totals are those of one worker."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import switches
from built_once import built_once
from switch_harness import Switch, write_pcap
from test_runtime_builds import without_randomised_addresses

from macsad import compilation
from macsad.compilation import Request
from macsad.control import Client
from transpiler.optimisations import ALL

SOURCE = Path(__file__).parent / "parts.p4"
EVERY_STAGE = ALL.without(["small-tables"])
SANITIZERS = ("address", "undefined")
ENTRIES = [
    "mc_mgrp_create 1",
    "mc_node_create 0 1 2",
    "mc_node_associate 1 0",
    *(f"table_add classes classify {src} => {src}" for src in range(1, 7)),
    "table_add classes refuse 7 =>",
    *(f"table_add choices choose {n} => {1 + n % 3}" for n in range(1, 7)),
    *(f"table_add ports forward {way} {dst} => {1 + way % 2}" for way in (1, 2, 3) for dst in range(4)),
    "table_add ports flood 2 4 =>",
]
PORTS = ["--port=0=ctl:", "--port=1=ctl:", "--port=2=ctl:"]
LONG = 60.0


def built(sanitize: tuple[str, ...] = SANITIZERS) -> Path:
    def make(folder: Path) -> None:
        request = Request(SOURCE, wanted=EVERY_STAGE, cut="classes,ports")
        tools = compilation.toolchain(EVERY_STAGE, optimise="-O0" if sanitize else "-O1", sanitize=sanitize)
        compilation.build(request, switches.load(SOURCE), folder, tools)

    return built_once(("parts", sanitize), make) / "parts"


def frame(number: int) -> bytes:
    src, dst = number * 7 % 9, number * 5 % 6
    return dst.to_bytes(6, "big") + src.to_bytes(6, "big") + bytes(10) + number.to_bytes(38, "big")


def expected(frames: list[bytes]) -> list[tuple[int, bytes]]:
    """What parts.p4 makes of the frames of one port, in order."""
    sources, ways, sent = [0] * 16, [0] * 16, []
    for data in frames:
        dst, src = (int.from_bytes(data[at : at + 6], "big") for at in (0, 6))
        sources[src] += 1
        way = 0 if src == 7 else 1 + src % 3 if 0 < src < 7 else 1
        ways[way] += 1
        out = data[:14] + sources[src].to_bytes(4, "big") + ways[way].to_bytes(4, "big") + data[22:]
        if way and dst < 4:
            sent.append((1 + way % 2, out))
        elif way == 2 and dst == 4:
            sent += [(1, out), (2, out)]
    return sent


Start = Callable[..., Switch]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Switch] = []

    def make(*arguments: str, binary: Path | None = None, ports: list[str] = PORTS) -> Switch:
        running.append(Switch(binary or built(), tmp_path, [*ports, *arguments]))
        running[-1].do(*ENTRIES)
        return running[-1]

    yield make
    for switch in running:
        if switch.process.poll() is None:
            switch.stop()


def by_port(frames: list[tuple[int, bytes]]) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = {}
    for port, data in frames:
        found.setdefault(port, []).append(data)
    return found


def turn(socket: Path, stop: threading.Event, turns: list[str]) -> None:
    with Client(socket) as client:
        while not stop.is_set():
            for way in ("cloned", "cut"):
                reply = client.command(f"set_placement {way}")
                turns.append(reply.text if not reply.ok else way)


def flow_while_it_turns(switch: Switch, times: int) -> list[str]:
    """Frames of one port while the placement changes, so often at least: those that leave are those of one worker, in its
    order."""
    stop, turns = threading.Event(), list[str]()
    turning = threading.Thread(target=turn, args=(switch.socket, stop, turns))
    turning.start()
    frames, sent = list[bytes](), list[tuple[int, bytes]]()
    end = time.monotonic() + LONG
    try:
        while len(turns) < times or len(frames) < 2000:
            assert time.monotonic() < end, turns
            some = [frame(number) for number in range(len(frames), len(frames) + 1000)]
            sent += switch.client.exchange([(0, data) for data in some])
            frames += some
    finally:
        stop.set()
        turning.join()
    wanted = expected(frames)
    assert by_port(sent) == by_port(wanted)
    stats = switch.client.stats()
    assert (stats["received"], stats["sent"]) == (len(frames), len(wanted))
    assert stats["received"] + stats["copies"] == stats["sent"] + stats["dropped"]
    return turns


@pytest.mark.parametrize("workers", ["1,1,1", "2,1,1", "2,2,1"])
def test_each_part_on_workers_of_its_own(start: Start, workers: str) -> None:
    switch = start(
        f"--workers={sum(map(int, workers.split(',')))}", f"--part-workers={workers}", "--burst=9", "--no-fall-back"
    )
    frames = [frame(number) for number in range(3000)]
    sent = switch.client.exchange([(0, data) for data in frames])
    assert by_port(sent) == by_port(expected(frames))
    told = switch.client.stats()["placement"]
    assert told["part_workers"] == [int(count) for count in workers.split(",")]
    assert (told["cloned"], told["fall_back"]) == (False, False)


def test_a_pipeline_is_taken_back_and_placed_again_without_a_loss(start: Start) -> None:
    switch = start("--workers=3", "--burst=16")
    assert set(flow_while_it_turns(switch, 6)) == {"cloned", "cut"}
    assert switch.client.stats()["placement"]["fall_back"] is False
    switch.do("set_placement cloned")
    assert switch.client.stats()["placement"]["cloned"] is True


def test_no_data_races_while_it_is_taken_back(start: Start, tmp_path: Path) -> None:
    binary = without_randomised_addresses(built(("thread",)), tmp_path)
    switch = start("--workers=4", "--part-workers=2,1,1", "--burst=16", binary=binary)
    flow_while_it_turns(switch, 4)
    switch.stop()


def test_it_is_tried_where_there_is_more_than_can_be_done(start: Start, tmp_path: Path) -> None:
    """A port that never ends: the trial has been, all that was received has left or was dropped, and once told not to it does
    not try."""
    write_pcap(tmp_path / "in.pcap", [frame(number) for number in range(2000)])
    ports = [f"--port=0=mem:{tmp_path}/in.pcap,loop", "--port=1=null:"]
    switch = start("--workers=3", ports=ports)
    end = time.monotonic() + LONG
    while not (told := switch.client.stats()["placement"])["trials"]:
        assert time.monotonic() < end, told
        time.sleep(0.05)
    switch.do("set_placement cut")
    trials = switch.client.stats()["placement"]["trials"]
    time.sleep(0.5)
    told = switch.client.stats()["placement"]
    assert (told["trials"], told["cloned"], told["fall_back"]) == (trials, False, False)
    switch.do("set_placement auto", "port_down 0")
    while (stats := switch.client.stats())["received"] + stats["copies"] != stats["sent"] + stats["dropped"]:
        assert time.monotonic() < end, stats
        time.sleep(0.05)
    assert stats["placement"]["fall_back"] is True


def test_it_stays_where_it_is_told_to(start: Start) -> None:
    switch = start("--no-fall-back")
    assert switch.client.stats()["placement"]["fall_back"] is False
    assert "none of cut" in switch.fail("set_placement somewhere")


def test_a_program_in_one_piece_has_nothing_to_place(sample: Path, tmp_path: Path) -> None:
    switch = Switch(sample, tmp_path, ["--port=0=ctl:"])
    assert "one piece" in switch.fail("set_placement cloned")
    told = switch.client.stats()["placement"]
    assert told["part_workers"] == [1] and not told["fall_back"]
    switch.stop()


@pytest.mark.parametrize(
    "options", [["--part-workers=1,1"], ["--part-workers=1,2,1", "--workers=4"], ["--workers=2"],
                ["--part-workers=1,1,1", "--workers=4"], ["--back-workers=1", "--workers=4"], ["--part-workers=x"],
                ["--part-workers=2,1,0"], ["--part-workers=1,1,1,1,1,1,1,1,1,1"]],
)  # fmt: skip
def test_workers_that_do_not_fit_the_parts_are_refused(options: list[str]) -> None:
    done = subprocess.run(
        [str(built()), "--port=0=null:", *options], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2 and "error: " in done.stderr
