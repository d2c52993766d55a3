"""The simulation of parts on cores: what it has in common with the closed model, and what it adds to that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench_scripts import script
from machine import MACHINE

from transpiler.model.machine import machine_profile
from transpiler.placement.costs import LINES, MachineCosts, spreads, waits
from transpiler.placement.search import placements
from transpiler.placement.simulation import BUFFERS, LINE, TOUCHED, Part, Simulation, World, rate, with_buffers
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
    assert waiting == Read(BUFFERS, TOUCHED, 100 * TOUCHED * LINE, 0), "each read depends on the one before"
    assert with_buffers(stages, 0) == stages and with_buffers((), 100) == ()
    first, last = with_buffers(stages, 100)
    assert first == stages[0] and last == replace(stages[1], reads=(*stages[1].reads, waiting))


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


# --- by numbers -----------------------------------------------------------------------------------------------------------

# Bursts of 32 packets: each costs 400 cycles a line to hand over and to take, as many lines as the model says.
OVER = LINES * 400.0
STEPS = (Stage("a", 100.0), Stage("b", 300.0, (), "b"), Stage("c", 50.0, (), "c"))
PLAIN = World(HERE, STEPS, varies=0, ring=64)  # 64 packets that wait fit the first cache


class Even:
    """Chance without any: each value is what is usual."""

    def __init__(self, gauss: float = 0.0) -> None:
        self._gauss = gauss

    def gauss(self, mean: float, deviation: float) -> float:
        return mean + self._gauss * deviation

    def expovariate(self, each: float) -> float:
        return 1 / each


@pytest.mark.parametrize(
    ("parts", "rate", "idle", "blocked"),
    [
        ((Part(0, 3, 1),), 1 / 450, (0,), (0,)),
        ((Part(0, 3, 5),), 5 / 450, (0,), (0,)),
        # a front takes 3200 + 1600 cycles a burst, a back 9600 + 1600 + 1600
        ((Part(0, 1, 1), Part(1, 3, 1)), 32 / 12800, (0, 0), (1 - 4800 / 12800, 0)),
        ((Part(0, 2, 1), Part(2, 3, 1)), 32 / 14400, (0, 1 - 3200 / 14400), (0, 0)),
        ((Part(0, 1, 2), Part(1, 2, 2), Part(2, 3, 2)), 64 / 12800, (0, 0, 1 - 3200 / 12800), (1 - 4800 / 12800, 0, 0)),
        # three fronts to two backs: one of those has two rings, and the front of the other goes twice as fast
        ((Part(0, 1, 3), Part(1, 3, 2)), 3 * 32 / (2 * 12800), (0, 0), (None, 0)),
    ],
)
def test_what_nothing_disturbs_goes_by_the_numbers(
    parts: tuple[Part, ...], rate: float, idle: tuple[float, ...], blocked: tuple[float | None, ...]
) -> None:
    outcome = Simulation(PLAIN, parts).run()
    uneven = parts[0].cores % parts[-1].cores
    assert outcome.rate == pytest.approx(rate, rel=0.005)
    assert outcome.most == pytest.approx(rate * (4 / 3 if uneven else 1), rel=0.005)
    assert outcome.idle == pytest.approx(idle, abs=0.005)
    for share, expected in zip(outcome.blocked, blocked, strict=True):
        assert expected is None or share == pytest.approx(expected, abs=0.005)


def worker(parts: tuple[Part, ...], world: World = PLAIN, number: int = 0, gauss: float = 0.0) -> tuple[Any, Any]:
    simulation: Any = Simulation(world, parts)
    simulation._random = Even(gauss)
    for one in simulation._workers:
        one.taken_at = simulation._until_taken(0.0)
    return simulation, simulation._workers[number]


@pytest.mark.parametrize(
    ("number", "count", "cycles"),
    [(0, 32, 32 * 100 + OVER), (1, 32, 32 * 300 + 2 * OVER), (2, 32, 32 * 50 + OVER), (2, 1, 50 + LINES * 100)],
)
def test_a_burst_takes_its_packets_and_what_it_hands_over_on_both_sides(number: int, count: int, cycles: float) -> None:
    simulation, one = worker((Part(0, 1, 1), Part(1, 2, 1), Part(2, 3, 1)), number=number)
    simulation._now = 1000.0
    assert simulation._end(one, count) == pytest.approx(1000 + cycles)


def test_one_cpu_hands_nothing_over() -> None:
    world = replace(PLAIN, machine=machine_profile({**MACHINE, "handover": []}))
    simulation, one = worker((Part(0, 1, 1), Part(1, 3, 1)), world)
    assert simulation._end(one, 32) == pytest.approx(3200)


@pytest.mark.parametrize(("gauss", "share"), [(2, 1.25), (-2, 0.75), (-7.2, 0.1), (-100, 0.1)])
def test_a_burst_varies_less_than_its_packets(gauss: float, share: float) -> None:
    """By the square root of their number; at the least it takes a tenth."""
    simulation, one = worker((Part(0, 3, 1),), replace(PLAIN, varies=0.5), gauss=gauss)
    assert simulation._end(one, 16) == pytest.approx(16 * 450 * share)


def test_the_lines_of_all_cores_come_from_the_memory_one_behind_the_other() -> None:
    """A line a packet that misses all caches: those of one worker's burst are there before those of the next one's."""
    total = 1 << 27  # of which the last cache has a fourth
    world = replace(PLAIN, stages=(Stage("a", 1.0, (Read("m", 2, total),)),), gap=1000.0)
    simulation, one = worker((Part(0, 1, 2),), world)
    lines = 32 * 2 * (1 - (1 << 25) / total)
    assert simulation._end(one, 32) == pytest.approx(lines * 1000)
    assert simulation._end(simulation._workers[1], 32) == pytest.approx(2 * lines * 1000)
    simulation._now = 1e6
    assert simulation._end(one, 32) == pytest.approx(1e6 + lines * 1000), "it was idle meanwhile"


def test_costs_of_what_waits() -> None:
    """Packets that wait are read as another memory, of the last stage, and take room beside what all stages read."""
    size = 1 << 20
    stages = (Stage("a", 100.0, (Read("m", 5, size),)), Stage("b", 7.0, (Read("n", 3, 4 * size),), "b"))
    simulation, _ = worker((Part(0, 1, 1), Part(1, 2, 1)), replace(PLAIN, stages=stages))
    near, queued = 256, 1024
    total = 5 * size + queued * TOUCHED * LINE
    for number, stage in enumerate(stages):
        spread = spreads(with_buffers((stage,), near))
        [read] = stage.reads
        waited = read.each * waits(HERE, spread[read.memory], total, 0)
        assert simulation._costs(number, near, queued) == pytest.approx((stage.cycles + waited, 0.0))
    beyond = replace(PLAIN, machine=replace(HERE, caches=(32768, 1 << 20, 1 << 21)), stages=stages)
    simulation, _ = worker((Part(0, 2, 1),), beyond)
    assert simulation._costs(0, 0, 0)[1] == pytest.approx(8 * (1 - (2 * size) / (5 * size)))
    simulation, _ = worker((Part(0, 1, 1),))
    assert simulation._costs(0, 0, 0) == (100.0, 0.0), "nothing is read"


def test_costs_are_those_of_the_rings_beside_a_worker() -> None:
    """In steps of 64 packets."""
    simulation, two = worker((Part(0, 1, 2), Part(1, 2, 1), Part(2, 3, 1)), number=2)
    asked: list[tuple[int, int, int]] = []
    simulation._costs = lambda *of: asked.append(of) or (float(len(asked)), 0.0)
    for (first, second, after), queued in (
        ((100, 30, 61), 200),
        ((100, 30, 62), 255),
        ((100, 30, 62), 256),
        ((0, 0, 0), 0),
    ):
        for ring, waiting in zip((*two.sources, two.to), (first, second, after), strict=True):
            ring.waiting = waiting
        simulation._queued = queued
        simulation._cycles(two)
    assert asked == [(1, 128, 192), (1, 192, 192), (1, 192, 256), (1, 0, 0)]
    assert simulation._cycles(two) == (4.0, 0.0) and len(asked) == 4, "they are worked out once"


PAUSE = 6e6  # cycles of 3 ms
FREE = 18e6  # between two slices of others that have a fourth of the time


@pytest.mark.parametrize(
    ("taken_at", "now", "end", "delayed", "next_at"),
    [
        (10.0, 0.0, 9.0, 9.0, 10.0),
        (10.0, 0.0, 10.0, 10.0, 10.0),
        (10.0, 0.0, 11.0, 11 + PAUSE, 10 + PAUSE + FREE),
        (10.0, 0.0, 11 + FREE, 11 + FREE + 2 * PAUSE, 10 + 2 * (PAUSE + FREE)),
        (10.0, 5e6, 5e6 + 1, 10 + PAUSE + 1, 10 + PAUSE + FREE),  # it wakes up while others have the core
        (10.0, 10 + PAUSE, 11 + PAUSE, 11 + PAUSE, 10 + PAUSE + FREE),
        (10.0, 7e6, 7e6 + 1, 7e6 + 1, 10 + PAUSE + FREE),  # others were there, and have gone
        (10.0, 35e6, 35e6 + 1, 35e6 + 1, 10 + 2 * (PAUSE + FREE)),
    ],
)
def test_others_take_a_core_for_a_slice(
    taken_at: float, now: float, end: float, delayed: float, next_at: float
) -> None:
    simulation, one = worker((Part(0, 3, 1),), replace(PLAIN, taken=0.25))
    one.taken_at, simulation._now = taken_at, now
    assert simulation._delayed(one, end) == pytest.approx(delayed, abs=1e-6)
    assert one.taken_at == pytest.approx(next_at, abs=1e-6)


def test_nobody_takes_a_core_where_nobody_is() -> None:
    simulation, one = worker((Part(0, 3, 1),))
    one.taken_at = simulation._until_taken(7.0)
    assert one.taken_at == float("inf") and simulation._delayed(one, 1e30) == 1e30


def test_a_core_whose_share_is_taken_does_the_rest() -> None:
    """It is simulated for many slices, however few bursts that are."""
    simulation, _ = worker((Part(0, 3, 1),), replace(PLAIN, taken=0.25))
    for one in simulation._workers:
        one.taken_at = 0.0
    outcome = simulation.run(1)
    assert 30 * PAUSE < simulation._now < 30.2 * PAUSE
    assert outcome.most == pytest.approx((1 - 7 / 30) / 450, rel=0.001), "others have been there seven times"


def test_workers_are_served_in_turn() -> None:
    """Each of the rings of a worker that has something; what does not fit waits."""
    simulation, back = worker((Part(0, 1, 3), Part(1, 3, 1)), number=3)
    one, two, three = simulation._workers[:3]
    for front, count in ((one, 32), (one, 32), (two, 40), (three, 0)):
        front.pending = count
        assert simulation._hand_over(front)
    assert simulation._queued == 104 and back.sources == [one.to, two.to, three.to]
    one.pending = 5
    assert not simulation._hand_over(one), "it has 64 of its own ring"
    assert (one.pending, one.to.producer, simulation._queued) == (5, one, 104)
    simulation._now = one.since + 70
    assert [simulation._take(back) for _ in range(5)] == [32, 32, 32, 8, 0]
    assert one.blocked == 70 and one.to.producer is None and not simulation._queued
    assert back.is_idle and back.since == simulation._now
    simulation._now += 11
    two.pending = 1
    assert simulation._hand_over(two) and not back.is_idle and back.idle == 11


@pytest.mark.parametrize("taken", [0.0, 0.3])
def test_the_rate_is_the_median_of_some_runs(taken: float) -> None:
    """Where others take cores, the first part's workers get different numbers of packets."""
    world = replace(PLAIN, varies=0.9, taken=taken, slice_s=1e-5)
    parts = (Part(0, 1, 3), Part(1, 3, 2))
    runs = [Simulation(world, parts, seed).run() for seed in (1, 2, 3)]
    assert len({run.rate for run in runs}) == 3 and all(run.rate < run.most for run in runs)
    assert rate(world, parts) == sorted(run.most if taken else run.rate for run in runs)[1]


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
