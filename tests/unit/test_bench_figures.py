"""The logic of `macsad bench`: samples, medians, ratios, limits, tables. Nothing here depends on how fast anything is."""

from __future__ import annotations

import io
import json
import runpy
import signal
import struct
import time
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from rich.console import Console

from macsad.bench import beside, predicted, report, suites
from macsad.bench.beside import Beside, Peer, _Times as Times, words
from macsad.bench.contestants import BenchError, Process, worker_cpus
from macsad.bench.feeds import feed, named
from macsad.bench.lookups import Looked
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Sample, SampleError, between, figure, from_line, ratio
from macsad.bench.session import Result, Table
from macsad.bench.state import Reads, State
from macsad.bench.suites import Suite
from macsad.cli import call
from macsad.resources import share


def sample(ns: int) -> Sample:
    """1,000 operations of so many ns each, at 2 cycles a nanosecond, on a CPU that had other things to do as well."""
    return Sample(1000, ns * 1000, ns * 3000, ns * 6000)


def test_a_sample_is_cpu_time_an_operation() -> None:
    assert sample(20).ns == 20
    assert sample(20).cycles_each == 40


def test_lines_of_the_measuring_programs() -> None:
    assert from_line("1000 20000 60000 120000\n") == sample(20)
    for wrong in ("", "1 2 3", "1 2 3 x", "1 2 3 -4", "1 2 3 4 5"):
        with pytest.raises(SampleError):
            from_line(wrong)


def test_of_a_peer_the_time_of_its_busiest_thread_counts() -> None:
    """What others of its threads take is no packet's."""
    before = Times(0, 1000, {"1": 400, "2": 600})
    after = Times(0, 2000, {"1": 500, "2": 1400, "3": 100})
    assert after.busiest_since(before) == 800
    later = Times(0, 2050, after.threads)
    assert later.busiest_since(before) == 850, "its own time is exact, that of its threads is older"


def test_statistics_of_a_switch_make_a_sample() -> None:
    before = {"received": 5000, "cpu_ns": 10**9, "cycles": 7, "seconds": 1.5}
    after = {"received": 6000, "cpu_ns": 10**9 + 20_000, "cycles": 120_007, "seconds": 1.50006}
    assert between(before, after) == sample(20)
    with pytest.raises(SampleError, match="nothing was done"):
        between(before, before)
    with pytest.raises(SampleError, match="'cpu_ns'"):
        between({"received": 1}, {"received": 2})


def test_figures_are_medians_with_quartiles() -> None:
    found = figure([sample(ns) for ns in (30, 10, 20, 1000, 40)])
    assert (found.ns, found.low, found.high, found.rounds) == (30, 20, 40, 5)
    assert found.cycles == 60
    assert found.millions == pytest.approx(33.33, abs=0.01)
    assert found.spread == pytest.approx(20 / 30)
    with pytest.raises(SampleError):
        figure([])


def test_ratios_are_those_of_the_same_round() -> None:
    """A machine that is three times slower for two rounds of five changes nothing."""
    slow = [sample(ns) for ns in (40, 120, 40, 120, 42)]
    fast = [sample(ns) for ns in (20, 60, 20, 60, 20)]
    assert ratio(slow, fast) == 2
    with pytest.raises(SampleError, match="no samples"):
        ratio([], [])


class Counting:
    """A contestant that writes down its turns."""

    turns: ClassVar[list[tuple[str, int, int]]] = []

    def measure(self, what: str, number: int, other: int, seconds: float) -> Sample:
        self.turns.append((what, number, other))
        return sample(number)

    def close(self) -> None:
        pass


def test_each_round_measures_everything_once_and_the_first_does_not_count() -> None:
    contestant, advanced = Counting(), []
    turns = [Turn(number, contestant, "packets", number) for number in range(1, 5)]
    samples = measure(turns, 3, 0.1, lambda done, total: advanced.append((done, total)))
    assert {key: len(found) for key, found in samples.items()} == {1: 3, 2: 3, 3: 3, 4: 3}
    assert all(one.ns == key for key, found in samples.items() for one in found)
    for first in range(0, 16, 4):
        assert sorted(number for _, number, _ in contestant.turns[first : first + 4]) == [1, 2, 3, 4]
    assert advanced[-1] == (12, 12)
    before = list(contestant.turns)
    contestant.turns.clear()
    measure(turns, 3, 0.1, lambda *_: None)
    assert contestant.turns == before, "the same order in each run"
    contestant.turns.clear()
    measure(turns, 1, 0.1, lambda *_: None, (2, 3))
    assert sorted(number for _, number, _ in contestant.turns) == [1, 1, 2, 3, 4, 4], (
        "1 and 4 have a round that does not count"
    )


@pytest.fixture
def result() -> Result:
    """Two kinds of frames: half of them look up both tables and access two cells, half look up the first table."""
    tables = (
        Table("Ingress.a", "exact_packed", 1_000_000, 20 << 20, 16 << 20, 1.0),
        Table("Ingress.b", "lpm_trie", 10, 1 << 20, 1 << 20, 0.5),
    )
    state = (State("Ingress.r", "register", 4096, 4, 16384, 8192, 1.0),)
    samples = {
        ("program", 1, 1): [sample(ns) for ns in (200, 220, 180)],
        ("program", 32, 32): [sample(ns) for ns in (50, 55, 45)],
        ("read", 1, 0): [sample(10)] * 3,
        ("read", 15, 0): [sample(30)] * 3,
        ("lookup", 0, 0): [sample(10)] * 3,
        ("lookup", 3, 0): [sample(30)] * 3,
        ("empty", 1, 1): [sample(25)] * 3,
        ("empty", 32, 32): [sample(9)] * 3,
        ("loop", 1, 1): [sample(8)] * 3,
        ("loop", 32, 32): [sample(4)] * 3,
        ("without simd", 32, 32): [sample(ns) for ns in (75, 77, 72)],
        ("beside other", 0, 0): [Sample(1000, ns * 1000, ns * 3000, 0) for ns in (100, 110, 90)],
    }
    points = ((1, 1), (32, 32))
    reads = Reads((0, 1, 2, 2), ((1, 0.5), (15, 0.5)))
    return Result(
        "l2", tables, state, 1000, "64 bytes", 1.0, "uniform", points, 3, 0.1, 1, 0.25, reads, samples, ("simd",), ("sums",),
        "dpdk", (("other", 0.5),), True,
        (Looked(0, "Ingress.a", "exact_packed", 1.0, 1.0), Looked(3, "Ingress.b", "lpm_trie", 0.5, 0.25)),
    )  # fmt: skip


def test_gain_and_limits(result: Result) -> None:
    assert result.gain((1, 1), (32, 32)) == 4
    assert result.memory_ns == 20
    assert result.of_memory((32, 32)) == pytest.approx(0.4)
    assert result.best == (32, 32)
    assert result.left_out("simd").ns == 75 and result.gain_of("simd") == 1.5
    assert result.lookup_cycles == 10 * 2 + 0.5 * 30 * 2 and result.over_lookups((32, 32)) == 2
    assert result.floor("empty")[0] == 32 and result.floor("empty")[1].ns == 9
    first = replace(result, samples={**result.samples, ("empty", 1, 1): [sample(8)] * 3})
    assert first.floor("empty")[0] == 1 and first.floor("empty")[1].ns == 8


def test_lookups_that_hardly_any_packet_makes(result: Result) -> None:
    few = tuple(replace(looked, each=looked.each / 100) for looked in result.looked)
    assert report.lookups_sum(replace(result, looked=few)).startswith("a packet makes 0.015 lookups:")


def test_lookups_are_compared_where_a_packet_makes_half_of_one(result: Result) -> None:
    """At B=64, b=64, where that is measured, else at the last point."""
    half = tuple(replace(looked, each=0.25) for looked in result.looked)
    assert "a packet makes" not in report.lookups_sum(replace(result, looked=half))
    less = (replace(half[0], each=0.249), half[1])
    assert "a packet makes 0.5 lookups" in report.lookups_sum(replace(result, looked=less))
    samples = {("program", *point): [sample(50)] * 3 for point in ((1, 1), (64, 64), (256, 8))} | result.samples
    points = ((1, 1), (64, 64), (256, 8))
    assert report.lookups_sum(replace(result, samples=samples, points=points)).endswith("at B=64, b=64")
    assert report.lookups_sum(replace(result, samples=samples, points=points[::2])).endswith("at B=256, b=8")


def test_the_table_on_the_screen(result: Result) -> None:
    out = io.StringIO()
    Console(file=out, width=100).print(report.screen(result))
    lines = out.getvalue().splitlines()
    rows = {tuple(line.split()) for line in lines}
    assert ("32", "32", "20.00", "50.0", "10%", "100", "4.00", "×", "40%") in rows
    assert ("1", "1", "5.00", "200.0", "10%", "400", "1.00", "×", "10%") in rows
    assert ("simd", "13.33", "75.0", "3%", "1.50", "×") in rows and ("sums", "no", "difference") in rows
    assert "too few huge pages" in out.getvalue()
    assert ("other", "(drops", "50%)", "10.00", "100.0", "10%", "2.00", "×") in rows
    assert ("Ingress.b", "lpm_trie", "0.5", "25%", "60.0") in rows
    text = out.getvalue()
    assert "sum of the lookups alone: 50 cycles a packet; the program takes 2.00 times as long at B=32, b=32" in text
    assert "\nfastest: --burst 32 --sub-batch 32," in text
    assert "2.5 random cache lines a packet" in text and "25% of the frames were dropped" in text
    cells = " ".join(text.split("Ingress.r: ")[1].split()[:19])
    assert cells == "register, 4,096 cells of 4 bytes, 0.0 MiB, 1 reads a packet in 0.00781 MiB 25% of the frames"
    header = next(number for number, line in enumerate(lines) if "Mpps" in line)
    assert len({len(line.rstrip()) for line in lines[header : header + 3]}) == 1, "columns are aligned"


def test_json_has_every_figure(result: Result) -> None:
    data = json.loads(json.dumps(report.data(result)))
    assert [(p["burst"], p["sub_batch"], p["ns"], p["gain"]) for p in data["points"]] == [
        (1, 1, 200, 1),
        (32, 32, 50, 4),
    ]
    assert [(w["name"], w["ns"], w["gain"]) for w in data["without"]] == [("simd", 75, 1.5)]
    assert data["without_difference"] == ["sums"]
    assert [(b["name"], b["ns"], b["over"], b["dropped"]) for b in data["beside"]] == [("other", 100, 2, 0.5)]
    assert data["limits"]["memory_ns"] == 20
    assert [read["share"] for read in data["limits"]["reads"]] == [0.5, 0.5]
    assert [read["of"] for read in data["limits"]["reads"]] == [
        ["Ingress.a"],
        ["Ingress.a", "Ingress.b", "Ingress.r", "Ingress.r"],
    ]
    assert [(one["name"], one["cells"], one["reads"]) for one in data["state"]] == [("Ingress.r", 4096, 1.0)]
    assert [floor["burst"] for floor in data["limits"]["loop"]] == [1, 32]
    assert data["tables"][0]["read_bytes"] == 16 << 20
    assert [(one["name"], one["each"], one["cycles"]) for one in data["lookups"]["tables"]] == [
        ("Ingress.a", 1.0, 20),
        ("Ingress.b", 0.5, 60),
    ]
    assert [one["times"] for one in data["lookups"]["program_over"]] == [8, 2]


def shown(result: Result) -> str:
    out = io.StringIO()
    Console(file=out, width=150).print(report.screen(result))
    return out.getvalue()


def test_what_is_told_of_a_result(result: Result) -> None:
    """Tables that no frame reaches are left out; the fastest point is told where there are several, and stands in bold; what
    makes no difference is told where nothing else was left out."""
    lines = shown(replace(result, without=())).splitlines()
    assert [line.split() for line in lines if "no difference" in line] == [["sums", "no", "difference"]]
    unread = replace(result.tables[1], name="Ingress.c", reach=0.0)
    assert "Ingress.c" not in "".join(report.head(replace(result, tables=(*result.tables, unread))))
    result = replace(result, without=(), unused=())
    back = replace(result, points=result.points[::-1])
    for one in (result, back):
        assert "fastest: --burst 32 --sub-batch 32," in shown(one)
        styles = [row.style for row in report.points(one).rows]
        assert [style == "bold" for style in styles] == [point == (32, 32) for point in one.points]
    assert "fastest" not in shown(replace(result, points=result.points[:1]))
    assert "small ones" not in shown(replace(result, small_pages=False))


def test_the_lines_of_a_mask_are_told_by_their_owners(result: Result) -> None:
    """Two lines of the first table, one of the second, two of the state."""
    samples = {**result.samples, ("read", 12, 0): [sample(10)] * 3}
    reads = Reads((0, 0, 1, 2, 2), ((12, 1.0),))
    found = report.data(replace(result, reads=reads, samples=samples))["limits"]["reads"]
    assert [(one["of"], one["share"], one["ns"]) for one in found] == [(["Ingress.b", "Ingress.r"], 1.0, 10)]


@pytest.mark.parametrize(
    ("flags", "vectors"),
    [("sse2 avx2 avx512bw", "AVX-512"), ("sse2 avx2", "AVX2"), ("fp asimd", "NEON"), ("sse2 avx512f", "none")],
)
def test_the_widest_vectors_of_a_machine(monkeypatch: pytest.MonkeyPatch, flags: str, vectors: str) -> None:
    monkeypatch.setattr(report.Path, "exists", lambda path: True)
    monkeypatch.setattr(report.Path, "read_text", lambda path: f"processor : 0\nflags : fpu {flags}\n")
    assert report.machine()["vectors"] == vectors
    monkeypatch.setattr(report.Path, "exists", lambda path: False)
    assert report.machine()["vectors"] == "none"


def test_what_the_model_knows_of_reads(result: Result) -> None:
    """A table that frames reach is read by a cache line at least; one that none reaches is not read."""
    few = replace(result.tables[1], name="Ingress.c", read_bytes=3)
    none = replace(result.tables[1], name="Ingress.d", reach=0.0)
    found = predicted.reads_of(replace(result, tables=(*result.tables, few, none)), {"Ingress.b", "Ingress.r"})
    assert [(one.each, one.footprint, one.whole_burst) for one in found] == [
        (1.0, 16 << 20, False), (0.5, 1 << 20, True), (0.5, 64, False), (1.0, 8192, True),
    ]  # fmt: skip


def test_apps_have_suites_and_others_the_usual_one(tmp_path: Path) -> None:
    l2fwd = suites.suite_of(share("apps") / "l2fwd" / "l2fwd.p4")
    assert l2fwd.entries == 16_000_000
    assert {"l2fwd", "ipv4fwd", "ipv6fwd", "ndn", "router"} <= set(suites.apps())
    assert "routes=200000" in suites.suite_of(share("apps") / "ipv6fwd" / "ipv6fwd.p4").tables
    assert suites.suite_of(tmp_path / "l2fwd" / "l2fwd.p4") == suites.USUAL == Suite(100_000, (), (), 1_000_000, "64")


@pytest.mark.parametrize(
    ("app", "suite"),
    [
        ("ipv4fwd", Suite(100_000, ("routes=1000000", "next_hops=256"), ("routes=dfz",), 4_000_000, "64")),
        ("ndn", Suite(100_000, ("names=4000000",), (), 4_000_000, "78")),
        ("l2fwd-crypto", Suite(1000, (), (), 100_000, "512")),
        ("firewall", Suite(100_000, (), (), 4_000_000, "64", True)),
    ],
)
def test_suites_as_they_are_written(app: str, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the program is named: by its whole path, or as seen from where one stands."""
    assert suites.suite_of(share("apps") / app / f"{app}.p4") == suite
    assert suites.suite_of(share("apps") / app / "another.p4") == suite
    monkeypatch.chdir(share("apps").parent)
    assert suites.suite_of(Path(f"apps/{app}/{app}.p4")) == suite
    monkeypatch.chdir(share("apps") / app)
    assert suites.suite_of(Path(f"../../apps/{app}/{app}.p4")) == suite


def test_apps_that_are_not_there_are_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bench", "apps/one"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "bench" / "suites.toml").write_text("[one]\n[two]\n")
    monkeypatch.setattr(suites, "share", lambda name: tmp_path / name)
    assert suites.apps() == ["one"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["l2fwd", "--burst", "0"], "numbers from 1 to 256"),
        (["l2fwd", "--burst", "1,x"], "numbers from 1 to 256"),
        (["l2fwd", "--sub-batch", "257"], "numbers from 1 to 256"),
        (["l2fwd", "--plot", "a.gif"], "neither .svg nor .png nor .pdf"),
        (["no-such-app"], "does not exist"),
        (["l2fwd", "--workers", "128"], "CPUs to use"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_feeds_are_alike_for_a_switch_and_for_programs_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_free_huge_pages", lambda: 1)
    made = feed("dpdk", named("dpdk", None), Path("/f.pcap"), 1000, 64, 2)
    device = "net_pcap0,rx_pcap=/f.pcap,rx_pcap=/f.pcap,infinite_rx=1"
    assert made.options[:4] == ["--port", f"0=dpdk:{device}", "--port", "1=dpdk:net_null0,no-rx=1"]
    assert made.huge_bytes == made.buffers * 2048 and not feed("linux", "mem", Path("/f"), 9, 64, 1).huge_bytes
    assert made.buffers == 8192 + 2 * 1000, "each queue's device keeps all frames"
    command = words(Peer("io", "pmd {eal2} -- --mbufs={buffers} '{frames} x'").command, made, Path("/f.pcap"), "here")
    assert command[:9] == [
        "pmd",
        "--in-memory",
        "--no-pci",
        "--file-prefix",
        "here",
        "--vdev",
        device,
        "--vdev",
        made.devices[1],
    ]
    assert command[9] == "--lcores" and command[11:] == ["--", "--mbufs=10192", "/f.pcap x"]
    assert [part.partition("@")[0] for part in command[10].split(",")] == ["0", "1"]
    monkeypatch.setattr(beside, "_free_huge_pages", lambda: 0)
    command = words(Peer("io", "pmd {eal2}").command, made, Path("/f.pcap"), "here")
    assert command[1:3] == ["--no-huge", "-m"] and int(command[3]) > made.huge_bytes >> 20
    for platform, name in (("odp", None), ("linux", "pcap")):
        with pytest.raises(BenchError, match=r"choose mem|linux or dpdk"):
            named(platform, name)


def test_a_peer_that_a_busy_machine_keeps_waiting_gets_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    peer, received = object.__new__(Beside), iter([7, 7, 7])
    peer._own = Process(["sh", "-c", "while :; do :; done"], tmp_path / "log")
    monkeypatch.setattr(peer, "packets", lambda: (next(received, 507), 0), raising=False)
    try:
        sample = peer.measure("", 0, 0, 0.01)
    finally:
        peer._own.close()
    assert sample.operations == 500 and sample.cpu_ns >= 0.005e9


def test_a_process_runs_in_its_turns_alone(tmp_path: Path) -> None:
    """And not at all at the end."""
    process = Process(["sleep", "60"], tmp_path / "log")

    def state() -> str:
        return Path(f"/proc/{process.process.pid}/stat").read_text().rpartition(")")[2].split()[0]

    try:
        for act, stopped in ((process.pause, True), (process.resume, False)):
            act()
            end = time.monotonic() + 20
            while (state() == "T") is not stopped and time.monotonic() < end:
                time.sleep(0.001)
            assert (state() == "T") is stopped
    finally:
        process.close()
    assert process.process.returncode == -signal.SIGKILL


def test_what_does_not_start_says_why(tmp_path: Path) -> None:
    """Above what came of it."""
    process = Process(["sh", "-c", "seq 9; echo no such device; echo cannot forward"], tmp_path / "log")
    assert str(process.failure("loop does not start")) == (
        "loop does not start: 7; 8; 9; no such device; cannot forward"
    )
    assert str(Process(["true"], tmp_path / "log").failure("it does not start")).endswith(": no reason given")


def test_frames_for_l3fwd_are_right() -> None:
    """Those that bench/l3fwd.py makes: IPv4 with a right checksum, UDP, a flow that mode em has a rule for."""
    names = runpy.run_path(str(share("bench") / "l3fwd.py"))
    flow = next(flow for number, flow in enumerate(names["flows"](1000)) if number == 777)
    frame = names["packet"](flow, 52)
    assert len(frame) == 52 and frame[:3] == b"\x08\x00\x45"
    header = struct.unpack("!10H", frame[2:22])
    total = sum(header)
    assert (total & 0xFFFF) + (total >> 16) == 0xFFFF
    rule = list(names["tuples"](1000))[777].split()
    assert rule[0] == "R" + ".".join(map(str, frame[18:22])) and rule[1] == ".".join(map(str, frame[14:18]))
    assert [int(word) for word in rule[2:4]] == [*struct.unpack("!H", frame[24:26]), *struct.unpack("!H", frame[22:24])]


@pytest.mark.parametrize(("workers", "cpus"), [(1, [65]), (2, [64, 65]), (3, [2, 64, 65]), (4, [2, 64, 65])])
def test_workers_are_on_the_last_cpus(monkeypatch: pytest.MonkeyPatch, workers: int, cpus: list[int]) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {65, 64, 2})
    assert worker_cpus(workers) == cpus
