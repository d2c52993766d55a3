"""What a program's stages are taken for before they are placed, and how placements are told."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from machine import MACHINE

from macsad.bench.contestants import BenchError
from macsad.compilation import Request
from macsad.place import place_file, placing
from macsad.place.place_file import Chosen
from macsad.place.placing import FLIGHTS, Placed
from macsad.resources import share
from macsad.subject.stage_costs import NoClocks, StageCost
from macsad.subject.subject import Traffic
from transpiler.model.machine import machine_profile
from transpiler.placement.costs import MachineCosts, waiting
from transpiler.placement.search import Part, Placement
from transpiler.placement.stages import Read, Stage

HERE = machine_profile(MACHINE)


def cost(
    number: int, *tables: str, pipe: str = "I", cycles: float = 100.0, prefetched: tuple[str, ...] = ()
) -> StageCost:
    return StageCost(pipe, number, cycles, 1.0, tables, (), frozenset(prefetched))


def planned(stages: int = 3) -> Any:
    return SimpleNamespace(schedule=SimpleNamespace(pipes=[SimpleNamespace(name="I", stages=range(stages))]))


def test_a_stage_is_called_by_its_table_where_none_before_looks_that_up() -> None:
    """As --cut calls it; else by its number."""
    costs = [cost(0, "a"), cost(1, "a", "b"), cost(2), cost(3, "b", "a"), cost(4, "c", "d")]
    assert [placing._cut_at(costs, number) for number in range(5)] == ["a", "b", "2", "3", "c"]


def test_reads_of_tables_and_of_what_is_prefetched_are_in_flight_together() -> None:
    """As many as a sub-batch, or as a burst where a table takes all its keys; of others it is to be found out."""
    found = [("t", 1.0, 64), ("whole", 2.0, 128), ("seen", 1.5, 256), ("reg", 1.0, 512)]
    stage = cost(0, "t", "whole", prefetched=("seen",))
    assert placing.flights(found, stage, (64, 8), frozenset({"whole", "reg"})) == (
        Read("t", 1.0, 64, 8), Read("whole", 2.0, 128, 64), Read("seen", 1.5, 256, 8), Read("reg", 1.0, 512, -1),
    )  # fmt: skip


def reads(*names: str, in_flight: int = 8) -> tuple[Read, ...]:
    return tuple(Read(name, 1.0, 64, in_flight) for name in names)


@pytest.mark.parametrize("cuts", [True, False])
def test_what_is_behind_the_first_pipe_is_of_its_last_stage(cuts: bool) -> None:
    costs = [cost(0), cost(1, "a"), cost(2, "b"), cost(0, pipe="E", cycles=30), cost(1, pipe="E", cycles=10)]
    own = [reads("m0"), reads("m1"), reads("m2"), reads("m3"), ()]
    stages = placing.stages_of(HERE, costs, own, planned(), cuts)
    assert [[read.memory for read in stage.reads] for stage in stages] == [["m0"], ["m1"], ["m2", "m3"]]
    assert [stage.name for stage in stages] == ["stage 0", "a", "b"]
    assert [stage.cut for stage in stages] == (["", "a", "b"] if cuts else ["", "", ""])
    waits = [stage.cycles + waiting(HERE, stage.reads, stages) for stage in stages]
    assert waits == pytest.approx([100, 100, 140], rel=0.01)


def test_a_stage_computes_what_its_reads_do_not_wait_for() -> None:
    """The fewest reads are in flight at which they take no longer than the stage; a tenth of it is no waiting, whatever the
    profile of the machine says."""
    stage = Stage("s", 400.0, (Read("far", 4.0, 1 << 28, -1), Read("table", 1.0, 1 << 16, 8)))
    taken = {
        number: waiting(
            HERE, [replace(one, in_flight=number if one.in_flight < 0 else 8) for one in stage.reads], [stage]
        )
        for number in FLIGHTS
    }
    for cycles in (100.0, 400.0, 2000.0, 1e5):
        of = replace(stage, cycles=cycles)
        made = placing.alone(HERE, of, [of], "here")
        number = next((n for n in FLIGHTS if taken[n] <= cycles * 0.9), FLIGHTS[-1])
        assert [one.in_flight for one in made.reads] == [number, 8] and made.cut == "here"
        assert made.cycles == pytest.approx(max(cycles * 0.1, cycles - taken[number]))
    assert placing.alone(HERE, Stage("s", 50.0), [], "").cycles == 50.0


def test_reads_whose_number_is_known_keep_it() -> None:
    """0: one after the other. Others are as few as are done in nine tenths of the stage's time."""
    stage = Stage("s", 1.0, (Read("after", 1.0, 1 << 16, 0), Read("own", 4.0, 1 << 28, -1)))
    first, second = FLIGHTS[0], FLIGHTS[2]  # one at a time is one after the other
    waits = [waiting(HERE, [stage.reads[0], replace(stage.reads[1], in_flight=n)], [stage]) for n in (first, second)]
    for cycles, number in ((waits[0] / 0.89, first), (waits[0] / 0.95, second), (waits[0] * 0.999, second)):
        made = placing.alone(HERE, replace(stage, cycles=cycles), [stage], "")
        assert [read.in_flight for read in made.reads] == [0, number]
        assert made.cycles == pytest.approx(max(cycles * 0.1, cycles - waits[number == second]))


@pytest.mark.parametrize("burst", [1, 32])
def test_bursts_are_handed_over_where_a_program_can_be_cut(burst: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Placements are ranked by what stages take then, on the machine that they are for."""
    costs = [cost(0, cycles=400), cost(1, "t", cycles=300), cost(2, "t", cycles=200)]
    request: Any = None
    for why, parts in (("", 3), ("it is alone", 1)):
        monkeypatch.setattr(placing, "_refused", lambda *given, why=why: why)
        made = placing.placed(request, request, planned(), HERE, costs, [(), (), ()], (burst, 1), 3, "told")
        assert made.refused == why and max(len(one.parts) for one in made.placements) == parts
        assert [stage.cut for stage in made.stages] == (["", "t", "2"] if parts == 3 else ["", "", ""])
        model = MachineCosts(HERE, made.stages, burst)
        for one in made.placements:
            assert [part.cycles for part in one.parts] == [model.of(part.first, part.end) for part in one.parts]
    slow = machine_profile(
        {**MACHINE, "hz": 1e9, "handover": [{"burst": 1, "cycles": 1e6}, {"burst": 2, "cycles": 1e6}]}
    )
    monkeypatch.setattr(placing, "_refused", lambda *given: "")
    made = placing.placed(request, request, planned(), HERE, costs, [(), (), ()], (burst, 1), 3, "told", slow)
    assert made.hz == 1e9 and len(made.placements[0].parts) == 1


class Subject:
    """One whose switch tells what its stages cost once it has run."""

    def __init__(self, *_: object) -> None:
        self.ran: list[Any] = []
        self.switch = SimpleNamespace(measure=lambda *turn: self.ran.append(turn))
        SUBJECTS.append(self)

    def costs(self) -> list[StageCost]:
        if not self.ran:
            raise NoClocks("nothing ran")
        return [cost(0, pipe="ingress", cycles=400), cost(1, ROUTES, pipe="ingress", cycles=300)]

    def reads_of(self, one: StageCost, costs: object) -> list[tuple[str, float, int]]:
        return [(name, 1.0, 1 << 20) for name in one.tables]


SUBJECTS: list[Subject] = []
ROUTES = "L3Ingress.routes"


def test_a_program_is_placed_as_its_switch_has_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At the B and b that it has by itself, or the target's. The table takes the keys of a burst at once."""
    monkeypatch.setattr(placing, "Subject", Subject)
    monkeypatch.setattr(placing, "_refused", lambda *given: "")
    request = Request(share("apps") / "l3fwd" / "l3fwd.p4", warnings=("no-all",))
    traffic = Traffic(None, tmp_path / "x.pcap", "x.pcap")
    own = replace(request.target.run, burst=32, sub_batch=8)
    for of, point in ((request, (64, 64)), (replace(request, target=replace(request.target, run=own)), (32, 8))):
        made = placing.place(of, traffic, HERE, tmp_path, 2)
        assert SUBJECTS[-1].ran == [("", *point, placing.SECONDS)]
        assert (made.cores, made.burst, made.traffic, made.hz) == (2, point[0], "x.pcap", HERE.hz)
        assert [(read.memory, read.in_flight) for stage in made.stages for read in stage.reads] == [(ROUTES, point[0])]
    monkeypatch.setattr(Subject, "costs", lambda self: (_ for _ in ()).throw(NoClocks("there are no clocks")))
    with pytest.raises(BenchError, match="there are no clocks"):
        placing.place(request, traffic, HERE, tmp_path, 2)


# --- placements ------------------------------------------------------------------------------------------------------


def placement(*rates: float, cores: tuple[int, ...] = (1, 1, 1)) -> Placement:
    return Placement(tuple(Part(at, at + 1, cores[at], 10.0 * (at + 1), rate) for at, rate in enumerate(rates)))


def test_the_best_that_is_shown_and_clones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten, of which clones are the last where they are not among the best."""
    made: list[Placement] = []
    monkeypatch.setattr(placing, "ranked", lambda *given: made)
    monkeypatch.setattr(placing, "_refused", lambda *given: "")
    request: Any = None
    for place, shown in ((0, 0), (9, 9), (10, 9), (30, 9)):
        made[:] = [placement(1 - at / 100, 1 - at / 100) for at in range(31)]
        made[place] = clones = placement(0.5)
        found = placing.placed(request, request, planned(2), HERE, [cost(0), cost(1)], [(), ()], (64, 8), 2, "told")
        assert found.placements[shown] is clones is found.cloned and len(found.placements) == 10
        assert found.placements[:9] == tuple(one for at, one in enumerate(made[:10]) if at != shown or at == place)[:9]
        assert (found.burst, found.cores, found.traffic, found.passes, found.hz) == (64, 2, "told", 1.0, HERE.hz)


def test_packets_that_begin_again_are_told_with_the_placements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing, "_refused", lambda *given: "")
    request: Any = None
    costs = [replace(cost(0, cycles=400), share=2.5), replace(cost(1, "t", cycles=300), share=2.5)]
    made = placing.placed(request, request, planned(2), HERE, costs, [(), ()], (32, 8), 2, "told")
    assert made.passes == 2.5 and [stage.cycles for stage in made.stages] == [160, 540]
    assert place_file.data(made)["passes"] == 2.5 and "2.5 times" in place_file.passes(made)[0]


def test_a_cut_is_taken_that_surely_gains() -> None:
    """More than a twentieth."""
    for rate, taken in ((1.04, False), (1.06, True)):
        clones, cut = placement(1.0), placement(rate, rate)
        made = Placed((Stage("a", 1), Stage("b", 1, cut="b")), (clones, cut), clones, 2, 64, 1e9, "", "")
        assert made.best is (cut if taken else clones)
        assert (made.cut(cut), made.cut(clones)) == ("b", "")


def test_a_program_of_one_stage_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing.compilation, "why_not_cut", lambda request, program: "why")
    anything: Any = None
    assert placing._refused(anything, anything, planned(1)) == "it has one stage, as its tables stay in the cache"
    assert placing._refused(anything, anything, planned(2)) == "why"


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        ((1.0,), "the cores"), ((0.5, 1.0), "the front, the back idles 50%"), ((1.0, 0.75), "the back, the front idles 25%"),
        ((0.5, 1.0, 0.8), "the first part, another part idles 50%"), ((1.0, 0.9, 0.25), "the third, another part idles 75%"),
    ],
)  # fmt: skip
def test_what_limits_a_placement(rates: tuple[float, ...], said: str) -> None:
    assert place_file.limit(placement(*rates)) == said


def test_placements_and_stages_are_told_in_columns() -> None:
    stages = (Stage("first one", 99.6, (Read("m", 1.25, 2048), Read("n", 1, 1 << 20, 8))), Stage("b", 5, cut="C.b"))
    clones, cut = placement(0.01, cores=(2,)), placement(0.02, 0.04)
    made = Placed(stages, (cut, clones), clones, 2, 64, 1e9, "", "told")
    assert place_file.rows(made) == [
        "million/s  cores        cycles a packet  placement; what limits",
        "     20.0  1 + 1        10 + 20          cut at C.b; the front, the back idles 50%",
        "     10.0  2            10               cloned; the cores",
    ]
    assert place_file.stage_rows(made) == [
        "stage      cycles  reads",
        "first one     100  1.2 of 2 KiB (one after the other), 1 of 1,024 KiB (8 in flight)",
        "b               5",
    ]
    text = place_file.toml(replace(made, traffic="x\ncut = 'y'\x1b.pcap"), "p\n.p4", "here")
    assert tomllib.loads(text) == {"version": 2, "cut": "C.b", "part_workers": [1, 1]} and "\x1b" not in text
    short = replace(made, stages=(Stage("a", 12345.6), Stage("b", 5, (Read("m", 2, 512, 0),))))
    assert place_file.stage_rows(short) == [
        "stage  cycles  reads", "a       12346", "b           5  2 of 0 KiB (one after the other)",
    ]  # fmt: skip
    assert [str(place_file.chosen(made, one)) for one in (cut, clones)] == [
        "cut at C.b, 1 + 1 workers", "2 workers, each with the whole program",
    ]  # fmt: skip


@pytest.mark.parametrize(("had", "passes", "lines"), [(0.97, 1.05, 0), (0.96, 1.05, 1), (0.97, 1.06, 1), (0.5, 2.0, 2)])
def test_what_is_not_usual_is_told(had: float, passes: float, lines: int) -> None:
    """Cores that others use, and packets that begin again."""
    clones = placement(1.0)
    made = Placed((), (clones,), clones, 1, 64, 1e9, "", "", passes, had)
    assert len([*place_file.had(made), *place_file.passes(made)]) == lines


@pytest.mark.parametrize(
    ("workers", "cut", "options"),
    [
        ((1,), "", ("--workers", "1")), ((64,), "", ("--workers", "64")),
        ((63, 1), "t", ("--workers", "64", "--part-workers", "63,1")), ((2, 2), "t", ("--workers", "4", "--part-workers", "2,2")),
        ((0,), "", None), ((65,), "", None), ((64, 1), "t", None), ((), "", None), ((1, 2), "t", None), ((2, 1), "", None),
        ((2,), "t", None), ((1, 1, 1), "t", None), ((1, 1), "t,u", None),
    ],
)  # fmt: skip
def test_workers_of_parts(workers: tuple[int, ...], cut: str, options: tuple[str, ...] | None) -> None:
    if options is None:
        with pytest.raises(ValueError, match="part"):
            Chosen(workers, cut)
    else:
        assert Chosen(workers, cut).options == options
