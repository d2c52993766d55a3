"""What macsad explain makes of a program that has run: the switch is one that takes what is said here."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from explained_programs import HERE, app

from macsad.bench.contestants import BenchError
from macsad.bench.samples import Sample
from macsad.bench.session import Result, Table
from macsad.bench.state import Reads, State
from macsad.compilation import Request
from macsad.explain import measuring
from macsad.explain.explained import Explained, Runtime, TableFact
from macsad.explain.measuring import GRID, Machines
from macsad.subject.stage_costs import NoClocks, StageCost
from macsad.subject.subject import Traffic
from transpiler.model.throughput import Read

ROUTER = Request(app("router"), warnings=("no-all",))
TABLES = {"RouterIngress.routes4": 5, "RouterIngress.next_hops": 7}


def cycles(point: tuple[int, int]) -> int:
    """Of a packet there."""
    return 1000 // point[0] + 100 // point[1] + 150


class Switch:
    """`where`: whether a run of half a second at each point has come before the clocks are read."""

    def __init__(self, *given: Any) -> None:
        self.given = given
        self.closed = 0
        self.turns: list[tuple[Any, ...]] = []
        self.tables = [
            {"name": name, "kernel": f"of {name}", "entries": entries, "reader_bytes": 64 * entries}
            for name, entries in TABLES.items()
        ]  # fmt: skip
        MADE.append(self)

    def measure(self, *turn: Any) -> Sample:
        self.turns.append(turn)
        taken = cycles(turn[1:3]) * 1000
        return Sample(1000, taken, taken, taken)

    def stages(self) -> list[dict[str, Any]]:
        """A reading counts as many packets again."""
        ran = len(self.turns) + 1
        rows = (("runtime", "receive", 40), ("runtime", "between", 2), ("runtime", "send", 8), ("ingress", "run", 150))
        clocks = [
            {"function": function, "stage": 0, "step": step, "calls": ran, "packets": 100 * ran, "cycles": each * 100 * ran}
            for function, step, each in rows
        ]  # fmt: skip
        return [{"worker": at, "bursts": ran, "sampled": ran, "interrupted": 0, "clocks": clocks} for at in (0, 1)]

    def stats(self) -> dict[str, Any]:
        ran = len(self.turns)
        return {
            "received": 1000 * ran,
            "dropped_at": {"router.p4:9": 250 * ran, "never.p4:1": 0} if ran else {"never.p4:1": 0},
        }

    def close(self) -> None:
        self.closed += 1


MADE: list[Switch] = []


class Subject:
    length = 60
    made: ClassVar[list[Subject]] = []

    def __init__(self, request: Request, hlir: Any, planned: Any, traffic: Traffic, folder: Path, closing: Any) -> None:
        self.switch, self.traffic, self.folder = Switch(), traffic, folder
        closing.add([self.switch])
        self.made.append(self)

    def reads_of(self, cost: StageCost, costs: Any) -> list[tuple[str, float, int]]:
        return [(name, cost.share, 1 << 20) for name in cost.tables]


@pytest.fixture(autouse=True)
def _stands(monkeypatch: pytest.MonkeyPatch) -> None:
    def costs(worker: Any, planned: Any) -> tuple[StageCost, ...]:
        """As the model has them, by the clocks of this run alone."""
        assert worker["worker"] == 0 and worker["bursts"] == 1
        return tuple(cost for pipe in planned.schedule.pipes for cost in measuring._costs(planned, pipe))

    MADE.clear()
    Subject.made.clear()
    monkeypatch.setattr(measuring, "Subject", Subject)
    monkeypatch.setattr(measuring, "Switch", Switch)
    monkeypatch.setattr(measuring, "stage_costs", costs)
    monkeypatch.setattr(measuring, "build", lambda request, hlir, folder: folder / "binary")


def run(
    tmp_path: Path, more: bool = False, entries: int | None = None, machines: Any = None, request: Any = ROUTER
) -> Explained:
    traffic = Traffic(tmp_path / "e.txt", tmp_path / "x.pcap", "x.pcap, entries of e.txt")
    return measuring.run(request, traffic, machines or Machines(HERE, None, "here"), tmp_path, 3, more, entries)


def test_a_program_that_has_run(tmp_path: Path) -> None:
    """Stages take together what a packet was measured to take without looking at clocks."""
    found = run(tmp_path)
    [subject] = Subject.made
    first, *others = subject.switch.turns
    assert first == ("", 64, 64, 0.5), "it runs between the readings of the clocks"
    assert {turn[1:3] for turn in others} == {(1, 1), (64, 64)} and subject.switch.closed == 1
    assert [turn[3] for turn in others] == [0.02] * 2 + [0.03] * 10
    assert found.measured == {(1, 1): cycles((1, 1)), (64, 64): cycles((64, 64))}
    assert found.known == ((1, 1), (64, 64)) and found.point == (64, 64) and found.ran and not found.elsewhere
    assert sum(cost.cycles for cost in found.costs) == pytest.approx(cycles((64, 64)))
    scale = cycles((64, 64)) / found.clocked
    assert found.runtime == Runtime(pytest.approx(42 * scale), pytest.approx(8 * scale))
    assert found.dropped == {"router.p4:9": 0.25}
    assert [(table.name, table.kernel, table.entries, table.memory_bytes) for table in found.tables] == [
        (name, f"of {name}", TABLES[name], 64 * TABLES[name])
        for name in TABLES
    ]  # fmt: skip
    assert all(table.keys for table in found.tables) and found.ways is None
    assert (found.name, found.where, found.told) == ("router.p4", "here", "x.pcap, entries of e.txt")
    assert (found.over_cores, found.over_entries, found.placed.cores) == ((), (), 3)
    for point in found.known:
        assert found.predict(point).cycles == pytest.approx(cycles(point), rel=0.02), "the model is told of these"
    assert {(read.footprint, read.each) for read in found.program.reads} <= {
        (1 << 20, cost.share) for cost in found.costs
    }
    assert found.program.length == 60 and found.machine is found.here is HERE


def test_pages_are_those_that_were_asked_for(tmp_path: Path) -> None:
    small = replace(ROUTER, wanted=ROUTER.wanted.without(["huge-pages"]))
    assert run(tmp_path).program.pages == "huge" and run(tmp_path, request=small).program.pages == "small"
    for request, pages in ((ROUTER, "huge"), (small, "small")):
        assert measuring.predicted(request, Machines(HERE, None, ""), 2, 100).program.pages == pages


def test_tables_without_a_key_are_none_that_are_told_of() -> None:
    """The others stand in the program's order, with their keys."""
    key = SimpleNamespace(name="h.a", match_kind=SimpleNamespace(value="lpm"))
    tables = [
        SimpleNamespace(name=name, keys=keys) for name, keys in (("I.b", (key,)), ("I.none", ()), ("I.a", (key, key)))
    ]
    planned: Any = SimpleNamespace(program=SimpleNamespace(tables=tables, table={one.name: one for one in tables}))
    described = [
        {"name": name, "kernel": "k", "entries": at, "memory_bytes": 7, "reader_bytes": 10 * at}
        for at, name in enumerate(("I.a", "I.b", "I.none", "I.other"))
    ]
    assert measuring._tables(planned, described) == (
        TableFact("I.b", ("h.a: lpm",), "k", 1, 10), TableFact("I.a", ("h.a: lpm", "h.a: lpm"), "k", 0, 0),
    )  # fmt: skip
    assert measuring._tables(planned, described[1:])[0].name == "I.b"


def test_the_target_says_at_which_point(tmp_path: Path) -> None:
    own = replace(ROUTER, target=replace(ROUTER.target, run=replace(ROUTER.target.run, burst=32, sub_batch=8)))
    found = run(tmp_path, request=own)
    assert found.point == (32, 8) and set(found.measured) == {(1, 1), (64, 64), (32, 8)}
    assert found.known == ((1, 1), (64, 64)) and Subject.made[0].switch.turns[0] == ("", 32, 8, 0.5)
    assert sum(cost.cycles for cost in found.costs) == pytest.approx(cycles((32, 8)))
    half = replace(own, target=replace(own.target, run=replace(own.target.run, sub_batch=None)))
    assert measuring.point_of(half) == (32, 64)


def test_more_points_cores_and_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "worker_cpus", lambda most: [4, 5, 6][:most])
    folders: list[tuple[int, Path]] = []

    def generated(request: Any, hlir: Any, entries: int, tables: Any, folder: Path) -> Traffic:
        assert folder.is_dir() and tables == ()
        folders.append((entries, folder))
        return Traffic(folder / "entries.txt", folder / "packets.pcap", "made")

    monkeypatch.setattr(measuring, "generated", generated)
    found = run(tmp_path, more=True, entries=1000)
    assert set(found.measured) == {*GRID, (64, 64)}
    rate = 1e3 / cycles((64, 64))
    assert found.over_cores == (
        (1, pytest.approx(found.mpps(cycles((64, 64))))), (2, pytest.approx(2 * rate)), (3, pytest.approx(3 * rate)),
    )  # fmt: skip
    assert found.over_entries == (
        (10, pytest.approx(rate)), (100, pytest.approx(rate)), (1000, pytest.approx(found.mpps(found.cycles))),
    )  # fmt: skip
    assert folders == [(10, tmp_path / "entries-10"), (100, tmp_path / "entries-100")]
    assert [subject.traffic.told for subject in Subject.made[1:]] == ["made"] * 2
    of_cores = [switch for switch in MADE if switch.given]
    for number, switch in enumerate(of_cores, 2):
        own = tmp_path / f"workers-{number}"
        binary, options, entries, folder, workers = switch.given
        assert (binary, entries, folder, workers) == (own / "binary", tmp_path / "e.txt", own, number) and own.is_dir()
        assert f"0=mem:{tmp_path / 'x.pcap'},loop" in options
    assert len(of_cores) == 2 and all(switch.closed == 1 for switch in MADE)
    few = run(tmp_path / "few", more=True, entries=5) if (tmp_path / "few").mkdir() is None else found
    assert few.over_entries == ((5, pytest.approx(few.mpps(few.cycles))),), "less than one entry is none"
    assert len(few.over_cores) == 3 and run(tmp_path).over_cores == ()


def test_another_machine_is_predicted_of_what_was_measured_here(tmp_path: Path) -> None:
    other = replace(HERE, hz=1e9)
    found = run(tmp_path, machines=Machines(HERE, other, "there"))
    assert found.measured == {} and found.elsewhere and (found.machine, found.here) == (other, HERE)
    assert found.known == ((1, 1), (64, 64)) and found.ran
    assert found.cycles == found.predict().cycles and found.mpps(500) == 1e9 / 500 / 1e6


def test_switches_without_clocks_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(worker: Any, planned: Any) -> None:
        raise NoClocks("there are no clocks")

    monkeypatch.setattr(measuring, "stage_costs", none)
    with pytest.raises(BenchError, match=r"^there are no clocks$"):
        run(tmp_path)
    assert all(switch.closed == 1 for switch in MADE)


# --- of macsad bench ---------------------------------------------------------------------------------------------------


def result(points: tuple[tuple[int, int], ...], clocks: Any) -> Result:
    tables = (
        Table("RouterIngress.routes4", "lpm_dir24", 5, 1 << 20, 4096, 0.75),
        Table("RouterIngress.next_hops", "exact_packed", 7, 512, 32, 0.5),
    )
    samples = {
        ("program", *point): [Sample(1000, cycles(point) * 1000, cycles(point) * 1000, cycles(point) * 1000)]
        for point in points
    }
    described = ({"name": "RouterIngress.routes4", "kernel": "lpm_dir24", "entries": 5, "reader_bytes": 4096},)
    return Result(
        "router", tables, (), 12_345, "imix", 0.875, "uniform", points, 3, 0.1, 1, 0.0, Reads((), ()), samples, length=350,
        clocks=clocks, described=described,
    )  # fmt: skip


def test_what_bench_has_measured_is_explained() -> None:
    clocks = Switch().stages()[0]
    found = measuring.of_result(
        ROUTER, result(((1, 1), (8, 8), (32, 8)), clocks), (32, 8), Machines(HERE, None, "here"), 2
    )
    assert found.measured == {point: cycles(point) for point in ((1, 1), (8, 8), (32, 8))}
    assert (found.point, found.known, found.placed.cores) == ((32, 8), ((1, 1), (32, 8)), 2)
    assert found.told == "as of macsad bench: 12,345 frames of imix, 88% of them hit"
    [table] = found.tables
    assert table == TableFact("RouterIngress.routes4", table.keys, "lpm_dir24", 5, 4096)
    reads = {(read.each, read.footprint) for read in found.program.reads}
    assert reads == {(0.75, 4096), (0.5, 64)}, "a line at least"
    assert found.program.length == 350 and found.ran and found.ways is None and found.dropped == {}
    assert sum(cost.cycles for cost in found.costs) == pytest.approx(cycles((32, 8)))
    usual = measuring.of_result(
        ROUTER, result(((1, 1), (64, 64), (256, 8)), clocks), (64, 64), Machines(HERE, None, ""), 2
    )
    assert usual.known == ((1, 1), (64, 64)), "rather than the largest"
    for points in (((1, 1),), ((8, 8), (64, 64))):
        with pytest.raises(BenchError, match="the model has to be told B=1, b=1 and another point"):
            measuring.of_result(ROUTER, result(points, clocks), points[-1], Machines(HERE, None, ""), 2)


def test_stages_share_what_is_known_of_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads of a register are of all stages that access it; a table has its own."""
    taken: list[Any] = []

    def together(case: Any, worker: Any, measured: Any, reads_of: Any, length: int, told: str) -> Any:
        costs = [StageCost("I", number, 1.0, 1.0, tables, state) for number, (tables, state) in enumerate((
            (("t",), ("reg", "own")), ((), ("reg",)), (("u",), ("u",))))]  # fmt: skip
        taken.extend(reads_of(cost, costs) for cost in costs)
        return SimpleNamespace(tables=())

    monkeypatch.setattr(measuring, "_put_together", together)
    monkeypatch.setattr(measuring, "replace", lambda found, **more: found)
    of = replace(
        result(((1, 1),), Switch().stages()[0]),
        tables=(Table("t", "k", 1, 64, 4096, 0.75), Table("u", "k", 1, 64, 128, 0.5)),
        state=(State("reg", "register", 8, 4, 32, 256, 1.5), State("own", "counter", 8, 4, 32, 128, 0.25)),
    )
    measuring.of_result(ROUTER, of, (1, 1), Machines(HERE, None, ""), 2)
    assert taken == [
        [("t", 0.75, 4096), ("reg", 0.75, 256), ("own", 0.25, 128)],
        [("reg", 0.75, 256)],
        [("u", 0.5, 128)],
    ]


def test_a_program_that_was_not_run_has_the_reads_of_full_tables() -> None:
    found = measuring.predicted(ROUTER, Machines(HERE, None, ""), 2, 100)
    facts = {table.name: table for table in found.tables}
    assert all(table.entries == min(100, found.planned.program.table[name].size) for name, table in facts.items())
    assert all(table.memory_bytes == table.entries * 64 and table.kernel == found.planned.kernels[name].name
               for name, table in facts.items())  # fmt: skip
    reads = list(itertools.chain.from_iterable(
        [(cost.share, facts[name].memory_bytes) for name in cost.tables if name in facts] for cost in found.costs))  # fmt: skip
    assert [(read.each, read.footprint) for read in found.program.reads] == reads and reads
    assert isinstance(found.program.reads[0], Read) and not found.ran and found.measured == {}
