"""Frames that come out of the switch, and that hit all tables of their kind."""

from __future__ import annotations

from pathlib import Path

from test_shared_keys import made, table


def test_frames_that_come_out_are_preferred(tmp_path: Path) -> None:
    """What a rule denies hits one table more, but is dropped."""
    tables = table("first", "h.h.a: exact") + table("deny", "h.h.b: ternary")
    apply = "first.apply(); if (deny.apply().hit) { mark_to_drop(s); }"
    counts, ratios, _ = made(tmp_path, tables, apply)
    assert counts == {"I.first": 100, "I.deny": 100}
    assert 0.02 < ratios["I.deny"] < 0.15  # as rare as single frames


def test_flows_whose_entries_agree(tmp_path: Path) -> None:
    """The third table's key is of the first one's key and of what the second one gives: few pairs have an entry."""
    tables = "".join(
        (table("session", "h.h.a: exact"), table("application", "h.h.b: exact", "choose"),
         table("both", "h.h.a: exact; m.group: exact"))
    )  # fmt: skip
    apply = "session.apply(); application.apply(); both.apply();"
    _, ratios, _ = made(tmp_path, tables, apply, entries=500)
    assert ratios == {"I.session": 1.0, "I.application": 1.0, "I.both": 1.0}
