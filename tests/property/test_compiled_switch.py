"""The compiled switch does what the interpreter does: random entries and frames, at several bursts, with sanitizers.

MACSAD_EXAMPLES sets how many scenarios each program gets, MACSAD_FUZZ_SEED which.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import switches
from harness import BATCHES, difference, outcome
from hypothesis import HealthCheck, given, seed, settings, strategies as some
from strategies import Scenario, scenarios

from macsad.stf.interpreted import InterpretedDevice
from transpiler.optimisations import ALL

TESTS = Path(__file__).parents[1]
PROGRAMS = [*sorted((TESTS / "packets").glob("*.p4")), *sorted((TESTS.parent / "apps").glob("*/*.p4"))]
PORTS = (0, 1, 2, 3)
SEED = int(os.environ["MACSAD_FUZZ_SEED"])  # tests/conftest.py chooses one
EXAMPLES = int(os.environ.get("MACSAD_EXAMPLES", "5"))
EVERY_STAGE = ALL.without(["small-tables"])  # most tables of these programs are small
BUILDS = {"plain": ((), ALL), "sanitized": (("address", "undefined"), EVERY_STAGE)}


@pytest.mark.parametrize("path", PROGRAMS, ids=[p.stem for p in PROGRAMS])
def test_same_as_the_interpreter(path: Path) -> None:
    """Each scenario is drawn and interpreted once, for both builds."""
    program = switches.load(path)
    for sanitize, wanted in BUILDS.values():
        switches.build(path, sanitize, wanted=wanted)

    @seed(SEED)
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), report_multiple_bugs=False)
    @given(data=some.data())
    def compare(data: some.DataObject) -> None:
        scenario: Scenario = data.draw(scenarios(program, PORTS))
        expected = outcome(program, InterpretedDevice(program), scenario, PORTS)
        for name, (sanitize, wanted) in BUILDS.items():
            for burst, sub_batch in BATCHES:
                device = switches.start(path, PORTS, burst=burst, sub_batch=sub_batch, sanitize=sanitize, wanted=wanted)
                try:
                    got = outcome(program, device, scenario, PORTS)
                finally:
                    device.close()
                wrong = difference(expected, got)
                assert not wrong, f"{name}, B={burst}, b={sub_batch}: {wrong}"

    compare()
