"""How the scripts of bench/ measure: what is started on which frames, in which turns, and what is divided by what. Switches and
their times are those of this file."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Bench, Clock, Started, of, script
from click.testing import CliRunner

from macsad.bench.contestants import BenchError

LOOP = ["--port", "0=mem:/p.pcap,loop", "--port", "1=null:"]


@pytest.fixture
def bench() -> Bench:
    return Bench()


# --- place.py ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def place(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = bench.into(script("place"), monkeypatch)
    monkeypatch.setattr(module.place_file, "data", lambda placed: {"told": placed.cloned.rate})
    return module


def placement(parts: int, rate: float) -> Any:
    return SimpleNamespace(parts=range(parts), rate=rate)


@pytest.mark.parametrize(
    ("placements", "predicted"),
    [([1, 3, 2], 1.5), ([2, 1], 1.5), ([1], None), ([2], None), ([], None)],
)
def test_the_likeliest_cut_is_measured_beside_clones(
    place: Any, bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, placements: list[int], predicted: Any
) -> None:
    """A packet takes 20 ns of CPU time in a clone, and 16 in each half."""
    case = place.Case("a case", Path("x.p4"), ("A=1",), 7)
    traffic = place.Traffic(None, Path("/p.pcap"), "")
    asked: list[Any] = []

    def placed(request: Any, frames: Any, machine: Any, folder: Path, cores: int) -> Any:
        assert folder.is_dir()
        asked.append((request.defines, frames, machine, cores))
        found = [placement(parts, {1: 10.0}.get(parts, 15.0)) for parts in placements]
        return SimpleNamespace(
            placements=found, cloned=next(iter(found), None), cut=lambda way: f"cut of {len(way.parts)}"
        )

    monkeypatch.setattr(place.placing, "place", placed)
    monkeypatch.setattr(place, "traffic_of", lambda request, of, folder: traffic)
    bench.times = lambda key: {"cloned": 20, "cut": 16}[key]
    row = place.compare(case, "machine", 3, 0.5)
    assert asked == [(("A=1",), traffic, "machine", 2)]
    if predicted is None:
        assert row is None and not bench.runs
        return
    first = next(parts for parts in placements if parts > 1)
    clones_rate = 10.0 if placements[0] == 1 else 15.0
    assert row == place.Row("a case", f"cut of {first}", 15 / clones_rate, 1.25, 100.0, {"told": clones_rate})
    ((turns, *how),) = bench.runs
    assert [(turn.key, turn.number, turn.other) for turn in turns] == [("cloned", 32, 32), ("cut", 32, 32)]
    assert how == [3, 0.5] and [request.cut for request, _ in bench.built] == [bench.built[0][0].cut, row.cut]
    assert [one.what[1:3] + one.what[4:] for one in bench.started] == [(LOOP, None, 2)] * 2 and bench.all_closed()


def test_cells_of_elements_are_written_once_a_page(place: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entries = tmp_path / "entries.txt"
    made = [place.Traffic(entries, Path("p"), ""), place.Traffic(None, Path("p"), "")]
    asked: list[Any] = []

    def generated(request: Any, hlir: Any, count: int, tables: Any, folder: Path) -> Any:
        asked.append((count, tables, folder))
        entries.write_text("table_add t a 1 =>\n")
        return made[0]

    monkeypatch.setattr(place.subject, "generated", generated)
    case = place.Case("x", Path("x.p4"), (), 5, 2048)
    assert place.traffic_of("request", case, tmp_path) is made[0] and asked == [(5, (), tmp_path)]
    first, second = "ElementsIngress.first.cells", "ElementsIngress.second.cells"
    assert entries.read_text().splitlines() == [
        "table_add t a 1 =>", *(f"register_write {name} {at} 0" for name in (first, second) for at in (0, 1024)),
    ]  # fmt: skip
    place.traffic_of("request", place.Case("x", Path("x.p4"), (), 5), tmp_path)
    assert entries.read_text().count("\n") == 1
    made[0] = made[1]
    assert place.traffic_of("request", case, tmp_path) is made[1]


# --- fall_back.py --------------------------------------------------------------------------------------------------------


class Placing:
    """A client of a switch that gives its pipeline up two seconds after it may, and is still trying for one of them."""

    def __init__(self, clock: Clock, ok: bool = True, gives_up: float = 2.0) -> None:
        self.clock, self.ok, self.gives_up = clock, ok, gives_up
        self.said: list[str] = []

    def wait(self, path: Path) -> Any:
        return contextlib.nullcontext(self)

    def command(self, line: str) -> Any:
        self.said.append(line)
        return SimpleNamespace(ok=self.ok, text="no such placement")

    def stats(self) -> Any:
        now = self.clock.now
        return {"placement": {"cloned": now >= self.gives_up - 1, "trying": now < self.gives_up}}


@pytest.fixture
def fall_back(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = script("fall_back")
    monkeypatch.setattr(module, "time", Clock())
    return module


def a_placed(module: Any, client: Placing, monkeypatch: pytest.MonkeyPatch) -> Any:
    made = module.Placed.__new__(module.Placed)
    made.socket = Path("socket")
    monkeypatch.setattr(module, "Client", client)
    for name in ("resume", "pause"):
        monkeypatch.setattr(module.Switch, name, lambda _, name=name: client.said.append(name))
    monkeypatch.setattr(module.Switch, "measure", lambda _, *what: (*what, list(client.said)))
    return made


def test_a_pipeline_is_placed_before_it_is_measured(fall_back: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    placed = a_placed(fall_back, Placing(fall_back.time), monkeypatch)
    assert placed.measure("cloned", 32, 16, 0.5) == ("", 32, 16, 0.5, ["resume", "set_placement cloned"])
    placed = a_placed(fall_back, Placing(fall_back.time, ok=False), monkeypatch)
    with pytest.raises(fall_back.click.ClickException, match="no such placement"):
        placed.measure("cut", 32, 16, 0.5)


@pytest.mark.parametrize(("gives_up", "told"), [(2, 2.0), (9, 5.0)])
def test_a_pipeline_is_taken_back_when_nothing_else_is_tried(
    fall_back: Any, monkeypatch: pytest.MonkeyPatch, gives_up: float, told: float
) -> None:
    client = Placing(fall_back.time, gives_up=gives_up)
    placed = a_placed(fall_back, client, monkeypatch)
    assert placed.taken_back() == pytest.approx(told, abs=2 * fall_back.STEP_S)
    assert client.said == ["resume", "set_placement cut", "set_placement auto", "pause"]


def test_a_program_is_measured_as_it_is_and_cut(fall_back: Any, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.into(fall_back, monkeypatch)
    monkeypatch.setattr(fall_back, "Placed", type("Placed", (Started,), {"taken_back": lambda _: 0.75}))
    case = SimpleNamespace(path=Path("x.p4"), defines=("A=1",))
    traffic = SimpleNamespace(packets=Path("/p.pcap"), entries="entries")
    stand = SimpleNamespace(
        cases=lambda: {"a case": case}, POINT=(32, 16), CORES=2, traffic_of=lambda request, of, folder: traffic
    )
    made: list[Any] = []
    start = fall_back.Placed.__init__
    monkeypatch.setattr(fall_back.Placed, "__init__", lambda self, *what: (start(self, *what), made.append(self))[0])
    bench.times = lambda key: {"plain": 20.0, "cut": 40.0, "cloned": 25.0}[key]
    assert fall_back.compare(stand, "a case", 3, 0.5).split() == ["a", "case", "100.00", "50.00", "80.00", "0.75", "s"]
    ((turns, *how),) = bench.runs
    assert [(turn.key, turn.what, turn.number, turn.other) for turn in turns] == [
        ("plain", "", 32, 16), ("cut", "cut", 32, 16), ("cloned", "cloned", 32, 16),
    ]  # fmt: skip
    (plain,), (placed,) = bench.started, made
    assert turns[0].contestant is plain and turns[1].contestant is turns[2].contestant is placed
    assert plain.what[1:3] == placed.what[1:3] == (LOOP, "entries") and how == [3, 0.5]
    assert (plain.what[4], placed.what[4]) == (2, 2) and placed.socket == placed.what[3] / "socket"
    assert [request.cut for request, _ in bench.built][1] == fall_back.CUT != bench.built[0][0].cut
    assert plain.closed == placed.closed == 1


def test_cases_of_falling_back(fall_back: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    place = fall_back.cases_of_place()
    assert set(fall_back.CASES) <= set(place.cases())
    asked: list[Any] = []
    monkeypatch.setattr(fall_back, "compare", lambda place, *what: asked.append(what) or "a row")
    done = CliRunner().invoke(fall_back.main, ["--quick", "chain 1/1, 64 KiB"])
    assert done.output.splitlines()[1:] == ["a row"] and asked == [("chain 1/1, 64 KiB", 1, 0.02)]
    CliRunner().invoke(fall_back.main, [])
    assert asked[1:] == [(name, 15, 0.02) for name in fall_back.CASES]


# --- tune.py -------------------------------------------------------------------------------------------------------------


class Subject(SimpleNamespace):
    """Of macsad/subject: its switch, and one without an optimisation."""

    def variants(self, names: Any, made: Any, closing: Any) -> dict[str, Started]:
        return {"prefetch": self.other}


def test_the_chosen_and_the_usual_settings_are_measured_beside_the_best_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the first rounds another pair is the fastest by chance; in the later ones it is not the fastest of the three."""
    tune = bench.into(script("tune"), monkeypatch)
    switches = Subject(switch=Started(), other=Started())
    monkeypatch.setattr(tune, "Subject", lambda *what: switches)
    monkeypatch.setattr(tune.tuning, "made_without", lambda request, hlir: None)
    best, usual = ("prefetch", 128, 64), ("", *tune.tuning.USUAL)
    chosen = ("", 32, 32)
    bench.times = lambda key: {best: 100, chosen: 110, usual: 125}.get(key, 200)
    found = tune._grid("request", "traffic", Path("f"), chosen, 2)
    assert found == (best, pytest.approx(0.1), pytest.approx(0.25), 220)
    (grid, rounds, _), (last, more, _) = bench.runs
    assert (rounds, more) == (2, 10) and [turn.key for turn in last] == [best, chosen, usual]
    assert {turn.key for turn in grid} == {(name, *point) for name in ("", "prefetch") for point in tune.GRID}
    assert all(turn.contestant is (switches.other if turn.key[0] else switches.switch) for turn in grid)
    assert all((turn.number, turn.other) == turn.key[1:] for turn in (*grid, *last))
    assert tune._grid("request", "traffic", Path("f"), best, 1)[1] == 0


@pytest.mark.parametrize(("without", "name"), [((), ""), (("prefetch",), "prefetch")])
def test_what_the_tuner_chooses_is_compared(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, without: tuple[str, ...], name: str
) -> None:
    tune = bench.into(script("tune"), monkeypatch)
    asked: list[Any] = []
    settings = SimpleNamespace(without=without, burst=64, sub_batch=32)
    tuned = SimpleNamespace(settings=settings, seconds=7.5)
    monkeypatch.setattr(tune.subject, "generated", lambda *what: what[2])
    monkeypatch.setattr(tune.tuning, "tune", lambda *what: asked.append(what) or tuned)
    monkeypatch.setattr(tune, "_grid", lambda *what: asked.append(what) or ("best", 0.25, 0.5, 100.0))
    row = tune.compare("l2fwd", 256, "machine", 3)
    assert row == tune.Row("l2fwd", 256, (name, 64, 32), "best", 0.25, 0.5, 7.5, 100.0)
    (request, traffic, machine, first, _), (again, frames, second, chosen, rounds) = asked
    assert request is again and request.path.stem == "l2fwd" and traffic == frames == 256 and machine == "machine"
    assert first != second and (chosen, rounds) == ((name, 64, 32), 3)


# --- by_profile.py, const_tables.py --------------------------------------------------------------------------------------


def test_what_a_profile_gains_is_told_for_each_switch(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    by_profile = bench.into(script("by_profile"), monkeypatch)
    entries = tmp_path / "entries"
    entries.write_text("table_add t a 1 => 1 5\n")
    made: list[Any] = []

    def subject(request: Any, hlir: Any, planned: Any, traffic: Any, folder: Path, closing: Any) -> Any:
        assert folder.is_dir() and hlir == ("loaded", request)
        made.append((request, folder.name, traffic))
        return SimpleNamespace(switch=Started())

    asked: list[Any] = []
    traffic = by_profile.Traffic(entries, Path("/p.pcap"), "")
    monkeypatch.setattr(by_profile.subject, "generated", lambda *what: asked.append(what[2]) or traffic)
    monkeypatch.setattr(by_profile, "Subject", subject)
    monkeypatch.setattr(by_profile.profiled, "profile", lambda *what: asked.append(what[2:]) or {})
    monkeypatch.setattr(by_profile, "packet_profile", lambda seen: "seen")
    bench.times = of({"no profile": 100, "profile": 40, "--no-early-drops": 50, "--no-hot-actions": 80})
    done = CliRunner().invoke(by_profile.main, ["--drop", "t:gone=1", "--entries", "7", "--packets", "9", "--rounds=3"])
    assert done.exit_code == 0, done.exception
    title, *rows = done.output.splitlines()
    assert title == "drops, 7 entries a table, t:gone=1" and entries.read_text() == "table_add t gone 1 => 5\n"
    assert [" ".join(row.split()) for row in rows] == [
        "no profile 200.0 cycles a packet, 1.00 times as fast", "profile 80.0 cycles a packet, 2.50 times as fast",
        "--no-early-drops 100.0 cycles a packet, 2.00 times as fast",
        "--no-hot-actions 160.0 cycles a packet, 1.25 times as fast",
    ]  # fmt: skip
    (count, (socket, wanted)) = asked
    assert count == 7 and socket.parts[-3:] == ("plain", "program", "socket")
    assert wanted == by_profile.Filter(None, 1, 0, 9, ())
    profiles = [request.profile for request, *_ in made]
    assert profiles == [made[0][0].profile, "seen", "seen", "seen"] and profiles[0] != "seen"
    plain, both, early, hot = (request.wanted for request, *_ in made)
    assert plain == both and early == both.without(["early-drops"]) and hot == both.without(["hot-actions"])
    ((turns, *_),) = bench.runs
    assert {(turn.number, turn.other) for turn in turns} == {(64, 64)} and turns[0].contestant.resumed == 1
    CliRunner().invoke(by_profile.main, ["nat"])
    assert made[4][0].path.stem == "nat" and bench.runs[-1][1] == 15


def test_constant_tables_are_beside_the_program_as_it_is(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tables = bench.into(script("const_tables"), monkeypatch)
    entries: Any = tmp_path / "entries"
    entries.write_text("table_add a x 1 =>\ntable_add b x 1 =>\n")
    made: list[Any] = []

    def subject(request: Any, hlir: Any, planned: Any, traffic: Any, folder: Path, closing: Any) -> Any:
        left = traffic.entries and traffic.entries.read_text()
        fixed = request.const_tables and request.const_tables.read_text()
        made.append((fixed, left))
        return SimpleNamespace(switch=Started())

    def generated(*what: Any) -> Any:
        return tables.Traffic(entries, Path("/p.pcap"), "")

    monkeypatch.setattr(tables.subject, "generated", generated)
    monkeypatch.setattr(tables, "Subject", subject)
    bench.times = of({"plain": 30, "const": 20})
    done = CliRunner().invoke(tables.main, ["--constant", "a", "--entries", "3"])
    assert done.output == (
        "firewall, 3 entries a table: 60.0 cycles a packet, 40.0 with constant tables: 1.50 times as fast\n"
    )
    assert made == [(None, entries.read_text()), ("table_add a x 1 =>\n", "table_add b x 1 =>\n")]
    CliRunner().invoke(tables.main, ["nat"])
    assert made[3] == (entries.read_text(), None), "without a name all are constant"
    entries = None
    assert "nat has no entries" in CliRunner().invoke(tables.main, ["nat"]).output


# --- l3fwd.py, testpmd.py ------------------------------------------------------------------------------------------------


@pytest.fixture
def l3fwd(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = bench.into(script("l3fwd"), monkeypatch)
    made = SimpleNamespace(packets=Path("/p.pcap"), entries=Path("/entries"))
    feed = SimpleNamespace(options=["--port", "0=dpdk:x"], huge_bytes=1 << 20)
    monkeypatch.setattr(module, "traffic", lambda chosen, folder: made)
    monkeypatch.setattr(module.session, "build", bench.build)
    monkeypatch.setattr(module.feeds, "feed", lambda *what: feed)
    monkeypatch.setattr(module, "Beside", bench.start)
    return module


def test_l3fwd_has_its_turns_beside_each_point(l3fwd: Any, bench: Bench) -> None:
    bench.times = of({"ours": 10, l3fwd.PEER: 20})
    found = l3fwd.contest(l3fwd.CONTESTS[0], "dpdk-l3fwd", 3, 0.5)
    assert set(found) == {l3fwd.PEER, *(("ours", *point) for point in l3fwd.POINTS)}
    switch, peer = bench.started
    assert switch.what[1:3] == (["--port", "0=dpdk:x"], Path("/entries")) and bench.all_closed()
    rules = peer.what[0].command.split()
    assert rules[0] == "dpdk-l3fwd" and f"--lookup={l3fwd.CONTESTS[0].mode}" in rules
    ((turns, *how),) = bench.runs
    assert how == [3, 0.5] and [turn.contestant for turn in turns[:2]] == [peer, switch]
    assert all((turn.number, turn.other) == turn.key[1:] for turn in turns)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"huge_bytes": (1 << 20) - 1}, "too few huge pages are free"), ({"huge_bytes": 1 << 20}, ""),
        ({"drops": 0.011}, "drops 1% of the frames"), ({"drops": 0.01}, ""),
    ],
)  # fmt: skip
def test_l3fwd_is_compared_only_where_frames_go_through(
    l3fwd: Any, bench: Bench, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], told: str
) -> None:
    start = bench.start

    def changed(*what: Any) -> Started:
        made = start(*what)
        vars(made).update(change)
        return made

    monkeypatch.setattr(l3fwd, "Switch", changed)
    if not told:
        assert l3fwd.contest(l3fwd.CONTESTS[0], "l3fwd", 1, 0.5)
    else:
        with pytest.raises(BenchError, match=told):
            l3fwd.contest(l3fwd.CONTESTS[0], "l3fwd", 1, 0.5)
    assert bench.all_closed()


def test_rules_and_frames_are_those_of_the_mode(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    l3fwd = bench.into(script("l3fwd"), monkeypatch)
    orders: list[Any] = []
    made = SimpleNamespace(packets=tmp_path / "p.pcap", entries=tmp_path / "entries")
    made.entries.write_text("table_add routes via 0x0a000000/8 => 3\n")
    monkeypatch.setattr(l3fwd.generation, "make", lambda request, hlir, order: orders.append(order) or made)
    rewritten: list[Path] = []
    monkeypatch.setattr(l3fwd, "rewrite", rewritten.append)
    for chosen in (replace(one, entries=100) for one in l3fwd.CONTESTS):
        assert l3fwd.traffic(chosen, tmp_path) is made
        lines = (tmp_path / "rules").read_text().splitlines()
        assert len(lines) == (chosen.entries if chosen.mode == "em" else 1)
        assert (tmp_path / "rules6").read_text() == l3fwd.RULES_V6[chosen.mode]
    assert rewritten == [made.packets] * sum(chosen.mode == "em" for chosen in l3fwd.CONTESTS)
    assert {(one.hit, one.size, one.ports, one.port, one.seed) for one in orders} == {(1.0, str(l3fwd.SIZE), 2, 0, 1)}


def test_testpmd_has_the_devices_of_the_empty_program(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    testpmd = bench.into(script("testpmd"), monkeypatch)
    turn = testpmd.Turn
    monkeypatch.setattr(testpmd, "frames", lambda folder: Path("/p.pcap"))
    monkeypatch.setattr(testpmd.feeds, "feed", lambda *what: what)
    monkeypatch.setattr(testpmd, "Beside", bench.start)
    floors: list[Any] = []

    def turns(feed: Any, bursts: list[int], folder: Path, closing: Any) -> list[Any]:
        floors.append((feed[:2], bursts))
        return [turn((what, 32, 32), Started()) for what in ("empty", "loop")]

    monkeypatch.setattr(testpmd.session, "floors", turns)
    found = testpmd.samples("pcap", "my testpmd", 3, 0.5)
    assert list(found) == [(what, 0, 0) for what in ("empty", "loop", *testpmd.MODES)] and bench.all_closed()
    assert floors == [(("dpdk", "pcap"), [testpmd.BURST])]
    assert [one.what[0].command.split("=")[-1] for one in bench.started] == list(testpmd.MODES)
    assert all(one.what[0].command.startswith("my testpmd {eal2} -- ") for one in bench.started)
