"""A table that no try hits gets entries and frames all the same, where z3 is installed."""

from __future__ import annotations

import re
from pathlib import Path

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
