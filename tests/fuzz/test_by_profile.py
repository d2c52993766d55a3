"""Random programs, compiled by the profile of their own packets, send the same packets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import random_drops
import switches

from macsad import compilation
from macsad.compilation import Request
from macsad.stf.compiled import CompiledDevice
from macsad.stf.device import Frame
from macsad.targets import Machine
from macsad.trace.profiled import Counting
from transpiler.analysis.packet_profile import PacketProfile, packet_profile
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.optimisations import ALL
from transpiler.schedule.early_drops import with_early_drops
from transpiler.verifier import verify

PROGRAMS = 120
CHANGED = 25  # of these at least


def loaded(seed: int, folder: Path) -> tuple[Request, Program]:
    file = folder / f"drops{seed}.p4"
    file.write_text(random_drops.text(seed))
    request = Request(file, warnings=("no-all",))
    return request, compilation.load(request)


def run(program: Program, data: list[bytes]) -> tuple[list[tuple[int, bytes]], list[object], PacketProfile]:
    """What is sent, what was counted, and the profile."""
    counting = Counting()
    switch = Switch(program, watch=counting)
    counting.packets = len(data)
    switch.replication.create_group(1)
    switch.replication.associate(1, switch.replication.create_node(0, (2, 3)))
    sent = [one for frame in data for one in switch.process(0, frame)]
    counted = [switch.counter("I.seen", index) for index in range(8)]
    return sent, counted, packet_profile(counting.profile())


def test_early_drops_change_no_packet(tmp_path: Path) -> None:
    changed = 0
    for seed in range(PROGRAMS):
        _, program = loaded(seed, tmp_path)
        data = random_drops.frames(seed)
        sent, counted, profile = run(program, data)
        made = with_early_drops(program, profile)
        verify(made)
        changed += made is not program
        assert run(made, data)[:2] == (sent, counted), f"seed {seed}"
    assert changed >= CHANGED


def by_port(sent: list[Frame]) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = {}
    for port, data in sent:
        found.setdefault(port, []).append(data)
    return found


@pytest.mark.parametrize("seed", (1, 19))
def test_switches_send_the_same(seed: int, tmp_path: Path) -> None:
    request, program = loaded(seed, tmp_path)
    data = random_drops.frames(seed, 200)
    sent, _, profile = run(program, data)
    tools = compilation.toolchain(ALL, Machine(switches.PLATFORM), optimise="-O0")
    wanted = ALL.without(["small-tables", "compare"])  # else all is one stage
    binary, _ = compilation.build(replace(request, profile=profile, wanted=wanted), program, tmp_path, tools)
    device = CompiledDevice(program, binary, range(random_drops.PORTS), burst=32, sub_batch=8)
    try:
        device.group_create(1)
        device.node_associate(1, device.node_create(0, (2, 3)))
        device.inject_all(0, data)
        assert sent and by_port(list(device.collect())) == by_port(sent)
    finally:
        device.close()
