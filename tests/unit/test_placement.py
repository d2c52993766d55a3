"""Placements: the best of the search is the best of all matrices A, by the equations of the paper, over random programs."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path
from random import Random

import click
import pytest
from machine import MACHINE

from macsad.compilation import Request
from macsad.place import place_file
from macsad.place.cores import had
from macsad.place.placing import Placed, with_later_passes
from transpiler.graph import dot
from transpiler.graph.drawing import Drawing, Edge, Group, Node, NodeKind
from transpiler.model.machine import machine_profile
from transpiler.placement.costs import LINES, MachineCosts, contention, footprint, hand_over, spreads, waits
from transpiler.placement.drawing import draw
from transpiler.placement.search import Part, Placement, best_of_three, loads, placements, ranked
from transpiler.placement.stages import Read, Stage

HERE = machine_profile(MACHINE)


def random_stages(random: Random, count: int) -> tuple[Stage, ...]:
    return tuple(
        Stage(
            f"s{n}", random.uniform(5, 300),
            tuple(
                Read(f"m{random.randrange(count)}", random.uniform(0.1, 20), 1 << random.randrange(10, 24), 0)
                for _ in range(random.randrange(3))
            ),
            f"s{n}" if n else "",
        )
        for n in range(count)
    )  # fmt: skip


def rate(matrix: tuple[tuple[int, ...], ...], costs: MachineCosts) -> float:
    """R of a matrix A: equation 1, for as many packets as each core gets. A core gets those of the cores of the part before that
    are dealt to it."""
    stages, cores = len(matrix), len(matrix[0])
    columns = [tuple(i for i in range(stages) if matrix[i][j]) for j in range(cores)]
    parts = sorted(set(columns))
    dealt = [1 / columns.count(parts[0])] * columns.count(parts[0])  # of all packets
    least = float("inf")
    for number, part in enumerate(parts):
        count = columns.count(part)
        if number:
            dealt = [sum(dealt[n] for n in range(len(dealt)) if n % count == k) for k in range(count)]
        least = min(least, 1 / (max(dealt) * costs.of(part[0], part[-1] + 1)))
    return least


def all_matrices(stages: int, cores: int) -> list[tuple[tuple[int, ...], ...]]:
    """Every matrix whose cores run all stages, or those between two of up to two cuts, as a switch can: a part has no more cores
    than the one before."""
    found = []
    for count in (1, 2, 3):
        for cuts in combinations(range(1, stages), count - 1):
            bounds = (0, *cuts, stages)
            for owners in product(range(count), repeat=cores):
                numbers = [owners.count(part) for part in range(count)]
                if min(numbers) and numbers == sorted(numbers, reverse=True):
                    rows = (tuple(int(bounds[o] <= i < bounds[o + 1]) for o in owners) for i in range(stages))
                    found.append(tuple(rows))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_the_best_placement_is_the_best_of_all_matrices(seed: int) -> None:
    random = Random(seed)
    stages = random_stages(random, random.randrange(1, 6))
    cores = random.randrange(1, 7)
    costs = MachineCosts(HERE, stages, 32)
    found = ranked(costs, range(1, len(stages)), len(stages), cores)
    matrices = all_matrices(len(stages), cores)
    assert found[0].rate == pytest.approx(max(rate(matrix, costs) for matrix in matrices))
    for placement in found:
        assert placement.rate == pytest.approx(rate(placement.matrix(len(stages)), costs))
    assert {p.matrix(len(stages)) for p in found} <= set(matrices)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_of_three_parts_are_all_found(seed: int) -> None:
    """Those that are not looked at are slower."""
    random = Random(seed)
    stages = random_stages(random, 5)
    cores = random.randrange(3, 7)
    costs = MachineCosts(HERE, stages, 32)
    every = best_of_three(costs, range(1, 5), 5, cores, 10**6)
    some = best_of_three(costs, range(1, 5), 5, cores, 4)
    assert sorted(one.rate for one in some) == sorted(one.rate for one in every)[-4:]
    assert len(every) == 6 * len({tuple(part.cores for part in one.parts) for one in every})


def test_packets_that_pass_uneven_parts_come_to_some_workers_more_often() -> None:
    assert loads((4, 2, 1)) == [1, 2, 4] and loads((3, 2, 1)) == [1, 2, 3] and loads((5, 3, 2)) == [1, 2, 3]


def test_a_core_takes_what_its_stages_take_and_what_it_hands_over_and_waits_for() -> None:
    """C_j term by term."""
    size = 1 << 20
    stages = tuple(Stage(f"s{n}", 100.0 + n, (Read(f"m{n}", 10, size),)) for n in range(3))
    costs = MachineCosts(HERE, stages, 32)
    for first, end in ((0, 3), (0, 1), (1, 3), (0, 2), (2, 3)):
        longer = HERE.read((end - first) * size, 0) - HERE.read(1 << 14, 0)
        handed = ((first > 0) + (end < 3)) * LINES * 400 / 32
        computed = sum(100.0 + n for n in range(first, end))
        assert costs.of(first, end) == pytest.approx(computed + handed + (end - first) * 10 * longer)
    assert contention(HERE, stages[:1], footprint(stages)) < contention(HERE, stages, footprint(stages)) / 3


def test_reads_of_a_machine_with_one_cache_miss_as_the_paper_says() -> None:
    """pi = 1 - LLC / S: a profile that is made of it gives it back, however much others read."""
    LLC, O_m = 1 << 20, 100
    points = [(1 << n, 10 + max(0.0, 1 - LLC / (1 << n)) * O_m) for n in range(14, 28)]
    reads = [
        {"pages": pages, "bytes": size, "in_flight": number, "cycles": cycles}
        for pages in ("huge", "small") for size, cycles in points for number in (0, 1, 8)
    ]  # fmt: skip
    machine = machine_profile({**MACHINE, "reads": reads, "caches": [1 << 15, LLC, 1 << 25]})
    for total in (1 << 21, 1 << 22, 1 << 24, 1 << 26):
        for n in range(16, 27):
            if (S := 1 << n) <= total:
                assert waits(machine, S, total, 0) == pytest.approx(max(0.0, 1 - LLC / S) * O_m)


def test_reads_wait_longer_where_more_is_read_here_or_elsewhere() -> None:
    sizes = [1 << n for n in range(15, 27)]
    for total in sizes:
        own = [waits(HERE, size, total, 0) for size in sizes if size <= total]
        assert own == sorted(own) and own[-1] == pytest.approx(HERE.read(total, 0) - HERE.read(1 << 14, 0))
    for size in sizes:
        assert waits(HERE, size, 1 << 26, 0) >= waits(HERE, size, max(size, 1 << 22), 0) - 1e-9


@pytest.mark.parametrize("in_flight", [0, 8])
@pytest.mark.parametrize(
    ("spread", "total", "shared"),
    [
        (1 << 20, 1 << 22, False), (1 << 22, 1 << 22, False), (1 << 21, (1 << 22) + 1, True), (1 << 23, 1 << 26, True),
        (1 << 19, 1 << 26, False), ((1 << 19) + 1, 1 << 26, True), (1 << 25, 1 << 26, True), (1 << 26, 1 << 26, True),
    ],
)  # fmt: skip
def test_reads_that_miss_wait_as_long_as_all_reads_together_have_it(
    spread: int, total: int, shared: bool, in_flight: int
) -> None:
    """Beyond half of the last private cache, which is the second, where the program reads more than four times of it: of a read
    that misses, the share is that of what the core reads, the cycles are those of all."""
    last = 1 << 20

    def read(size: float) -> float:
        return HERE.read(size, in_flight)

    def missing(size: int) -> float:
        return (read(size) - read(last // 2)) / (1 - last / size)

    first = read(1 << 14)
    if shared:
        share = (read(spread) - read(last // 2)) / missing(max(spread, 4 * last))
        expected = read(last // 2) - first + min(1, share) * missing(total)
    else:
        expected = read(spread) - first
    assert waits(HERE, spread, total, in_flight) == pytest.approx(expected)


def test_a_cache_keeps_what_is_read_most_for_its_size() -> None:
    stages = (Stage("a", 1, (Read("large", 1, 1 << 21), Read("counter", 1, 4096))),)
    assert spreads(stages) == {"counter": 4096, "large": (1 << 21) + 4096}
    shared = (Stage("a", 1, (Read("m", 1, 1 << 20),)), Stage("b", 1, (Read("m", 1, 1 << 20), Read("n", 2, 1 << 20))))
    assert footprint(shared) == 1 << 21 and spreads(shared) == {"m": 1 << 21, "n": 1 << 21}


def test_one_cpu_hands_nothing_over() -> None:
    assert hand_over(machine_profile({**MACHINE, "handover": []}), 32) == 0


def test_halves_that_fit_a_cache_each_are_put_on_cores_of_their_own() -> None:
    """The paper's figure 2: the benefit is where one half fits and both do not, and not where halves differ."""

    def pair(size: int, reads: tuple[float, float]) -> tuple[Stage, ...]:
        return tuple(Stage(f"s{n}", 50, (Read(f"m{n}", each, size),)) for n, each in enumerate(reads))

    def cut(stages: tuple[Stage, ...], burst: int = 32) -> bool:
        return len(ranked(MachineCosts(HERE, stages, burst), (1,), 2, 2)[0].parts) == 2

    assert cut(pair(1 << 20, (200, 200)))
    assert not cut(pair(1 << 20, (396, 4))) and not cut(pair(1 << 13, (200, 200)))
    assert not cut(pair(1 << 20, (1, 1)), burst=1), "handing over costs more than is gained"


@dataclass
class Fixed:
    """The same cycles for each stage."""

    def of(self, first: int, end: int) -> float:
        return 10.0 * (end - first)


def test_a_hundred_stages_on_64_cores() -> None:
    found = list(placements(Fixed(), range(1, 100), 100, 64))
    assert len(found) == 1 + 99 * 32
    assert max(placement.rate for placement in found) == pytest.approx(64 / 1000)


def test_three_parts_of_a_hundred_stages_on_64_cores_take_seconds() -> None:
    begin = time.process_time()
    stages = random_stages(Random(1), 100)
    found = ranked(MachineCosts(HERE, stages, 32), range(1, 100), 100, 64)
    assert time.process_time() - begin < 5
    assert {len(placement.parts) for placement in found} == {1, 2, 3}


def test_fronts_that_are_dealt_unevenly_leave_cores_of_the_back_idle() -> None:
    (even,) = [p for p in placements(Fixed(), (1,), 2, 4) if p.parts[-1].cores == 2]
    (uneven,) = [p for p in placements(Fixed(), (1,), 2, 5) if p.parts[-1].cores == 2]
    assert even.parts[1].rate == 0.2 and uneven.parts[1].rate == pytest.approx(0.15)


# --- the file --------------------------------------------------------------------------------------------------------


def placed(*parts: int) -> Placed:
    reads = (Read("C.t", 1, 1 << 20, 64),)
    stages = (Stage("stage 0", 50), Stage("t", 50, reads, "C.t"), Stage("u", 50, reads, "2"))
    costs = MachineCosts(HERE, stages, 64)
    ranking = ranked(costs, (1, 2), 3, sum(parts), 1000)
    found: list[Placement] = [p for p in ranking if tuple(x.cores for x in p.parts) == parts]
    slow = Placement((replace(found[0].parts[0], rate=found[0].rate / 2),))
    return Placed(stages, tuple(found), slow, sum(parts), 64, HERE.hz, "", "made")


@pytest.mark.parametrize(
    ("parts", "options", "cut"),
    [((4,), ("--workers", "4"), None), ((3, 1), ("--workers", "4", "--part-workers", "3,1"), "2"),
     ((2, 1, 1), ("--workers", "4", "--part-workers", "2,1,1"), "C.t,2")],
)  # fmt: skip
def test_what_is_written_is_what_runs(
    tmp_path: Path, parts: tuple[int, ...], options: tuple[str, ...], cut: str
) -> None:
    file = tmp_path / "p.place.toml"
    made = placed(*parts)
    file.write_text(place_file.toml(made, "p.p4", "here"))
    found = place_file.read(file)
    assert found == place_file.chosen(made, made.best) and found.options == options
    assert found.of(Request(Path("p.p4"))).cut == cut
    with pytest.raises(click.UsageError, match="exclude"):
        found.of(Request(Path("p.p4"), cut="1"))
    data = place_file.data(made)["placements"][0]
    assert data["mpps"] == pytest.approx(made.best.rate * HERE.hz / 1e6) and len(data["matrix"]) == 3


def test_on_cores_that_others_use_parts_wait_for_each_other() -> None:
    made = placed(2, 1, 1)
    cloned = Placement((replace(made.cloned.parts[0], rate=made.best.rate * 0.9),))
    made = replace(made, cloned=cloned, placements=(*made.placements, cloned))
    assert len(made.best.parts) == 3
    busy = made.on(0.8)
    assert busy.best == cloned == busy.placements[0]
    assert busy.mpps(cloned) == pytest.approx(0.8 * made.mpps(cloned))
    assert busy.mpps(made.best) == pytest.approx(0.8**3 * made.mpps(made.best))
    assert "80%" in place_file.had(busy)[0] and not place_file.had(made) and place_file.data(busy)["had"] == 0.8


def test_the_share_of_cores_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    forked: list[int] = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: forked.append(fork()) or forked[-1])
    cpu = min(os.sched_getaffinity(0))
    share = had([cpu], 0.1)
    assert 0 < share <= 1
    both = had([cpu, cpu], 0.2)  # two that compute on one CPU
    assert both < 0.75
    assert len(forked) == 3
    for child in forked:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


def test_a_cut_that_hardly_gains_is_not_taken() -> None:
    made = placed(3, 1)
    rate = made.best.rate
    assert made.best == made.placements[0]
    cloned = Placement((replace(made.cloned.parts[0], rate=rate * 0.97),))
    assert replace(made, cloned=cloned).best == cloned


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 2\npart_workers = [0]", "from 1 to"),
        ("version = 2\npart_workers = [1, 1]", "a number for each part"),
        ('version = 2\npart_workers = [2]\ncut = "t"', "a number for each part"),
        ('version = 2\npart_workers = [1, 2]\ncut = "t"', "no part has more"),
        ("version = 2\npart_workers = '2'", "list of numbers"),
        ("version = 9\npart_workers = [2]", "version 9"),
        ("version = 2\npart_workers = [2]\ncores = 2", "there is no 'cores'"),
        ("version =", "p.toml"),
    ],
)
def test_what_is_no_placement_is_told(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(place_file.BadPlacement, match=message):
        place_file.read(file)


def test_a_placement_is_drawn_with_its_cores() -> None:
    made = placed(3, 1)
    text = dot.write(draw("p: placement", made.best, made.stages))
    assert "3 cores" in text and "1 core:" in text and "bursts are handed over" in text and "C.t" in text


def test_a_drawing_has_what_stages_cost_where_bursts_are_handed_over_and_which_part_limits() -> None:
    stages = (Stage("a", 100.4), Stage("b", 50, (Read("m", 1.5, 2048), Read("n", 1, 1 << 20))), Stage("c", 30))
    one, two, three = (Node(f"stage {n}", kind, name, lines) for n, (kind, name, lines) in enumerate([
        (NodeKind.STATEMENTS, "a", (("100 cycles",),)),
        (NodeKind.TABLE, "b", (("50 cycles",), ("m: 1.5 reads of 2 KiB", "n: 1 reads of 1,024 KiB"))),
        (NodeKind.STATEMENTS, "c", (("30 cycles",),)),
    ]))  # fmt: skip
    cut = Placement((Part(0, 2, 3, 150.4, 0.02), Part(2, 3, 1, 30, 0.01)))
    assert draw("p", cut, stages) == Drawing(
        "p",
        (
            Group("part 0", "3 cores: 150 cycles a packet", (one, two)),
            Group("part 1", "1 core: 30 cycles a packet, which limits", (three,)),
        ),
        (Edge("stage 0", "stage 1"), Edge("stage 1", "stage 2", label=("bursts are handed over",))),
    )
    cloned = Placement((Part(0, 3, 2, 180.4, 0.01),))
    [group] = draw("p", cloned, stages).groups
    assert (group.title, group.nodes) == ("2 cores: 180 cycles a packet", (one, two, three))


def test_the_last_stage_has_all_passes_but_the_first() -> None:
    stages = [Stage(f"s{n}", 100.0, (Read(f"m{n}", 2.0, 1 << 20),), f"s{n}" if n else "") for n in range(3)]
    assert with_later_passes(stages, 1.0) == stages
    first, second, last = with_later_passes(stages, 1.25)  # each fourth packet goes round once
    assert (first.cycles, second.cycles) == (80.0, 80.0) and last.cycles == pytest.approx(140.0)
    assert [read.each for read in first.reads] == [1.6]
    assert {read.memory: pytest.approx(read.each) for read in last.reads} == {"m2": 2.0, "m0": 0.4, "m1": 0.4}
