"""What bench/commands.py, ending.py, idle.py, totals.py and series.py ask of switches and tell of them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Clock, script
from click.testing import CliRunner
from switch_harness import read_pcap

# --- commands.py ---------------------------------------------------------------------------------------------------------


def words_of(lines: list[str]) -> list[list[str]]:
    return [line.split() for line in lines]


def test_entries_of_each_kind_of_table_differ() -> None:
    commands = script("commands")
    for name, add in commands.TABLES:
        lines = words_of(list(add(3000)))
        assert (
            len({words[3] for words in lines}) == len({" ".join(words[3:]) for words in lines}) == 3000
            or "ternary" in name
        )
        assert all(words[:3] == ["table_add", name, "forward"] for words in lines)
        priorities = [words[words.index("=>") + 2 :] for words in lines]
        has = name in ("by_ternary", "by_range", "by_optional")
        assert priorities == [[str(i)] if has else [] for i in range(3000)]
    networks = [commands.ipaddress.IPv4Network(int(a)).supernet(new_prefix=int(n)) if n == "24" else None
                for a, n in (commands.prefix(i).split("/") for i in range(0, 100, 2))]  # fmt: skip
    assert len(set(networks)) == 50, "of two entries one is of 24 bits, which it is whole"
    hosts = [commands.prefix(i).split("/") for i in range(1, 100, 2)]
    assert all(int(a) >> 8 << 8 == int(commands.prefix(i - 1).split("/")[0]) and n == "32"
               for i, (a, n) in zip(range(1, 100, 2), hosts, strict=True))  # fmt: skip
    ranges = [words[3].split("->") for words in words_of(list(dict(commands.TABLES)["by_range"](70_000)))]
    assert all(0 <= int(low) <= int(high) < 1 << 16 for low, high in ranges)


def test_what_is_made_is_there_when_it_is_changed() -> None:
    """Each row's handles are those that rows before it have made."""
    commands = script("commands")
    rows = {row.name: list(row.lines(3)) for row in commands.all_rows()}
    assert rows["table_modify by_exact"] == [f"table_modify by_exact forward {n} 2" for n in range(3)]
    assert rows["mc_mgrp_create"] == [f"mc_mgrp_create {n}" for n in (1, 2, 3)] and rows["mc_dump"] == ["mc_dump"]
    assert rows["mc_node_associate, a group each"] == [f"mc_node_associate {n + 1} {n}" for n in range(3)]
    assert rows["mc_node_dissociate, a group each"] == [f"mc_node_dissociate {n + 1} {n}" for n in range(3)]
    assert rows["mc_mgrp_destroy"] == [f"mc_mgrp_destroy {n}" for n in (1, 2, 3)]
    assert rows["table_indirect_add by_group"] == [f"table_indirect_add by_group {n} => {n}" for n in range(3)]
    assert len(rows) == len(commands.all_rows()), "rows have names of their own"
    assert {row.limit for row in commands.all_rows()} == {1 << 30, commands.GROUPS, 32768, 4096}


@pytest.mark.parametrize(
    ("seconds", "limit", "marked"),
    [
        ((0.01, 0.1, 1.99), 1 << 30, False),
        ((0.01, 0.1, 2.01), 1 << 30, True),
        ((0.0, 0.0, 0.0099), 1 << 30, False),  # noise
        ((0.0, 0.0, 0.0101), 1 << 30, True),
        ((0.01, 0.1, 0.19), 10_000, False),  # ten times as many entries, not a hundred times
        ((0.01, 0.1, 0.21), 10_000, True),
        ((0.01, 0.01, 0.021), 500, True),
    ],
)
def test_what_takes_more_than_twice_as_long_as_linear_is_marked(
    capsys: pytest.CaptureFixture[str], seconds: tuple[float, ...], limit: int, marked: bool
) -> None:
    commands = script("commands")
    failures = ("", "no room", "no more room")
    row = commands.Row("table_add t", None, limit)
    steps = [[commands.Measured(each, failed)] for each, failed in zip(seconds, failures, strict=True)]
    commands.report(1000, [row], steps)
    head, told = capsys.readouterr().out.splitlines()
    assert head.split() == ["seconds", "for", "1,000", "10,000", "100,000"]
    assert ("<--" in told) == marked and told.endswith(" no room")
    assert [float(word) for word in told.split()[2:5]] == pytest.approx(seconds, abs=1e-4)


# --- ending.py -----------------------------------------------------------------------------------------------------------


def test_what_clients_ask_for_before_the_end(tmp_path: Path) -> None:
    ending = script("ending")
    assert ending.bulk(b"mc_dump", 2) == b"\1mc_dump\nmc_dump\n"
    assert (
        ending.ranges(2)
        == b"\1table_add by_range forward 0->999 0 => 1 0\ntable_add by_range forward 1->999 1 => 1 1\n"
    )
    lines = ending.entries(tmp_path, 3).read_text().splitlines()
    assert lines == [f"table_add by_exact forward {n} => 1" for n in range(3)]
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(64)
        for ask, count in (
            (ending.nothing, 0),
            (ending.dumps, 1),
            (ending.adds, 31),
            (ending.unread, 31),
            (ending.whole, 4),
        ):
            held = ask(path)
            assert len(held) == count
            for connection in held:
                accepted, _ = listener.accept()
                with accepted:
                    length, kind = int.from_bytes(accepted.recv(4), "big"), accepted.recv(4)[0]
                    bulk = ask is not ending.unread
                    assert length > 20_000 if bulk and ask is not ending.whole else length > 17
                    assert kind == (ending.Message.BULK if bulk else ending.Message.COMMAND)
                    assert (accepted.recv(1) == b"\1") == bulk
                connection.close()


@pytest.mark.parametrize(("status", "marked"), [(0, False), (3, True)])
def test_the_end_is_told_with_its_status(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, status: int, marked: bool
) -> None:
    """The one that is ended writes its number as soon as it can be."""
    ending = script("ending")
    file = tmp_path / "process"
    asked: list[Path] = []
    closed: list[str] = []

    def wait(path: Path, seconds: float) -> Any:
        while not file.exists() or not file.read_text().endswith("\n"):
            time.sleep(0.01)
        return SimpleNamespace(close=lambda: closed.append("client"))

    def ask(path: Path) -> list[Any]:
        asked.append(path)
        return [SimpleNamespace(close=lambda: closed.append("held"))]

    def until_end(path: Path) -> list[Any]:
        os.waitid(os.P_PID, int(file.read_text()), os.WEXITED | os.WNOWAIT)
        return []

    def shell(then: str) -> list[str]:
        file.unlink(missing_ok=True)
        return ["sh", "-c", then]

    monkeypatch.setattr(ending, "Client", SimpleNamespace(wait=wait))
    monkeypatch.setattr(ending, "SETTLE_S", 0.01)
    sleeps = f'sleep 60 & trap "kill $!; exit {status}" TERM; echo $$ > {file}; wait'
    told = ending.end(shell(sleeps), ask, tmp_path)
    assert told.split()[1:5] == ["s", "exit", "status", str(status)] and ("<--" in told) == marked
    assert asked == [tmp_path] and closed == ["client", "held"]
    ending.end(shell("exec sleep 60"), ask, tmp_path, ready=False)
    assert len(asked) == 1, "while it starts nobody can ask"
    with pytest.raises(ending.Ended):
        ending.end(shell(f"echo $$ > {file}"), until_end, tmp_path)


def test_who_prints_what_nobody_reads_waits(tmp_path: Path) -> None:
    """The pipe is full before it starts: its first byte waits until it is ended."""
    ending = script("ending")
    passed = tmp_path / "passed"
    command = ["sh", "-c", f"echo x; touch {passed}; exec sleep 60"]
    told = ending.end(command, ending.nothing, tmp_path, ready=False, pipes=True)
    assert f"exit status {-signal.SIGTERM}" in told and not passed.exists()


def test_each_state_of_a_switch_is_ended(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ending = script("ending")
    ended: list[tuple[Any, ...]] = []

    def end(command: list[str], ask: Any, path: Path, ready: bool, pipes: bool) -> str:
        laden = [Path(word.partition("=")[2]) for word in command if word.startswith("--entries=")]
        ended.append((ask, sum(len(file.read_text().splitlines()) for file in laden), ready, pipes))
        return command[0]

    monkeypatch.setattr(ending, "MILLION", 5)
    monkeypatch.setattr(ending, "end", end)
    monkeypatch.setattr(sys, "argv", ["ending.py", "/my/switch"])
    ending.main()
    plain = [("idle, empty", ending.nothing, 0, True, False), ("while it starts", ending.nothing, 0, False, False)]
    laden = [
        ("while it reads its entries", ending.nothing, 5, False, False),
        ("idle, a million entries", ending.nothing, 5, True, False),
        ("dumps by the thousand", ending.dumps, 5, True, False), ("31 clients that add ranges", ending.adds, 5, True, False),
        ("31 clients that do not read", ending.unread, 5, True, False), ("clears and resets", ending.whole, 5, True, False),
    ]  # fmt: skip
    full = [("nobody reads what it prints", ending.nothing, 0, False, True)]
    assert ended == [tuple(state) for _, *state in (*plain, *laden, *full)]
    assert capsys.readouterr().out.splitlines() == [f"{name:32} /my/switch" for name, *_ in (*plain, *laden, *full)]


# --- idle.py -------------------------------------------------------------------------------------------------------------


PARENT = """import subprocess, sys
kept = bytes(range(256)) * 40_000
child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
print(child.pid, flush=True)
sys.stdin.read()
child.kill()
child.wait()
"""


def test_what_a_process_takes_and_those_that_it_has_started() -> None:
    idle = script("idle")
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        child = int(process.stdout.readline())
        assert idle.with_children(process.pid) == [process.pid, child]
        usage, small = idle.usage_of(process.pid), idle.usage_of(child)
        process.stdin.close()
    assert usage.private >= 10_000 > small.private > 0 and usage.private <= usage.proportional <= usage.resident
    assert 0 <= usage.seconds < 60 and usage.seconds * idle.TICKS == pytest.approx(round(usage.seconds * idle.TICKS))
    assert idle.Usage(1, 2, 3, 4) + idle.Usage(10, 20, 30, 40) == idle.Usage(11, 22, 33, 44)


def test_time_is_of_user_and_kernel() -> None:
    idle = script("idle")
    before = idle.usage_of(os.getpid()).seconds
    told = os.times()
    assert before == pytest.approx(told.user + told.system, abs=0.1)


def test_usage_is_told_in_the_mean_of_the_switches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    idle = script("idle")
    monkeypatch.setattr(idle, "usage_of", lambda process: idle.Usage(10 + process, 1024, 2048, 3072))
    before = [(1, idle.Usage(10, 0, 0, 0)), (2, idle.Usage(11.5, 0, 0, 0))]
    idle.told("together", before, 2, 5)
    assert capsys.readouterr().out == "together: 15.00% of a core; MiB: 1.0 proportional, 2.0 resident, 3.0 its own\n"
    idle.told("nothing", [], 2, 5)
    assert not capsys.readouterr().out


def test_switches_are_started_as_mininet_does(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = script("idle")
    started: list[Any] = []

    class Process:
        def __init__(self, words: list[str], stdout: int) -> None:
            started.append(words)

        def __enter__(self) -> Process:
            return self

        def __exit__(self, *_: object) -> None: ...

        def send_signal(self, number: int) -> None:
            started.append(number)

    monkeypatch.setattr(idle.subprocess, "Popen", Process)
    usual = ["-i", "1@s3a", "-i", "2@s3b", "--thrift-port", "19093", "--device-id", "3", "x.json"]
    for command, more in (
        ("simple_switch", []),
        ("simple_switch_grpc", ["--", "--grpc-server-addr", "127.0.0.1:29562"]),
    ):
        with idle.switch(command, Path("x.json"), 3):
            assert started.pop() == [command, *usual, *more]
        assert started.pop() == signal.SIGTERM


def test_a_switch_is_waited_for_until_it_takes_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = script("idle")
    monkeypatch.setattr(idle, "time", Clock())
    tried: list[Any] = []

    def connect(address: Any) -> Any:
        tried.append(address)
        if len(tried) < 3:
            raise ConnectionRefusedError
        return socket.socket()

    monkeypatch.setattr(idle.socket, "create_connection", connect)
    alive = SimpleNamespace(poll=lambda: None)
    idle.wait_for(alive, "simple_switch", 2)
    assert tried == [("127.0.0.1", idle.FIRST_THRIFT + 2)] * 3
    with pytest.raises(SystemExit, match="simple_switch has ended with 7"):
        idle.wait_for(SimpleNamespace(poll=lambda: 7, returncode=7), "simple_switch", 2)


# --- totals.py -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("driver", "frames", "coming", "held", "options"),
    [
        ("pcap", 45, 60, 3, ",,loops=1"),
        ("pcap", 101, 160, 4, ",,loops=2"),
        ("mem", 60, 60, 3, ""),
        ("mem", 101, 120, 6, ""),
    ],
)
def test_frames_come_by_all_ports(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, driver: str, frames: int, coming: int, held: int, options: str
) -> None:
    """A pcap file of more frames than a file should have is read again; those from memory are made."""
    totals = script("totals")
    monkeypatch.setattr(totals, "LARGEST", 4)
    named, count = totals.ports(tmp_path, frames, driver)
    assert count == coming
    assert named == [f"--port={100 + n}={driver}:{tmp_path / f'{n}.pcap'}{options}" for n in range(totals.PORTS)]
    made = read_pcap(tmp_path / "7.pcap")
    assert len(made) == held == len(set(made)) and all(len(frame) == 64 for frame in made)


class Registers:
    """A switch whose registers have counted what `counted` says, in two cells."""

    def __init__(self, counted: Callable[[str], int], no_buffer: int = 0) -> None:
        self.counted, self.no_buffer = counted, no_buffer

    def bulk(self, lines: list[str], answers: bool) -> Any:
        assert answers
        (line,) = lines
        total = self.counted(line.rpartition(".")[2])
        return SimpleNamespace(text=f"{line}= {total - 1:#x}, 1", failed=0)

    def stats(self) -> Any:
        return {"drops": {"no-buffer": self.no_buffer}}


@pytest.mark.parametrize(("traffic", "into", "out"), [("plain", 1, 1), ("multicast", 1, 3), ("recirculate", 2, 2)])
def test_totals_are_told_as_frames(traffic: str, into: int, out: int) -> None:
    totals = script("totals")

    def counted(name: str) -> int:
        return {"wide": 100 * into * totals.WIDE, "leaving": 100 * out - 6}.get(name, 100 * into)

    found = totals.totals_of(Registers(counted, 6), traffic)
    assert found == dict.fromkeys((*totals.COUNTED, "wide", "leaving"), 100)
    less = totals.totals_of(Registers(lambda name: counted(name) - (name == "row1"), 5), traffic)
    assert less["row1"] == (99 if into == 1 else -199) and less["leaving"] == (99 if out == 1 else 1 - 100 * out)


def test_a_switch_is_through_when_all_that_came_has_left() -> None:
    through = script("totals").is_through

    def client(received: int, copies: int, sent: int, dropped: int) -> Any:
        stats = {"received": received, "copies": copies, "sent": sent, "dropped": dropped}
        return SimpleNamespace(stats=lambda: stats)

    assert through(client(10, 20, 25, 5), 10) and through(client(11, 20, 26, 5), 10)
    assert not through(client(9, 20, 24, 5), 10) and not through(client(10, 20, 24, 5), 10)


def test_what_is_refused_meanwhile_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    totals = script("totals")
    done, refused = threading.Event(), list[str]()
    asked: list[list[str]] = []

    class Asked:
        def __init__(self, path: Path) -> None: ...

        def __enter__(self) -> Asked:
            return self

        def __exit__(self, *_: object) -> None: ...

        def bulk(self, lines: list[str], answers: bool) -> Any:
            asked.append(lines)
            if len(asked) == 3:
                done.set()
            return SimpleNamespace(failed=len(asked) == 2, text="first\nlast")

        def stats(self) -> Any:
            return {"received": 5 * done.is_set(), "copies": 0, "sent": 5 * done.is_set(), "dropped": 0}

    monkeypatch.setattr(totals, "Client", Asked)
    totals.meddle(Path("s"), done, refused)
    assert refused == ["last"] and len(asked) == 3
    assert "register_reset TotalsIngress.cleared" in asked[0] and "register_read TotalsIngress.wide 3" in asked[0]
    asked.clear()
    done.clear()
    with pytest.raises(totals.click.ClickException, match="last"):
        totals.watch(SimpleNamespace(poll=lambda: None), Asked(Path("s")), Path("s"), 5)
    monkeypatch.setattr(totals, "meddle", lambda *_: None)
    done.clear()
    with pytest.raises(totals.click.ClickException, match="the switch has ended with 4"):
        totals.watch(SimpleNamespace(poll=lambda: 4, returncode=4), Asked(Path("s")), Path("s"), 5)


def test_any_register_that_has_lost_frames_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    totals = script("totals")
    ran: list[tuple[str, str, str]] = []

    def run(binary: Path, options: list[str], frames: int, traffic: str, folder: Path) -> dict[str, int]:
        ran.append((str(binary), traffic, options[-1]))
        return {"row0": frames, "wide": frames - (lost and traffic == "multicast")}

    monkeypatch.setattr(totals, "build", lambda way, traffic, folder: way)
    monkeypatch.setattr(totals, "run", run)
    lost = 0
    words = ["--frames", "40", "--workers", "1", "--workers", "2", "--way", "lock", "--way", "singly"]
    done = CliRunner().invoke(totals.main, words)
    lines = done.output.splitlines()
    assert done.exit_code == 0 and all(line.endswith("workers: 40 of 40 in each register") for line in lines)
    ways = [
        (way, traffic, f"--workers={n}") for traffic in totals.TRAFFIC for way in ("lock", "singly") for n in (1, 2)
    ]
    assert ran == ways
    lost = 1
    done = CliRunner().invoke(totals.main, words)
    wrong = [line for line in done.output.splitlines() if "WRONG" in line]
    assert done.exit_code == 1 and len(wrong) == 4
    assert wrong[0] == "lock      multicast    1 workers: WRONG, of 40: {'wide': 39}"


# --- series.py -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def series(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    module = script("series")
    monkeypatch.setattr(module, "FIGURES", tmp_path / "figures")
    monkeypatch.setattr(module, "PLOTS", tmp_path / "plots")
    return module


def test_series_are_run_in_turn(
    series: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[tuple[str, bool]] = []

    def failing(quick: bool) -> None:
        raise series.BenchError("no DPDK")

    monkeypatch.setattr(
        series, "SERIES", {name: lambda quick, name=name: ran.append((name, quick)) for name in ("a", "b")}
    )
    assert series.main(["--quick", "b"]) == 0 and series.main([]) == 0
    assert ran == [("b", True), ("a", False), ("b", False)] and series.PLOTS.is_dir()
    assert "minutes; figures in" in capsys.readouterr().out
    series.SERIES["a"] = failing
    assert series.main(["b", "a"]) == 1 and capsys.readouterr().err == "error: no DPDK\n"
    assert series.main(["c", "b", "d"]) == 2 and "unknown: c, d; there are a, b" in capsys.readouterr().err


def test_an_app_is_measured_with_its_suite_changed(series: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[Any] = []
    monkeypatch.setattr(series.session, "run", lambda one: wanted.append(one))
    monkeypatch.setattr(series.report, "screen", lambda result: "")
    usual = series.suite_of(series.share("apps") / "router" / "router.p4")
    for quick, other in ((False, {}), (False, {"entries": 7}), (True, {}), (True, {"entries": 7})):
        series.measured("router", ((1, 1),), quick, 2, ("prefetch",), **other)
    orders = [one.order(Path("x")) for one in wanted]
    assert [one.entries for one in orders] == [usual.entries, 7, min(usual.entries, 1000), 7]
    assert [one.tables for one in orders] == [usual.tables, usual.tables, (), ()]
    assert [one.packets for one in orders] == [usual.packets, usual.packets, 1000, 1000]
    assert all((one.lengths, one.hit, one.ports) == (usual.lengths, 1, 2) for one in orders)
    assert [(one.rounds, one.seconds) for one in wanted] == [(7, 0.1), (7, 0.1), (1, 0.01), (1, 0.01)]
    assert all((one.points, one.workers, one.without) == (((1, 1),), 2, ("prefetch",)) for one in wanted)


def test_changes_of_entries_are_rows(
    series: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[list[str]] = []
    status = 0

    def run(words: list[str], **_: Any) -> Any:
        ran.append(words)
        return SimpleNamespace(returncode=status, stdout="exact_packed 1000 10 20 30\n", stderr="no memory\n")

    monkeypatch.setattr(series, "program", lambda name, folder: name)
    monkeypatch.setattr(series.subprocess, "run", run)
    series.changes(False)
    row = {"kernel": "exact_packed", "entries": 1000, "add": 10, "modify": 20, "remove": 30}
    assert series.json.loads((series.FIGURES / "changes.json").read_text()) == [row]
    assert capsys.readouterr().out == "exact_packed, 1,000 entries: add 10 ns, modify 20 ns, remove 30 ns\n"
    series.changes(True)
    assert ran == [["changes", "1"], ["changes", "100"]]
    status = 1
    with pytest.raises(series.BenchError, match="changes: no memory"):
        series.changes(True)


def test_lines_over_a_value_have_a_point_each(series: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result is its value here: millions of packets a second are the value times B, and one more without a program."""
    drawn: list[Any] = []
    monkeypatch.setattr(series.report, "data", lambda result: result.value)
    monkeypatch.setattr(series.report, "mpps", lambda result, figure: figure)
    monkeypatch.setattr(series.plots, "lines", lambda *what: drawn.append(what))

    def run(value: int) -> Any:
        return SimpleNamespace(value=value, at=lambda point: value * point[0], floor=lambda what: (0, value + 1))

    series.over("frames", "bytes", (64, 128), run, False)
    ((lines, app, label, logarithmic, path),) = drawn
    points = {f"B = {b}, b = {s}": [(64, 64 * b), (128, 128 * b)] for b, s in series.COMPARED}
    assert lines == points | {"empty program": [(64, 65), (128, 129)]}
    assert (app, label, logarithmic, path) == ("l2fwd", "bytes", False, series.PLOTS / "frames.svg")
    assert series.json.loads((series.FIGURES / "frames.json").read_text()) == [64, 128]


def test_values_of_each_series(series: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(series, "measured", lambda *what, **other: asked.append((what, other)))
    monkeypatch.setattr(series, "over", lambda name, label, values, run, scale: [run(value) for value in values])
    monkeypatch.setattr(series, "worker_cpus", lambda n: range(min(n, 4)))
    series.tables(True), series.frames(True), series.cores(True)
    compared = ("l2fwd", series.COMPARED, True)
    many = {"entries": 1_000_000, "packets": 1_000_000}
    assert asked == [
        (compared, {"entries": 256}), (compared, {"entries": 4096}), (compared, {**many, "size": "64"}),
        (compared, {**many, "size": "128"}), *(((*compared, n), many) for n in (1, 2, 4)),
    ]  # fmt: skip
    asked.clear()
    series.tables(False), series.frames(False)
    assert [other["entries"] for _, other in asked[: len(series.ENTRIES)]] == list(series.ENTRIES)
    assert [int(other["size"]) for _, other in asked[len(series.ENTRIES) :]] == list(series.SIZES)
