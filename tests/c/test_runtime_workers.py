"""Workers and what they share: their inputs, CPUs, random numbers, the budget of --count; groups, meters and statistics."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from switch_harness import Switch, ethernet, read_pcap, write_pcap

LOG, RANDOM, METER = 0xBEEF, 0x4A4D, 0x3E7E
TO_1 = "table_add dmac forward 1 => 1"


def workers(switch: Switch) -> list[Path]:
    """Their folders in /proc, in their order."""
    tasks = sorted(Path(f"/proc/{switch.process.pid}/task").iterdir(), key=lambda task: int(task.name))
    return [task for task in tasks if int(task.name) != switch.process.pid]


def status(task: Path, name: str) -> str:
    found = re.search(rf"^{name}:\s*(\S+)", (task / "status").read_text(), re.MULTILINE)
    assert found
    return found[1]


# --- workers ----------------------------------------------------------------------------------------------------------


def test_each_input_is_one_workers_dealt_in_turn(start) -> None:
    switch = start("--workers=3", ports=7)
    for _ in range(12):
        switch.client.exchange([(port, ethernet(kind=LOG)) for port in range(7)])
    switch.stop()
    told = re.findall(r"worker (\d+): frame of 60 bytes at port (\d+)", switch.log.read_text())
    assert len(told) == 84
    assert {(int(port), int(worker)) for worker, port in told} == {(port, port % 3) for port in range(7)}


def test_a_port_stays_with_its_worker_whatever_goes_and_comes_beside_it(start) -> None:
    switch = start("--workers=2", ports=4)
    switch.do("port_remove 0")
    switch.client.exchange([(port, ethernet(kind=LOG)) for port in (1, 2, 3)])
    switch.do("port_add ctl: 9")
    switch.client.exchange([(port, ethernet(kind=LOG)) for port in (1, 2, 3, 9)])
    switch.stop()
    told = re.findall(r"worker (\d+): frame of 60 bytes at port (\d+)", switch.log.read_text())
    assert sorted(told) == sorted([("1", "1"), ("0", "2"), ("1", "3")] * 2 + [("0", "9")])


def test_workers_have_their_cpus_in_turn(start) -> None:
    cpus = sorted(os.sched_getaffinity(0))[:2]
    switch = start("--workers=3", f"--cpus={','.join(map(str, cpus))}")
    found = [status(task, "Cpus_allowed_list") for task in workers(switch)]
    assert found == [str(cpus[index % len(cpus)]) for index in range(3)]


def test_idle_workers_sleep_unless_told_not_to(start) -> None:
    def slept(switch: Switch, seconds: float) -> int:
        tasks = workers(switch)
        before = [int(status(task, "voluntary_ctxt_switches")) for task in tasks]
        time.sleep(seconds)
        return max(int(status(task, "voluntary_ctxt_switches")) - was for task, was in zip(tasks, before, strict=True))

    switch = start("--workers=2")
    assert any(slept(switch, 0.1) >= 20 for _ in range(50))
    switch.stop()
    assert slept(start("--workers=2", "--busy"), 0.3) < 20


def random_numbers(switch: Switch) -> list[bytes]:
    """Those of the workers of ports 0 and 1."""
    switch.do(TO_1)
    found = switch.client.exchange([(port, ethernet(kind=RANDOM, src=port)) for port in (0, 1) for _ in range(12)])
    switch.stop()
    return [bytes(frame[14] for _, frame in found if frame[11] == port) for port in (0, 1)]


def test_random_numbers_begin_with_the_seed_and_the_worker(start) -> None:
    first = random_numbers(start("--workers=2"))  # the seed is 1
    second = random_numbers(start("--workers=2", "--seed=2"))
    assert len(set(first + second)) == 3 and {len(numbers) for numbers in first} == {12}
    assert second[0] == first[1]
    assert random_numbers(start("--workers=2", "--seed=2")) == second


@pytest.mark.parametrize("count", [31, 150, 199, 200])
@pytest.mark.parametrize("options", [("--workers=1", "--burst=32"), ("--workers=3", "--burst=256")])
def test_the_budget_is_of_all_inputs_and_workers(
    sample: Path, tmp_path: Path, count: int, options: tuple[str, ...]
) -> None:
    """What a burst claims and does not receive goes back."""
    (tmp_path / "entries").write_text(TO_1)
    names = [f"pcap:{tmp_path}/{name}.pcap" for name in "ab"]
    for name in "ab":
        write_pcap(tmp_path / f"{name}.pcap", [ethernet()] * 100)
    ports = [f"--port=0={names[0]}", f"--port=1=pcap:,{tmp_path}/out.pcap", f"--port=2={names[1]}"]
    command = [sample, *ports, f"--count={count}", f"--entries={tmp_path}/entries", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"received {count} + copies 0 = sent {count} + dropped 0\n" in done.stdout
    assert len(read_pcap(tmp_path / "out.pcap")) == count


def test_the_budget_is_that_of_a_worker_too_that_has_nothing_to_do(start, tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [ethernet()] * 20)
    switch = start("--count=5", "--burst=32", ports=1)
    time.sleep(0.05)
    switch.do(f"port_add pcap:{tmp_path}/in.pcap 7")
    switch.client.close()
    output, errors = switch.process.communicate(timeout=20)
    assert (switch.process.returncode, errors) == (0, "") and "received 5 + copies 0" in output


# --- groups -----------------------------------------------------------------------------------------------------------


def nodes(switch: Switch) -> list[tuple[str, str, str]]:
    return re.findall(r"L1h=(\d+), rid=(\d+)\) -> \(ports=\[(.*)\], lags", switch.do("mc_dump"))


def flooded(switch: Switch) -> list[int]:
    return [port for port, _ in switch.client.exchange([(3, ethernet(2))])]


def test_nodes_come_into_groups_and_go(start) -> None:
    switch = start(ports=4)
    switch.do("table_add dmac flood 2 => 1", "mc_mgrp_create 1", "mc_mgrp_create 2")
    switch.do(*(f"mc_node_create {10 + port} {port}" for port in range(3)))
    switch.do(*(f"mc_node_associate 1 {node}" for node in range(3)))
    assert flooded(switch) == [0, 1, 2]
    switch.do("mc_node_dissociate 1 1")
    assert flooded(switch) == [0, 2]
    assert "not in this group" in switch.fail("mc_node_dissociate 1 1")
    switch.do("mc_node_associate 1 1")
    assert [node for node, _, _ in nodes(switch)] == ["0", "2", "1"]
    switch.do("mc_node_destroy 0")
    assert flooded(switch) == [1, 2] and [node for node, _, _ in nodes(switch)] == ["2", "1"]
    assert switch.do("mc_node_create 7 3") == "node was created with handle 0\n"  # the lowest that is free
    switch.do("mc_mgrp_destroy 1")
    assert flooded(switch) == []
    switch.do("mc_node_associate 2 1", "mc_mgrp_create 1", "mc_node_associate 1 0")
    assert flooded(switch) == [3]
    assert nodes(switch) == [("0", "7", "3"), ("1", "11", "1")]


def test_as_many_nodes_as_are_made(start) -> None:
    switch = start(ports=4)
    switch.do("table_add dmac flood 2 => 1", "mc_mgrp_create 1")
    for node in range(70):
        assert switch.do(f"mc_node_create {node} {node % 4}") == f"node was created with handle {node}\n"
    switch.do(*(f"mc_node_associate 1 {node}" for node in range(70)))
    assert nodes(switch) == [(str(node), str(node), str(node % 4)) for node in range(70)]
    found = switch.client.exchange([(0, ethernet(2))])
    copies = sorted((int.from_bytes(frame[12:14], "big"), port) for port, frame in found)
    assert copies == [(node, node % 4) for node in range(70)]


# --- meters -----------------------------------------------------------------------------------------------------------


def colours(switch: Switch, count: int) -> list[int]:
    return [frame[14] for _, frame in switch.client.exchange([(0, ethernet(kind=METER))] * count)]


def test_buckets_are_emptied_to_the_last_token_and_fill_to_their_size(start) -> None:
    switch = start()
    switch.do(TO_1)
    assert colours(switch, 3) == [0, 0, 0]
    switch.do("meter_set_rates police 0 0:4 0:10")
    assert colours(switch, 20) == [0] * 4 + [1] * 6
    switch.do("meter_set_rates police 0 0:3 0:2")  # red where the peak's bucket is empty, whatever the other has
    assert colours(switch, 20) == [0] * 2
    switch.do("meter_set_rates police 0 0.0001:2 0.0001:5")  # a hundred a second
    colours(switch, 5)
    time.sleep(0.6)
    found = colours(switch, 50)
    assert found[:2] == [0, 0] and 5 <= len(found) < 50


# --- statistics -------------------------------------------------------------------------------------------------------


def test_what_is_told_at_the_end(sample: Path, tmp_path: Path) -> None:
    frames = [ethernet(1), ethernet(2), ethernet(3), ethernet(1, payload=bytes(100)), ethernet(9), ethernet(1)[:13]]
    write_pcap(tmp_path / "in.pcap", frames)
    (tmp_path / "entries").write_text(
        "\n".join([TO_1, *(f"table_add dmac forward {to} => {to * 100}" for to in (2, 3))])
    )
    names = [f"pcap:{tmp_path}/in.pcap", f"pcap:,{tmp_path}/out.pcap"]
    command = [sample, *(f"--port={at}={name}" for at, name in enumerate(names)), f"--entries={tmp_path}/entries"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()[1:]]
    assert lines[1:3] == [["0", names[0], "6", str(4 * 60 + 114 + 13), "0", "0", "0"],
                          ["1", names[1], "0", "0", "0", "2", "174"]]  # fmt: skip
    assert "received 6 + copies 0 = sent 2 + dropped 4: program 2, no-port 2\n" in done.stdout


def test_rates_are_told_each_second(start) -> None:
    """Of what has come since they were told last."""
    switch = start("--stats=1")
    switch.do(TO_1)
    switch.client.exchange([(0, ethernet(1)), (0, ethernet(1)), (0, ethernet(5))])
    after: list[str] = []
    while len(after) < 3:
        line = switch.process.stdout.readline()
        assert line, "the switch ended"
        each, _, total = line.rstrip("\n").partition("; ")
        if total == "in all received 3, missed 0, sent 2, dropped 1":
            after.append(each)
    assert re.fullmatch(r"received [1-9]\d*/s, missed 0/s, sent [1-9]\d*/s, dropped \d+/s", after[0])
    assert set(after[1:]) == {"received 0/s, missed 0/s, sent 0/s, dropped 0/s"}
