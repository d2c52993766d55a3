"""A whole measurement of macsad bench: what is started and with what, what is measured in turn, what is made of it. The switches
and the programs beside them are those of this file."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad.bench import lookups, session
from macsad.bench.beside import Peer
from macsad.bench.contestants import BenchError, Closing
from macsad.bench.feeds import Feed
from macsad.bench.lookups import Looked
from macsad.bench.samples import Sample
from macsad.bench.session import Result, Wanted
from macsad.bench.state import Reads
from macsad.compilation import Request
from macsad.generation import Order
from macsad.resources import share
from macsad.targets import Machine
from transpiler.optimisations import ALL, NAMES

POLICER = share("apps") / "policer" / "policer.p4"
TABLE = "PolicerIngress.subscribers"
FRAMES, WORKERS, POINTS = 200, 2, ((1, 1), (64, 8), (64, 64))


class World:
    """Notes what is built and started, and who has a turn. Each turn takes as many ns as there have been."""

    def __init__(self) -> None:
        self.built: list[tuple[str, Any, str]] = []
        self.started: dict[str, Contestant] = {}
        self.turns: list[tuple[str, str, int, int, float]] = []
        self.read = 0

    def start(self, name: str, *arguments: Any) -> Contestant:
        assert name not in self.started
        self.started[name] = Contestant(self, name, arguments)
        return self.started[name]


class Contestant:
    huge_bytes = 1 << 20

    def __init__(self, world: World, name: str, arguments: tuple[Any, ...]) -> None:
        self.world, self.name, self.arguments = world, name, arguments
        self.closed = 0
        self.tables = [{
            "name": TABLE, "kernel": "exact_words", "entries": 20, "memory_bytes": 9000, "reader_bytes": FRAMES * 64 + 1,
        }]  # fmt: skip

    def measure(self, what: str, number: int, other: int, seconds: float) -> Sample:
        self.world.turns.append((self.name, what, number, other, seconds))
        ns = len(self.world.turns) * 1000
        return Sample(1000, ns, ns, ns)

    def stages(self) -> list[dict[str, Any]]:
        """Each reading has counted ten bursts more."""
        self.world.read += 1
        clock = {"step": "send", "calls": 1, "packets": self.world.read * 100, "cycles": 5}
        counts = {"bursts": 10 * self.world.read, "sampled": 1, "interrupted": 0}
        return [{"worker": worker, **counts, "clocks": [clock]} for worker in (0, 1)]

    def dropped(self) -> float:
        return {"program": 0.25}.get(self.name, 0.125)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()

    def build(request: Request, hlir: Any, folder: Path, machine: Any = None) -> Path:
        made.built.append((request.path.stem, request.wanted, folder.name))
        return Path(folder.name) / request.path.stem

    def switch(binary: Path, options: list[str], entries: Path | None, folder: Path, workers: int = 1) -> Contestant:
        assert folder.is_dir() and not list(folder.iterdir()), "a folder of its own"
        assert entries is None or entries.is_file(), "entries are there until all switches have read them"
        return made.start(folder.name.removesuffix("-runs"), binary, options, entries and entries.name, workers)

    def probe(command: list[str], folder: Path) -> Contestant:
        assert folder.is_dir()
        return made.start(folder.name.removesuffix("-runs"), command)

    def beside(peer: Peer, feed: Any, packets: Path, folder: Path) -> Contestant:
        assert folder.is_dir()
        return made.start(folder.name.removesuffix("-runs"), peer, feed.devices, packets.name)

    def alone(request: Request, hlir: Any, folder: Path, entries: Path, packets: Path, count: int, machine: Any) -> Any:
        assert entries.is_file() and packets.is_file() and folder.is_dir()
        return made.start("lookups", count, machine), (Looked(3, TABLE, "exact_words", 1.0, 0.75),)

    monkeypatch.setattr(session, "build", build)
    monkeypatch.setattr(session, "Switch", switch)
    monkeypatch.setattr(session, "Probe", probe)
    monkeypatch.setattr(session, "Beside", beside)
    monkeypatch.setattr(session.lookups, "start", alone)
    monkeypatch.setattr(session, "program", lambda name, folder, **more: Path("bench") / name)
    return made


ORDERED: list[Path] = []


def order(folder: Path) -> Order:
    ORDERED.append(folder)
    return Order(folder, 20, (), (), FRAMES, 0.75, "zipf:1.5", "64", 2, 0, 1)


def measured(points: tuple[tuple[int, int], ...] = POINTS, **more: Any) -> Result:
    return session.run(Wanted(Request(POLICER, warnings=("no-all",)), order, points, 3, 0.05, WORKERS, **more))


def test_a_program_is_measured_beside_what_it_cannot_be_faster_than(world: World) -> None:
    result = measured()
    packets, entries = ORDERED[-1] / "packets.pcap", "entries.txt"
    ports = ["--port", f"0=mem:{packets},loop", "--port", "1=null:", "--buffers", "8192", "--max-frame", "9216"]
    assert {name: one.arguments for name, one in world.started.items()} == {
        "program": (Path(world.built[0][2]) / "policer", ports, entries, WORKERS),
        "memory": (["bench/memory", f"0:{FRAMES * 64}", "1:12864", "2:12864"],),
        "empty": (Path(world.built[1][2]) / "empty", ports, None, 1),
        "loop": (["bench/loop", f"mem:{packets},loop", "null:", "8192", "9216"],),
    }
    assert [(name, wanted) for name, wanted, _ in world.built] == [("policer", ALL), ("empty", ALL)]
    assert all(one.closed == 1 for one in world.started.values()) and not ORDERED[-1].exists()
    keys = [("program", *point) for point in POINTS] + [("read", 7, 0), ("empty", 1, 1), ("empty", 64, 64),
                                                       ("loop", 1, 1), ("loop", 64, 64)]  # fmt: skip
    assert list(result.samples) == keys and {len(samples) for samples in result.samples.values()} == {3}
    turns = {(name, what, number, other) for name, what, number, other, _ in world.turns}
    assert turns == {
        *(("program", "", *point) for point in POINTS), ("memory", "read", 7, 0), ("empty", "", 1, 1), ("empty", "", 64, 64),
        ("loop", "loop", 1, 0), ("loop", "loop", 64, 0),
    }  # fmt: skip
    assert [turn[4] for turn in world.turns] == [0.02] * 8 + [0.05] * 24, "the first round does not count"


def test_a_result_says_what_was_measured(world: World) -> None:
    result = measured()
    assert (result.name, result.frames, result.sizes, result.hit) == ("policer", FRAMES, "64 bytes", 0.75)
    assert (result.flows, result.points, result.rounds, result.seconds) == ("zipf", POINTS, 3, 0.05)
    assert (result.workers, result.dropped, result.platform, result.length) == (WORKERS, 0.25, "linux", 64)
    assert result.reads == Reads((0, 1, 2), ((7, 1.0),))
    [table] = result.tables
    assert (table.name, table.kernel, table.entries, table.memory_bytes) == (TABLE, "exact_words", 20, 9000)
    assert (table.read_bytes, table.reach) == (FRAMES * 64, 1.0), "a line a frame at most"
    assert [(one.name, one.reads, one.memory_bytes) for one in result.state] == [
        ("PolicerIngress.rates", 1.0, 64 << 20), ("PolicerIngress.passed", 1.0, (WORKERS + 1) * (16 << 20)),
    ]  # fmt: skip
    assert (result.without, result.unused, result.peers, result.looked) == ((), (), (), ())
    assert result.small_pages is False and result.clocks is None
    assert result.described == tuple(world.started["program"].tables)


def test_what_is_left_out_is_measured_at_the_last_point_where_that_makes_a_difference(world: World) -> None:
    result = measured(((1, 1), (32, 32)), without=("bulk", "decision-cache", "all"))
    assert (result.without, result.unused) == (("bulk", "all"), ("decision-cache",))
    assert [(name, wanted, folder) for name, wanted, folder in world.built if name == "policer"][1:] == [
        ("policer", ALL.without(["bulk"]), "bulk"), ("policer", ALL.without(NAMES), "all"),
    ]  # fmt: skip
    options = world.started["program"].arguments[1:]
    for name in ("bulk", "all"):
        assert world.started[f"without-{name}"].arguments == (Path(name) / "policer", *options)
        assert world.started[f"without-{name}"].closed == 1
    keys = [key for key in result.samples if key[0].startswith("without")]
    assert keys == [("without bulk", 32, 32), ("without all", 32, 32)]
    turns = {turn[:4] for turn in world.turns if turn[0].startswith("without")}
    assert turns == {("without-bulk", "", 32, 32), ("without-all", "", 32, 32)}


def test_what_changes_how_c_is_compiled_makes_a_difference(world: World) -> None:
    """Whatever the C is."""
    assert measured(((1, 1),), without=("native",)).without == ("native",)


def test_lookups_alone_and_clocks(world: World) -> None:
    result = measured(((1, 1), (64, 64)), lookups=True, clocks=(64, 64))
    assert result.looked == (Looked(3, TABLE, "exact_words", 1.0, 0.75),)
    assert world.started["lookups"].arguments[0] == FRAMES and world.started["lookups"].closed == 1
    assert ("lookups", "lookup", 3, 0) in {turn[:4] for turn in world.turns} and ("lookup", 3, 0) in result.samples
    assert world.turns[-1] == ("program", "", 64, 64, 0.5), "clocks are read when all else is done"
    assert result.clocks is not None and (result.clocks["worker"], result.clocks["bursts"]) == (0, 10)


def test_programs_of_others_are_on_devices_alike(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A switch whose packets find too few huge pages is told of."""
    peers = (Peer("one", "a {eal}"), Peer("two", "b {eal}"))
    machine = Machine("dpdk")
    for huge, small in ((1 << 40, False), (1 << 20, True)):
        monkeypatch.setattr(Contestant, "huge_bytes", huge)
        world.started.clear()
        result = measured(((1, 1), (64, 64)), machine=machine, peers=peers)
        assert (result.platform, result.small_pages) == ("dpdk", small)
        assert result.peers == (("one", 0.125), ("two", 0.125))
        for number, peer in enumerate(peers):
            name, devices, packets = world.started[f"peer-{number}"].arguments
            assert (name, packets, len(devices)) == (peer, "packets.pcap", 2) and "infinite_rx=1" in devices[0]
            assert devices[0].count("rx_pcap=") == WORKERS and world.started[f"peer-{number}"].closed == 1
        keys = [key for key in result.samples if key[0].startswith("beside")]
        assert keys == [("beside one", 0, 0), ("beside two", 0, 0)]


def test_a_feed_of_ones_own_has_room_for_the_longest_frame(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """imix has frames of three lengths."""

    def imix(folder: Path) -> Order:
        return replace(order(folder), size="imix")

    found = session.run(Wanted(Request(POLICER, warnings=("no-all",)), imix, ((1, 1),), 1, 0.01, 1,
                               machine=Machine("dpdk"), feed="null"))  # fmt: skip
    devices = world.started["program"].arguments[1]
    assert devices[:4] == ["--port", "0=dpdk:net_null1,size=1518", "--port", "1=dpdk:net_null0,no-rx=1"]
    assert (found.sizes, found.length, found.platform) == ("imix", 362, "dpdk")


def test_a_floor_is_of_the_platform_of_its_feed(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machines: list[Any] = []
    built = session.build

    def build(request: Request, hlir: Any, folder: Path, machine: Any) -> Path:
        machines.append(machine)
        return built(request, hlir, folder, machine)

    def program(name: str, folder: Path, machine: Any, wanted: Any) -> Path:
        machines.append(machine)
        return folder / name

    monkeypatch.setattr(session, "build", build)
    monkeypatch.setattr(session, "program", program)
    for platform, machine in (("dpdk", None), ("linux", Machine("linux", compiler="clang"))):
        feed = Feed(platform, "a", "b")
        world.started.clear()
        folder = tmp_path / platform
        folder.mkdir()
        with Closing() as closing:
            turns = session.floors(feed, [1, 32], folder, closing, machine=machine)
        assert machines == [machine or Machine("dpdk")] * 2
        assert [(turn.key, turn.what, turn.number, turn.other) for turn in turns] == [
            (("empty", 1, 1), "", 1, 1), (("empty", 32, 32), "", 32, 32),
            (("loop", 1, 1), "loop", 1, 0), (("loop", 32, 32), "loop", 32, 0),
        ]  # fmt: skip
        machines.clear()


def test_what_keeps_the_compiler_quiet_is_no_difference(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def generated(request: Request, hlir: Any) -> Any:
        quiet = "#pragma GCC diagnostic\n" if request.wanted == ALL else ""
        loud = "int y;" if request.wanted == ALL.without(["prefetch"]) else "int x;"
        return SimpleNamespace(c=f"{quiet}{loud}\n")

    monkeypatch.setattr(session.compilation, "generate_c", generated)
    found = measured(((1, 1),), without=("bulk", "prefetch"))
    assert (found.without, found.unused) == (("prefetch",), ("bulk",))


@pytest.mark.parametrize(
    ("sizes", "mean"), [(((64, 1),), 64), (((64, 7), (594, 4), (1518, 1)), 362), (((64, 1), (65, 1)), 64)]
)
def test_the_length_of_a_frame_is_the_mean(sizes: tuple[tuple[int, int], ...], mean: int) -> None:
    assert session._mean(sizes) == mean


def test_all_is_ended_where_something_does_not_start(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise BenchError("no such program")

    monkeypatch.setattr(session, "program", fails)
    with pytest.raises(BenchError, match="no such program"):
        measured()
    assert world.started and all(one.closed == 1 for one in world.started.values()) and not ORDERED[-1].exists()


def test_lookups_are_noted_of_a_whole_file_of_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read once, in bursts of as many as are looked up at once later; tables that no packet looks up are left out."""
    told, started = tmp_path / "lookups.txt", []

    def probe(words: list[str], runs: Path, environment: dict[str, str]) -> str:
        assert runs.is_dir() and environment == {**os.environ, "MACSAD_LOOKUPS": str(told)}
        told.write_text("60 0.5 I.first\n0 0 I.second\n10 1 I.third\n")
        started.append(words)
        return "probe"

    these = tuple(
        SimpleNamespace(name=f"I.{name}", kernel=SimpleNamespace(name=f"k_{name}")) for name in ("third", "first")
    )
    monkeypatch.setattr(lookups, "subjects", lambda program, decided: these)
    monkeypatch.setattr(lookups.compilation, "decide", lambda request, program: None)
    monkeypatch.setattr(lookups, "_build", lambda *arguments: Path("binary"))
    monkeypatch.setattr(lookups, "Probe", probe)
    found = lookups.start(Request(POLICER), None, tmp_path, Path("e.txt"), Path("f.pcap"), 20)  # type: ignore[arg-type]
    assert found == ("probe", (Looked(0, "I.first", "k_first", 3.0, 0.5), Looked(2, "I.third", "k_third", 0.5, 1.0)))
    assert [" ".join(words) for words in started] == [
        "binary --port 0=pcap:f.pcap --port 1=null: --entries e.txt --until-end --burst 64 --sub-batch 64"
    ]
