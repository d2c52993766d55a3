"""Which parameters of actions name entries of other tables, which entries these are, and where that would lead frames astray."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from transpiler.hlir.program import MatchKind
from transpiler.hlir.types import Bits
from transpiler.interpreter.tables import Call
from transpiler.traffic import references
from transpiler.traffic.plan import Named, Plan
from transpiler.traffic.probe import Observation
from transpiler.traffic.references import GROUPS, _entries, _named, _names, _same_way, referring

Rows = dict[tuple[str, tuple[str, ...]], list[tuple[int, ...]]]


def planned(**refers: Sequence[str] | str) -> Any:
    """A plan whose action `go` has these parameters, each with the bodies of its @refers_to; all of 8 bits."""
    variable = {
        name: SimpleNamespace(
            type=Bits(8), annotations=[SimpleNamespace(name="other", body="t, x"), *(
                SimpleNamespace(name="refers_to", body=body) for body in ([bodies] if isinstance(bodies, str) else bodies)
            )],
        )
        for name, bodies in refers.items()
    }  # fmt: skip
    action = {"go": SimpleNamespace(parameters=tuple(refers))}
    return SimpleNamespace(program=SimpleNamespace(action=action, variable=variable), feeds={})


def having(**more: Any) -> Any:
    usual = {"ports": frozenset(), "rigid": frozenset(), "indexes": {}, "call": Call("go", (0,) * 9)}
    return SimpleNamespace(**(usual | {"table": SimpleNamespace(name="own")} | more))


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Rows:
    there: Rows = {}
    monkeypatch.setattr(references, "_entries", lambda plan, table, keys: there.get((table, tuple(keys)), []))
    return there


def test_parameters_that_are_bound_name_nothing(rows: Rows) -> None:
    """Ports, what a frame needs as it is, indexes, and those that are a key or named already."""
    rows["t", ("x",)] = [(5,), (6,)]
    plan = planned(a="t, x", b="t, x", c="t, x", d="t, x", e=" t ,\nx ", f="t", g=())
    made = having(ports={0}, rigid={1}, indexes={2: 8})
    named = _named(plan, made, {("own", "go", 3), ("other", "go", 4), ("own", "stop", 4)})
    assert named == {4: Named((5, 6), 0)}


def test_parameters_of_a_table_name_the_same_entry_and_one_that_others_have_too(rows: Rows) -> None:
    """The table that most refer to comes first; where no entry suits all, one that suits it."""
    rows |= {("t", ("x", "y")): [(1, 2), (3, 4), (0x105, 6)], ("u", ("z",)): [(4,), (6,)], ("w", ("k",)): [(9,)]}
    plan = planned(a="t, x", b=("t, y", "u, z"), c="w, k", d="none, k")
    assert _named(plan, having(), set()) == {0: Named((3, 5), 0), 1: Named((4, 6), 0), 2: Named((9,), 2)}
    rows["u", ("z",)] = [(7,)]
    assert _named(plan, having(), set())[1] == Named((2, 4, 6), 0)


def test_keys_of_entries_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once, without those that are not allowed; of a table's name the last part; whole fields only."""

    def table(name: str, *kinds: MatchKind) -> Any:
        keys = [SimpleNamespace(name=f"k{at}", match_kind=kind) for at, kind in enumerate(kinds)]
        return SimpleNamespace(name=name, keys=keys)

    def entries(of: Any, rows: list[tuple[int, ...]], left_out: tuple[int, ...] = ()) -> Any:
        return SimpleNamespace(
            table=of, keys=SimpleNamespace(count=len(rows)),
            allowed=lambda numbers: np.array([int(n) not in left_out for n in numbers]),
            values=lambda numbers: [np.array(column) for column in zip(*(rows[int(n)] for n in numbers), strict=True)],
        )  # fmt: skip

    two = table("I.t", MatchKind.EXACT, MatchKind.SELECTOR, MatchKind.EXACT, MatchKind.LPM)
    assert _names(two) == ["k0", "k2", ""]
    plan: Any = SimpleNamespace(
        tables=[
            entries(two, [(1, 2, 0), (3, 4, 0), (5, 6, 0), (1, 2, 9)], left_out=(1,)),
            entries(two, [(7, 8, 0), (5, 6, 0)]), entries(table("I.u", MatchKind.EXACT), [(9,)]),
        ]
    )  # fmt: skip
    assert _entries(plan, "t", ["k0"]) == [(1,), (5,), (7,)]
    assert _entries(plan, "t", ["k2", "k0"]) == [(2, 1), (6, 5), (8, 7)]
    assert _entries(plan, "u", ["k0"]) == [(9,)]
    assert _entries(plan, "t", ["k3"]) == _entries(plan, "t", ["k0", "nothing"]) == _entries(plan, "I.t", ["k0"]) == []
    copies = SimpleNamespace(copies=[("group", 3), ("session", 4), ("group", 5)])
    monkeypatch.setattr(references, "with_copies", lambda plan: copies)
    monkeypatch.setattr(references, "GROUP", "group")
    assert _entries(plan, GROUPS, ["any", "two"]) == [(3, 3), (5, 5)]
    many = entries(table("I.m", MatchKind.EXACT), [(n,) for n in range(references.MOST + 5)])
    assert len(_entries(SimpleNamespace(tables=[many]), "m", ["k0"])) == references.MOST  # type: ignore[arg-type]


def seen(**more: Any) -> Observation:
    return Observation(**({"applied": (), "ports": (1,), "accepted": True} | more))


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True), ({"ports": (2,)}, True), ({"ports": ()}, False), ({"ports": (1, 2)}, False),
        ({"applied": (("t", (1,)),)}, False), ({"copies": (("group", 2),)}, False), ({"cells": (("r", (5,)),)}, False),
        ({"accepted": False}, True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("which", [0, 2])
def test_a_frame_goes_the_same_way_with_what_is_named(
    change: dict[str, Any], same: bool, which: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first and the last of the entries are tried; the port may be another."""
    monkeypatch.setattr(references, "outcomes_of", lambda template, entries: template)
    stream: Any = SimpleNamespace(template={"own": Call("go", (7, 8)), "u": None}, entries={})
    tried: list[Any] = []

    def run(data: bytes, outcomes: Any) -> Observation:
        tried.append(outcomes)
        return seen(**(change if outcomes["own"].arguments[1] == (20, 0, 22)[which] else {}))

    class Template(dict[str, Any]):
        frame = SimpleNamespace(data=b"")

    stream.template = Template(stream.template)
    named = {1: Named((20, 21, 22), 0)}
    probe: Any = SimpleNamespace(run=run)
    assert _same_way(stream, having(call=Call("go", (7, 8))), named, probe) is same
    assert {one["own"] for one in tried} <= {Call("go", (7, n)) for n in (8, 20, 22)} and all(
        "u" in one for one in tried
    )
    other = having(call=Call("stop"))
    assert _same_way(stream, other, named, probe) and _same_way(stream, SimpleNamespace(**vars(other) | {
        "table": SimpleNamespace(name="u"), "call": Call("go")}), named, probe)  # fmt: skip


def test_only_what_all_streams_can_do_with_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is named once, or is a key, is left to that."""
    asked: list[set[Any]] = []
    one, two = having(), having(table=SimpleNamespace(name="two"))
    plan = Plan(None, None, ("s", "t"), (one, two, one), {("x", "go", 0): None}, False)  # type: ignore[arg-type, dict-item]

    def named(plan: Any, made: Any, taken: set[Any]) -> Any:
        asked.append(set(taken))
        return {1: Named((5,), 0)}

    monkeypatch.setattr(references, "_named", named)
    monkeypatch.setattr(references, "_same_way", lambda stream, made, found, probe: (stream, made) != ("t", two))
    assert referring(plan, None).named == {("own", "go", 1): Named((5,), 0)}  # type: ignore[arg-type]
    assert asked == [{("x", "go", 0)}] + [{("x", "go", 0), ("own", "go", 1)}] * 2
