"""A table that no try hits gets entries and frames all the same, where z3 is installed."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import switches

from transpiler.diagnostics import Diagnostics
from transpiler.traffic import planning
from transpiler.traffic.plan import Plan, Wishes
from transpiler.traffic.planning import plan

PROGRAM = Path(__file__).parents[1] / "testgen" / "sums.p4"


def planned(diagnostics: Diagnostics) -> Plan:
    return plan(switches.load(PROGRAM), Wishes({None: 4}), diagnostics, lambda done, total: None)


def tables(made: Plan) -> set[str]:
    return {one.table.name.rpartition(".")[2] for one in made.tables}


def test_a_table_behind_a_sum_is_asked_for() -> None:
    pytest.importorskip("z3")
    diagnostics = Diagnostics()
    made = planned(diagnostics)
    assert tables(made) == {"plain", "hidden"}
    assert not diagnostics.messages
    [stream] = [stream for stream in made.streams if any(name.endswith("hidden") for name in stream.entries)]
    a, b = (int.from_bytes(stream.template.frame.data[at : at + 4], "big") for at in (0, 4))
    assert ((a ^ b) + 3) & 0xFFFFFFFF == 0x7E57AB1E


def test_without_z3_it_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "find_spec", lambda name: None)
    diagnostics = Diagnostics()
    assert tables(planned(diagnostics)) == {"plain"}
    [message] = [m.message for m in diagnostics.messages]
    assert re.fullmatch(
        r"no frames were found that can hit table MyIngress\.hidden, among [\d,]*\d: there are no entries for it",
        message,
    )


def test_a_frame_is_kept_that_hits_a_table_or_comes_out_for_the_first_time() -> None:
    """Tables that a frame has hit that came out are looked for no more."""
    pytest.importorskip("z3")
    from transpiler.traffic.solved import _Hits

    search: Any = _Hits.__new__(_Hits)
    search.coverage = SimpleNamespace(
        items=list(range(9)),
        outcome_items=lambda name: {
            "t": {("go", True): 1, ("drop", True): 2, ("", False): 3}, "u": {("go", True): 5, ("in a library", True): -1},
        }[name],
    )  # fmt: skip
    search.found, search.covered, told = [], set(), []
    search.interest = SimpleNamespace(update=lambda covered: told.append(sorted(covered)))
    search.look_for(["t", "u"])
    assert (search.groups, search.wanted) == ([{1, 2}, {5}], {1, 2, 5}) and search.rest == {0, 3, 4, 6, 7, 8}

    def keep(covered: set[int], *sent: str) -> bool:
        before = len(search.found)
        search.keep(SimpleNamespace(covered=covered, sent=list(sent)))
        return len(search.found) > before

    assert not keep({0, 3, 8}, "frame")
    assert keep({1, 8}) and not keep({2}) and search.covered == set()
    assert keep({2, 5}) and search.covered == set() and told[-1] == [0, 3, 4, 6, 7, 8]
    assert keep({1}, "frame") and search.covered == {1, 2} and not keep({1, 2}, "frame")
    assert keep({1, 5}, "frame") and search.covered == search.wanted and told[-1] == list(range(9))


def test_a_walk_as_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is as long as the parser asks for; what decisions are about stays: bytes that they name, and no other variables."""
    pytest.importorskip("z3")
    from transpiler.traffic import solved

    monkeypatch.setattr(solved, "form_of", lambda program, shape, sums: ("form", shape))
    monkeypatch.setattr(solved, "declared", lambda program: ())
    monkeypatch.setattr(solved, "fields_of", lambda program, data: [(0, 8, "h.a"), (8, 4, "h.b"), (16, 8, "x.y.c")])
    finder: Any = SimpleNamespace(program=None, forms=("old",), given=lambda shape, data: (shape, data))
    search: Any = SimpleNamespace(solver=SimpleNamespace(names=lambda names: frozenset(names)))
    decisions = [SimpleNamespace(holds=("p0", "time")), SimpleNamespace(holds=("p2", "port", "length", "packets", "p"))]
    walk: Any = SimpleNamespace(frame=b"\xa5\xff\x0f\x33", reached=3, decisions=decisions)
    number, (shape, data) = solved.frame_of(finder, search, walk)  # type: ignore[misc]
    assert (number, data, shape.bits) == (1, b"\xa5\xff\x0f", 24) and finder.forms == ("old", ("form", shape))
    assert shape.fixed == dict(
        zip([*range(8), *range(16, 24)], [1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1], strict=True)
    )
    assert shape.headers == {"h": 0, "x.y": 16}
    walk.reached = 0
    assert solved.frame_of(finder, search, walk)[1][1] == b"\xa5"  # type: ignore[index]


def test_a_walk_as_a_template(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several entries of a table the one that was chosen first is its outcome."""
    pytest.importorskip("z3")
    from transpiler.interpreter.tables import Call
    from transpiler.testgen.choices import Chosen
    from transpiler.traffic import solved

    frame = SimpleNamespace(data=b"frame")
    monkeypatch.setattr(solved, "frame_of", lambda finder, search, walk: (7, frame))
    targets = [SimpleNamespace(name=name) for name in ("t", "u", "v")]
    finder: Any = SimpleNamespace(
        targets=targets, probe=SimpleNamespace(run=lambda data, outcomes: (data, dict(outcomes)))
    )
    entries = [
        Chosen("t", (1,), "go", (5,)),
        Chosen("other", (1,), "go", ()),
        Chosen("t", (2,), "stop", ()),
        Chosen("u", (3,), "x", ()),
    ]
    number, made = solved._template(finder, None, SimpleNamespace(entries=entries))  # type: ignore[arg-type]
    outcomes = {"t": Call("go", (5,)), "u": Call("x"), "v": None}
    assert (number, made.frame, made.outcomes, made.seen) == (7, frame, outcomes, (b"frame", outcomes))
