"""The same packets come out whichever table kernel holds a table, as long as it can."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import switches
from harness import BATCHES, Outcome, difference, outcome
from hypothesis import HealthCheck, Phase, given, seed, settings, strategies as some
from strategies import Scenario, scenarios
from switch_harness import Switch
from test_compiled_switch import EVERY_STAGE, PORTS, SEED

from macsad.stf.interpreted import InterpretedDevice
from transpiler.codegen.capabilities import check
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.targets.find import builtin

PROGRAM = Path(__file__).parent / "kernels.p4"
SCENARIOS = 4


def holds(kernel: str, table: str) -> bool:
    """Whether the compiler lets a kernel have a table."""
    try:
        check(switches.load(PROGRAM), builtin(), Diagnostics(), {table: kernel})
    except Rejected:
        return False
    return True


@cache
def expected() -> list[tuple[Scenario, Outcome]]:
    """Random scenarios and what the interpreter makes of them."""
    program = switches.load(PROGRAM)
    made: list[Scenario] = []

    @seed(SEED)
    @settings(max_examples=SCENARIOS, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate,))
    @given(data=some.data())
    def draw(data: some.DataObject) -> None:
        made.append(data.draw(scenarios(program, PORTS)))

    draw()
    return [(scenario, outcome(program, InterpretedDevice(program), scenario, PORTS)) for scenario in made]


@pytest.mark.parametrize("kernel", [kernel.name for kernel in builtin().kernels])
def test_same_packets_with_every_kernel(kernel: str) -> None:
    program = switches.load(PROGRAM)
    kernels = tuple(f"{table.name}={kernel}" for table in program.tables if holds(kernel, table.name))
    assert kernels
    for scenario, wanted in expected():
        for burst, sub_batch in BATCHES:
            device = switches.start(
                PROGRAM, PORTS, burst=burst, sub_batch=sub_batch, kernels=kernels, wanted=EVERY_STAGE
            )
            try:
                wrong = difference(wanted, outcome(program, device, scenario, PORTS))
            finally:
                device.close()
            assert not wrong, f"{kernels}, B={burst}, b={sub_batch}: {wrong}"


def frame(tag: int, ttl: int) -> bytes:
    return (tag << 12).to_bytes(2, "big") + bytes(13) + bytes([ttl]) + bytes(4)


@pytest.mark.parametrize("kernels", [(), ("I.kinds=exact_index",)], ids=["code", "table"])
def test_the_control_plane_sees_constant_entries(kernels: tuple[str, ...], tmp_path: Path) -> None:
    frames = [frame(1, 255), frame(15, 127), frame(0, 255), frame(15, 127), frame(0, 254)]
    switch = Switch(switches.build(PROGRAM, kernels=kernels), tmp_path, ["--port=0=ctl:", "--port=1=ctl:"])
    assert len(switch.client.exchange([(0, data) for data in frames])) == 5
    counted = switch.do(*(f"counter_read seen {index}" for index in range(5)))
    assert re.findall(r"(\d+) packets", counted) == ["0", "1", "2", "1", "1"]
    dump = switch.do("table_dump kinds")
    assert re.search(r"EXACT +01\n.*EXACT +ff\nAction entry: I.see - 02\n", dump), dump
    assert switch.do("table_num_entries kinds").strip() == "5"
    assert "constant" in switch.fail("table_delete kinds 0")
    switch.do("table_set_default kinds see 15")
    [(port, sent)] = switch.client.exchange([(0, frame(3, 3))])
    assert (port, sent[-1]) == (1, 0xF9)  # of kinds, of rules
    switch.stop()
