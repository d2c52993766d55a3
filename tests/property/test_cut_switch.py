"""Programs cut in two at each table, beside the interpreter: the front and the back are run by workers of their own."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
import switches
from built_once import built_once
from harness import difference, outcome
from hypothesis import HealthCheck, given, seed, settings, strategies as some
from strategies import Scenario, scenarios
from switch_harness import Switch, ethernet

from macsad import compilation
from macsad.compilation import Request
from macsad.stf.compiled import CompiledDevice
from macsad.stf.interpreted import InterpretedDevice
from transpiler.optimisations import ALL

ROOT = Path(__file__).parents[2]
PORTS = (0, 1, 2, 3)
SEED = int(os.environ["MACSAD_FUZZ_SEED"])
EVERY_STAGE = ALL.without(["small-tables"])
TOOLS = compilation.toolchain(EVERY_STAGE, optimise="-O0", sanitize=("address", "undefined"))
CUTS = [
    ("apps/router/router.p4", "1"),
    ("apps/router/router.p4", "next_hops"),
    ("apps/nat/nat.p4", "2"),
    ("apps/flows/flows.p4", "1"),
    ("apps/policer/policer.p4", "1"),
    ("apps/l2fwd/l2fwd.p4", "1"),  # floods
    ("apps/router/router.p4", "1,next_hops"),
    ("apps/nat/nat.p4", "1,3"),
    ("apps/policer/policer.p4", "1,2"),
]


def built(path: Path, at: str) -> Path:
    def make(folder: Path) -> None:
        request = replace(Request(path), wanted=EVERY_STAGE, cut=at)
        compilation.build(request, switches.load(path), folder, TOOLS)

    return built_once((path, at), make) / path.stem


@pytest.mark.parametrize(("name", "at"), CUTS)
def test_halves_give_what_the_whole_gives(name: str, at: str) -> None:
    path = ROOT / name
    program, binary = switches.load(path), built(path, at)

    @seed(SEED)
    @settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), report_multiple_bugs=False)
    @given(data=some.data())
    def compare(data: some.DataObject) -> None:
        scenario: Scenario = data.draw(scenarios(program, PORTS))
        expected = outcome(program, InterpretedDevice(program), scenario, PORTS)
        device = CompiledDevice(program, binary, PORTS, burst=7, sub_batch=3)
        try:
            got = outcome(program, device, scenario, PORTS)
        finally:
            device.close()
        assert not (wrong := difference(expected, got)), wrong

    compare()


def test_the_steps_of_both_halves_are_timed(tmp_path: Path) -> None:
    switch = Switch(built(ROOT / "apps/l2fwd/l2fwd.p4", "1"), tmp_path, ["--port=0=ctl:", "--port=1=ctl:"])
    end = time.monotonic() + 20
    while not all(one["sampled"] for one in switch.client.stages()):
        assert time.monotonic() < end, switch.client.stages()
        switch.client.exchange([(0, ethernet(7))] * 20)
    timed = [{clock["function"] for clock in one["clocks"] if clock["cycles"]} for one in switch.client.stages()]
    assert "ingress_back_pipe" in timed[0] and "ingress_pipe" in timed[1]
    switch.stop()
