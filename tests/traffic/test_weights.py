"""How many frames of each kind there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_ways import planned, table, written

from transpiler.traffic.plan import Plan, shares

ONE, TWO = table("first", "h.one.a: exact"), table("second", "h.two.c: exact")
EITHER = "if (h.one.isValid()) { first.apply(); }"


def shares_of(made: Plan) -> dict[str, float]:
    """By the tables that a kind hits, joined."""
    parts = zip(made.streams, shares(made.streams), strict=True)
    return {" ".join(sorted(stream.entries)): part for stream, part in parts}


@pytest.mark.parametrize(
    ("apply", "many"),
    [
        (f"{EITHER} else {{ second.apply(); }}", {"I.first": 1 / 2, "I.second": 1 / 2}),
        (f"{EITHER} else {{ second.apply(); mark_to_drop(s); }}", {"I.first": 15 / 16, "I.second": 1 / 16}),
        (f"{EITHER} else {{ second.apply(); }} mark_to_drop(s);", {"I.first": 1 / 2, "I.second": 1 / 2}),
    ],
    ids=["both are sent", "one is dropped", "both are dropped"],
)
def test_kinds_that_are_dropped_are_rare_beside_others(apply: str, many: dict[str, float], tmp_path: Path) -> None:
    made = planned(written(tmp_path, ONE + TWO, apply))
    assert shares_of(made) == pytest.approx(many)


def test_a_frame_of_which_only_a_clone_comes_out_is_not_forwarded(tmp_path: Path) -> None:
    """Kinds that come out themselves are taken first, whatever others hit."""
    clone = "clone(CloneType.I2E, 7);"
    apply = f"if (h.one.isValid() && first.apply().hit) {{ second.apply(); {clone} mark_to_drop(s); }}"
    apply += " if (h.two.isValid()) { third.apply(); fourth.apply(); }"
    tables = ONE + table("second", "h.one.b: exact") + table("third", "h.two.c: exact")
    made = planned(written(tmp_path, tables + table("fourth", "m.slice: exact"), apply))
    assert made.copies == (("session", 7),)
    seen = {tuple(sorted(stream.entries)): stream.template.seen for stream in made.streams}
    cloned = seen["I.first", "I.second"]
    assert cloned.ports and not cloned.forwarded
    assert made.streams[0].template.seen.forwarded
    assert shares_of(made)["I.first I.second"] == pytest.approx(1 / 16)


def test_a_kind_whose_entries_drop_others_is_left_to_single_frames(tmp_path: Path) -> None:
    """The denied kind has entries for both values of the only bit of the key, so that no frame misses."""
    tables = ONE + table("deny", "h.one.b[0:0]: exact")
    apply = "first.apply(); if (deny.apply().hit) { mark_to_drop(s); }"
    made = planned(written(tmp_path, tables, apply))
    assert [set(stream.entries) for stream in made.streams] == [{"I.first"}]
    assert made.streams[0].template.seen.forwarded
    assert {name for point in made.points for name, _ in point.entries} >= {"I.deny"}
