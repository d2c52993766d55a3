"""Without an optimisation the packets are the same: each switch on an app whose C it changes, and all of them together."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import pytest
import switches

from macsad import test
from macsad.compilation import Request, generate_c
from transpiler.optimisations import ALL, NAMES, NONE, OF_BUILD, Optimisations

APPS = Path(__file__).parents[2] / "apps"
PROGRAMS = [APPS / app / f"{app}.p4" for app in ("l3fwd", "l2fwd", "router", "nat", "l2fwd-crypto")]
CONSTANT = Path(__file__).parent / "tables.p4"  # no app has constant entries
LARGE = Path(__file__).parent / "large_state.p4"  # nor large registers
FIELDS = Path(__file__).parent / "reread.p4"  # nor so many live values
FOLLOWED = Path(__file__).parent / "followed_entries.p4"  # nor large profiles
ADDED = Path(__file__).parent / "tallies.p4"  # nor registers that packets only add to
KEYS = Path(__file__).parent / "keys_of_many_fields.p4"  # nor such keys in small tables
VALUES = Path(__file__).parent / "in_frame.p4"  # nor more than 32 live values
DECIDED = Path(__file__).parent / "decisions.p4"  # nor so many lookups
COPIES = Path(__file__).parent / "paths.p4"  # clones, groups, packets that go through again
BY_PROFILE = ("early-drops", "hot-actions")  # tests/fuzz/test_by_profile.py: without a profile they do nothing
SWITCHES = [name for name in NAMES if name not in (*OF_BUILD, *BY_PROFILE)]


def check(program: Path, wanted: Optimisations) -> None:
    binary = switches.build(program, wanted=wanted)
    out = io.StringIO()
    stf = program.parent / "packets.stf" if program.is_relative_to(APPS) else program.with_suffix(".stf")
    assert test.run(switches.load(program), stf, binary, burst=32, sub_batch=8, out=out) == 0, out.getvalue()


@cache
def c_of(program: Path, wanted: Optimisations = ALL) -> str:
    return generate_c(Request(program, wanted=wanted), switches.load(program)).c


@pytest.mark.parametrize("name", SWITCHES)
def test_packets_without_one(name: str) -> None:
    wanted = ALL.without([name])
    programs = (*PROGRAMS, CONSTANT, LARGE, FIELDS, FOLLOWED, ADDED, KEYS, VALUES, DECIDED)
    check(next(p for p in programs if c_of(p) != c_of(p, wanted)), wanted)


def test_packets_in_separate_buffers() -> None:
    if switches.PLATFORM != "linux":
        pytest.skip("other platforms have buffers of their own")
    check(COPIES, ALL.without(["self-described-buffers"]))


def test_packets_without_any() -> None:
    check(APPS / "router" / "router.p4", NONE)
