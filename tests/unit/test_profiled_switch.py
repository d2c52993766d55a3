"""What the profile of a switch's packets says of what was counted."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import compilation
from macsad.protocol import Filter
from macsad.subject.stage_costs import NoClocks, StageCost
from macsad.trace import profiled
from macsad.trace.profiled import Counting
from transpiler.diagnostics import Span
from transpiler.hlir.statements import If


def condition(line: int) -> Any:
    return If(None, (), (), Span("folder/p.p4", line, 5))  # type: ignore[arg-type]


def test_packets_are_counted_at_tables_and_conditions() -> None:
    """Actions by how often they ran; other branchings than conditions have no ways of their own."""
    made = Counting()
    assert made.profile() == {"version": 1, "packets": 0, "tables": {}, "branches": {}}
    tables: Any = [SimpleNamespace(name=name) for name in "tu"]
    for table, action, hit in ((0, "a", True), (0, "b", True), (0, "b", False), (1, "a", False)):
        made.outcome(tables[table], action, hit)
    for line, which in ((4, 0), (3, 1), (4, 1), (4, 1)):
        made.arm(condition(line), which)
    made.arm(SimpleNamespace(span=Span("p.p4", 9, 1)), 0)  # type: ignore[arg-type]
    made.packets = 4
    found = made.profile()
    assert found == {
        "version": 1, "packets": 4,
        "tables": {"t": {"hits": 2, "misses": 1, "actions": {"b": 2, "a": 1}},
                   "u": {"hits": 0, "misses": 1, "actions": {"a": 1}}},
        "branches": {"p.p4:4:5": [1, 2], "p.p4:3:5": [0, 1]},
    }  # fmt: skip
    assert list(found["tables"]["t"]["actions"]) == ["b", "a"]


def test_what_was_dropped_meanwhile() -> None:
    assert profiled._since({"a": 5, "b": 2, "c": 7}, {"a": 3, "b": 2}) == {"a": 2, "c": 7}


def cost(cycles: float, share: float, *tables: str) -> StageCost:
    return StageCost("I", 0, cycles, share, tables, ())


def clocks(monkeypatch: pytest.MonkeyPatch, costs: Any) -> dict[str, float]:
    def stage_costs(worker: Any, planned: Any) -> Any:
        assert (worker, planned) == ("first", "planned")
        if isinstance(costs, Exception):
            raise costs
        return costs

    monkeypatch.setattr(compilation, "decide", lambda request, program: SimpleNamespace(planned="planned"))
    monkeypatch.setattr(profiled, "stage_costs", stage_costs)
    anything: Any = None
    workers: Any = ["first", "second"]
    return profiled._clocks(anything, anything, workers)


def test_clocks_of_a_stage_are_of_the_tables_that_it_begins_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a packet that comes there, shared by the tables; nobody comes to a stage: there are none."""
    costs = [cost(10.0, 1.0), cost(30.0, 0.5, "t"), cost(100.0, 0.4, "u", "v", "w"), cost(5.0, 0.0, "x")]
    assert clocks(monkeypatch, costs) == {"t": 60.0, "u": 83.3, "v": 83.3, "w": 83.3}


@pytest.mark.parametrize("error", [NoClocks("none"), KeyError("I"), IndexError()])
def test_a_switch_of_other_stages_has_no_clocks(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    assert clocks(monkeypatch, error) == {}


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_profile_is_of_the_next_packets(monkeypatch: pytest.MonkeyPatch, interrupted: bool) -> None:
    """With what was dropped meanwhile, and the clocks of the switch, which are of a connection of their own."""
    connections: list[Any] = []

    class Client:
        def __init__(self, socket: Any) -> None:
            connections.append(self)
            self.number = len(connections)
            self.closed = False
            assert socket == Path("s")

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            self.closed = True

        def stats(self) -> Any:
            return {"drops": {"a": self.number * 3, "b": 1}, "dropped_at": {"p.p4:3": self.number * 5, "p.p4:4": 2}}

        def stages(self) -> Any:
            assert connections[0].closed, "its packets would be waited for"
            return ["first", "second"]

    class Tracer:
        def __init__(self, load: Any, client: Any, filter: Filter, watch: Any) -> None:
            assert (load(), client, filter) == (program, connections[0], Filter(count=3))
            self.watch = watch

        def __iter__(self) -> Any:
            for name, action, hit in (("t", "a", True), ("u", "b", False), ("t", "a", True)):
                self.watch.outcome(SimpleNamespace(name=name), action, hit)
                yield None
            if interrupted:
                raise KeyboardInterrupt

    program: Any = SimpleNamespace(name="p")
    monkeypatch.setattr(profiled, "Client", Client)
    monkeypatch.setattr(profiled, "Tracer", Tracer)
    monkeypatch.setattr(profiled, "_clocks", lambda request, program, workers: {"t": 12.5, "gone": 3.0})
    request: Any = None
    assert profiled.profile(request, program, Path("s"), Filter(count=3)) == {
        "version": 1, "packets": 3, "program": "p", "branches": {}, "drops": {"a": 3}, "dropped_at": {"p.p4:3": 5},
        "tables": {"t": {"hits": 2, "misses": 0, "actions": {"a": 2}, "clocks": 12.5},
                   "u": {"hits": 0, "misses": 1, "actions": {"b": 1}}},
        "stages": ["first", "second"],
    }  # fmt: skip
    assert [one.closed for one in connections] == [True, True]
