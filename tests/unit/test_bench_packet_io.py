"""Packet I/O from port to port: which frames and ports contestants get, on which interfaces, and what is told of them.
Contestants and the kernel are stand-ins."""

from __future__ import annotations

import contextlib
import io
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Clock, sample
from rich.console import Console
from switch_harness import read_pcap

from macsad.bench import packet_io, packet_io_report, wires
from macsad.bench.contestants import BenchError
from macsad.bench.packet_io import Bench, Kind, Row
from macsad.bench.samples import Figure
from macsad.bench.wires import Crossed, Wired, Wires

KINDS = {str(kind): kind for kind in packet_io.KINDS}
FIGURE = Figure(125, 100, 150, 250, 3)


# --- frames and ports ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [64, 1518])
def test_frames_are_udp_of_many_flows(tmp_path: Path, size: int) -> None:
    frames = read_pcap(packet_io.write_frames(tmp_path / "x.pcap", size))
    assert len(frames) == packet_io.FRAMES and {len(frame) for frame in frames} == {size}
    assert len({frame[34:36] for frame in frames}) == len(frames), "a source port each"
    for frame in frames[:3]:
        assert frame[12:15] == b"\x08\x00\x45" and frame[22:24] == bytes([64, 17])
        assert struct.unpack_from("!H", frame, 16) == (size - 14,) and struct.unpack_from("!H", frame, 38) == (
            size - 34,
        )
        assert frame[26:34] == bytes([10, 0, 0, 1, 10, 0, 0, 2])


def test_names_of_ports(tmp_path: Path) -> None:
    bench, veth = Bench(tmp_path), Wires(False)
    found = {name: packet_io.feed_of(kind, bench, 64, veth) for name, kind in KINDS.items()}
    file = tmp_path / "64.pcap"
    assert (found["linux mem"].source, found["linux mem"].sink) == (f"mem:{file},loop", "null:")
    assert (found["linux tap"].source, found["linux tap"].sink) == ("tap:in0", "tap:out0")
    assert found["dpdk null"].devices == ("net_null1,size=64", "net_null0,no-rx=1") and not found["linux mem"].devices
    assert found["dpdk af_packet"].devices == ("net_af_packet0,iface=in0", "net_af_packet1,iface=out0")
    assert {(one.buffers, one.max_frame) for one in found.values()} == {(8192 + 256, 2048)}


PORTS = {
    "linux mem": "mem:64.pcap,loop null:", "linux pcap": "pcap:64.pcap,loops=0 null:",
    "dpdk null": "dpdk:net_null1,size=64 dpdk:net_null0,no-rx=1",
    "dpdk pcap": "dpdk:net_pcap0,rx_pcap=64.pcap,infinite_rx=1 dpdk:net_null0,no-rx=1",
    "linux af_packet": "af_packet:in0 af_packet:out0", "linux af_xdp": "af_xdp:in0 af_xdp:out0", "linux tap": "tap:in0 tap:out0",
    "dpdk af_packet": "dpdk:net_af_packet0,iface=in0 dpdk:net_af_packet1,iface=out0",
    "dpdk af_xdp": "dpdk:net_af_xdp0,iface=in0 dpdk:net_af_xdp1,iface=out0",
}  # fmt: skip
OTHERS = {
    "linux pcap": "pcap:in=64.pcap:loops=0 null:0", "linux af_packet": "in0 out0", "linux tap": "tap:in0 tap:out0",
}  # fmt: skip


def test_ports_of_each_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the switch names them, and as an installed ODP does; frames come in at one and go out of the other."""
    bench = Bench(tmp_path)
    found = {name: packet_io.feed_of(kind, bench, 64, Wires(False)) for name, kind in KINDS.items()}
    assert {name: f"{one.source} {one.sink}".replace(f"{tmp_path}/", "") for name, one in found.items()} == PORTS
    assert {name: one.devices for name, one in found.items() if one.devices} == {
        name: tuple(f"{one.source} {one.sink}".replace("dpdk:", "").split())
        for name, one in found.items()
        if "dpdk" in name
    }
    monkeypatch.setattr(Bench, "loop", lambda _, platform: f"loop of {platform}")
    monkeypatch.setattr(packet_io, "Probe", lambda words, folder: words)
    odp = {name: packet_io.contestant("odp", kind, bench, 64, Wires(False)) for name, kind in KINDS.items() if kind.odp}
    assert {name: " ".join(words[1:-2]).replace(f"{tmp_path}/", "") for name, words in odp.items()} == OTHERS  # type: ignore
    assert {name: kind.wires for name, kind in KINDS.items() if kind.wires} == {
        "linux af_packet": "veth", "linux af_xdp": "veth", "linux tap": "tap", "dpdk af_packet": "veth", "dpdk af_xdp": "veth",
    }  # fmt: skip


def test_contestants_of_each_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [KINDS[name].contestants for name in ("dpdk null", "linux mem", "linux pcap")] == [
        ("switch", "loop", "testpmd"), ("switch", "loop"), ("switch", "loop", "odp"),
    ]  # fmt: skip
    bench = Bench(tmp_path, "my testpmd")
    monkeypatch.setattr(Bench, "switch", lambda _, platform: f"switch of {platform}")
    monkeypatch.setattr(Bench, "loop", lambda _, platform: f"loop of {platform}")
    for name in ("Switch", "Probe", "Beside"):
        monkeypatch.setattr(packet_io, name, lambda *what, name=name: (name, *what))
    file, room = tmp_path / "64.pcap", ["8448", "2048"]

    def made(name: str, kind: str) -> Any:
        *what, folder = packet_io.contestant(name, KINDS[kind], bench, 64, Wires(False))
        assert folder.is_dir()
        return what

    kind, binary, options, entries = made("switch", "linux mem")
    assert (kind, binary, entries) == ("Switch", "switch of linux", None) and f"0=mem:{file},loop" in options
    assert made("loop", "linux af_packet") == ["Probe", ["loop of linux", "af_packet:in0", "af_packet:out0", *room]]
    assert made("odp", "linux pcap") == ["Probe", ["loop of odp", f"pcap:in={file}:loops=0", "null:0", *room]]
    kind, peer, feed, frames = made("testpmd", "dpdk null")
    assert (kind, peer.name, peer.command, frames) == ("Beside", "testpmd", "my testpmd", file) and feed.devices
    assert len({path.name for path in tmp_path.iterdir() if path.is_dir()}) == 4, "each runs in a folder of its own"


def test_what_fails_once_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, made = Bench(tmp_path), list[str]()

    def program(name: str, folder: Path, machine: Any) -> Path:
        made.append(machine.platform)
        if machine.platform == "odp":
            raise BenchError("no libodp")
        return folder / name

    monkeypatch.setattr(packet_io, "program", program)
    for _ in range(2):
        assert bench.loop("linux") == tmp_path / "run1" / "loop"
        with pytest.raises(BenchError, match="no libodp"):
            bench.loop("odp")
    assert made == ["linux", "odp"]


# --- interfaces ----------------------------------------------------------------------------------------------------------


class Contestant:
    """What is measured or sends, into a list of what was done."""

    pid = 7

    def __init__(self, name: str, done: list[Any]) -> None:
        self.name, self.done = name, done

    def __getattr__(self, what: str) -> Any:
        if what.startswith("_"):
            raise AttributeError(what)
        return lambda *words: self.done.append((self.name, what, *words))

    def measure(self, *words: Any) -> Any:
        self.done.append((self.name, "measure", *words))
        return sample(10)


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    found: list[Any] = []

    @contextlib.contextmanager
    def network() -> Any:
        found.append("network")
        yield
        found.append("out again")

    def contestant(name: str, kind: Kind, bench: Bench, size: int, own: Wires) -> Contestant:
        found.append(f"{name} is started")
        if name == "odp":
            raise BenchError("no libodp\nas it is not there")
        return Contestant(name, found)

    def sender(words: list[str], folder: Path, cpu: int) -> Contestant:
        found.append(("send", *words, cpu))
        return Contestant("sender", found)

    monkeypatch.setattr(packet_io, "own_network", network)
    monkeypatch.setattr(packet_io, "contestant", contestant)
    monkeypatch.setattr(packet_io, "Probe", sender)
    monkeypatch.setattr(packet_io, "sending_cpu", lambda: 3)
    monkeypatch.setattr(Bench, "loop", lambda _, platform: platform)
    monkeypatch.setattr(wires, "ip", lambda *words: found.append(" ".join(words)))
    return found


def made_of(done: list[Any]) -> list[Any]:
    return [one if isinstance(one, str) else one[:2] for one in done if one not in ("network", "out again")]


@pytest.mark.parametrize("kind", ["linux af_packet", "linux tap"])
def test_a_tap_is_made_by_the_program_a_veth_before_it(done: list[Any], tmp_path: Path, kind: str) -> None:
    """On veth pairs the program is started under traffic."""
    found = packet_io.wired("switch", KINDS[kind], Bench(tmp_path), 64)
    assert isinstance(found, Wired) and (done[0], done[-1]) == ("network", "out again")
    ups = [f"link set {end} mtu 1600 up" for end in ("in0", "out0", "from0", "to0")]
    begun, paused = ("sender", "begin"), ("sender", "pause")
    order = made_of(done)
    send = next(one for one in done if one[0] == "send")
    if kind == "linux tap":
        assert order == ["switch is started", *ups[:2], ("send", "linux"), begun, paused]
        assert send == ("send", "linux", f"mem:{tmp_path}/64.pcap,loop", "af_packet:in0", "4096", "2048", 3)
    else:
        assert order[-4:] == [("send", "linux"), begun, "switch is started", paused] and set(ups) < set(order)
        assert "link add in0 type veth peer name from0" in order and "link add out0 type veth peer name to0" in order
        assert send[3] == "af_packet:from0"
    assert ("sender", "begin", "loop", 32, packet_io.FOR_EVER_S) in done


def test_what_has_been_started_ends_where_the_rest_fails(done: list[Any], tmp_path: Path) -> None:
    with pytest.raises(BenchError):
        packet_io.wired("odp", KINDS["linux af_packet"], Bench(tmp_path), 64)
    assert done[-1] == ("sender", "kill") and ("sender", "pause") not in done
    with pytest.MonkeyPatch.context() as patch, pytest.raises(BenchError):
        patch.setattr(wires, "ip", lambda *words: (_ for _ in ()).throw(BenchError("no such device")))
        packet_io.wired("switch", KINDS["linux tap"], Bench(tmp_path), 64)
    assert done[-2:] == ["switch is started", ("switch", "close")], "who has made a tap ends, too"
    plain = packet_io.wired("switch", KINDS["linux mem"], Bench(tmp_path), 64)
    assert isinstance(plain, Contestant) and done[-1] == "switch is started"


def test_frames_are_counted_at_both_ends_while_it_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the sender could not hand over was sent, too. A thousand frames a second flow, from a second on."""
    clock, done = Clock(), list[Any]()
    monkeypatch.setattr(wires, "time", clock)

    def counts(text: Path) -> str:
        sent = max(0, round(1000 * (clock.now - 1)))
        columns = {"from0": {1: 77, 9: sent - sent // 4, 10: 3 * sent, 11: sent // 4}, "to0": {1: sent // 2, 9: 77}}
        lines = [f"{name}: {' '.join(str(c.get(at, 0)) for at in range(16))}" for name, c in columns.items()]
        return "\n".join(["head", "head", " lo: " + " ".join(["0"] * 16), *lines])

    monkeypatch.setattr(wires.Path, "read_text", counts)
    measured = Contestant("switch", done)
    monkeypatch.setattr(
        measured, "measure", lambda *what: (done.append(what), clock.sleep(2), sample(5))[-1], raising=False
    )
    found = Wired(measured, Wires(False), Contestant("sender", done))
    assert found.measure("loop", 32, 16, 0.5).ns == 5
    assert done == [("sender", "resume"), ("loop", 32, 16, 0.5), ("sender", "pause")]
    (one,) = found.crossed
    assert (one.seconds, one.sent, one.arrived) == (pytest.approx(2), 2000, pytest.approx(1000, abs=1))
    assert clock.now == pytest.approx(1.256 + 2, abs=0.02), "when frames flow"
    found.measure("loop", 32, 16, 0.5)
    assert clock.now == pytest.approx(1.256 + 2 + 0.256 + 2, abs=0.04), "each time"
    clock.now = -1e6
    found.measure("loop", 32, 16, 0.5)
    assert clock.now == pytest.approx(-1e6 + wires.PATIENCE_S + 2, abs=0.02), "or do not"
    found.close()
    assert done[-2:] == [("sender", "kill"), ("switch", "close")]


@pytest.mark.parametrize("fails", [False, True])
def test_a_network_of_ones_own_is_left_again(monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    """Whatever happens in it; where there can be none, the kernel's reason is told."""
    did: list[Any] = []

    class Libc:
        def unshare(self, kind: int) -> int:
            did.append(("unshare", kind))
            return -1 if fails else 0

        def setns(self, descriptor: int, kind: int) -> int:
            did.append(("setns", Path(f"/proc/self/fd/{descriptor}").resolve().name[:4], kind))
            return 0

    monkeypatch.setattr(wires.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(wires.ctypes, "CDLL", lambda *_, **__: Libc())
    monkeypatch.setattr(wires.ctypes, "get_errno", lambda: 1)
    monkeypatch.setattr(wires.Path, "write_text", lambda path, text: did.append((path.name, text)))
    with pytest.raises(BenchError) as told, wires.own_network():
        raise BenchError("it does not start")
    if fails:
        assert did == [("unshare", 0x40000000)]
        assert str(told.value) == (
            "interfaces take root, and a kernel that lets it have a network namespace: Operation not permitted"
        )
    else:
        assert did == [("unshare", 0x40000000), ("disable_ipv6", "1"), ("setns", "net:", 0x40000000)]
        assert str(told.value) == "it does not start"
    monkeypatch.setattr(wires.shutil, "which", lambda name: None)
    with (
        pytest.raises(BenchError, match=r"^'ip' is not installed \(Debian: apt install iproute2\)$"),
        wires.own_network(),
    ):
        pass


def test_who_sends_is_on_another_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wires.os, "sched_getaffinity", lambda process: {2, 5, 9})
    monkeypatch.setattr(wires, "worker_cpus", lambda workers: [9])
    assert wires.sending_cpu() == 2
    monkeypatch.setattr(wires.os, "sched_getaffinity", lambda process: {9})
    with pytest.raises(BenchError, match="a second CPU"):
        wires.sending_cpu()


# --- rows ----------------------------------------------------------------------------------------------------------------


def test_a_row_is_by_cpu_time_or_by_what_has_crossed() -> None:
    mem, veth = KINDS["linux mem"], KINDS["linux af_packet"]
    crossed = (Crossed(2.0, 8_000_000, 6_000_000), Crossed(1.0, 10_000_000, 5_000_000), Crossed(1.0, 0, 0))
    plain = Row(mem, 64, "switch", FIGURE)
    assert (plain.mpps, plain.lost, plain.cpu_ns) == (8, 0, 125)
    switch, loop = (Row(veth, 64, name, FIGURE, "", crossed) for name in ("switch", "loop"))
    assert switch.mpps == loop.mpps == 3 and switch.lost == 0.5, "the medians"
    assert (switch.cpu_ns, loop.cpu_ns) == (None, 125), "a switch polls, be there frames or not"
    pmd = Row(KINDS["dpdk af_packet"], 64, "testpmd", FIGURE, "", crossed)
    assert (pmd.cpu_ns, Row(KINDS["dpdk null"], 64, "testpmd", FIGURE).cpu_ns) == (None, 125)
    assert Row(mem, 64, "loop", None, "no gcc").mpps == 0


def test_rows_on_the_screen_and_as_data() -> None:
    mem, veth, dpdk = KINDS["linux mem"], KINDS["linux af_packet"], KINDS["dpdk null"]
    crossed = (Crossed(2.0, 8_000_000, 6_000_000),)
    rows = [
        Row(mem, 64, "switch", FIGURE), Row(mem, 64, "loop", FIGURE), Row(veth, 64, "switch", FIGURE, "", crossed),
        Row(veth, 64, "loop", FIGURE, "", crossed), Row(veth, 64, "odp", None, "no libodp"), Row(dpdk, 64, "switch", FIGURE),
        Row(veth, 128, "odp", None, "no libodp"), Row(veth, 256, "loop", FIGURE, "", (Crossed(2.0, 4_000_000, 4_000_000),)),
    ]  # fmt: skip
    out = io.StringIO()
    Console(file=out, width=120).print(packet_io_report.screen(rows))
    lines = [" ".join(line.split()) for line in out.getvalue().splitlines()]
    assert lines[0] == "Mpps (ns of CPU) bytes empty program bare loop loop, libodp testpmd"
    assert lines[1:] == [
        "linux mem 64 8.00 (125.0) 8.00 (125.0)", "linux af_packet 64 3.00 3.00 (125) -", "dpdk null 64 8.00 (125.0)",
        "linux af_packet 128 -", "linux af_packet 256 2.00 (125)", "not measured: linux af_packet, loop, libodp: no libodp",
    ]  # fmt: skip
    data = packet_io_report.data(rows)
    head = {"platform": "linux", "bytes": 64}
    cpu = {"cpu_ns": 125, "cpu_ns_low": 100, "cpu_ns_high": 150, "rounds": 3}
    told = {"lost": 0.25, "crossed": [{"seconds": 2.0, "sent": 8_000_000, "arrived": 6_000_000}], "mpps": 3}
    assert data[0] == {**head, "port": "mem", "program": "switch", "mpps": 8, **cpu}
    assert data[2] == {**head, "port": "af_packet", "program": "switch", "cpu_ns": None, "rounds": 3, **told}
    assert data[3] == {**head, "port": "af_packet", "program": "loop", **cpu, **told}
    assert data[4] == {**head, "port": "af_packet", "program": "odp", "reason": "no libodp"}


def test_contestants_are_measured_in_the_same_rounds(
    done: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[Any] = []

    def measure(asked: list[Any], rounds: int, seconds: float, advance: Any) -> Any:
        turns.extend(asked)
        assert (rounds, seconds) == (3, 0.5)
        return {turn.key: [sample(10), sample(20), sample(40)] for turn in asked}

    monkeypatch.setattr(packet_io, "measure", measure)
    monkeypatch.setattr(Wired, "close", lambda _: done.append("closed"))
    kind = KINDS["linux af_packet"]
    wired = packet_io.wired

    def crossing(*what: Any) -> Any:
        made = wired(*what)
        made.crossed = [Crossed(1, n, n) for n in range(4)]  # type: ignore[union-attr]
        return made

    monkeypatch.setattr(packet_io, "wired", crossing)
    switch, loop, odp = packet_io.measured([kind], Bench(tmp_path), 64, 3, 0.5)
    assert [(turn.what, turn.number, turn.other) for turn in turns] == [("", 32, 32), ("loop", 32, 32)]
    assert switch.figure and switch.figure.ns == 20 and [one.sent for one in loop.crossed] == [1, 2, 3], (
        "one to warm up"
    )
    assert (odp.figure, odp.reason) == (None, "no libodp") and done.count("closed") == 2
    monkeypatch.setattr(packet_io, "measure", lambda *_: (_ for _ in ()).throw(BenchError("it has ended\n7")))
    (tmp_path / "again").mkdir()
    reasons = [row.reason for row in packet_io.measured([kind], Bench(tmp_path / "again"), 128, 3, 0.5)]
    assert reasons == ["it has ended", "it has ended", "no libodp"]
    assert packet_io._first_line(OSError()) == "OSError"


def test_ports_without_interfaces_are_measured_together(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def measured(kinds: Any, bench: Bench, size: int, rounds: int, seconds: float) -> Any:
        asked.append(([str(kind) for kind in kinds], size))
        return [Row(kind, size, "switch") for kind in reversed(kinds)]

    monkeypatch.setattr(packet_io, "measured", measured)
    kinds = [KINDS[name] for name in ("linux tap", "linux mem", "linux af_packet", "dpdk null")]
    rows = packet_io.run((64, 128), 1, 0.5, kinds)
    groups = [["linux mem", "dpdk null"], ["linux tap"], ["linux af_packet"]]
    assert asked == [(group, size) for group in groups for size in (64, 128)]
    assert [(row.kind, row.size) for row in rows] == [(kind, size) for kind in kinds for size in (64, 128)]
    asked.clear()
    packet_io.run((64,), 1, 0.5, kinds[:1])
    assert asked == [(["linux tap"], 64)]


def test_what_ip_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = SimpleNamespace(returncode=0, stderr="no such device\n")
    monkeypatch.setattr(wires.subprocess, "run", lambda words, **_: ended)
    wires.ip("link")
    ended.returncode = 2
    with pytest.raises(BenchError, match="ip link set x: no such device"):
        wires.ip("link", "set", "x")
    assert Wires(False).crossing(Path("f"), Path("c")) == ["f", "c", "from0", "to0"]
    assert Wires(True).crossing(Path("f"), Path("c")) == ["f", "c", "in0", "out0"]
