"""What bench/place.py and bench/cores.py make of figures: benefits, which way is picked, placements on many cores."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from bench_scripts import sample, script
from click.testing import CliRunner
from machine import MACHINE

from transpiler.model.machine import machine_profile
from transpiler.placement.simulation import Part, World
from transpiler.placement.stages import Read, Stage


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = script("place")
    monkeypatch.setattr(module, "FIGURES", tmp_path / "new" / "place.json")
    monkeypatch.setattr(module, "this_machine", lambda: "this machine")
    return module


@pytest.fixture
def cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = script("cores")
    monkeypatch.setattr(module, "FIGURES", tmp_path / "place.json")
    monkeypatch.setattr(module, "this_machine", lambda: machine_profile(MACHINE))
    return module


def row(place: Any, predicted: float, measured: float, name: str = "nat") -> Any:
    return place.Row(name, "at", predicted, measured, 12.5, {"burst": 32})


# --- place.py ------------------------------------------------------------------------------------------------------------


def test_cases_are_elements_of_each_size_and_apps(place: Any) -> None:
    cases = place.cases()
    assert len(cases) == 2 * (3 * 5 + 1) + 4
    one = cases["chain 20/20, 64 KiB"]
    assert one.defines == ("FIRST=20", "SECOND=20", "CELLS=16384", "CHAIN=1") and one.cells == 16384
    assert cases["independent 396/4, 512 KiB"].defines == ("FIRST=396", "SECOND=4", "CELLS=131072", "CHAIN=0")
    assert cases["nat, 50,000"].entries == 50_000 and not cases["nat, 50,000"].cells
    assert all(case.path.exists() for case in cases.values())


def test_the_picked_way_is_right_where_it_is_the_faster_one(place: Any) -> None:
    sure = place.placing.SURE
    assert [row(place, 1 + sure + d, 1).picked for d in (0.01, -0.01)] == [True, False]
    ways = ((1.5, 1.2, True), (1.5, 0.9, False), (0.9, 0.8, True), (0.9, 1.2, False))
    assert [row(place, predicted, measured).right for predicted, measured, _ in ways] == [right for *_, right in ways]
    assert [row(place, 1, measured).differs for measured in (1.06, 1.04, 0.96, 0.94)] == [True, False, False, True]


def test_what_the_picked_way_loses_is_counted_over_all(place: Any) -> None:
    """The first two are right, the third is cut and a fifth slower, the fourth is not and half as fast as it could be."""
    rows = [row(place, *ways) for ways in ((1.5, 1.2), (0.9, 1.04), (1.5, 0.8), (0.9, 2))]
    told = place.summary(rows)
    assert "of 3 cases that differ by more than 5 % the faster way was picked in 1;" in told
    lost = (0 + (1 - 1 / 1.04) + 0.2 + 0.5) / 4
    assert f"is {lost:.1%} slower" in told
    assert "of 0 cases" in place.summary([]) and "is 0.0% slower" in place.summary([])


def test_a_tenth_of_the_samples_may_be_disturbed_below(place: Any) -> None:
    assert place._undisturbed([sample(ns) for ns in (*range(100, 110), *range(50, 40, -1))]) == 43
    assert place._undisturbed([sample(9)]) == 9


def test_a_run_of_some_cases_leaves_the_figures_of_the_others(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def compare(case: Any, machine: str, rounds: int, seconds: float) -> Any:
        asked.append((case.name, machine, rounds))
        return None if case.name.startswith("balancer") else row(place, 1.5, measured, case.name)

    def lines(*words: str) -> list[str]:
        done = CliRunner().invoke(place.main, words)
        assert done.exit_code == 0
        return done.output.splitlines()

    monkeypatch.setattr(place, "compare", compare)
    measured = 1.25
    assert len(lines("router")) == 4
    assert asked == [("router, 1,000", "this machine", 40), ("router, 50,000", "this machine", 40)]
    measured = 0.75
    _, uncut, nat, told = lines("balancer", "nat")
    assert uncut.endswith("cannot be cut") and nat.split() == ["nat,", "50,000", "12.50", "1.50", "0.75", "at"]
    assert "of 3 cases" in told and "picked in 2;" in told
    kept = {one["name"]: one["measured"] for one in json.loads(place.FIGURES.read_text())}
    assert kept == {"router, 1,000": 1.25, "router, 50,000": 1.25, "nat, 50,000": 0.75}
    asked.clear()
    assert "of 1 cases" in lines("--quick", "nat")[-1], "short rounds are no figures"
    assert asked == [("nat, 50,000", "this machine", 1)]
    assert [asdict(one)["name"] for one in place.kept()] == list(kept)
    asked.clear()
    lines("--quick")
    assert len(asked) == len(place.cases())


# --- cores.py ------------------------------------------------------------------------------------------------------------

STAGES = tuple(
    Stage(name, cycles, (Read(f"m{name}", 2, 1 << 20, 4),), cut)
    for name, cycles, cut in (("a", 100.0, ""), ("b", 50.0, "t"), ("c", 50.0, "u"))
)


def told_row(name: str = "router, 50,000", measured: float = 1.25) -> dict[str, Any]:
    stages = [{**asdict(stage), "reads": [{"memory": r.memory, "each": r.each, "bytes": r.footprint, "in_flight": r.in_flight}
                                          for r in stage.reads]} for stage in STAGES]  # fmt: skip
    return {
        "name": name, "cut": "u", "measured": measured, "cloned_mpps": 12.5, "placed": {"burst": 16, "stages": stages}
    }  # fmt: skip


def checked(cores: Any, measured: float, model: float = 1, simulated: float = 1, of_clones: float = 1) -> Any:
    return cores.Checked("x", measured, model, simulated, 100.0, 100.0 * of_clones, 1.0)


def test_a_case_is_what_place_has_written(cores: Any) -> None:
    case = cores.case(told_row())
    assert case.stages == STAGES and case.cut == 2
    assert (case.name, case.burst, case.benefit, case.cloned) == ("router, 50,000", 16, 1.25, 12.5e6)


def test_benefits_of_the_cut_on_two_cores(cores: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulation is one that gives clones two packets in 1000 cycles, and two halves four."""
    monkeypatch.setattr(cores, "rate", lambda world, parts: 2e-3 * len(parts))
    world = World(machine_profile(MACHINE), STAGES)
    costs = cores.MachineCosts(world.machine, STAGES, 16)
    slowest = max(costs.of(0, 2), costs.of(2, 3))
    found = cores.checked(cores.case(told_row()), world)
    assert found.model == pytest.approx(costs.of(0, 3) / slowest / 2)
    assert found.simulated == pytest.approx(2) and found.simulated_cloned == pytest.approx(2e-3 * world.machine.hz)
    assert found.simulated_by_model == pytest.approx(4e-3 * slowest)
    assert (found.measured, found.cloned) == (1.25, 12.5e6)


def test_errors_are_the_median_and_the_ninth_decile(cores: Any) -> None:
    pairs = [(100 + percent * (-1) ** percent, 100) for percent in range(10)]
    assert cores.errors(pairs) == (pytest.approx(0.045), pytest.approx(0.09))
    assert cores.errors([(3, 2)]) == (0.5, 0.5)
    assert cores.errors([(value, 1) for value in (1, 2, 3)]) == (1, 2)


def test_the_summary_tells_both_ways_to_predict(cores: Any) -> None:
    assert checked(cores, 1.2).right(1.06) and not checked(cores, 1.2).right(1.04)
    assert checked(cores, 0.9).right(1.04) and not checked(cores, 0.9).right(1.06)
    rows = [checked(cores, 1.25, 1.5, 1.0), checked(cores, 0.8, 0.8, 1.2, 1.1), checked(cores, 1.04, 1.04, 1.04)]
    model, simulation, clones, beside = cores.summary(rows)
    assert "errors of the benefit 0% (median), 20% (90th" in model and "in 2 of 2 cases" in model
    assert "in 0 of 2 cases" in simulation
    lost = [(0 + 0 + 1 - 1 / 1.04) / 3, (0.2 + 0.2 + 1 - 1 / 1.04) / 3]
    assert [f"{share:.1%} slower" in line for share, line in zip(lost, (model, simulation), strict=True)] == [True] * 2
    assert "0% (median), 10% (90th" in clones and "0.0% (median), 0% (90th" in beside


def test_placements_of_up_to_three_parts_use_all_cores(cores: Any) -> None:
    found = list(cores.placements((1, 2), 3, 6))
    assert found[0] == ("cloned", (Part(0, 3, 6),))
    shapes = [
        (kind, tuple((part.first, part.end) for part in parts), tuple(p.cores for p in parts)) for kind, parts in found
    ]
    two = [(5, 1), (4, 2), (3, 3)]
    three = [(4, 1, 1), (3, 2, 1), (2, 2, 2)]
    kinds = {(3, 3): "pipelined", (2, 2, 2): "pipelined"}
    for cut in (1, 2):
        assert all((kinds.get(n, "mixed"), ((0, cut), (cut, 3)), n) in shapes for n in two)
    assert all((kinds.get(n, "mixed"), ((0, 1), (1, 2), (2, 3)), n) in shapes for n in three)
    assert len(shapes) == 1 + 2 * len(two) + len(three)


def test_points_are_the_best_of_each_kind_as_simulated(cores: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each kind the three that the model likes best are simulated."""
    asked: list[Any] = []

    def rate(world: World, parts: tuple[Part, ...], seeds: Any) -> float:
        asked.append(parts)
        return 1e-2 * len(parts) / parts[0].cores

    monkeypatch.setattr(cores, "rate", rate)
    world = World(machine_profile(MACHINE), STAGES)
    one = cores.case(told_row())
    found = {point.kind: point for point in cores.points(one, world, (6,))}
    assert list(found) == list(cores.KINDS) and all(point.cores == 6 for point in found.values())
    costs = cores.MachineCosts(world.machine, STAGES, 16)
    for kind, point in found.items():
        ways = [parts for of, parts in cores.placements((1, 2), 3, 6) if of == kind]
        likely = sorted(ways, key=lambda parts: -cores.closed(costs, parts))[:3]
        assert set(likely) <= set(asked) and sum(parts in ways for parts in asked) == len(likely)
        best = max(likely, key=lambda parts: len(parts) / parts[0].cores)
        assert point.mpps == pytest.approx(1e-8 * len(best) / best[0].cores * world.machine.hz)
        assert point.parts == tuple(part.cores for part in best)
        assert point.of_cloned == pytest.approx(point.mpps / found["cloned"].mpps)


def test_the_model_of_parts_takes_the_slowest_one(cores: Any) -> None:
    """Of four clones in front of three workers two hand over to one of these, and each of these to one more."""
    costs = cores.MachineCosts(machine_profile(MACHINE), STAGES, 16)
    assert cores.closed(costs, [Part(0, 3, 2)]) == pytest.approx(2 / costs.of(0, 3))
    parts = [Part(0, 1, 4), Part(1, 3, 3)]
    assert cores.closed(costs, parts) == pytest.approx(min(4 / costs.of(0, 1), 2 / costs.of(1, 3)))


def test_curves_of_the_cases_that_are_named(cores: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    worlds: list[World] = []
    drawn: list[list[str]] = []

    def points(one: Any, world: World) -> Any:
        worlds.append(world)
        return [cores.Point("cloned", 4, (4,), 40.0, 1.0), cores.Point("mixed", 4, (3, 1), 60.0, 1.5)]

    monkeypatch.setattr(cores, "points", points)
    monkeypatch.setattr(cores, "draw", lambda curves, path: drawn.append(list(curves)))
    monkeypatch.setattr(cores, "rate", lambda world, parts: 2e-3 * len(parts))

    def output(*words: str) -> Any:
        return CliRunner().invoke(cores.main, words)

    assert "bench/place.py" in output().output and output().exit_code == 1
    cores.FIGURES.write_text(json.dumps([told_row(), told_row("nat, 50,000", 0.75)]))
    lines = output("--gap", "2").output.splitlines()
    assert [line.split()[-3:] for line in lines[1:3]] == [["1.25", lines[1].split()[-2], "2.00"],
                                                          ["0.75", lines[1].split()[-2], "2.00"]]  # fmt: skip
    assert "  4 cores: cloned 40.0 (1.00; 4)  mixed 60.0 (1.50; 3+1)" in lines and "  8 cores: " in lines
    (world,) = worlds
    assert world.stages == STAGES and world.burst == 16 and world.gap == pytest.approx(2e-9 * world.machine.hz)
    output("nat", "rou"), output("none")
    assert drawn == [["router, 50,000"], ["router, 50,000", "nat, 50,000"]], "without a name those that are shown"
    data = json.loads(output("--json", "nat").output)
    assert [one["measured"] for one in data["two_cores"]] == [1.25, 0.75]
    assert data["curves"]["nat, 50,000"][1]["of_cloned"] == 1.5
