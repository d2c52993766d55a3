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


def of_table(**changed: Any) -> dict[str, Any]:
    return {"tables": {"I.t": GOOD["tables"]["I.t"] | changed}}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (
            {"version": 2},
            "it is no profile of packets of version 1: 'macsad trace P.p4 --profile FILE' makes them",
        ),
        (
            {"version": None},
            "it is no profile of packets of version 1: 'macsad trace P.p4 --profile FILE' makes them",
        ),
        ({"tables": []}, "it has no 'tables' and 'branches'"),
        ({"branches": []}, "it has no 'tables' and 'branches'"),
        ({"packets": -1}, "packets: not a number of packets"),
        ({"packets": None}, "packets: not a number of packets"),
        ({"packets": 1.0}, "packets: not a number of packets"),
        ({"tables": {"I.t": {"hits": 1, "misses": 0}}}, "table I.t has no 'actions'"),
        ({"tables": {"I.t": 5}}, "table I.t has no 'actions'"),
        (of_table(actions=[]), "table I.t has no 'actions'"),
        (of_table(actions={"I.a": 6, "I.b": -1}), "I.t, I.b: not a number of packets"),
        (of_table(hits=True), "I.t, hits: not a number of packets"),
        (of_table(misses="3"), "I.t, misses: not a number of packets"),
        (of_table(clocks="x"), "table I.t: 'clocks' are a number"),
        (of_table(clocks=-0.5), "table I.t: 'clocks' are a number"),
        (of_table(clocks=float("inf")), "table I.t: 'clocks' are a number"),
        (of_table(clocks=float("nan")), "table I.t: 'clocks' are a number"),
        ({"branches": {"x.p4:3:9": [1]}}, "branch x.p4:3:9 is no pair of numbers"),
        ({"branches": {"x.p4:3:9": [1, 2, 3]}}, "branch x.p4:3:9 is no pair of numbers"),
        ({"branches": {"x.p4:3:9": "12"}}, "branch x.p4:3:9 is no pair of numbers"),
        ({"branches": {"x.p4:3:9": [-1, 7]}}, "x.p4:3:9: not a number of packets"),
        ({"branches": {"x.p4:3:9": [1, False]}}, "x.p4:3:9: not a number of packets"),
    ],
    ids=str,
)
def test_bad_profiles(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(BadProfile) as raised:
        packet_profile(GOOD | changed)
    assert str(raised.value) == told


@pytest.mark.parametrize("data", [[], None, "text", 1])
def test_what_is_no_profile_at_all(data: Any) -> None:
    with pytest.raises(BadProfile, match=r"^it is no profile of packets of version 1"):
        packet_profile(data)


def test_packets_that_did_nothing_are_numbers_too() -> None:
    nothing = {"packets": 0, "branches": {"x.p4:3:9": [0, 0]}} | of_table(
        hits=0, misses=0, actions={"I.a": 0}, clocks=7
    )
    profile = packet_profile(GOOD | nothing)
    table = profile.table("I.t")
    assert (profile.packets, table.packets, table.hits, table.misses, table.share("I.a"), table.clocks) == (
        0,
        0,
        0,
        0,
        0,
        7,
    )
    missed = packet_profile(GOOD | of_table(hits=0, misses=4, actions={"I.a": 3})).table("I.t")
    assert (missed.hits, missed.misses, missed.packets, missed.share("I.a")) == (0, 4, 4, 0.75)
    without = packet_profile(GOOD | {"tables": {"I.t": {"hits": 2, "misses": 3, "actions": {}}}}).table("I.t")
    assert (without.hits, without.misses, without.clocks) == (2, 3, None)


def test_one_of_another_program_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(json.dumps(GOOD))
    drops = Path(__file__).parents[2] / "bench" / "drops.p4"
    with pytest.raises(click.BadParameter, match=r"of another program, with a table I\.t"):
        compilation.load(Request(drops, profile=packets_seen(file)))
    file.write_text("no JSON")
    with pytest.raises(click.BadParameter, match=r"other\.json"):
        packets_seen(file)
