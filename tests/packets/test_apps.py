"""The apps as their READMEs say: complete, their entries load, their packets pass at every burst and under sanitizers."""

from __future__ import annotations

import io
import subprocess
import time
from pathlib import Path

import pytest
import switches
from switch_harness import Switch, ethernet, write_pcap

from macsad import test
from macsad.control import Client

APPS = Path(__file__).parents[2] / "apps"
PROGRAMS = sorted(APPS.glob("*/*.p4"))
BATCHES = ((1, 1), (8, 4), (32, 32), (256, 64))  # (B, b)
SANITIZED = ("address", "undefined")

of_all = pytest.mark.parametrize("program", PROGRAMS, ids=[program.stem for program in PROGRAMS])


def test_the_apps_are_there() -> None:
    there = {program.stem for program in PROGRAMS}
    assert {
        "l2fwd",
        "l2fwd_14",
        "l3fwd",
        "l3fwd6",
        "nat",
        "ipv4fwd",
        "ipv6fwd",
        "ndn",
        "router",
        "l2fwd-crypto",
        "flows",
        "heavyhitter",
        "firewall",
        "policer",
        "balancer",
    } <= there


@of_all
def test_complete(program: Path) -> None:
    readme = (program.parent / "README.md").read_text()
    assert f"macsad test apps/{program.parent.name}/{program.name}" in readme
    for table in switches.load(program).tables:
        if table.keys:
            assert f"`{table.name.rpartition('.')[2]}`" in readme


@of_all
@pytest.mark.parametrize("sanitize", [(), SANITIZED], ids=["plain", "sanitized"])
def test_packets_at_every_burst(program: Path, sanitize: tuple[str, ...]) -> None:
    binary, stf = switches.build(program, sanitize), program.parent / "packets.stf"
    for burst, sub_batch in BATCHES:
        out = io.StringIO()
        code = test.run(switches.load(program), stf, binary, burst=burst, sub_batch=sub_batch, out=out)
        assert code == 0, f"B={burst}, b={sub_batch}: {out.getvalue()}"


@pytest.mark.skipif(switches.PLATFORM != "linux", reason="other names of ports")
@of_all
def test_entries_load(program: Path, tmp_path: Path) -> None:
    file = program.parent / "entries.txt"
    lines = [line for line in file.read_text().splitlines() if line.startswith(("table_add", "table_indirect_add"))]
    arguments = [f"--port={port}=ctl:" for port in range(4)]
    switch = Switch(switches.build(program), tmp_path, [*arguments, "--entries", str(file)])
    tables = {line.split()[1] for line in lines}
    assert len(lines) == sum(int(switch.do(f"table_num_entries {table}")) for table in tables)
    groups = file.read_text().count("mc_mgrp_create")
    assert switch.do("mc_dump").count("mgrp(") == groups
    switch.stop()


@pytest.mark.skipif(switches.PLATFORM != "linux", reason="other names of ports")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_switch_that_is_told_to_end_while_frames_come_loses_none(tmp_path: Path, workers: int) -> None:
    """Its lookups are in two halves: the burst that is between them at the end is finished too."""
    for port in range(2):
        write_pcap(tmp_path / f"{port}.pcap", [ethernet(src=n) for n in range(64)])
    ports = [f"--port={port}=mem:{tmp_path}/{port}.pcap,loop" for port in range(2)]
    socket = tmp_path / "sock"
    command = [switches.build(APPS / "l2fwd" / "l2fwd.p4"), *ports, f"--workers={workers}", f"--socket={socket}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("ready"), process.communicate(timeout=20)
    with Client.wait(socket, seconds=30, timeout=20) as client:
        end = time.monotonic() + 20
        while not client.stats()["received"] and time.monotonic() < end:
            time.sleep(0.001)
    process.terminate()
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")
    sums = output[output.index("received ", output.index("bytes\n")) :].split(":")[0].split()
    received, copies, sent, dropped = map(int, sums[1:11:3])
    assert received + copies == sent + dropped and received > 0
