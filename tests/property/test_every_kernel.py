"""The same packets come out whichever table kernel holds a table, as long as it can."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import switches
from harness import BATCHES, Outcome, difference, outcome
from hypothesis import HealthCheck, Phase, given, seed, settings, strategies as some
from strategies import Scenario, scenarios
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
