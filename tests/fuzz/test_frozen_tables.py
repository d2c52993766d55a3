"""Random programs, whose tables `--const-tables` makes constant, send the same packets as with entries that are added."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import random_drops
import switches
from random_drops import Made

from macsad import compilation
from macsad.compilation import Request
from macsad.stf.compiled import CompiledDevice
from macsad.stf.device import Frame
from macsad.targets import Machine
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact, Ternary
from transpiler.optimisations import ALL

PROGRAMS = 60


def loaded(seed: int, folder: Path) -> tuple[Request, Program, Request, list[Made]]:
    """The program, the request by which some of its tables are constant, and the other tables."""
    some, file, commands = Random(seed), folder / f"const{seed}.p4", folder / f"const{seed}.txt"
    file.write_text(random_drops.text(seed, constant=False))
    plain = Request(file, warnings=("no-all",))
    tables = random_drops.tables(seed)
    frozen = [table for table in tables if some.random() < 0.6]
    commands.write_text("\n".join(line for table in frozen for line in table.lines) + "\n")
    others = [table for table in tables if table not in frozen]
    return plain, compilation.load(plain), replace(plain, const_tables=commands), others


def fill(switch: Switch, tables: list[Made]) -> None:
    switch.replication.create_group(1)
    switch.replication.associate(1, switch.replication.create_node(0, (2, 3)))
    for table in tables:
        action, argument = table.default
        switch.table_set_default(f"I.{table.name}", f"I.{action}", (int(argument),) if argument else ())
        for value, action, argument in table.entries:
            match = Ternary(value, 0xFF) if table.ternary else Exact(value)
            switch.table_add(f"I.{table.name}", (match,), f"I.{action}", (int(argument),) if argument else ())


def run(program: Program, tables: list[Made], data: list[bytes]) -> tuple[list[tuple[int, bytes]], list[object]]:
    """What is sent, and what was counted."""
    switch = Switch(program)
    fill(switch, tables)
    sent = [one for frame in data for one in switch.process(0, frame)]
    return sent, [switch.counter("I.seen", index) for index in range(8)]


def test_constant_tables_change_no_packet(tmp_path: Path) -> None:
    changed = 0
    for seed in range(PROGRAMS):
        _, plain, request, others = loaded(seed, tmp_path)
        constant, data = compilation.load(request), random_drops.frames(seed)
        expected = run(plain, random_drops.tables(seed), data)
        changed += constant != plain
        assert run(constant, others, data) == expected, f"seed {seed}"
        # passes put default actions in place of tables; a counter that nothing counts any more is gone
        assert run(compilation.optimised(constant, compilation.configuration_of(request)), others, data) == expected, (
            f"seed {seed}"
        )
    assert changed > PROGRAMS / 2


@pytest.mark.parametrize("seed", (0, 16))
def test_switches_send_the_same(seed: int, tmp_path: Path) -> None:
    _, plain, frozen, others = loaded(seed, tmp_path)
    data = random_drops.frames(seed, 200)
    expected: dict[int, list[bytes]] = {}
    for port, frame in run(plain, random_drops.tables(seed), data)[0]:
        expected.setdefault(port, []).append(frame)
    program = compilation.load(frozen)
    tools = compilation.toolchain(ALL, Machine(switches.PLATFORM), optimise="-O0")
    binary, _ = compilation.build(frozen, program, tmp_path, tools)
    device = CompiledDevice(program, binary, range(random_drops.PORTS), burst=32, sub_batch=8)
    try:
        device.group_create(1)
        device.node_associate(1, device.node_create(0, (2, 3)))
        for line in (line for table in others for line in table.lines):
            device._command(line)
        device.inject_all(0, data)
        assert expected and by_port(list(device.collect())) == expected
    finally:
        device.close()


def by_port(sent: list[Frame]) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = {}
    for port, data in sent:
        found.setdefault(port, []).append(data)
    return found
