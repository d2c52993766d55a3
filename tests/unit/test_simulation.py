"""The simulation of parts on cores: what it has in common with the closed model, and what it adds to that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench_scripts import script
from machine import MACHINE

from transpiler.model.machine import machine_profile
from transpiler.placement.costs import MachineCosts
from transpiler.placement.search import placements
from transpiler.placement.simulation import LINE, TOUCHED, Part, Simulation, World, rate, with_buffers
from transpiler.placement.stages import Read, Stage

HERE = machine_profile(MACHINE)
CLONED, HALVES = (Part(0, 2, 2),), (Part(0, 1, 1), Part(1, 2, 1))


def pair(each: float = 20, size: int = 1 << 20, first: float = 100, second: float = 100) -> tuple[Stage, ...]:
    return tuple(Stage(f"s{n}", c, (Read(f"m{n}", each, size),), "t") for n, c in enumerate((first, second)))


def closed(world: World, parts: tuple[Part, ...]) -> float:
    costs = MachineCosts(world.machine, world.stages, world.burst)
    return min(part.cores / costs.of(part.first, part.end) for part in parts)


@pytest.mark.parametrize("parts", [CLONED, HALVES, (Part(0, 1, 8), Part(1, 2, 8)), (Part(0, 1, 8), Part(1, 2, 4))])
def test_without_what_differs_it_is_the_closed_model(parts: tuple[Part, ...]) -> None:
    world = World(HERE, pair(), varies=0, ring=64)
    assert rate(world, parts, (1,)) == pytest.approx(closed(world, parts), rel=0.01)


def test_each_placement_of_two_parts_has_the_rate_of_the_model() -> None:
    """Those too whose workers of the back have different numbers of fronts."""
    world = World(HERE, pair(second=300), varies=0, ring=64)
    for placement in placements(MachineCosts(HERE, world.stages, 32), (1,), 2, 7):
        parts = tuple(Part(part.first, part.end, part.cores) for part in placement.parts)
        assert rate(world, parts, (1,)) == pytest.approx(placement.rate, rel=0.02)


def test_a_full_ring_holds_the_front_back() -> None:
    """The front waits for as long as it is faster, and nothing is lost."""
    world = World(HERE, pair(each=0, first=100, second=400), ring=128)
    simulation = Simulation(world, HALVES)
    most = 0
    outcome = simulation.run()
    for _ in range(2000):
        simulation._next()
        most = max(most, simulation._queued)
    front, back = simulation._workers
    assert most == 128
    costs = MachineCosts(HERE, world.stages, 32)
    assert outcome.blocked[0] == pytest.approx(1 - costs.of(0, 1) / costs.of(1, 2), abs=0.05)
    assert outcome.idle[1] < 0.01
    assert front.taken == back.taken + simulation._queued + front.pending
    assert back.taken == simulation._finished + back.pending


@pytest.mark.parametrize(("first", "second", "queued", "idle"), [(100, 400, 128, 0), (4000, 100, 0, 1)])
def test_what_waits_is_told_of_a_ring_and_of_a_core(first: float, second: float, queued: int, idle: int) -> None:
    """Each of two fronts has a ring of its own: both are full, or empty, and either the fronts wait or the back does."""
    world = World(HERE, pair(each=0, first=first, second=second), varies=0, ring=128)
    outcome = Simulation(world, (Part(0, 1, 2), Part(1, 2, 1))).run()
    costs = MachineCosts(HERE, world.stages, 32)
    share = costs.of(1, 2) / (costs.of(0, 1) / 2)  # what the back takes for what each front does meanwhile
    assert outcome.queued == pytest.approx(queued, abs=32)
    assert outcome.idle == pytest.approx((0, 1 - share if idle else 0), abs=0.02)
    assert outcome.blocked == pytest.approx((0 if idle else 1 - 1 / share, 0), abs=0.02)


def test_three_parts_go_as_fast_as_the_slowest() -> None:
    stages = tuple(Stage(f"s{n}", cycles, (), "t") for n, cycles in enumerate((100.0, 300.0, 200.0)))
    world = World(HERE, stages)
    parts = (Part(0, 1, 4), Part(1, 2, 4), Part(2, 3, 2))
    outcome = Simulation(world, parts).run()
    assert outcome.rate == pytest.approx(closed(world, parts), rel=0.02)
    assert outcome.blocked[0] > 0.4 > 0.1 > outcome.idle[2]


def test_packets_that_wait_take_room_in_the_caches() -> None:
    """Where little is read, a ring that fills up takes the cache from the tables."""
    stages = pair(each=1, size=1 << 19, first=100, second=150)
    deep, shallow = (rate(World(HERE, stages, ring=ring), HALVES) for ring in (4096, 32))
    assert deep < 0.97 * shallow
    waiting = with_buffers(stages[:1], 100)[0].reads[-1]
    assert (waiting.each, waiting.footprint) == (TOUCHED, 100 * TOUCHED * LINE)
    assert with_buffers(stages, 0) == stages


def test_rings_of_many_cores_take_room_in_the_shared_cache() -> None:
    """The same pair of parts is slower among others, as their packets wait in the cache that all share."""
    stages = pair(each=20, size=1 << 22, first=100, second=3000)
    few, many = (rate(World(HERE, stages), (Part(0, 1, n), Part(1, 2, n))) / n for n in (1, 32))
    assert many < few


def test_a_memory_gives_all_cores_together_so_many_lines() -> None:
    stages = pair(each=20, size=1 << 27)
    world = World(replace(HERE, caches=(32768, 1 << 20, 1 << 24)), stages, gap=40.0)
    lines = 40 * (1 - (1 << 24) / (1 << 28))
    for cores in (16, 64):
        assert rate(world, (Part(0, 2, cores),)) == pytest.approx(1 / (lines * 40), rel=0.03)
    assert rate(replace(world, gap=0), (Part(0, 2, 64),)) == pytest.approx(closed(world, (Part(0, 2, 64),)), rel=0.03)


def test_cores_that_are_taken_away_cost_a_pipeline_more() -> None:
    """Two clones lose the share that is taken; halves wait for each other, too."""
    world = World(HERE, pair())
    alone = [Simulation(world, parts).run(8000).rate for parts in (CLONED, HALVES)]
    shared = [Simulation(replace(world, taken=0.4), parts).run(8000).most for parts in (CLONED, HALVES)]
    assert shared[0] / alone[0] == pytest.approx(0.6, abs=0.04)
    assert 0.35 < shared[1] / alone[1] < 0.5


def test_a_later_part_has_no_more_cores() -> None:
    with pytest.raises(ValueError, match="no more"):
        Simulation(World(HERE, pair()), (Part(0, 1, 1), Part(1, 2, 2)))


# --- the script ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cores() -> Any:
    return script("cores")


ROW: dict[str, Any] = {
    "name": "p", "cut": "t", "predicted": 1.2, "measured": 1.1, "cloned_mpps": 4.0,
    "placed": {
        "burst": 32,
        "stages": [
            {"name": "a", "cycles": 100, "cut": "", "reads": [{"memory": "m", "each": 20, "bytes": 1 << 20, "in_flight": 0}]},
            {"name": "b", "cycles": 120, "cut": "t", "reads": []},
            {"name": "c", "cycles": 120, "cut": "u", "reads": []},
        ],
    },
}  # fmt: skip


def test_what_was_measured_is_read(cores: Any) -> None:
    one = cores.case(ROW)
    assert (one.cut, one.burst, one.benefit, one.cloned) == (1, 32, 1.1, 4e6)
    assert one.stages[0].reads == (Read("m", 20, 1 << 20, 0),)
    row = cores.checked(one, World(HERE, one.stages))
    costs = MachineCosts(HERE, one.stages, 32)
    assert row.model == pytest.approx(costs.of(0, 3) / 2 / max(costs.of(0, 1), costs.of(1, 3)))
    assert row.simulated == pytest.approx(row.model, rel=0.03) and row.simulated_by_model == pytest.approx(1, rel=0.03)


def test_curves_are_drawn(cores: Any, tmp_path: Path) -> None:
    one = cores.case(ROW)
    found = cores.points(one, World(HERE, one.stages), (2, 4))
    assert {point.kind for point in found} == {"cloned", "pipelined", "mixed"}
    assert all(point.of_cloned == 1 for point in found if point.kind == "cloned")
    cores.draw({"p": found}, tmp_path / "p.svg")
    assert "Mpps" in (tmp_path / "p.svg").read_text()
