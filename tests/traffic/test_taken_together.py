"""Kinds of frames that leave each other their entries: what of them is constant, whose bits of a frame are, and for how long
others are looked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from transpiler.hlir.program import MatchKind
from transpiler.interpreter.tables import Call
from transpiler.traffic import together as module
from transpiler.traffic.builder import Kind, Reached
from transpiler.traffic.keys import Data, Own, Shared, Unknown
from transpiler.traffic.plan import Wishes
from transpiler.traffic.probe import Observation
from transpiler.traffic.sources import DataBit, Sources
from transpiler.traffic.symbolic import ONE, UNKNOWN, ZERO
from transpiler.traffic.together import PATIENCE, ROUNDS, _claim, _fixed, _order, _Taken, together

ONE_CALL, TWO_CALL = Call("one", (1, 2, 3)), Call("two", ())


def template(hits: str, ports: tuple[int, ...] = (1,), **outcomes: Call | None) -> Any:
    calls = dict.fromkeys(hits, ONE_CALL) | outcomes
    seen = Observation(tuple((name, (at,)) for at, name in enumerate(calls)), ports, True)
    return SimpleNamespace(hits=tuple(hits), outcomes=calls, seen=seen, frame=SimpleNamespace(data=b""))


def reached(of: Any, name: str, *bits: Any) -> Any:
    return Reached(of, SimpleNamespace(name=name), Sources(), Kind(bits, "one", ()), (), ())  # type: ignore[arg-type]


def test_what_tables_with_constant_keys_do_is_fixed_by_the_first() -> None:
    first, second = template("ab"), template("ac", a=TWO_CALL)
    groups = [
        [reached(first, "a", 0, 1), reached(first, "b", 0, Own(0))],
        [reached(second, "a", 0, 1), reached(second, "c", 1)],
    ]
    assert _fixed(groups) == {("a", (0,)): ONE_CALL, ("c", (1,)): ONE_CALL}
    assert _fixed([[reached(first, "a"), reached(first, "b", Unknown())]]) == {("a", (0,)): ONE_CALL}


def key(*kinds: MatchKind) -> Any:
    return SimpleNamespace(keys=[SimpleNamespace(match_kind=kind) for kind in kinds])


def test_tables_that_can_do_without_bits_get_them_last() -> None:
    orders = [
        _order(key(*kinds)) for kinds in (
            (MatchKind.LPM,), (MatchKind.LPM, MatchKind.EXACT), (MatchKind.EXACT,), (), (MatchKind.TERNARY,),
            (MatchKind.LPM, MatchKind.TERNARY), (MatchKind.RANGE, MatchKind.EXACT), (MatchKind.OPTIONAL,),
        )
    ]  # fmt: skip
    assert orders == [0, 0, 1, 1, 2, 2, 2, 2]


def test_whose_the_bits_of_a_frame_are() -> None:
    """Of the first table that matches them; action data and what is not known are nobody's."""
    program: Any = SimpleNamespace(
        table={"exact": key(MatchKind.EXACT), "masked": key(MatchKind.TERNARY), "prefix": key(MatchKind.LPM)}
    )
    data = DataBit("prefix", 0, 3)
    sources = Sources(
        {"masked": [4, 1, UNKNOWN], "exact": [1, ZERO, ONE, data, 7], "prefix": [0, 1]},
        ports={("exact", 1)}, rigid={("exact", 1), ("exact", 2), ("exact", 0), ("prefix", 1)},
    )  # fmt: skip
    of = SimpleNamespace(
        hits=("masked", "exact", "prefix"), outcomes=dict.fromkeys(("masked", "exact", "prefix"), ONE_CALL)
    )
    first, second, third = _claim(program, of, sources)  # type: ignore[arg-type]
    assert [one.table for one in (first, second, third)] == [
        program.table[name] for name in ("prefix", "exact", "masked")
    ]
    assert (first.kind.bits, first.places, first.data) == ((Own(0), Own(1)), (0, 1), ())
    assert (second.kind.bits, second.places, second.data) == (
        (Shared("prefix", 1), 0, 1, Data(0), Own(0)),
        (7,),
        (data,),
    )
    assert (third.kind.bits, third.places) == ((Own(0), Shared("prefix", 1), Unknown()), (4,))
    assert [one.kind.rigid for one in (first, second, third)] == [((1, 2),), ((0, 1), (2, 3)), ()]
    assert {one.kind.action for one in (first, second, third)} == {"one"}


# --- for how long ----------------------------------------------------------------------------------------------------


def looking(
    monkeypatch: pytest.MonkeyPatch,
    chosen: Any,
    rounds: Any,
    hit: str = "abcd",
    fits: Any = lambda one, sent: True,
    cost: int = 1,
) -> tuple[list[Any], list[Any]]:
    """What is taken in order, with whether it must be sent, and the turns in which others were looked for."""
    turns: list[int] = []
    tried: list[Any] = []

    class Taken:
        def __init__(self, wishes: Any, probe: Any) -> None:
            self.groups, self.filled, self.spent = [], set(), 0

        @property
        def patient(self) -> bool:
            return self.spent < PATIENCE

        def calm(self) -> None:
            self.spent = 0
            tried.append("calm")

        def take(self, one: Any, sent: bool = True) -> None:
            tried.append(("".join(one.hits), sent))
            self.spent += cost
            if fits(one, sent):
                self.groups.append(one)
                self.filled |= set(one.hits)

    def continued(taken: Any, finder: Any, hit: Any, turn: int) -> Any:
        turns.append(turn)
        return rounds.get(turn, ())

    monkeypatch.setattr(module, "_Taken", Taken)
    monkeypatch.setattr(module, "_continued", continued)
    monkeypatch.setattr(module, "choose", lambda program, probe, found: found)
    finder: Any = SimpleNamespace(templates=[*chosen, template(hit)])
    monkeypatch.setattr(module, "meets", lambda one, met: one in chosen)
    told: list[Any] = []
    made = together(Wishes(), SimpleNamespace(program=None), finder, {}, lambda done, total: told.append((done, total)))  # type: ignore[arg-type]
    assert told[-1] == (ROUNDS, ROUNDS)
    return ["".join(one.hits) for one in made], [tried, turns]


def test_dropped_frames_come_last_and_others_are_looked_for_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped, first = template("d", ()), template("a")
    made, (tried, turns) = looking(
        monkeypatch, [dropped, first], {1: [template("a"), template("b")], 2: [template("ac")]}
    )
    assert made == ["a", "b", "ac", "d"]
    assert tried == [("a", True), ("b", True), ("ac", True), "calm", ("d", False)] and turns == [1, 2, 3, 4, ROUNDS]


def test_no_more_is_looked_for_once_all_is_filled_or_two_rounds_were_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    made, (_, turns) = looking(monkeypatch, [template("abcd")], {})
    assert made == ["abcd"] and turns == [ROUNDS]
    _, (_, turns) = looking(monkeypatch, [template("a")], {})
    assert turns == [1, 2, ROUNDS]
    _, (_, turns) = looking(monkeypatch, [template("a")], {2: [template("b")]})
    assert turns == [1, 2, 3, 4, ROUNDS]
    made, (_, turns) = looking(monkeypatch, [template("a")], {}, fits=lambda one, sent: False)
    assert made == [] and turns == []


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """And begins anew for what is dropped."""
    many = [template(name) for name in "abcd"]
    _, (tried, turns) = looking(monkeypatch, many, {}, fits=lambda one, sent: "a" in one.hits, cost=PATIENCE // 2)
    assert tried == [("a", True), ("b", True), "calm", ("b", False), ("c", False)] and turns == [ROUNDS]


def test_what_fits_begins_to_count_anew() -> None:
    """What it takes to find out is counted in frames."""
    taken: Any = _Taken(Wishes(), SimpleNamespace(runs=0))
    taken._take = lambda template, sent: setattr(taken.probe, "runs", taken.probe.runs + 700)
    for count in (1, 2, 3):
        assert taken.patient is (taken._spent < PATIENCE)
        taken.take(None)
        assert taken._spent == 700 * count
    assert not taken.patient
    taken.calm()
    assert taken.patient and taken._spent == 0
