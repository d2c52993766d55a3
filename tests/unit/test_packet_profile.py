"""Files of `macsad trace --profile`: what is read of them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest

from macsad import compilation
from macsad.compilation import Request, packets_seen
from transpiler.analysis.packet_profile import BadProfile, packet_profile
from transpiler.diagnostics import Span

GOOD: dict[str, Any] = {
    "version": 1,
    "packets": 8,
    "tables": {"I.t": {"hits": 5, "misses": 3, "actions": {"I.a": 6, "I.b": 2}, "clocks": 12.5}},
    "branches": {"x.p4:3:9": [1, 7]},
}


def test_shares() -> None:
    profile = packet_profile(GOOD)
    table = profile.table("I.t")
    assert (table.packets, table.share("I.a"), table.share("I.c"), table.clocks) == (8, 0.75, 0.0, 12.5)
    assert profile.branch(Span("/some/folder/x.p4", 3, 9)) == (1, 7)
    assert profile.branch(Span("x.p4", 4, 9)) == (0, 0)
    at_once = {"I.t": GOOD["tables"]["I.t"] | {"clocks": 0}}
    assert packet_profile(GOOD | {"tables": at_once}).table("I.t").clocks == 0
    assert profile.table("I.other").packets == 0 and profile.table("I.other").share("I.a") == 0.0


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"version": 2}, "no profile of packets of version 1"),
        ({"tables": []}, "no 'tables'"),
        ({"packets": -1}, "packets: not a number of packets"),
        ({"tables": {"I.t": {"hits": 1, "misses": 0}}}, "table I.t has no 'actions'"),
        ({"tables": {"I.t": {"hits": True, "misses": 0, "actions": {}}}}, "I.t, hits: not a number"),
        ({"tables": {"I.t": {"hits": 1, "misses": 0, "actions": {}, "clocks": "x"}}}, "'clocks' are a number"),
        ({"branches": {"x.p4:3:9": [1]}}, "branch x.p4:3:9 is no pair"),
    ],
)
def test_bad_profiles(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(BadProfile, match=told):
        packet_profile(GOOD | changed)


def test_one_of_another_program_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(json.dumps(GOOD))
    drops = Path(__file__).parents[2] / "bench" / "drops.p4"
    with pytest.raises(click.BadParameter, match=r"of another program, with a table I\.t"):
        compilation.load(Request(drops, profile=packets_seen(file)))
    file.write_text("no JSON")
    with pytest.raises(click.BadParameter, match=r"other\.json"):
        packets_seen(file)
