"""Without an optimisation the packets are the same: each switch on a program whose C it changes, and all of them together."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import switches
from changed_programs import APPS, BY_PROFILE, CHANGED

from macsad import test
from transpiler.optimisations import ALL, NONE, Optimisations

COPIES = Path(__file__).parent / "paths.p4"  # clones, groups, packets that go through again
SWITCHES = [name for name in CHANGED if name not in BY_PROFILE]  # those: tests/fuzz/test_by_profile.py


def check(program: Path, wanted: Optimisations) -> None:
    binary = switches.build(program, wanted=wanted)
    out = io.StringIO()
    stf = program.parent / "packets.stf" if program.is_relative_to(APPS) else program.with_suffix(".stf")
    assert test.run(switches.load(program), stf, binary, burst=32, sub_batch=8, out=out) == 0, out.getvalue()


@pytest.mark.parametrize("name", SWITCHES)
def test_packets_without_one(name: str) -> None:
    check(CHANGED[name], ALL.without([name]))


def test_packets_in_separate_buffers() -> None:
    if switches.PLATFORM != "linux":
        pytest.skip("other platforms have buffers of their own")
    check(COPIES, ALL.without(["self-described-buffers"]))


def test_packets_without_any() -> None:
    check(APPS / "router" / "router.p4", NONE)
