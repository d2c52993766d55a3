"""A program whose packets begin again and are cloned, cut at every place and pair of places: packets, their order, counters and
totals are those of the interpreter; nothing hangs and nothing is lost uncounted when there is more than buffers can take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
import switches
from built_once import built_once
from switch_harness import Switch, write_pcap
from test_runtime_builds import without_randomised_addresses

from macsad import compilation
from macsad.cli import call
from macsad.compilation import Request
from macsad.stf.interpreted import InterpretedDevice
from transpiler.interpreter.matches import Exact
from transpiler.optimisations import ALL

SOURCE = Path(__file__).parent / "begin_again.p4"
PACKETS = Path(__file__).parents[1] / "packets"
EVERY_STAGE = ALL.without(["small-tables"])
PLACES = ("kinds", "middle", "ports")
PLACEMENTS = [",".join(places) for parts in (1, 2) for places in combinations(PLACES, parts)]
PORTS = [f"--port={port}=ctl:" for port in range(4)]
LONG = 60.0

Entry = tuple[str, tuple[int, ...], str, tuple[int, ...]]  # table, key, action, its data


def built(at: str, *sanitize: str) -> Path:
    def make(folder: Path) -> None:
        request = Request(SOURCE, wanted=EVERY_STAGE, cut=at)
        tools = compilation.toolchain(EVERY_STAGE, optimise="-O0" if sanitize else "-O1", sanitize=sanitize)
        compilation.build(request, switches.load(SOURCE), folder, tools)

    return built_once(("begin_again", at, sanitize), make) / SOURCE.stem


def entries(random: Random) -> list[Entry]:
    made: list[Entry] = []
    for kind in range(11):
        action, count = random.choice((("go", 1), ("go", 1), ("clone_early", 1), ("refuse", 0)))
        made.append(("kinds", (kind,), action, tuple(random.randrange(6) for _ in range(count))))
    for way in range(6):
        action, count = random.choice((("mark", 1), ("once_more", 0), ("clone_late", 0)))
        made.append(("middle", (way,), action, tuple(random.randrange(9) for _ in range(count))))
        for kind in range(11):
            action, count = random.choice((("forward", 1), ("forward", 1), ("flood", 0), ("refuse", 0)))
            made.append(("ports", (kind, way), action, tuple(random.randrange(4) for _ in range(count))))
    return made


def frames(random: Random, count: int) -> list[bytes]:
    head = (bytes([random.randrange(12), random.randrange(4), 0, 0]) + n.to_bytes(4, "big") for n in range(count))
    return [data[: random.choice((2, 8, 8, 8, 8))] + bytes(random.randrange(40)) for data in head]


@pytest.fixture
def set_up() -> Iterator[Callable[[Switch, list[Entry]], Switch]]:
    """set_up(switch, entries): the switch with its groups and sessions; ended after the test."""
    running: list[Switch] = []

    def make(switch: Switch, made: list[Entry]) -> Switch:
        running.append(switch)
        return prepared(switch, made)

    yield make
    for switch in running:
        if switch.process.poll() is None:
            switch.process.kill()
            switch.process.communicate()


def prepared(switch: Switch, made: list[Entry]) -> Switch:
    switch.do(
        "mc_mgrp_create 1",
        "mc_node_create 4 1 2",
        "mc_node_associate 1 0",
        "mirroring_add 5 3",
        "mirroring_add_mc 6 1",
        *(
            f"table_add {table} {action} {' '.join(map(str, key))} => {' '.join(map(str, data))}"
            for table, key, action, data in made
        ),
    )
    return switch


def interpreted(made: list[Entry]) -> InterpretedDevice:
    device = InterpretedDevice(switches.load(SOURCE))
    device.group_create(1)
    device.node_associate(1, device.node_create(4, (1, 2)))
    device.mirroring_add(5, 3)
    device.mirroring_add_group(6, 1)
    for table, key, action, data in made:
        device.add_entry(f"I.{table}", tuple(map(Exact, key)), f"I.{action}", data, 0)
    return device


def by_port(sent: list[tuple[int, bytes]]) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = {}
    for port, data in sent:
        found.setdefault(port, []).append(data)
    return found


def check_sums(switch: Switch) -> None:
    """As soon as no packet is on its way any more."""
    end = time.monotonic() + LONG
    while True:
        stats = switch.client.stats()
        if stats["received"] + stats["copies"] == stats["sent"] + stats["dropped"]:
            return
        assert time.monotonic() < end, stats
        time.sleep(0.02)


def workers(at: str, front: int = 1) -> list[str]:
    parts = [str(front), *["1"] * (at.count(",") + 1)]
    return [f"--workers={sum(map(int, parts))}", f"--part-workers={','.join(parts)}"]


@pytest.mark.parametrize("at", PLACEMENTS)
def test_packets_in_parts_are_those_of_one_worker(at: str, tmp_path: Path, set_up) -> None:
    """With workers for each part, and all parts on each: what comes of the packets of a port leaves in its order."""
    for seed, burst in enumerate((1, 7, 64)):
        random = Random(f"{at} {seed}")
        made, feed = entries(random), frames(random, 300)
        device = interpreted(made)
        folder = tmp_path / str(seed)
        folder.mkdir()
        arguments = [*PORTS, *workers(at), "--no-fall-back", f"--burst={burst}", "--buffers=8192"]
        switch = set_up(Switch(built(at, "address", "undefined"), folder, arguments), made)
        for way in ("cut", "cloned", "cut"):
            switch.do(f"set_placement {way}")
            device.inject_all(0, feed)
            expected = by_port(device.collect())
            assert by_port(switch.client.exchange([(0, data) for data in feed])) == expected
            assert sum(map(len, expected.values())) > len(feed) // 2
        for counter in ("begun", "ended"):
            for index in range(8):
                packets, octets = device.counter(f"I.{counter}", index)
                told = switch.do(f"counter_read I.{counter} {index}")
                assert str(packets) in told and (counter == "ended" or str(octets) in told)
        check_sums(switch)
        switch.stop()


def test_no_data_races_while_the_placement_changes(tmp_path: Path, set_up) -> None:
    random = Random(3)
    made = entries(random)
    binary = without_randomised_addresses(built("kinds,ports", "thread"), tmp_path)
    switch = set_up(Switch(binary, tmp_path, [*PORTS, *workers("kinds,ports", 2), "--burst=16"]), made)
    device = interpreted(made)
    for number in range(8):
        feed = frames(random, 200)
        device.inject_all(0, feed)
        if number % 2:
            switch.do(f"set_placement {'cloned' if number % 4 == 1 else 'cut'}")
        assert by_port(switch.client.exchange([(0, data) for data in feed])) == by_port(device.collect())
    check_sums(switch)
    switch.stop()


@pytest.mark.parametrize("name", ["p4_14_paths", "kept_values", "fresh_values", "psa_flooding", "psa_known"])
def test_programs_of_each_architecture(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What they keep in further passes and in clones is there behind a cut, too."""
    program = PACKETS / f"{name}.p4"
    assert call(["test", str(program), str(program.with_suffix(".stf")), "--cut", "1", "--no-small-tables"]) == 0
    assert "passed" in capsys.readouterr().out


@pytest.mark.parametrize("at", ["1", "hops", "stations,hops"])
def test_a_program_of_one_pipeline(at: str, capsys: pytest.CaptureFixture[str]) -> None:
    """PNA's: packets are mirrored and begin again where the last part ends."""
    program = SOURCE.with_name("pna_again.p4")
    assert call(["test", str(program), str(program.with_suffix(".stf")), "--cut", at, "--no-small-tables"]) == 0
    assert "passed" in capsys.readouterr().out


@pytest.mark.parametrize("buffers", [512, 2048])
@pytest.mark.parametrize("burst", [4, 64])
def test_more_than_there_are_buffers_for(tmp_path: Path, buffers: int, burst: int, set_up) -> None:
    """Ports that never end, and copies without number: packets flow on, and each received or copied one is sent or dropped."""
    random = Random(f"{buffers} {burst}")
    write_pcap(tmp_path / "in.pcap", frames(random, 1000))
    names = [f"mem:{tmp_path}/in.pcap,loop", "null:", f"pcap:,{tmp_path}/2.pcap", f"pcap:,{tmp_path}/3.pcap"]
    ports = [f"--port={number}={name}" for number, name in enumerate(names)]
    arguments = [*ports, *workers("kinds,ports"), f"--burst={burst}", "--no-fall-back", f"--buffers={buffers}"]
    switch = set_up(Switch(built("kinds,ports", "address", "undefined"), tmp_path, arguments), entries(random))
    sent, end = 0, time.monotonic() + LONG
    for _ in range(5):
        while (now := switch.client.stats()["sent"]) <= sent:
            assert time.monotonic() < end
            time.sleep(0.02)
        sent = now
        time.sleep(0.1)
    switch.do("port_down 0")
    check_sums(switch)
    switch.stop()
