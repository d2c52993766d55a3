"""The time in the switch: quantiles of what was counted, and how they are told."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from struct import Struct
from typing import Any

import pytest
from rich.console import Console

from macsad import cli
from macsad.bench import beside, crossings, latency, session
from macsad.bench.beside import Beside, Peer
from macsad.bench.contestants import BenchError
from macsad.bench.latency import BUCKETS, HEAD, NO_POINT, Control, Counted, Row, data, middle, quantiles, row, screen
from macsad.bench.samples import Sample
from macsad.bench.wires import Crossed, Wires
from macsad.compilation import Request
from macsad.generation import Order
from macsad.resources import share


def counts(**at: int) -> list[int]:
    found = [0] * BUCKETS
    for bucket, number in at.items():
        found[int(bucket[1:])] = number
    return found


def test_quantiles_are_those_of_what_was_counted() -> None:
    assert quantiles(counts(b10=98, b20=1, b30=1)) == (0.01, 0.02, 0.03)
    assert quantiles(counts(b400=1)) == (middle(400) / 1000,) * 3
    with pytest.raises(BenchError, match="no frame was sent"):
        quantiles(counts())


def test_a_switch_that_does_not_answer_is_told(tmp_path: Path) -> None:
    with Control(tmp_path / "control") as control:
        control.begin(100)
        with pytest.raises(BenchError, match="does not receive"):
            control.wait(0.01)
        with (tmp_path / "control").open("r+b") as out:  # it has begun once, and not yet again
            out.write(HEAD.pack(0, 2, 1, 0, 0, 0, 0))
        with pytest.raises(BenchError, match="does not receive"):
            control.wait(0.01)


def test_what_was_counted_is_read(tmp_path: Path) -> None:
    with Control(tmp_path / "control") as control:
        control.begin(100)
        gap, epoch, *_ = HEAD.unpack_from((tmp_path / "control").read_bytes())
        written = HEAD.pack(gap, epoch, epoch, 7, 2_500_000_000, 10**9, 4 * 10**9) + Struct(f"={BUCKETS}Q").pack(
            *counts(b3=4)
        )
        with (tmp_path / "control").open("r+b") as out:
            out.write(written)
        control.wait()
        found = control.read()
    assert (list(found.times), found.missed, found.interrupted, found.seconds) == (counts(b3=4), 7, 2.5, 3.0)


def test_rows_are_told() -> None:
    row = Row((64, 8), 0.5, 12.34, (0.5, 3.0, 450.0), 0.0123, 0.25)
    out = io.StringIO()
    Console(file=out, width=120).print(screen([row]))
    assert out.getvalue().splitlines()[1].split() == [
        "64",
        "8",
        "50%",
        "12.34",
        "0.50",
        "3.00",
        "450",
        "1.23%",
        "25.0%",
    ]
    assert data([row])[0]["p999_us"] == 450.0
    out = io.StringIO()
    Console(file=out, width=120).print(screen([replace(row, times=(99.4, 100.0, 1234.5), missed=0)]))
    assert out.getvalue().splitlines()[1].split()[4:] == ["99.40", "100", "1,234", "25.0%"]


def test_programs_beside_each_other_are_told_by_name() -> None:
    rows = [
        Row((64, 8), 0.5, 0.2, (5.0, 30.0, 450.0), 0, 0, "l2fwd"),
        Row(NO_POINT, 0.5, 0.2, (6.0, 9.0, 9.0), 0, 0, "p"),
    ]
    out = io.StringIO()
    Console(file=out, width=120).print(screen(rows))
    head, first, second = (line.split() for line in out.getvalue().splitlines())
    assert head[:4] == ["program", "B", "b", "load"]
    assert first[:4] == ["l2fwd", "64", "8", "50%"] and second[:2] == ["p", "50%"]
    assert [row["program"] for row in data(rows)] == ["l2fwd", "p"]


def test_interfaces_are_named_as_each_platform_does() -> None:
    wires = Wires(taps=False)
    assert crossings.feed("linux", wires).source == "af_packet:in0"
    over = crossings.feed("dpdk", wires)
    assert over.devices == ("net_af_packet0,iface=in0", "net_af_packet1,iface=out0")
    assert over.sink == f"dpdk:{over.devices[1]}"


class Stub:
    """A way that forwards all, and notes at which rates it was asked."""

    def __init__(self, name: str, rate: float, switch: object = None) -> None:
        self.name, self.rate, self.switch = name, rate, switch
        self.asked: list[tuple[str, float]] = []

    def most(self, point: tuple[int, int], seconds: float) -> float:
        return self.rate

    def count(self, point: tuple[int, int], gap_ns: float, seconds: float) -> tuple[Counted, Crossed]:
        self.asked.append((self.name, gap_ns))
        return Counted(tuple(counts(b20=100)), 0, 0.0, seconds), Crossed(seconds, 100, 100)


class Crossing:
    """A program, what sends to it, and what is read of both; `did`: in which order. A tenth of the frames is lost."""

    def __init__(self) -> None:
        self.did: list[object] = []
        self.pid, self.looks = 7, 0

    def __getattr__(self, name: str) -> object:
        return lambda *given: self.did.append((name, *given) if given else name)

    def read(self) -> Counted:
        self.did.append("read")
        return Counted(tuple(counts(b20=9)), 2, 0.0, 99.0)

    def counts(self, pid: int) -> Crossed:
        self.did.append("look")
        self.looks += 1
        return Crossed(10.0 + self.looks * 0.5, 1000 * self.looks, 900 * self.looks)


def test_frames_are_counted_while_all_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was lost before does not count; what was sent and did not come out is missed. Nothing runs then."""
    slept: list[float] = []
    monkeypatch.setattr(crossings.time, "sleep", slept.append)
    of, switch = Crossing(), Crossing()
    way = crossings.Way("w", of, crossings.Tester(of, of, of), switch)  # type: ignore[arg-type]
    counted, crossed = way.count((8, 4), 250.0, 0.5)
    assert of.did == [
        ("begin", 250.0), "resume", "resume", ("begin", 250.0), "wait", "look", "read", "look", "pause", "pause",
    ]  # fmt: skip
    assert switch.did == [("set_batch", 8, 4)] and slept == [crossings.SETTLE_S, 0.5]
    assert crossed == Crossed(0.5, 1000, 900) and (counted.missed, counted.seconds) == (2 + 100, 0.5)
    bare = crossings.Way("w", of, crossings.Tester(of, of, of))  # type: ignore[arg-type]
    assert bare.most((8, 4), 0.5) == 1800
    of.counts = lambda pid: Crossed(float(len(of.did)), 10, 10 + len(of.did))  # type: ignore[method-assign]
    assert bare.count((8, 4), 250.0, 0.5)[0].missed == 2, "those that were under way before make up for none"


def test_programs_are_measured_at_the_same_rates() -> None:
    ways = [Stub("ours", 1e6, object()), Stub("theirs", 2e6)]
    told: list[tuple[int, int]] = []
    rows = crossings.measure(ways, [(8, 8)], 2, 0.1, lambda *at: told.append(at), (0.5, 0.9))  # type: ignore[arg-type]
    assert told == [(at, 8) for at in range(1, 9)]
    assert [(row.name, row.point, row.load) for row in rows] == [
        ("ours", (8, 8), 0.5), ("theirs", NO_POINT, 0.5), ("ours", (8, 8), 0.9), ("theirs", NO_POINT, 0.9),
    ]  # fmt: skip
    assert [gap for _, gap in ways[0].asked] == [gap for _, gap in ways[1].asked] == pytest.approx([2000, 1e4 / 9] * 2)


def test_a_switch_whose_frames_do_not_come_out_is_told() -> None:
    with pytest.raises(BenchError, match="none of the frames that were sent to ours came out"):
        crossings.measure([Stub("ours", 0)], [(8, 8)], 1, 0.1, lambda done, total: None)  # type: ignore[list-item]


@pytest.mark.parametrize("option", [("--workers", "2"), ("--plot", "x.svg"), ("--without", "bulk"), ("--lookups",)])
def test_what_does_not_go_with_it(
    option: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("macsad.verbs.bench.worker_cpus", range)
    assert cli.call(["bench", "l2fwd", "--latency", *option]) == cli.USAGE
    assert "--latency is measured with one worker" in " ".join(capsys.readouterr().err.split())


def test_its_frames_are_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["bench", "l2fwd", "--latency", "--feed", "mem"]) == cli.USAGE
    assert "not with --feed" in capsys.readouterr().err


def test_a_peer_that_is_not_there_is_told(tmp_path: Path) -> None:
    made = crossings.feed("dpdk", Wires(taps=False))
    with pytest.raises(BenchError, match=r"there is no program no-such$"):
        Beside(Peer("p", "no-such {eal}"), made, tmp_path / "f", tmp_path)
    with pytest.raises(BenchError, match=r"dpdk-testpmd \(Debian: apt install dpdk-dev\)"):
        Beside(Peer("p", "/nowhere/dpdk-testpmd {eal}"), made, tmp_path / "f", tmp_path)


@pytest.mark.parametrize("free", [True, False])
def test_a_peer_has_small_pages_where_no_huge_one_is_free(free: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_free_huge_pages", lambda: int(free))
    given = beside.words("p {eal} -- x", crossings.feed("dpdk", Wires(taps=False)), Path("f"), "own")
    assert ("--in-memory" in given, "--no-huge" in given) == (free, not free)


def test_what_json_has() -> None:
    row = Row((64, 8), 0.75, 12.5, (1.0, 2.0, 3.0), 0.25, 0.125)
    named = Row(NO_POINT, 1.0, 3.5, (4.0, 5.0, 6.0), 0.0, 0.0, "peer")
    assert data([row, named]) == [
        {"burst": 64, "sub_batch": 8, "load": 0.75, "mpps": 12.5, "p50_us": 1.0, "p99_us": 2.0, "p999_us": 3.0,
         "missed": 0.25, "interrupted": 0.125},
        {"program": "peer", "burst": 0, "sub_batch": 0, "load": 1.0, "mpps": 3.5, "p50_us": 4.0, "p99_us": 5.0,
         "p999_us": 6.0, "missed": 0.0, "interrupted": 0.0},
    ]  # fmt: skip


def bucket(ns: int) -> int:
    """Of the port paced: each nanosecond has its own up to 32, then there are 32 to a power of two."""
    if ns < 32:
        return ns
    shift = ns.bit_length() - 6
    return (shift + 1) * 32 + (ns >> shift) - 32


@pytest.mark.parametrize("ns", [0, 1, 31, 32, 33, 63, 64, 65, 66, 100, 127, 128, 1000, 4095, 4096, 123_456, 10**9])
def test_a_bucket_stands_for_its_middle(ns: int) -> None:
    below = ns
    while below and bucket(below - 1) == bucket(ns):
        below -= 1
    size = 1 if ns < 64 else 1 << (ns.bit_length() - 6)
    assert bucket(below + size - 1) == bucket(ns) != bucket(below + size)
    assert middle(bucket(ns)) == (ns if ns < 32 else below + size / 2)


def test_the_port_is_told_how_fast_frames_come(tmp_path: Path) -> None:
    """In parts of a nanosecond, and with another number each time."""
    with Control(tmp_path / "control") as control:
        assert control.path == tmp_path / "control"
        for epoch, (gap, told) in enumerate(((100.0, 102_400), (0.75, 768), (0.0, 0)), 1):
            control.begin(gap)
            written = control.path.read_bytes()
            assert HEAD.unpack_from(written) == (told, epoch, 0, 0, 0, 0, 0) and not any(written[HEAD.size :])
    assert len(written) == HEAD.size + 8 * BUCKETS


def test_a_row_is_of_all_rounds_together() -> None:
    """Time without its CPU is none in which a worker sends."""
    rounds = [
        Counted(tuple(counts(b10=150, b30=2)), 8, 0.25, 1.0),
        Counted(tuple(counts(b10=40, b20=8)), 0, 0.25, 2.0),
    ]
    made = row((8, 4), 0.5, rounds, "p")
    assert (made.point, made.load, made.name, made.times) == ((8, 4), 0.5, "p", (0.01, 0.02, 0.03))
    assert made.mpps == pytest.approx(200 / 2.5 / 1e6) and made.missed == 8 / 208
    assert made.interrupted == pytest.approx(0.5 / 3)


def test_a_program_is_measured_with_the_port_paced(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Ended:
        closed = False

        def __init__(self, *given: Any) -> None:
            made.append((self, *given))

        def close(self) -> None:
            self.closed = True

    def measured(switch: Any, control: Any, points: Any, rounds: int, seconds: float, advance: Any) -> list[Any]:
        assert not switch.closed and control.path.is_file() and entries.is_file()
        return [points, rounds, seconds]

    monkeypatch.setattr(latency, "build", lambda request, hlir, folder, machine: Path("/b"))
    monkeypatch.setattr(latency, "Switch", Ended)
    monkeypatch.setattr(latency, "measure", measured)
    folders: list[Path] = []

    def order(folder: Path) -> Order:
        folders.append(folder)
        return Order(folder, 5, (), (), 20, 1.0, "uniform", "64", 2, 0, 1)

    l3fwd = Request(share("apps") / "l3fwd" / "l3fwd.p4")
    entries = Path()
    original = latency.Control

    def control(path: Path) -> Control:
        nonlocal entries
        entries = folders[0] / "entries.txt"
        return original(path)

    monkeypatch.setattr(latency, "Control", control)
    assert latency.run(session.Wanted(l3fwd, order, ((8, 8),), 3, 0.25, 1)) == [((8, 8),), 3, 0.25]
    ((switch, binary, ports, given, folder),) = made
    frames = folders[0] / "packets.pcap"
    assert (binary, given, folder) == (Path("/b"), entries, folders[0].parent)
    assert ports == ["--port", f"0=paced:{frames},{folder / 'control'}", "--port", f"1=paced:,{folder / 'control'}"]
    assert switch.closed and not folder.exists()


def test_loads_are_from_a_tenth_to_nearly_all() -> None:
    """Of the most that is forwarded when more comes than any switch takes; in the switch and between interfaces."""
    loads = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95]
    gaps: list[float] = []

    class Switch:
        def measure(self, what: str, burst: int, sub_batch: int, seconds: float) -> Sample:
            assert gaps == [1], "a frame a nanosecond"
            return Sample(1000, 50_000, 50_000, 50_000)

    class Port:
        def begin(self, gap: float) -> None:
            gaps.append(gap)

    way: Any = Stub("ours", 2e7, object())
    port: Any = Port()
    switch: Any = Switch()
    with pytest.MonkeyPatch.context() as patch:
        counted = Counted(tuple(counts(b20=1)), 0, 0.0, 1.0)
        patch.setattr(latency, "_one", lambda switch, control, gap, seconds: gaps.append(gap) or counted)
        rows = latency.measure(switch, port, [(8, 8)], 1, 0.1, lambda *_: None)
    assert [row.load for row in rows] == loads and gaps[1:] == [50 / load for load in loads]
    rows = crossings.measure([way], [(8, 8)], 1, 0.1, lambda *_: None)
    assert [row.load for row in rows] == loads and [gap for _, gap in way.asked] == pytest.approx(
        [50 / load for load in loads]
    )
