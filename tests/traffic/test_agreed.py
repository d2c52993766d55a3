"""Entries for the ingress port are those by which the most tables are hit; single frames are asked for beside what is there."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import switches

from transpiler.diagnostics import Diagnostics
from transpiler.interpreter.tables import Call
from transpiler.traffic import agreed, planning, points
from transpiler.traffic.plan import Plan, Wishes
from transpiler.traffic.planning import plan

HERE = Path(__file__).parent


def planned(name: str, diagnostics: Diagnostics) -> Plan:
    return plan(switches.load(HERE / f"{name}.p4"), Wishes({None: 8}), diagnostics, lambda done, total: None)


@pytest.mark.parametrize("z3", [True, False])
def test_the_type_of_the_port_that_leads_to_most_tables(z3: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if z3:
        pytest.importorskip("z3")
    else:
        for module in (planning, points):
            monkeypatch.setattr(module, "find_spec", lambda name: None)
    diagnostics = Diagnostics()
    made = planned("port_types", diagnostics)
    filled = {one.table.name.partition(".")[2]: one.call for one in made.tables}
    alone = {name.partition(".")[2] for point in made.points for name, _ in point.entries}
    assert filled.keys() | alone == {"types", "areas", "groups", "hosts"}
    assert filled["types"] == Call("MyIngress.typed", (3,))
    assert [m.message for m in diagnostics.messages if "trunk" in m.message] == [
        "frames that hit table MyIngress.trunk need other entries, for keys that have some: in MyIngress.types: "
        "there are no entries for it"
    ]
    assert [m.message for m in diagnostics.messages if "unused" in m.message] == [
        "nothing applies table MyIngress.unused: there are no entries for it"
    ]


def test_a_single_frame_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("z3") is None:
        pytest.skip("z3 is not installed")
    monkeypatch.setattr(points._Search, "another", lambda self, sent: False)
    monkeypatch.setattr(points._Search, "varied", lambda self, advance: None)
    diagnostics = Diagnostics()
    [point] = planned("beside", diagnostics).points
    assert {name for name, _ in point.entries} == {"MyIngress.outputs", "MyIngress.marks"}
    assert point.template.seen.ports
    assert not diagnostics.messages


def test_what_most_frames_want_of_tables_comes_first() -> None:
    """Of the tables that a frame meets, and nothing of the others."""
    one, other, third = ("first", (1,)), ("first", (2,)), ("second", (1,))

    def frame(applied: Sequence[object], **outcomes: object) -> Any:
        return SimpleNamespace(seen=SimpleNamespace(applied=applied), outcomes=outcomes)

    frames = [frame([one], first="a"), frame([third], second="b"), frame([third, other], second="b"),
              frame([one, third], first="a", second="c"), frame([one], first="a"), frame([one])]  # fmt: skip
    first, second, *rest = agreed._choices([one, third], frames)
    assert {tuple(first.items()), tuple(second.items())} == {((one, "a"),), ((third, "b"),)}
    assert {one: "a", third: "c"} in rest and {one: None} in rest and len(rest) == 2
