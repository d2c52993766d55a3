"""What is said of tables that get no entries, word for word."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import Builder, apply, extract, goto, if_, state, valid

from transpiler.traffic import missed
from transpiler.traffic.missed import _others, excluded, reason


def test_why_the_compiler_removes_a_table() -> None:
    b = Builder()
    b.header("h", "h_t", a=8)
    for name in ("first", "second", "none"):
        b.table(name, [("h.a", "exact")], [])
    start = state("start", [extract("h")], goto("accept"))
    made = b.build([start], ingress=[if_(valid("h"), [], [apply("first")])], egress=[apply("second")])
    for name in ("first", "second"):
        assert reason(made, made.table[name], {name}) == (
            f"no packet is looked up in table {name}, as a condition before it never holds"
        )
    assert reason(made, made.table["none"], set()) == "nothing applies table none"


def frame(rank: int, *others: str) -> Any:
    """A frame that hits table t; the better the higher its rank."""
    return SimpleNamespace(hits=("s", "t"), rank=rank, others=list(others))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is said of frames; `added`: what points have."""
    added: list[str] = []
    monkeypatch.setattr(missed, "Committed", lambda made: SimpleNamespace(add=added.append))
    monkeypatch.setattr(missed, "quality", lambda program, lead: lead.rank)
    monkeypatch.setattr(missed, "_others", lambda probe, lead, committed, table: lead.others)

    def say(*frames: Any) -> str:
        made: Any = SimpleNamespace(points=[SimpleNamespace(entries=name) for name in "ab"])
        finder: Any = SimpleNamespace(templates=[SimpleNamespace(hits=("s",)), *frames], program=None)
        probe: Any = SimpleNamespace(runs=12345)
        return excluded(made, finder, probe, "t")

    say.added = added  # type: ignore[attr-defined]
    return say


def test_only_the_best_frames_are_looked_at(said: Any) -> None:
    """20 do. Entries of single frames are there, too."""
    best = [frame(9, "a", "b")] * 19
    assert said(*best, frame(8, "c"), frame(7)).endswith(": in c")
    assert said(*best, frame(9, "a", "b"), frame(8, "c")).endswith(": in a, b")
    assert said.added == ["a", "b"] * 2


@pytest.mark.parametrize(("keeping", "told"), [("a", ["a"]), ("b", ["b"]), ("ab", ["a", "b"]), ("", ["a", "b"])])
def test_of_tables_that_answer_otherwise_those_are_told_that_keep_a_frame_away(keeping: str, told: list[str]) -> None:
    """Where there are any: each is tried alone."""
    keys = (("a", (1,)), ("b", (2,)), ("same", (3,)), ("free", (4,)))
    lead: Any = SimpleNamespace(
        seen=SimpleNamespace(applied=keys), outcomes={"a": "go", "same": "on"}, frame=SimpleNamespace(data=b"")
    )
    committed: Any = {keys[0]: "drop", keys[1]: "go", keys[2]: "on"}

    def run(data: bytes, outcomes: Any, entries: Any) -> Any:
        ((name, _),) = entries
        return SimpleNamespace(applied=() if name in keeping else (("t", (5,)),))

    assert _others(SimpleNamespace(run=run), lead, committed, "t") == told  # type: ignore[arg-type]
