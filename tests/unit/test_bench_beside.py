"""Programs of others beside a switch: how they are started, asked and ended, and what is sent to them. They are those of this
file."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Clock

from macsad.bench import beside, crossings
from macsad.bench.beside import Beside, Peer, _Times
from macsad.bench.contestants import BenchError
from macsad.bench.feeds import Feed
from macsad.bench.latency import BUCKETS, Counted
from macsad.bench.samples import Sample
from macsad.bench.session import Wanted
from macsad.compilation import Request
from macsad.generation import Order
from macsad.resources import share
from macsad.targets import Machine

FEED = Feed("dpdk", "a", "b", 1000, 2048, ("net_a", "net_b"))


class Process:
    """One that notes what is done with it."""

    def __init__(self, command: list[str], log: Path, **pipes: Any) -> None:
        self.command, self.log = command, log
        self.done: list[str] = []
        self.process = SimpleNamespace(pid=7, poll=lambda: None)
        PROCESSES.append(self)

    def failure(self, what: str) -> BenchError:
        return BenchError(f"{what}: no memory")

    def resume(self) -> None:
        self.done.append("resume")

    def pause(self) -> None:
        self.done.append("pause")

    def close(self) -> None:
        self.done.append("close")


PROCESSES: list[Process] = []


class Telemetry:
    """DPDK's: two ports, of which one is not started; each look finds more."""

    def __init__(self) -> None:
        self.looks = 0
        self.asked = ""
        self.broken = False

    def send(self, what: bytes) -> None:
        if self.broken:
            raise BrokenPipeError("broken")
        self.asked = what.decode()

    def recv(self, size: int) -> bytes:
        assert size >= 1 << 14, "an answer comes whole or not at all"
        if self.asked == "/ethdev/list":
            self.looks += 1
            return json.dumps({"/ethdev/list": [0, 1, 2]}).encode()
        port = int(self.asked.partition(",")[2])
        stats = None if port == 2 else {"ipackets": 100 * self.looks * (1 - port), "opackets": 75 * self.looks * port}
        return json.dumps({"/ethdev/stats": stats}).encode()


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], tuple[Beside, Telemetry, Process]]:
    telemetry = Telemetry()
    PROCESSES.clear()
    monkeypatch.setattr(beside, "time", Clock())
    monkeypatch.setattr(beside, "Process", Process)
    monkeypatch.setattr(beside, "_telemetry", lambda path: telemetry)
    monkeypatch.setattr(beside, "_runtime_folder", lambda: tmp_path)
    monkeypatch.setattr(beside, "_free_huge_pages", lambda: 1)
    monkeypatch.setattr(beside, "worker_cpus", lambda count: [4, 5, 6][-count:])
    monkeypatch.setattr(beside.shutil, "which", lambda name: name)

    def make() -> tuple[Beside, Telemetry, Process]:
        made = Beside(Peer("p", "prog {eal} -- x"), FEED, Path("f.pcap"), tmp_path)
        return made, telemetry, PROCESSES[-1]

    return make


def test_a_peer_is_waited_for_and_stopped(peer: Any, tmp_path: Path) -> None:
    made, telemetry, process = peer()
    assert process.command[0] == "prog" and process.command[-2:] == ["--", "x"] and process.log == tmp_path / "log"
    assert process.done == ["pause"] and telemetry.looks == 1
    own = tmp_path / process.command[process.command.index("--file-prefix") + 1]
    (own / "left").mkdir(parents=True)
    made.close()
    assert process.done == ["pause", "close"] and not own.exists(), "what DPDK leaves behind goes, too"


def test_one_that_does_not_forward_is_ended(peer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Beside, "packets", lambda own: (5, 0))
    monkeypatch.setattr(beside, "START_S", 0.2)
    with pytest.raises(BenchError, match=r"^p does not start: no memory$"):
        peer()
    assert PROCESSES[-1].done == ["close"]


def test_what_it_received_and_sent_and_dropped(peer: Any) -> None:
    made, telemetry, process = peer()
    telemetry.looks = 3
    assert made.packets() == (400, 300)
    assert made.dropped() == 0.25 and process.done == ["pause", "resume", "pause"]
    made.resume()
    made.pause()
    assert process.done[3:] == ["resume", "pause"]
    made.packets = lambda: (4, 5)
    assert made.dropped() == 0, "what it sends of its own is no drop"


def test_a_sample_is_of_half_the_time_at_least(peer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On its CPU; the busiest of its threads counts. Where that takes too long it is what there is."""
    made, _, process = peer()
    used = iter([0, 40_000_000, 60_000_000])
    clock: Any = beside.time

    def times(pid: int) -> _Times:
        assert pid == 7
        taken = next(used)
        return _Times(round(clock.now * 1e9), taken, {"7": taken})

    monkeypatch.setattr(beside, "_times", times)
    begun = clock.now
    sample = made.measure("", 0, 0, 0.1)
    assert sample == Sample(200, 60_000_000, 200_000_000, 0)
    assert clock.now - begun == pytest.approx(beside.SETTLE_S + 0.2) and process.done == ["pause", "resume", "pause"]
    used = iter([0, *[1] * 10_000])
    monkeypatch.setattr(beside, "ANSWER_S", 1.0)
    assert made.measure("", 0, 0, 0.1).cpu_ns == 1
    for broken in (OSError("gone"), ValueError("no number")):
        monkeypatch.setattr(beside, "_times", lambda pid, broken=broken: (_ for _ in ()).throw(broken))
        with pytest.raises(BenchError, match=f"^p has ended while it was measured \\({broken}\\): no memory$"):
            made.measure("", 0, 0, 0.1)


@pytest.mark.parametrize(
    ("command", "free", "words"),
    [
        ("prog {eal} -- -n {buffers} --x={frames}", 2,
         "prog --in-memory --no-pci --file-prefix own --vdev net_a --vdev net_b --lcores 0@6 -- -n 1000 --x=f.pcap"),
        ("'a prog' {eal2}", 2,
         "a prog|--in-memory --no-pci --file-prefix own --vdev net_a --vdev net_b --lcores 0@6,1@6"),
        ("prog {eal}", 0, f"prog --no-huge -m {beside.SPARE_MIB + (1000 * (2048 + beside.MBUF) >> 20)} --no-pci "
                          "--file-prefix own --vdev net_a --vdev net_b --lcores 0@6"),
        ("prog x{eal}", 0, "prog x{eal}"),
    ],
)  # fmt: skip
def test_its_command_line(peer: Any, monkeypatch: pytest.MonkeyPatch, command: str, free: int, words: str) -> None:
    monkeypatch.setattr(beside, "_free_huge_pages", lambda: free)
    first, _, rest = words.rpartition("|")
    assert beside.words(command, FEED, Path("f.pcap"), "own") == [*([first] if first else []), *rest.split()]


def test_its_socket_greets_first(tmp_path: Path) -> None:
    place = tmp_path / "s"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(str(place))
        listening.listen()

        def serve() -> None:
            with listening.accept()[0] as connection:
                connection.send(b"{}")
                connection.send(b"answer")
                connection.recv(1)

        serving = threading.Thread(target=serve)
        serving.start()
        with beside._telemetry(place) as made:
            assert made.recv(100) == b"answer" and made.gettimeout() == beside.ANSWER_S
        serving.join()
    with pytest.raises(OSError, match="No such file"):
        beside._telemetry(tmp_path / "none")


# --- from interface to interface ---------------------------------------------------------------------------------------


def test_programs_are_started_under_traffic(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In networks of their own, and stopped until they are measured; all end, the last first."""
    did: list[str] = []
    inside: list[bool] = [False]

    class Program:
        def __init__(self, name: str, *given: Any) -> None:
            assert inside[0], "where its interfaces are"
            self.name = name
            did.append(f"start {name}")
            STARTED[name] = given

        def begin(self, what: str, burst: int, seconds: float) -> None:
            assert (what, burst, seconds) == ("cross", 32, 1e6)
            did.append(f"begin {self.name}")

        def pause(self) -> None:
            did.append(f"pause {self.name}")

        def close(self) -> None:
            did.append(f"close {self.name}")

        kill = close

    class OfSwitch(Program):
        pass

    STARTED: dict[str, Any] = {}

    @contextlib.contextmanager
    def own_network() -> Any:
        inside[0] = True
        yield
        inside[0] = False

    class Control:
        def __init__(self, path: Path) -> None:
            self.path = path

        def __enter__(self) -> Control:
            return self

        def __exit__(self, *_: object) -> None:
            did.append("control ends")

        def begin(self, gap: float) -> None:
            did.append(f"every {gap} ns")

    class Wires:
        def __init__(self, taps: bool) -> None:
            assert not taps
            self.source, self.sink = "in0", "out0"

        def make(self) -> None:
            assert inside[0]
            did.append("wires")

        def crossing(self, frames: Path, control: Path) -> list[str]:
            return [frames.name, control.name]

    def measure(ways: Any, points: Any, rounds: int, seconds: float, advance: Any) -> Any:
        did.append("measure")
        assert not inside[0] and [way.name for way in ways] == ["l3fwd", "peer"]
        assert isinstance(ways[0].switch, OfSwitch) and ways[1].switch is None and ways[0].program is ways[0].switch
        return [points, rounds, seconds]

    monkeypatch.setattr(crossings, "own_network", own_network)
    monkeypatch.setattr(crossings, "Control", Control)
    monkeypatch.setattr(crossings, "Wires", Wires)
    monkeypatch.setattr(
        crossings, "Probe", lambda command, folder, cpu: Program(f"tester {folder.parent.name}", command, cpu)
    )
    monkeypatch.setattr(crossings, "sending_cpu", lambda: 3)
    monkeypatch.setattr(crossings, "Switch", OfSwitch)
    monkeypatch.setattr(crossings, "_switch", lambda binary, entries, platform, wires, folder: OfSwitch(
        "switch", binary, entries.name, crossings.feed(platform, wires).source, folder.name))  # fmt: skip
    monkeypatch.setattr(crossings, "Beside", lambda peer, feed, frames, folder: Program(
        "peer", peer.command, feed.source, frames.name, folder.name))  # fmt: skip
    monkeypatch.setattr(crossings, "build", lambda request, hlir, folder, machine: Path(machine.platform))
    monkeypatch.setattr(crossings, "program", lambda name, folder: Path(name))
    monkeypatch.setattr(crossings, "measure", measure)
    order = Order(tmp_path / "t", 5, (), (), 20, 1.0, "uniform", "64", 2, 0, 1)
    wanted = Wanted(Request(share("apps") / "l3fwd" / "l3fwd.p4"), lambda folder: order, ((8, 8),), 3, 0.25, 1,
                    machine=Machine("dpdk"), peers=(Peer("peer", "p {eal}"),))  # fmt: skip
    assert crossings.run(wanted) == [((8, 8),), 3, 0.25]
    each = [
        "wires",
        "start tester {0}",
        "every 10000 ns",
        "begin tester {0}",
        "start {1}",
        "pause tester {0}",
        "pause {1}",
    ]
    ends = ["close {1}", "close tester {0}", "control ends"]
    both = (("switch", "switch"), ("peer-0", "peer"))
    started = [line.format(*one) for one in both for line in each]
    ended = [line.format(*one) for one in reversed(both) for line in ends]
    assert did == [*started, "measure", *ended]
    assert {
        "tester switch": (["crossing", "packets.pcap", "control"], 3),
        "tester peer-0": (["crossing", "packets.pcap", "control"], 3),
        "switch": (Path("dpdk"), "entries.txt", "dpdk:net_af_packet0,iface=in0", "switch"),
        "peer": ("p {eal}", "dpdk:net_af_packet0,iface=in0", "packets.pcap", "peer-0"),
    } == STARTED  # fmt: skip


def test_the_order_of_programs_turns_with_the_rounds() -> None:
    asked: list[str] = []

    class Way:
        switch = None

        def __init__(self, name: str) -> None:
            self.name = name

        def most(self, point: Any, seconds: float) -> float:
            return 1e6

        def count(self, point: Any, gap: float, seconds: float) -> Any:
            asked.append(self.name)
            return Counted(tuple([1] * BUCKETS), 0, 0.0, 1.0), None

    ways: Any = [Way("a"), Way("b"), Way("c")]
    told: list[tuple[int, int]] = []
    crossings.measure(ways, [(8, 8), (4, 4)], 4, 0.1, lambda *at: told.append(at), (0.5, 0.9))
    order = ["abc", "bca", "cab", "abc"]
    assert "".join(asked) == "".join(one * 2 for one in order) * 2
    assert told == [(at, 48) for at in range(1, 49)]
