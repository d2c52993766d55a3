"""What bench/series.py, adapt.py, production_loop.py, decisions.py, commands.py, idle.py and totals.py start, in which turns, and
what they tell of it. Switches and their times are those of tests/bench_scripts.py."""

from __future__ import annotations

import contextlib
import json
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Bench, Clock, Started, of, sample, script
from click.testing import CliRunner

from macsad.bench.rounds import Turn

ORDER = {"hit": 1.0, "ports": 2, "port": 0, "seed": 1}


@pytest.fixture
def bench() -> Bench:
    return Bench()


# --- series.py -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def series(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    module = bench.into(script("series"), monkeypatch)
    monkeypatch.setattr(module, "FIGURES", tmp_path / "figures")
    monkeypatch.setattr(module, "PLOTS", tmp_path / "plots")
    monkeypatch.setattr(module.report, "data", lambda result: result.name)
    return module


def written(series: Any, name: str) -> Any:
    return json.loads((series.FIGURES / f"{name}.json").read_text())


class Result(SimpleNamespace):
    def gain_of(self, name: str) -> float:
        return len(name) / 4


def test_apps_and_optimisations_are_kept_and_drawn(series: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    drawn: list[Any] = []

    def measured(app: str, points: Any, quick: bool, **other: Any) -> Result:
        asked.append((app, points, quick, other))
        return Result(name=app)

    monkeypatch.setattr(series, "measured", measured)
    monkeypatch.setattr(series.plots, "points", lambda result, path: drawn.append((result.name, path.name)))
    monkeypatch.setattr(
        series.plots, "gains", lambda results, path: drawn.append(([r.name for r in results], path.name))
    )
    series.apps(True)
    names = [app for app, *_ in asked]
    assert names == list(series.suites.apps()) and all(written(series, name) == [name] for name in names)
    assert drawn == [(name, f"{name}.svg") for name in names] and {points for _, points, *_ in asked} == {
        series.COMPARED
    }
    asked.clear()
    series.apps(False)
    assert {points for _, points, *_ in asked} == {series.GRID}
    assert (8, 8) in series.GRID and (8, 32) not in series.GRID and len(series.GRID) == 21
    asked.clear()
    for quick in (True, False):
        series.optimisations(quick)
    assert drawn[-1] == (list(series.OPTIMISED), "optimisations.svg") and written(series, "optimisations")
    assert {(points, quick) for _, points, quick, _ in asked} == {(((256, 64),), True), (((256, 64),), False)}
    few, every = asked[0][3].pop("without"), asked[-1][3].pop("without")
    assert asked[0][3] == series.OPTIMISED["l2fwd"] and few == ("prefetch", "all")
    assert set(series.NAMES) < set(every) and every[-1] == "all"


def setup_of(bench: Bench, wanted: list[Any]) -> Any:
    def setup(one: Any, folder: Path, closing: Any) -> Any:
        assert folder.is_dir()
        wanted.append(one)
        tables = [SimpleNamespace(name="other"), SimpleNamespace(name="V6Ingress.routes", entries=5000,
                                                                 memory_bytes=1000 * len(wanted))]  # fmt: skip
        return SimpleNamespace(turns=lambda: [bench_turn(one.points[0])], tables=tables)

    return setup


def bench_turn(point: Any) -> Turn[Any]:
    return Turn(("program", *point), Started(), "", *point)


def test_kernels_are_compared_on_the_same_frames(
    series: Any, bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted: list[Any] = []
    monkeypatch.setattr(series.session, "Setup", setup_of(bench, wanted))
    bench.times = of({"compressed": 20, "plain": 50, "scanned": 10, "mapped": 30})
    series.kernels(True)
    assert written(series, "kernels") == {
        "app": "ipv6fwd", "gain": 2.5, "memory_bytes": {"compressed": 1000, "plain": 2000},
        "few": [{"entries": count, "gain": 3.0} for count in (2, 16, 1000)],
    }  # fmt: skip
    assert [one.request.kernels for one in wanted[:2]] == [(), ("V6Ingress.routes=lpm_trie_plain",)]
    usual = wanted[2].request.wanted
    assert all(one.request.wanted == usual.without(("few-entries",)) for one in wanted[3::2]) and len(wanted) == 8
    assert {(one.points, one.rounds, one.seconds, one.workers) for one in wanted} == {(((256, 64),), 1, 0.01, 1)}
    orders = [one.order(Path("x")) for one in wanted]
    assert (orders[0].entries, orders[0].tables, orders[0].packets) == (1000, (), 1000)
    assert [one.tables for one in orders[2::2]] == [(f"acl4={n}", f"acl6={n}") for n in (2, 16, 1000)]
    assert {(one.entries, one.packets) for one in orders[2:]} == {(1000, 1000)}
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "ipv6fwd, 5,000 prefixes: 2.50 times as fast with compressed paths as without"
    assert told[3].startswith("router, access lists of 1,000 entries: 3.00 times as fast")
    wanted.clear()
    series.kernels(False)
    suite = series.suite_of(series.share("apps") / "ipv6fwd" / "ipv6fwd.p4")
    order, few = (wanted[at].order(Path("x")) for at in (0, 2))
    assert (order.entries, order.tables, order.packets) == (suite.entries, suite.tables, suite.packets)
    assert few.packets == 100_000 and (wanted[0].rounds, wanted[0].seconds) == (9, 0.1) == bench.runs[-1][1:]


def test_layouts_of_buffers_are_told_bare_and_in_programs(
    series: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Any] = []
    bare = SimpleNamespace(
        data=lambda: "bare", gain=lambda what: {"loop": 1.5, "empty": 1.25}[what], parts=lambda way: {"receive": 4.25}
    )

    def run(path: Path, order: Any, burst: int, rounds: int, seconds: float) -> Any:
        made = order(Path("x"))
        asked.append((path.stem, made.entries, made.packets, burst, rounds, seconds))
        return bare

    def measured(app: str, points: Any, quick: bool, **other: Any) -> Result:
        asked.append((app, points, other["entries"], other["packets"], other["rounds"], other["without"]))
        return Result(name=app)

    drawn: list[Any] = []
    monkeypatch.setattr(series.buffers, "run", run)
    monkeypatch.setattr(series, "measured", measured)
    monkeypatch.setattr(series.plots, "buffers", lambda *what: drawn.append(what))
    series.buffer_layouts(True)
    usual, without = series.suites.USUAL, ("self-described-buffers",)
    assert asked == [
        ("l2fwd", 1000, 1000, 32, 1, 0.01), ("l2fwd", ((32, 32),), usual.entries, usual.packets, 1, without),
    ]  # fmt: skip
    assert written(series, "buffers") == {"bare": "bare", "programs": ["l2fwd"]}
    ((parts, gains, path),) = drawn
    assert path == series.PLOTS / "buffers.svg"
    assert gains == {"loop": 1.5, "empty": 1.25, "l2fwd": 5.5} and set(parts) == set(series.buffers.WAYS)
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith(": receive 4.2 cycles a packet") and told[-1].endswith("loop 1.50, empty 1.25, l2fwd 5.50")
    asked.clear()
    series.buffer_layouts(False)
    assert asked[0][2:] == (usual.packets, 32, 15, 0.1) and [app for app, *_ in asked[1:]] == list(series.FORWARDERS)


def test_ports_are_told_kept_and_drawn(series: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(series.packet_io, "run", lambda *what: asked.append(what) or "rows")
    monkeypatch.setattr(series.packet_io_report, "screen", lambda rows: rows)
    monkeypatch.setattr(series.packet_io_report, "data", lambda rows: [rows])
    monkeypatch.setattr(series.plots, "packet_io", lambda *what: asked.append(what))
    series.ports(True), series.ports(False)
    drawn = ("rows", series.PLOTS / "io.svg")
    assert asked == [((64,), 1, 0.02), drawn, (series.SIZES, 5, 0.1), drawn] and written(series, "io") == ["rows"]


# --- adapt.py ------------------------------------------------------------------------------------------------------------


class Searching:
    """A client of a switch that searches until three seconds have gone by."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.said: list[Any] = []

    def wait(self, path: Path) -> Any:
        return self

    def bulk(self, lines: list[str], keep_going: bool) -> None:
        assert keep_going
        self.said.append(lines)

    def stats(self) -> Any:
        adapt = {"searching": self.clock.now < 3, "cost_ns": 5}
        return {"adapt": adapt, "burst": 128, "sub_batch": 64, "cpu_ns": 100}


@pytest.fixture
def adapt(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    module = bench.into(script("adapt"), monkeypatch)
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "Client", Searching(clock))

    def made(request: Any, hlir: Any, folder: Path, entries: int, hit: float) -> Any:
        folder.mkdir(exist_ok=True)
        (folder / "entries").write_text(f"{folder.name}\n{entries} {hit}\n")
        return SimpleNamespace(packets=f"/{folder.name}.pcap", entries=folder / "entries")

    monkeypatch.setattr(module, "_made", made)
    return module


def test_the_cost_of_adapting_is_that_of_the_pair_beside_the_usual_one(adapt: Any, bench: Bench) -> None:
    bench.times = lambda key: {(128, 64): 110, adapt.USUAL: 100}[key]
    found = adapt.beside_usual("l2fwd", 1000, 1, 7)
    assert found == (pytest.approx(0.1), 0.05, (128, 64)) and adapt.time.now >= 3, "when it has chosen"
    ((turns, *how),) = bench.runs
    assert [(turn.key, turn.number, turn.other) for turn in turns] == [
        ((128, 64), 128, 64), (adapt.USUAL, *adapt.USUAL),
    ]  # fmt: skip
    (switch,) = bench.started
    assert switch.what[1] == ["--port", "0=mem:/made.pcap,loop", "--port", "1=null:", "--adapt"]
    assert how == [7, adapt.SECONDS] and switch.resumed == switch.closed == 1


def test_changes_come_one_after_the_other(
    adapt: Any, bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Few entries, many, frames that all miss, and that all hit again; then a light load of these."""
    done: list[Any] = adapt.Client.said
    row = adapt.Row("x", "y", 0.5, 0.5, (64, 64), (64, 64), 1, 1, 0)
    monkeypatch.setattr(adapt.Live, "compare", lambda _, app, what, rounds: done.append((what, rounds)) or row)
    monkeypatch.setattr(adapt.Live, "stable", lambda _, rounds, seconds: done.append((rounds, seconds)) or (0.1, 0.2))
    monkeypatch.setattr(adapt.Live, "light", lambda _, packets, control: done.append(packets) or "light")
    monkeypatch.setattr(adapt.Live, "feed", lambda _, name: done.append(name))
    monkeypatch.setattr(adapt, "Control", lambda path: contextlib.nullcontext(path))
    assert adapt.run("l2fwd", 5000, 5, 2.5) == ([row] * 4, (0.1, 0.2), "light")
    few = f"{adapt.FEW} entries"
    assert done == [
        (few, 5), ["hit", "5000 1.0"], "mem:/hit.pcap,loop", ("5,000 entries", 5), (3, 2.5), "mem:/miss.pcap,loop",
        ("all miss", 5), "mem:/hit.pcap,loop", ("all hit again", 5), "/hit.pcap",
    ]  # fmt: skip
    (switch,) = bench.started
    assert switch.what[1] == ["--port", "0=mem:/few.pcap,loop", "--port", "1=null:", "--batch", "16", "--adapt"]
    assert switch.what[2].parent.name == "few"
    done.clear()
    adapt.run("l2fwd", 5000, 1, 2.5)
    assert done[4] == (1, 2.5) and len(capsys.readouterr().out.splitlines()) == 8


# --- production_loop.py --------------------------------------------------------------------------------------------------


@pytest.fixture
def loop(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Any:
    return bench.into(script("production_loop"), monkeypatch)


def test_a_loop_is_compared_where_it_sends_the_same_frames(
    loop: Any, bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    orders: list[Any] = []
    made = SimpleNamespace(packets=Path("/p.pcap"), entries=Path("/entries"))
    looked = (SimpleNamespace(number=0, each=1.0), SimpleNamespace(number=3, each=0.5))
    sends = {"program": b"frames", "loop": b"frames"}
    monkeypatch.setattr(loop, "build", lambda name, request, folder: {what: Path(what) for what in sends})
    monkeypatch.setattr(loop.generation, "make", lambda request, hlir, order: orders.append(order) or made)
    monkeypatch.setattr(loop, "sent", lambda binary, of, folder: sends[binary.name])
    monkeypatch.setattr(loop, "alone", lambda request, of, folder, closing: (Started(), looked))
    bench.times = of({"program": 50, "loop": 40, ("lookup", 0): 10, ("lookup", 3): 5})
    told = loop.figures("dash", "request", tmp_path, True)
    assert told == (
        "dash 100 cycles a packet, the bare loop 80, its lookups alone 25: the loop is 1.25 times as fast; same frames sent"
    )
    ((turns, *how),) = bench.runs
    assert [turn.key for turn in turns] == [("program", 0), ("loop", 0), ("lookup", 0), ("lookup", 3)]
    assert [(turn.what, turn.number, turn.other) for turn in turns] == [
        ("", 64, 64), ("", 64, 64), ("lookup", 0, 0), ("lookup", 3, 0),
    ]  # fmt: skip
    assert how == [3, 0.02] and bench.all_closed()
    assert bench.started[0].what[1:3] == (["--port", "0=mem:/p.pcap,loop", "--port", "1=null:"], Path("/entries"))
    (order,) = orders
    assert (order.entries, order.packets, order.size) == (1000, 10_000, "64")
    assert {name: getattr(order, name) for name in ORDER} == ORDER
    sends["loop"] = b"others"
    with pytest.raises(loop.click.ClickException, match="the loop sends other frames than dash"):
        loop.figures("dash", "request", tmp_path, True)


def test_frames_that_are_sent_are_those_of_both_ports(
    loop: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packets = tmp_path / "p.pcap"
    packets.write_bytes(bytes(range(24)) + b"frames")
    asked: list[Any] = []

    def run(words: list[str], check: bool, capture_output: bool, cwd: Path) -> None:
        assert check and cwd == tmp_path
        asked.append(words)
        for port in (0, 1):
            (tmp_path / f"sent-{port}.pcap").write_bytes(b"of %d" % port)

    monkeypatch.setattr(loop, "run", run)
    made = SimpleNamespace(packets=packets, entries=tmp_path / "entries")
    assert loop.sent(Path("/b"), made, tmp_path) == (b"of 0", b"of 1")
    ((binary, *words),) = asked
    assert binary == "/b" and words[-1] == "--until-end" and f"0=pcap:{packets},{tmp_path}/sent-0.pcap" in words
    assert f"1=pcap:{tmp_path}/nothing.pcap,{tmp_path}/sent-1.pcap" in words
    assert (tmp_path / "nothing.pcap").read_bytes() == bytes(range(24)), "a file without a frame"


def test_each_production_loop_has_a_line_and_a_folder(
    loop: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Any] = []

    def figures(name: str, request: Any, folder: Path, quick: bool) -> str:
        assert folder.is_dir()
        asked.append((name, request.path, folder, quick))
        return f"{name} told"

    monkeypatch.setattr(loop, "figures", figures)
    done = CliRunner().invoke(loop.main, [str(tmp_path), "dash", "--quick", "--keep", str(tmp_path / "kept")])
    path = tmp_path / "testdata/p4_16_samples" / loop.PROGRAMS["dash"].path
    assert done.output == "dash told\n" and asked == [("dash", path, tmp_path / "kept" / "dash", True)]
    CliRunner().invoke(loop.main, [str(tmp_path)])
    assert [name for name, *_ in asked[1:]] == list(loop.PROGRAMS) and not asked[-1][2].exists()


# --- decisions.py --------------------------------------------------------------------------------------------------------


class Deciding(Started):
    """Finds three of four decisions."""

    there = True

    def measure(self, *what: Any) -> Any:
        self.asked = [*getattr(self, "asked", []), what]
        return sample(20 if self.what[0].parent.name == "without" else 16)

    def stats(self) -> Any:
        return {"decisions": {"found": 3, "made": 1}} if self.there else {}


@pytest.fixture
def decisions(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = bench.into(script("decisions"), monkeypatch)
    monkeypatch.setattr(module, "Switch", lambda *what: bench.started.append(Deciding(*what)) or bench.started[-1])
    return module


def test_switches_with_and_without_decisions_take_turns(
    decisions: Any, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    binaries = [Path("without/x"), Path("with/x")]
    samples, found = decisions.measure(binaries, Path("/s.pcap"), Path("/entries"), 3, 0.5)
    assert [[one.ns for one in own] for own in samples] == [[20] * 3, [16] * 3] and found == 0.75
    assert all(one.asked == [("", 64, 64, 0.5)] * 3 for one in bench.started) and bench.all_closed()
    assert bench.started[0].what[1:3] == (["--port", "0=mem:/s.pcap,loop", "--port", "1=null:"], Path("/entries"))
    assert not any(one.what[3].exists() for one in bench.started)
    monkeypatch.setattr(Deciding, "there", False)
    assert decisions.measure(binaries, Path("/s.pcap"), Path("/entries"), 1, 0.5)[1] == 0


def test_a_row_of_each_law_and_number_of_flows(decisions: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where there are only 700 flows, they are measured once."""
    program = tmp_path / "p.p4"
    program.write_text("")
    asked: list[Any] = []

    def flows_of(request: Any, folder: Path, few: int, most: int) -> Any:
        asked.append((few, most))
        return SimpleNamespace(entries="entries"), b"head", [b"%d" % number for number in range(700)]

    monkeypatch.setattr(decisions, "build", lambda path, folder: [path, path])
    monkeypatch.setattr(decisions, "flows_of", flows_of)
    monkeypatch.setattr(
        decisions, "sequence", lambda flows, law, count: [b" %d %s %d" % (len(flows), b"%.1f" % law, count)]
    )

    def measure(binaries: Any, sent: Path, entries: str, rounds: int, seconds: float) -> Any:
        asked.append((sent.read_bytes(), rounds, seconds))
        return ([sample(600)], [sample(400)]), 0.75

    monkeypatch.setattr(decisions, "measure", measure)
    done = CliRunner().invoke(decisions.main, [str(program), "--quick"])
    rows = [line.split() for line in done.output.splitlines()]
    told = ["1,200", "800", "1.50", "×", "75%"]
    assert rows[1:] == [["p", "700", *law.split(), *told] for law in ("uniform", "Zipf 1.0", "Zipf 1.2")]
    assert asked == [(1000, 1000), *((b"head 700 %s 5000" % law, 1, 0.01) for law in (b"0.0", b"1.0", b"1.2"))]
    asked.clear()
    monkeypatch.setattr(decisions, "flows_of", lambda *what: asked.append(what[2:]) or (
        SimpleNamespace(entries=""), b"", [b""] * 50_000))  # fmt: skip
    CliRunner().invoke(decisions.main, [str(program)])
    assert asked[0] == (10_000, 1_000_000)
    assert [sent.split()[0] for sent, *_ in asked[1:]] == [b"10000"] * 3 + [b"50000"] * 3
    assert asked[1][0].split()[2] == b"500000" and asked[1][1:] == (5, 0.1)


def test_a_program_is_built_with_a_cache_of_decisions_and_without(decisions: Any, bench: Bench, tmp_path: Path) -> None:
    assert decisions.build(Path("x.p4"), tmp_path) == [tmp_path / "without" / "x", tmp_path / "with" / "x"]
    (without, first), (cached, second) = bench.built
    assert (first, second) == ("without", "with") and cached.wanted == decisions.ALL
    assert without.wanted == decisions.ALL.without(["decision-cache"])


# --- commands.py ---------------------------------------------------------------------------------------------------------


def test_commands_take_the_time_of_the_switch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each command takes it a quarter of a second; the second row fails."""
    commands = script("commands")
    said: list[Any] = []

    class Process:
        pid = 7

        def __init__(self, words: list[str], **_: Any) -> None:
            said.append(words)

        def terminate(self) -> None:
            said.append("terminate")

        def wait(self, seconds: float) -> None:
            said.append("wait")

    taken = [0.0]

    def bulk(lines: list[str], keep_going: bool) -> Any:
        assert keep_going
        said.append(lines)
        taken[0] += len(lines) / 4
        return SimpleNamespace(failed=lines[0] == "b 0", text="no such b\nand more")

    monkeypatch.setattr(commands, "subprocess", SimpleNamespace(Popen=Process, DEVNULL=-1))
    monkeypatch.setattr(commands, "cpu_seconds", lambda thread: taken[0] if thread == 7 else 0)
    client = SimpleNamespace(wait=lambda path, timeout: contextlib.nullcontext(SimpleNamespace(bulk=bulk)))
    monkeypatch.setattr(commands, "Client", client)
    rows = [commands.Row("a", commands.repeated("a {i}")), commands.Row("b", commands.repeated("b {i}"), 2)]
    found = commands.measure(Path("/switch"), 3, tmp_path, rows)
    assert found == [commands.Measured(0.75, ""), commands.Measured(0.5, "no such b")]
    assert said == [["/switch", "--port=0=ctl:", f"--socket={tmp_path}/socket"], ["a 0", "a 1", "a 2"], ["b 0", "b 1"],
                    "terminate", "wait"]  # fmt: skip


def test_rows_are_chosen_by_name_with_each_number_of_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = script("commands")
    asked: list[Any] = []
    ran: list[Any] = []
    monkeypatch.setattr(commands, "measure", lambda switch, n, folder, rows: asked.append((switch, n, rows)) or n)
    monkeypatch.setattr(commands, "report", lambda n, rows, columns: asked.append((n, rows, columns)))
    monkeypatch.setattr(commands, "subprocess", SimpleNamespace(run=lambda words, check: ran.append(words)))
    for words, n, of_all in (([], 1000, True), (["9"], 9, True), (["9", "/s", "pvs_"], 9, False)):
        asked.clear()
        monkeypatch.setattr(commands.sys, "argv", ["commands.py", *words])
        commands.main()
        *steps, (told, rows, columns) = asked
        assert told == n and columns == [n * step for step in commands.STEPS] == [step for _, step, _ in steps]
        assert len(rows) == (len(commands.all_rows()) if of_all else 3)
        assert steps[0][0] == (Path(ran[-1][-1]) / "commands" if of_all else Path("/s"))
    assert len(ran) == 2 and ran[0][-3].endswith("bench/commands.p4")


# --- idle.py -------------------------------------------------------------------------------------------------------------


def test_each_switch_has_two_interfaces(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = script("idle")
    ran: list[str] = []
    written: list[str] = []
    monkeypatch.setattr(idle.subprocess, "run", lambda words, check: ran.append(" ".join(words[2:])))
    monkeypatch.setattr(idle.Path, "write_text", lambda path, text: written.append(f"{path} {text}"))
    idle.interfaces(2)
    assert ran[:4] == ["set lo up", "add s0a type veth peer name h0a", "set s0a up", "set h0a up"]
    assert len(ran) == 1 + 2 * 2 * 3 and ran[-2:] == ["set s1b up", "set h1b up"]
    assert written[0] == "/proc/sys/net/ipv6/conf/s0a/disable_ipv6 1" and len(written) == 8


def test_usage_is_of_the_command_and_of_what_it_has_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command takes a tenth of a core, its two children together a quarter; of two switches alike."""
    idle = script("idle")
    clock = Clock()
    share = {0: 0.1, 1: 0.05, 2: 0.2}
    monkeypatch.setattr(idle, "time", clock)
    monkeypatch.setattr(idle, "switch", lambda command, program, n: contextlib.nullcontext(SimpleNamespace(pid=10 * n)))
    monkeypatch.setattr(idle, "wait_for", lambda leader, command, number: clock.sleep(0.5))
    monkeypatch.setattr(idle, "with_children", lambda process: [process, process + 1, process + 2])
    monkeypatch.setattr(idle, "usage_of", lambda one: idle.Usage(7 + clock.now * share[one % 10], 1024, 2048, 1024))
    idle.measure("simple_switch", Path("x.json"), 2, 20)
    told = [line.partition(";")[0] for line in capsys.readouterr().out.splitlines()]
    assert told == [
        "all answer after 1.0 s", "the command with its servers: 10.00% of a core",
        "what it has started: 25.00% of a core", "together: 35.00% of a core",
    ]  # fmt: skip


# --- totals.py -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("way", "traffic"), [("updates", "plain"), ("lock", "multicast")])
def test_a_way_to_keep_registers_is_built(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str, traffic: str
) -> None:
    totals = bench.into(script("totals"), monkeypatch)
    monkeypatch.setattr(totals.compilation, "toolchain", lambda wanted, machine: None)
    assert totals.build(way, traffic, tmp_path) == tmp_path / "totals"
    ((request, _),) = bench.built
    assert request.defines == (() if traffic == "plain" else ("MULTICAST",))
    assert request.wanted == totals.ALL.without(totals.WAYS[way])


def test_a_run_of_totals_has_a_group_of_three_copies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    totals = script("totals")
    done: list[Any] = []

    class Process(contextlib.AbstractContextManager["Process"]):
        def __init__(self, words: list[str], **_: Any) -> None:
            done.append(words)

        def __exit__(self, *_: object) -> None: ...

        def terminate(self) -> None:
            done.append("terminate")

    monkeypatch.setattr(totals, "subprocess", SimpleNamespace(Popen=Process, DEVNULL=-1))
    monkeypatch.setattr(totals, "Client", SimpleNamespace(wait=lambda path, seconds: contextlib.nullcontext("client")))
    monkeypatch.setattr(totals, "watch", lambda process, client, socket, frames: done.append(frames))
    monkeypatch.setattr(totals, "totals_of", lambda client, traffic: {client: 7, traffic: 8})
    assert totals.run(Path("/b"), ["--x"], 99, "plain", tmp_path) == {"client": 7, "plain": 8}
    command, frames, end = done
    assert (frames, end) == (99, "terminate") and command[-4:] == ["--x", *(f"--port={n}=null:{n}" for n in (1, 2, 3))]
    assert (tmp_path / "entries.txt").read_text().splitlines() == [
        "mc_mgrp_create 1", "mc_node_create 0 1 2 3", "mc_node_associate 1 0",
    ]  # fmt: skip


def test_frames_of_totals_are_a_pcap_file(tmp_path: Path) -> None:
    """Of Ethernet, in micro-seconds, each frame whole."""
    totals = script("totals")
    totals.write_frames(tmp_path / "x.pcap", 3)
    data = (tmp_path / "x.pcap").read_bytes()
    magic, major, minor, _, _, snap, link = struct.unpack_from("<IHHiIII", data)
    assert (magic, major, minor, link) == (0xA1B2C3D4, 2, 4, 1) and snap >= 64
    assert [struct.unpack_from("<II", data, 24 + n * 80 + 8) for n in range(3)] == [(64, 64)] * 3 and len(data) == 264
