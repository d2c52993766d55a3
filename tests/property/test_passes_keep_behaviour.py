"""The passes change no behaviour: random entries and packets to a program as it is and as the passes leave it, by the
interpreter; the same frames, registers and counters."""

from __future__ import annotations

from pathlib import Path

import pytest
import switches
from harness import difference, outcome
from hypothesis import HealthCheck, given, settings, strategies as some
from strategies import scenarios

from macsad.stf.interpreted import InterpretedDevice
from transpiler.passes.pipeline import optimise

TESTS = Path(__file__).parents[1]
PORTS = (0, 1, 2, 3)
PROGRAMS = sorted(
    p for d in ("golden/passes", "golden/p4_16", "packets") for p in (TESTS / d).glob("*.p4") if p.stem != "skeleton"
)


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda p: p.stem)
def test_the_same_comes_out(file: Path) -> None:
    program = switches.load(file)
    short = optimise(program)

    @settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=10)
    @given(data=some.data())
    def compare(data: some.DataObject) -> None:
        scenario = data.draw(scenarios(short, PORTS))
        expected = outcome(short, InterpretedDevice(program), scenario, PORTS)
        assert difference(expected, outcome(short, InterpretedDevice(short), scenario, PORTS)) == ""

    compare()
