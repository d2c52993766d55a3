"""How kinds of frames are weighed by what comes out of samples of them, and which places of a program they come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from transpiler.diagnostics import Span
from transpiler.interpreter.trace import Event
from transpiler.traffic import weights
from transpiler.traffic.plan import Plan, Stream, Wishes, shares
from transpiler.traffic.ways import ways


def stream(name: str, weight: float = 1.0) -> Stream:
    template: Any = SimpleNamespace(
        frame=SimpleNamespace(data=name.encode(), shape=SimpleNamespace(bits=8 * 70 + 1)), outcomes={"t": name}
    )
    return Stream(template, {}, {}, {}, weight=weight)


def plan(*streams: Stream, **more: Any) -> Plan:
    return Plan(None, Wishes(), streams, (), {}, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sent", "rare"),
    [
        ([32, 8, 7, 0], [2, 3]), ([32, 32], []), ([0, 0, 0], []), ([1, 0], [1]), ([7, 32], [0]), ([8, 32], []),
        ([0, 3, 0, 0], [0, 2, 3]),
    ],
)  # fmt: skip
def test_kinds_of_which_hardly_any_come_out_are_as_rare_as_single_frames(
    sent: list[int], rare: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of these together are one frame in 16; hardly any is less than a quarter of what comes out of the best kind."""
    monkeypatch.setattr(weights, "_all_sent", lambda made: sent)
    made = weights.weighted(plan(*(stream(str(number)) for number in range(len(sent)))))
    parts = shares(made.streams)
    assert [number for number, part in enumerate(parts) if part < max(parts)] == rare
    assert len(set(parts)) == (2 if rare else 1)
    assert sum(parts[number] for number in rare) == pytest.approx(1 / 16 if rare else 0)
    assert [one.template.frame.data for one in made.streams] == [str(n).encode() for n in range(len(sent))]


def test_one_kind_is_not_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "_all_sent", None)
    made = plan(stream("a"))
    assert weights.weighted(made) is made


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"a": [8], "ab": [4, 1], "abc": [4, 1, 0]}, "abc"),  # half of what came out
        ({"a": [8], "ab": [3, 9], "ac": [8, 1]}, "ac"),
        ({"a": [8], "ab": [8, 8], "abc": [8, 3, 8]}, "ab"),
        ({"a": [8], "ab": [6, 8], "abc": [3, 8, 8]}, "abc"),  # as compared with what came out before, not at first
        ({"a": [0], "ab": [0, 0], "abc": [0, 0, 0]}, "abc"),
        ({"a": [8], "ab": [0, 8], "ac": [0, 8]}, "a"),
    ],
)
def test_kinds_that_keep_others_from_coming_out_are_left_out(
    sent: dict[str, list[int]], kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are tried out with 1000 entries a table, whatever is asked for."""
    asked: list[Any] = []

    class Builder:
        def __init__(self, program: Any, wishes: Wishes, diagnostics: Any, lookups: Any) -> None:
            asked.append((program, wishes, lookups))

        def draft(self, groups: list[str]) -> str:
            return "".join(groups)

    monkeypatch.setattr(weights, "Builder", Builder)
    monkeypatch.setattr(weights, "with_copies", lambda draft: draft)
    monkeypatch.setattr(weights, "_all_sent", lambda draft: sent[draft])
    wishes = Wishes(entries={None: 5, "t": 7}, hit=0.5, seed=3)
    assert weights.harmless("program", wishes, list("abc"), "lookups") == list(kept)  # type: ignore[arg-type,comparison-overlap]
    assert asked == [("program", replace(wishes, entries={None: 1000}), "lookups")] * 3
    assert weights.harmless("program", wishes, ["a"], "lookups") == ["a"]  # type: ignore[arg-type,list-item]


def test_of_a_sample_those_count_that_come_out_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """32 frames of each kind, as short as may be, one behind the other, with the entries of all and of single frames."""
    ran: list[Any] = []
    committed: Any = SimpleNamespace(added=[])
    committed.add = committed.added.append

    def then(data: bytes, outcomes: Any, fixed: Any) -> Any:
        ran.append(data)
        assert outcomes == {} and fixed is committed
        return SimpleNamespace(forwarded=data[-1] % 2 == 0)

    def sample(made: Plan, one: Stream, traffic: Any) -> list[bytes]:
        assert (traffic.packets, traffic.sizes) == (32, ((71, 1),))
        return [one.template.frame.data + bytes([number]) for number in range(5)]

    monkeypatch.setattr(weights, "Committed", lambda made: committed)
    monkeypatch.setattr(weights, "sample", sample)
    monkeypatch.setattr(Plan, "probe", lambda made: SimpleNamespace(then=then))
    points: Any = (SimpleNamespace(entries="one"), SimpleNamespace(entries="two"))
    assert weights._all_sent(plan(stream("a"), stream("b"), points=points)) == [3, 3]
    assert committed.added == ["one", "two"]
    assert ran == [name + bytes([number]) for name in (b"a", b"b") for number in range(5)]


def test_shares_of_frames_at_each_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of states, tables and actions; each kind counts once, by its weight."""
    places = [Span("p.p4", line, 1) for line in range(6)]
    events = {
        b"a": [
            Event("state", "", places[0]), Event("table", "", places[1]), Event("table", "", places[1]),
            Event("drop", "", places[5]), Event("action", ""),
        ],
        b"b": [Event("action", "", places[2]), Event("state", "", places[0]), Event("cell", "", places[4])],
    }  # fmt: skip

    def probe(made: Plan, told: Callable[[Event], None]) -> Any:
        def run(data: bytes, outcomes: Any) -> None:
            assert outcomes == {"t": data.decode()}
            for event in events[data]:
                told(event)

        return SimpleNamespace(run=run)

    monkeypatch.setattr(Plan, "probe", probe)
    assert ways(plan(stream("a", 3.0), stream("b", 1.0))) == {places[0]: 1.0, places[1]: 0.75, places[2]: 0.25}
