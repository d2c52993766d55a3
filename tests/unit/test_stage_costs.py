"""Stage clocks as costs of stages: each counts for one stage, the runtime's for the first and last; what is placed runs so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from machine import MACHINE

from macsad import compilation, running
from macsad.cli import call
from macsad.compilation import Request
from macsad.place import placement_run, placing
from macsad.served import Served
from macsad.subject import stage_costs as costs_module
from macsad.subject.stage_costs import NoClocks, _place, accessed, stage_costs
from macsad.verbs import run
from transpiler.diagnostics import Span
from transpiler.hlir.statements import ApplyTable, CallExtern
from transpiler.model.machine import machine_profile
from transpiler.placement.costs import waiting
from transpiler.placement.stages import Read, Stage
from transpiler.schedule.planned import Planned

APPS = Path(__file__).parents[2] / "apps"
HERE = machine_profile(MACHINE)


def planned(app: str) -> Planned:
    request = Request(APPS / app / f"{app}.p4")
    return compilation.decide(request, compilation.load(request)).planned


def clock(function: str, stage: int, step: str, packets: int, cycles: int) -> dict[str, Any]:
    return {"function": function, "stage": stage, "step": step, "calls": 1, "packets": packets, "cycles": cycles}


WORKER = {
    "clocks": [
        clock("runtime", 0, "receive", 100, 1000), clock("runtime", 0, "send", 100, 200),
        clock("ingress_burst", 0, "receive", 100, 3000), clock("ingress_burst", 1, "start", 40, 500),
        clock("ingress_burst", 1, "run", 40, 700), clock("ingress_burst", 5, "run", 90, 400),
        clock("ingress_burst", 0, "transmit", 100, 600),
    ]
}  # fmt: skip


def test_each_clock_counts_for_a_stage() -> None:
    costs = stage_costs(WORKER, planned("router"))
    assert [cost.name for cost in costs] == ["stage 0", "acl4", "routes4", "acl6", "routes6", "next_hops"]
    assert [cost.cycles for cost in costs] == [40, 12, 0, 0, 0, 12]
    assert [cost.share for cost in costs] == [1, 0.4, 0, 0, 0, 0.9]
    assert sum(cost.cycles for cost in costs) == sum(row["cycles"] for row in WORKER["clocks"]) / 100


@pytest.mark.parametrize(
    ("function", "stage", "step", "place"),
    [
        ("runtime", 0, "receive", ("ingress", 0)), ("runtime", 0, "between", ("ingress", 0)),
        ("runtime", 3, "send", ("egress_2", 4)),
        ("ingress", 1, "run", ("ingress", 1)), ("ingress_burst", 2, "run", ("ingress", 2)),
        ("egress_pipe", 1, "run", ("egress", 1)),
        ("egress_2_burst", 1, "take", ("egress_2", 1)), ("egress_burst", 9, "transmit", ("egress", 2)),
        ("ingress_burst", 0, "transmit", ("ingress", 1)), ("ingressive", 1, "run", ("ingress", 1)),
        ("other", 0, "run", ("ingress", 0)),
    ],
)  # fmt: skip
def test_a_clock_is_of_the_pipe_that_its_function_is_named_after(
    function: str, stage: int, step: str, place: tuple[str, int]
) -> None:
    """The longest such name; what is sent is through all stages."""
    pipes: Any = {
        name: SimpleNamespace(stages=range(count)) for name, count in (("ingress", 2), ("egress", 3), ("egress_2", 5))
    }
    assert _place(clock(function, stage, step, 1, 1), pipes, ("ingress", 0), ("egress_2", 4)) == place


def test_what_a_stage_may_access_is_told_once() -> None:
    """In its code, then directly by its tables; not what no extern of the program is."""
    made = planned("router")
    costs = stage_costs(WORKER, made)
    assert [cost.state for cost in costs] == [
        ("RouterIngress.received",), ("RouterIngress.matched4",), (), ("RouterIngress.matched6",), (), ("RouterEgress.sent",),
    ]  # fmt: skip
    [pipe] = made.schedule.pipes
    bare = replace(made.program, externs=tuple(e for e in made.program.externs if e.name != "RouterIngress.received"))
    assert accessed(bare, pipe, pipe.stages[0].code) == ()


def test_all_tables_of_a_stage_access_what_their_actions_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each extern once: what the code calls, what the actions of its tables do, then what tables have of their own."""
    at = Span("p.p4", 1, 1)

    def call(name: str | None) -> CallExtern:
        return CallExtern("counter.count", name, (), (), at)

    actions = {"t": [(call("b"),), (call("a"), call(None))], "u": [(call("c"), call("gone"))]}
    code: Any = [call("a"), *(ApplyTable(name, None, None, at) for name in "tut")]
    program: Any = SimpleNamespace(
        table={name: SimpleNamespace(direct=(f"direct of {name}", "b")) for name in "tu"},
        extern=dict.fromkeys(("a", "b", "c", "direct of t", "direct of u")),
    )
    monkeypatch.setattr(costs_module, "whole", lambda pipe, code: code)
    monkeypatch.setattr(costs_module, "statements_of", iter)
    monkeypatch.setattr(
        costs_module, "actions_of", lambda program, table: [SimpleNamespace(body=body) for body in actions[table]]
    )
    anything: Any = None
    assert accessed(program, anything, code) == ("a", "b", "c", "direct of t", "direct of u")


def test_further_passes_count_where_they_begin() -> None:
    """The first stage of a pipe takes packets that are received, and those that begin again."""
    clocks = [
        clock("runtime", 0, "send", 100, 200), clock("ingress_pipe", 0, "take", 250, 3000),
        clock("ingress_pipe", 1, "run", 240, 700),
    ]  # fmt: skip
    costs = stage_costs({"clocks": clocks}, planned("router"))
    assert [cost.share for cost in costs[:2]] == [2.5, 2.4]
    first, *_, last = placing.stages_of(HERE, costs, [()] * len(costs), planned("router"), cuts=True)
    assert (first.cycles, last.cycles) == (30 / 2.5, pytest.approx(2 + 30 * 1.5 / 2.5 + 7 * 1.5 / 2.5))


def test_steps_of_a_stage_are_added_and_its_packets_counted_once() -> None:
    """By the step through which most go: what starts, finishes or sends takes packets that another step has counted."""
    clocks = [
        clock("runtime", 0, "receive", 100, 1000), clock("ingress_burst", 0, "receive", 60, 100),
        clock("ingress_burst", 0, "run", 80, 200), clock("ingress_burst", 0, "start", 99, 300),
        clock("ingress_burst", 1, "start", 50, 10), clock("ingress_burst", 1, "run", 20, 20),
        clock("ingress_burst", 1, "run", 30, 70), clock("runtime", 0, "send", 100, 500),
    ]  # fmt: skip
    first, second, *_, last = stage_costs({"clocks": clocks}, planned("router"))
    assert (first.cycles, first.share) == (16, 0.8) and (second.cycles, second.share) == (1, 0.3)
    assert (last.cycles, last.share) == (5, 0)


def test_a_switch_without_clocks_is_told() -> None:
    for clocks in ([], [clock("runtime", 0, "receive", 0, 0)]):
        with pytest.raises(
            NoClocks, match="no burst was sampled: the program has no stage clocks, or receives nothing"
        ):
            stage_costs({"clocks": clocks}, planned("l3fwd"))


def test_stages_are_what_they_compute_and_can_be_cut_in_front_of() -> None:
    made = planned("router")
    costs = stage_costs(WORKER, made)
    reads = [(), (Read("acl4", 0.4, 1 << 20, 8),), (), (), (), (Read("cells", 2, 1 << 20, -1),)]
    stages = placing.stages_of(HERE, costs, reads, made, cuts=True)
    tables = [f"RouterIngress.{name}" for name in ("acl4", "routes4", "acl6", "routes6", "next_hops")]
    assert [stage.cut for stage in stages] == ["", *tables]
    assert not any(stage.cut for stage in placing.stages_of(HERE, costs, reads, made, cuts=False))
    measured = [Stage("", 0, read) for read in reads[:-1]] + [Stage("", 0, stages[-1].reads)]
    assert stages[1].cycles == pytest.approx(12 - waiting(HERE, stages[1].reads, measured))
    assert stages[-1].reads[0].in_flight == 8, "fewer in flight would take longer than the stage does"


def test_what_is_placed_runs_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, seen = tmp_path / "p.toml", []
    file.write_text('version = 2\npart_workers = [2, 1]\ncut = "next_hops"\n')
    chosen = placement_run.asked_for(Request(APPS / "router" / "router.p4"), str(file))
    assert chosen.options == ("--workers", "3", "--part-workers", "2,1")

    def served(request: Request, *_: object, **__: object) -> Served:
        seen.append(request.cut)
        return Served(binary=tmp_path / "router")

    monkeypatch.setattr(run, "served", served)
    monkeypatch.setattr(running, "run", lambda *arguments, **_: seen.append(arguments[4]) or 0)
    options = ["--place", str(file), "--port", "0=null:", "--burst", "8"]
    assert call(["run", str(APPS / "router" / "router.p4"), *options]) == 0
    assert seen == ["next_hops", ("--workers", "3", "--part-workers", "2,1", "--burst", "8")]
