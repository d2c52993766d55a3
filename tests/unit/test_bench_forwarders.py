"""What bench/l3fwd.py, testpmd.py and tcp.py send, set up and tell; the peers are stand-ins."""

from __future__ import annotations

import contextlib
import ipaddress
import struct
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Clock, sample, script
from switch_harness import read_pcap, write_pcap

# --- l3fwd.py ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def l3fwd() -> Any:
    return script("l3fwd")


def test_flows_differ_and_each_has_its_rule(l3fwd: Any) -> None:
    flows = list(l3fwd.flows(70_000))
    assert len(set(flows)) == len(flows) and all(0 <= part < 1 << 16 for flow in flows for part in flow[2:])
    rules = list(l3fwd.tuples(3))
    for (source, destination, source_port, destination_port), rule in zip(flows, rules, strict=False):
        addresses = f"{ipaddress.IPv4Address(destination)} {ipaddress.IPv4Address(source)}"
        assert rule == f"R{addresses} {destination_port} {source_port} 17 1\n"
    assert len(rules) == 3


@pytest.mark.parametrize("size", [52, 64, 1000])
def test_a_packet_of_a_flow_is_right_udp(l3fwd: Any, size: int) -> None:
    flow = (0xFFFE0102, 0xC0A80001, 0x1234, 0xFFFF)
    data = l3fwd.packet(flow, size)
    assert len(data) == size and data[:2] == b"\x08\x00"
    words = struct.unpack("!10H", data[2:22])
    total = sum(words)
    assert (total & 0xFFFF) + (total >> 16) == 0xFFFF, "the sum with the checksum is all ones"
    assert words[0] == 0x4500 and words[1] == size - 2 and words[4] == 64 << 8 | 17
    assert struct.unpack("!II", data[14:22]) == flow[:2]
    assert struct.unpack("!4H", data[22:30]) == (*flow[2:], size - 22, 0)


def test_frames_keep_their_macs_and_get_a_flow_each(
    l3fwd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(l3fwd, "FRAMES", 3)
    file = tmp_path / "x.pcap"
    write_pcap(file, [bytes([number] * 64) for number in (1, 2, 3, 4)])
    l3fwd.rewrite(file)
    *rewritten, last = read_pcap(file)
    expected = [bytes([n] * 12) + l3fwd.packet(flow, 52) for n, flow in zip((1, 2, 3), l3fwd.flows(3), strict=True)]
    assert rewritten == expected and last == bytes([4] * 64)


def test_prefixes_of_the_entries_are_rules(l3fwd: Any, tmp_path: Path) -> None:
    entries = tmp_path / "entries.txt"
    entries.write_text("table_add next_hops to 1 => 0x1 2\ntable_add routes via 0x0a000000/8 => 3\n")
    assert list(l3fwd.prefixes(entries)) == ["R10.0.0.0/8 1\n"]


def test_ours_at_its_best_burst_must_be_so_many_times_as_fast(
    l3fwd: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = {64: 10, 32: 12, 128: 11}
    asked: list[Any] = []

    def contest(chosen: Any, program: str, rounds: int, seconds: float) -> Any:
        asked.append((chosen.mode, program, rounds))
        peer = {"em": 15, "lpm": 9.6, "fib": fib}[chosen.mode]
        return {l3fwd.PEER: [sample(peer)]} | {("ours", b, b): [sample(ns)] for b, ns in ours.items()}

    monkeypatch.setattr(l3fwd, "contest", contest)
    fib = 9.6
    assert l3fwd.main(["--quick", "examples/l3fwd"]) == 0
    assert asked == [(mode, "examples/l3fwd", 3) for mode in ("em", "lpm", "fib")]
    _, em, *_ = capsys.readouterr().out.splitlines()
    assert em.split() == [
        "l2fwd,",
        "1,000,000:",
        "em",
        "66.7",
        "100.0",
        "1.50",
        "holds:",
        "≥",
        "1.5",
        "(B=64,",
        "b=64)",
    ]
    fib = 9.4
    assert l3fwd.main(["x"]) == 1 and asked[-1] == ("fib", "x", l3fwd.ROUNDS)
    assert capsys.readouterr().out.splitlines()[-1].split()[5:7] == ["0.94", "MISSED:"]
    assert l3fwd.main([]) == 2 and l3fwd.main(["x", "y"]) == 2
    monkeypatch.setattr(l3fwd, "contest", failing(l3fwd.BenchError("too few huge pages are free")))
    assert l3fwd.main(["x"]) == 1 and "too few huge pages" in capsys.readouterr().err


def failing(error: Exception) -> Any:
    def fail(*_: Any) -> Any:
        raise error

    return fail


# --- testpmd.py ----------------------------------------------------------------------------------------------------------


def test_the_empty_program_must_be_nearly_as_fast_as_macswap(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    testpmd = script("testpmd")
    asked: list[Any] = []

    def samples(name: str, command: str, rounds: int, seconds: float) -> Any:
        asked.append((name, command, rounds))
        ns = {"io": 5, "macswap": 9, "loop": 8, "empty": empty}
        return {(what, 0, 0): [sample(each)] for what, each in ns.items()}

    monkeypatch.setattr(testpmd, "samples", samples)
    empty = 10.0
    assert testpmd.main(["--quick", "my", "testpmd"]) == 0
    assert asked == [(name, "my testpmd", 3) for name in testpmd.feeds.FEEDS["dpdk"]]
    _, *rows = capsys.readouterr().out.splitlines()
    assert all(row.split()[3:] == ["200.0", "111.1", "125.0", "100.0", "0.90", "holds:", "≥", "0.9"] for row in rows)
    empty = 10.1
    assert testpmd.main([]) == 1 and asked[-1][1:] == ("dpdk-testpmd", testpmd.ROUNDS)
    assert "0.89  MISSED" in capsys.readouterr().out
    monkeypatch.setattr(testpmd, "samples", failing(testpmd.BenchError("no testpmd")))
    assert testpmd.main([]) == 1 and "error: no testpmd" in capsys.readouterr().err


# --- tcp.py --------------------------------------------------------------------------------------------------------------


class Kernel:
    """`subprocess` for tcp.py: what was run, and where."""

    DEVNULL = PIPE = -1

    def __init__(self) -> None:
        self.ran: list[str] = []

    def run(self, words: list[str], check: bool) -> None:
        assert check
        self.ran.append(" ".join(words))

    def Popen(self, words: list[str], **_: Any) -> Any:
        self.ran.append(" ".join(words))
        return SimpleNamespace(
            terminate=lambda: self.ran.append("terminate"), wait=lambda: self.ran.append("wait"), pid=len(self.ran)
        )


@pytest.fixture
def tcp(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = script("tcp")
    monkeypatch.setattr(module, "subprocess", Kernel())
    return module


def test_two_hosts_face_each_other_through_a_tunnel(tcp: Any) -> None:
    for number in (1, 2):
        tcp.connect(SimpleNamespace(pid=70 + number), number)
    first, second = tcp.subprocess.ran[:7], tcp.subprocess.ran[7:]
    assert first[:2] == [
        "ip link add p1 type veth peer name e1 address 02:00:00:00:00:01 netns 71",
        "ip link set p1 up",
    ]
    inside = "nsenter --net=/proc/71/ns/net ip "
    assert [line.removeprefix(inside) for line in first[2:]] == [
        "addr add 10.9.0.1/24 dev e1", "link set e1 up",
        "link add tunnel type vxlan id 7 local 10.9.0.1 remote 10.9.0.2 dstport 4789 dev e1",
        "addr add 10.8.0.1/24 dev tunnel", "link set tunnel up",
    ]  # fmt: skip
    assert "local 10.9.0.2 remote 10.9.0.1 " in second[4]


def test_a_bridge_joins_both_and_goes_again(tcp: Any) -> None:
    with tcp.bridge():
        assert tcp.subprocess.ran == [
            "ip link add bridge type bridge", "ip link set p1 master bridge", "ip link set p2 master bridge",
            "ip link set bridge up",
        ]  # fmt: skip
    assert tcp.subprocess.ran[-1] == "ip link del bridge"


@pytest.mark.parametrize(
    ("way", "ports", "more"),
    [
        ("af_xdp", "--port=0=af_xdp:p1 --port=1=af_xdp:p2", False),
        ("af_packet,whole", "--port=0=af_packet:p1,whole --port=1=af_packet:p2,whole", True),
        ("af_packet,segments", "--port=0=af_packet:p1,segments --port=1=af_packet:p2,segments", False),
    ],
)
def test_the_switch_knows_both_hosts(
    tcp: Any, monkeypatch: pytest.MonkeyPatch, way: str, ports: str, more: bool
) -> None:
    said: list[str] = []
    client = contextlib.nullcontext(SimpleNamespace(command=said.append))
    monkeypatch.setattr(tcp, "Client", SimpleNamespace(wait=lambda path, seconds: client))
    with tcp.switch(Path("/l2fwd"), way, Path("/f")):
        (command,) = tcp.subprocess.ran
    assert command.startswith(f"/l2fwd {ports} --entries=") and "--socket=/f/socket" in command
    assert command.endswith("--max-frame=65535 --buffers=1024") == more
    assert said == [
        "table_add smac known 02:00:00:00:00:01 0 =>", "table_add dmac forward 02:00:00:00:00:01 => 0",
        "table_add smac known 02:00:00:00:00:02 1 =>", "table_add dmac forward 02:00:00:00:00:02 => 1",
    ]  # fmt: skip
    assert tcp.subprocess.ran[1:] == ["terminate", "wait"]


def test_all_ways_have_their_turn_in_each_round(
    tcp: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Later turns are faster: a way's figures are of all rounds."""
    now: list[str] = []
    turns: list[tuple[str, str]] = []

    @contextlib.contextmanager
    def joined(name: str) -> Iterator[None]:
        now.append(name)
        yield
        now.pop()

    def gigabits(pair: Any, network: str, seconds: float) -> float:
        assert seconds == 0.5 and len(pair) == 2
        turns.append((now[-1], network))
        return float(len(turns))

    monkeypatch.setattr(tcp, "hosts", lambda: contextlib.nullcontext([SimpleNamespace(pid=1), SimpleNamespace(pid=2)]))
    monkeypatch.setattr(tcp, "bridge", lambda: joined("bridge"))
    monkeypatch.setattr(tcp, "switch", lambda binary, way, folder: joined(way))
    monkeypatch.setattr(tcp, "gigabits", gigabits)
    found = tcp.measure(Path("l2fwd"), 3, 0.5)
    once = [(way, network) for way in tcp.WAYS for network in ("10.9.0", "10.8.0")]
    assert turns == 3 * once
    assert found["TCP", "bridge"] == [1, 11, 21] and found["TCP in VXLAN", "af_xdp"] == [10, 20, 30]
    tcp.report(found)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(once)
    told = "TCP in VXLAN af_xdp 20.000 Gb/s (10.000 to 30.000) 1.67 of the bridge"
    assert " ".join(lines[-1].split()) == told


def test_the_receiver_tells_gigabits_a_second(tcp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte in two milliseconds."""

    class Listening(contextlib.AbstractContextManager["Listening"]):
        def __init__(self) -> None:
            self.pieces = [600_000, 400_000, 0]

        def __exit__(self, *_: object) -> None: ...

        def settimeout(self, seconds: float) -> None: ...

        def accept(self) -> tuple[Listening, None]:
            return self, None

        def recv_into(self, buffer: bytearray) -> int:
            return self.pieces.pop(0)

    told: list[Any] = []
    times = iter((5.0, 5.002))
    monkeypatch.setattr(tcp, "socket", SimpleNamespace(create_server=lambda address: Listening()))
    monkeypatch.setattr(tcp, "time", SimpleNamespace(monotonic=lambda: next(times)))
    monkeypatch.setattr(tcp, "print", lambda word, **_: told.append(word), raising=False)
    tcp.receive("10.9.0.2")
    assert told == ["ready", pytest.approx(4)]


class Sending(contextlib.AbstractContextManager["Sending"]):
    """A connection that takes a piece of data in a fifth of a second."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.sent: list[int] = []

    def __exit__(self, *_: object) -> None: ...

    def sendall(self, data: bytes) -> None:
        self.sent.append(len(data))
        self.clock.sleep(0.2)


def test_the_sender_sends_for_so_long(tcp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    sending = Sending(clock)
    asked: list[Any] = []

    def connect(address: tuple[str, int], seconds: float) -> Sending:
        asked.append((address, seconds))
        return sending

    monkeypatch.setattr(tcp, "time", clock)
    monkeypatch.setattr(tcp, "socket", SimpleNamespace(create_connection=connect))
    tcp.send("10.9.0.2", 0.9)
    assert asked == [(("10.9.0.2", tcp.PORT), tcp.WAIT_S)] and sending.sent == [tcp.CHUNK] * 5


def test_a_stream_goes_from_the_first_host_to_the_second(tcp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the second is ready; what it tells is the figure."""
    done: list[Any] = []

    class Receiver:
        def __init__(self, words: list[str], **_: Any) -> None:
            done.append(words)
            self.stdout = SimpleNamespace(readline=lambda: done.append("ready"))

        def communicate(self, timeout: float) -> tuple[str, None]:
            return "3.25\n", None

    def run(words: list[str], check: bool, timeout: float) -> None:
        assert check and timeout > 1.5
        done.append(words)

    monkeypatch.setattr(tcp.subprocess, "Popen", Receiver)
    monkeypatch.setattr(tcp.subprocess, "run", run)
    assert tcp.gigabits([SimpleNamespace(pid=71), SimpleNamespace(pid=72)], "10.8.0", 1.5) == 3.25
    receive, ready, send = done
    assert receive[:2] == ["nsenter", "--net=/proc/72/ns/net"] and receive[-2:] == ["--receive", "10.8.0.2"]
    assert send[:2] == ["nsenter", "--net=/proc/71/ns/net"] and ready == "ready"
    assert send[-4:] == ["--send", "10.8.0.2", "--seconds", "1.5"]


def test_hosts_sleep_in_namespaces_of_their_own(tcp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    class Host:
        def __init__(self, words: list[str], **_: Any) -> None:
            assert words[:2] == ["unshare", "-n"]
            self.stdout = SimpleNamespace(readline=lambda: done.append("there"))

        def kill(self) -> None:
            done.append("kill")

        def wait(self) -> None:
            done.append("wait")

    monkeypatch.setattr(tcp.subprocess, "Popen", Host)
    with pytest.raises(ZeroDivisionError), tcp.hosts() as pair:
        assert len(pair) == 2 and done == ["there"] * 2
        raise ZeroDivisionError
    assert done[2:] == ["kill", "wait"] * 2
    assert tcp.within(None) == []


@pytest.mark.parametrize(("user", "own"), [(0, "unshare -n "), (1000, "unshare -rn ")])
def test_what_is_joined_is_in_a_namespace_as_well(
    tcp: Any, monkeypatch: pytest.MonkeyPatch, user: int, own: str
) -> None:
    """A switch that is there is not built."""
    monkeypatch.setattr(tcp.os, "geteuid", lambda: user)
    monkeypatch.setattr(tcp.sys, "argv", ["tcp.py", "--switch=/l2", "--rounds=2", "--seconds=3"])
    tcp.main()
    (ran,) = tcp.subprocess.ran
    assert ran.startswith(own) and ran.endswith("--inside --switch=/l2 --rounds=2 --seconds=3.0")
    monkeypatch.setattr(tcp.sys, "argv", ["tcp.py"])
    tcp.main()
    _, build, ran = tcp.subprocess.ran
    assert " build " in build and "l2fwd.p4 -o " in build
    assert f"--switch={build.rpartition(' ')[2]}/l2fwd --rounds=5 --seconds=1" in ran
    monkeypatch.setattr(tcp.sys, "argv", ["tcp.py", *ran.partition("tcp.py ")[2].split()])
    monkeypatch.setattr(tcp, "measure", lambda *what: what)
    told: list[Any] = []
    monkeypatch.setattr(tcp, "report", told.append)
    tcp.main()
    assert [(str(path), *more) for path, *more in told] == [(f"{build.rpartition(' ')[2]}/l2fwd", 5, 1.0)]
