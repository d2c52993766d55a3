"""What a switch tells of its interfaces: run by test_interfaces.py in a network namespace of its own.

    watched_ports.py missed|down|idle|mtu|rings|long|time DRIVER SWITCH      exit 0: passed; 77: the kernel refuses what it needs

The switch sends what comes by port 0 (interface `pa`) out by port 1 (`pb`); at their other ends are two hosts.
"""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "c" / "odp"))

from interfaces import Host, refusal, run, two_hosts, veth

from macsad.control import Client

FORWARDED = b"\x03" * 14  # how a frame begins that endless.p4 sends to port 1
FRAME_BYTES = 60
Running = tuple[subprocess.Popen[str], Client]


@contextlib.contextmanager
def switch(binary: str, driver: str, *options: str) -> Iterator[Running]:
    with tempfile.TemporaryDirectory() as folder:
        ports = [f"--port={number}={driver}:{interface}" for number, interface in enumerate(("pa", "pb"))]
        command = [binary, *ports, f"--socket={folder}/socket", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            with Client.wait(Path(folder) / "socket", timeout=20) as client:
                yield process, client
        finally:
            process.terminate()
            process.told, process.errors = process.communicate(timeout=20)  # type: ignore[attr-defined]
            if process.returncode:
                refusal(process.errors)  # type: ignore[attr-defined]


def sender(host: Host) -> socket.socket:
    made = host.socket(socket.AF_PACKET, socket.SOCK_RAW)
    made.bind(("ea", 0))
    return made


def scenario_missed(binary: str, driver: str) -> None:
    """A process that is stopped: what its ring has no room for is told everywhere, of the port that it came to."""
    frames = 20000
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    silence(a, b)
    with switch(binary, driver, "--stats", "1") as (process, client):
        host = sender(a)
        process.send_signal(signal.SIGSTOP)
        for _ in range(frames):
            host.send(FORWARDED + bytes(46))
        process.send_signal(signal.SIGCONT)
        end = time.monotonic() + 10
        while (stats := client.stats())["received"] + stats["missed"] < frames and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(1.2)  # a line every second
        stats = client.stats()
    told: str = process.told  # type: ignore[attr-defined]
    one, two = stats["ports"]
    assert one["rx_missed"] == stats["missed"] > frames // 2 and two["rx_missed"] == 0, stats
    assert frames <= one["rx_packets"] + one["rx_missed"] < frames + 100, stats
    assert stats["dropped"] == 0, stats
    missed = one["rx_missed"]
    assert re.search(rf"^received .*, missed .*; in all .*, missed {missed}, sent", told, re.MULTILINE), told
    assert re.search(rf"^ +0  {driver}:pa +{one['rx_packets']} +\d+ +{missed} ", told, re.MULTILINE), told
    assert f"missed {missed}: " in told, told


def sent(client: Client, host: socket.socket, length: int, cause: str) -> dict[str, Any]:
    """What the switch has counted when 20 frames of a length are through, or dropped of that cause."""
    before = client.stats()
    for _ in range(20):
        host.send(FORWARDED + bytes(length - len(FORWARDED)))
    end = time.monotonic() + 5
    while True:
        now = client.stats()
        more = {
            "sent": now["ports"][1]["tx_packets"] - before["ports"][1]["tx_packets"],
            **{name: count - before["drops"][name] for name, count in now["drops"].items()},
        }
        if more[cause] >= 20 or time.monotonic() > end:
            return {name: count for name, count in more.items() if count}
        time.sleep(0.02)


def silence(*hosts: Host) -> None:
    """No frames of the kernel's own."""
    for host in (None, *hosts):
        inside = ["nsenter", f"--net=/proc/{host.holder.pid}/ns/net"] if host else []
        run(*inside, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")


def scenario_down(binary: str, driver: str) -> None:
    """A port that is down takes no frame, and what comes to it is not received, not even when it is up again."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    silence(a, b)
    with switch(binary, driver) as (_, client):
        host = sender(a)
        assert sent(client, host, FRAME_BYTES, "sent") == {"sent": 20}
        if driver == "af_xdp":  # the kernel tells of frames that it drops as the other end is down, not as one refused
            b.ip("link", "set", "eb", "down")
            assert sent(client, host, FRAME_BYTES, "tx-full") == {"tx-full": 20}
            b.ip("link", "set", "eb", "up")
            time.sleep(0.5)
        assert client.command("port_down 1").ok
        assert sent(client, host, FRAME_BYTES, "no-port") == {"no-port": 20}
        assert client.command("port_up 1").ok and client.command("port_down 0").ok
        before = client.stats()["received"]
        for _ in range(20):
            host.send(FORWARDED + bytes(46))
        time.sleep(0.2)
        assert client.command("port_up 0").ok
        time.sleep(0.2)
        assert client.stats()["received"] == before
        assert sent(client, host, FRAME_BYTES, "sent") == {"sent": 20}


def wakeups(process: subprocess.Popen[str]) -> int:
    """How often its threads have gone to sleep so far."""
    told = "".join(file.read_text() for file in Path(f"/proc/{process.pid}/task").glob("*/status"))
    return sum(map(int, re.findall(r"^voluntary_ctxt_switches:\s+(\d+)", told, re.MULTILINE)))


def scenario_idle(binary: str, driver: str) -> None:
    """An idle switch hardly wakes up, by --until-end neither, as interfaces do not end; a frame is sent at once all the same."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    silence(a, b)
    with switch(binary, driver, "--until-end", "--adapt") as (process, client):
        host = sender(a)
        assert sent(client, host, FRAME_BYTES, "sent") == {"sent": 20}
        end = time.monotonic() + 20
        most = 80  # in two seconds: each of the two threads ten times a second, and as often once more
        while True:  # B and b are searched at first
            before = wakeups(process)
            time.sleep(2)
            if (woken := wakeups(process) - before) < most or time.monotonic() > end:
                break
        assert 0 < woken < most, woken
        assert sent(client, host, FRAME_BYTES, "sent") == {"sent": 20}


def scenario_mtu(binary: str, driver: str) -> None:
    """An MTU that changes while the switch runs: longer frames go through, or are counted as too long."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    for host, end, interface in ((a, "pa", "ea"), (b, None, "eb")):
        host.ip("link", "set", interface, "mtu", "3000")
        if end:
            run("ip", "link", "set", end, "mtu", "3000")
    silence(a, b)
    with switch(binary, driver, "--max-frame", "3018") as (_, client):
        host = sender(a)
        assert sent(client, host, 1514, "sent") == {"sent": 20}
        assert sent(client, host, 2000, "too-long") == {"too-long": 20}
        run("ip", "link", "set", "pb", "mtu", "3000")
        time.sleep(0.5)
        assert sent(client, host, 2000, "sent") == {"sent": 20}
        run("ip", "link", "set", "pb", "mtu", "1000")
        if driver == "af_xdp":  # it tells of nothing at once
            time.sleep(0.5)
        assert sent(client, host, 1514, "too-long") == {"too-long": 20}
        assert sent(client, host, 1000, "sent") == {"sent": 20}


def scenario_rings(binary: str, driver: str) -> None:
    """A pool that is too small for whole rings is told, with one that is not; the usual pool has enough for two ports."""
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    for options, told in (((), False), (("--buffers", "8192"), driver == "af_xdp")):
        with switch(binary, driver, *options) as (process, _):
            pass
        errors: str = process.errors  # type: ignore[attr-defined]
        assert bool(re.search(r"a ring holds 1024 packets, .* a pool of 16384 gives rings of 2048", errors)) == told, (
            errors
        )
        assert told or not errors, errors


def scenario_long(binary: str, driver: str) -> None:
    """Frames too long for a slot of the ring, more than the socket has room for: each is received or missed, once."""
    frames = 1500  # fewer than a ring has slots
    a, b = two_hosts()
    veth(a, "pa", "ea", 1)
    veth(b, "pb", "eb", 2)
    with switch(binary, driver) as (process, client):
        a.ip("link", "set", "ea", "mtu", "9000")
        run("ip", "link", "set", "pa", "mtu", "9000")
        host = sender(a)
        process.send_signal(signal.SIGSTOP)
        for _ in range(frames):
            host.send(FORWARDED + bytes(8000))
        process.send_signal(signal.SIGCONT)
        end = time.monotonic() + 10
        while (stats := client.stats())["received"] + stats["missed"] < frames and time.monotonic() < end:
            time.sleep(0.05)
        again = [client.stats() for _ in range(3)]  # what has been told is not told again
    for stats in again:
        assert stats["missed"] == again[0]["missed"] > 0, stats
        assert frames <= stats["received"] + stats["missed"] < frames + 100, stats


def times_of(capture: bytes) -> list[float]:
    """When the frames of a capture file came, in seconds."""
    (magic,) = struct.unpack_from("<I", capture)
    unit, at, times = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}[magic], 24, []
    while at < len(capture):
        seconds, part, length = struct.unpack_from("<III", capture, at)
        if length == FRAME_BYTES:  # the host's own frames are others
            times.append(seconds + part * unit)
        at += 16 + length
    return times


def scenario_time(binary: str, driver: str) -> None:
    """A frame has the time at which the kernel took it, which a capture keeps, not that at which the switch came to it."""
    a, _ = two_hosts()
    veth(a, "pa", "ea", 1)
    with tempfile.TemporaryDirectory() as folder:
        ports = [f"--port=0={driver}:pa", f"--port=1=pcap:,{folder}/out.pcap"]
        command = [binary, *ports, f"--socket={folder}/socket"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            with Client.wait(Path(folder) / "socket", timeout=20) as client:
                host = sender(a)
                process.send_signal(signal.SIGSTOP)
                around = []
                for _ in range(4):
                    before = time.time()
                    host.send(FORWARDED + bytes(FRAME_BYTES - len(FORWARDED)))
                    around.append((before, time.time()))
                    time.sleep(0.3)
                process.send_signal(signal.SIGCONT)
                end = time.monotonic() + 5
                while client.stats()["ports"][1]["tx_packets"] < 4 and time.monotonic() < end:
                    time.sleep(0.02)
        finally:
            process.terminate()
            process.wait(20)
        times = times_of((Path(folder) / "out.pcap").read_bytes())
    for (before, after), at in zip(around, times, strict=True):
        assert before - 0.01 <= at <= after + 0.01, (around, times)


SCENARIOS = {
    "missed": scenario_missed,
    "down": scenario_down,
    "idle": scenario_idle,
    "mtu": scenario_mtu,
    "rings": scenario_rings,
    "long": scenario_long,
    "time": scenario_time,
}


def main() -> int:
    SCENARIOS[sys.argv[1]](sys.argv[3], sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
