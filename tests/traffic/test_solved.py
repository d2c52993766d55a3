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
