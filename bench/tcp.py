"""TCP between two hosts, plain and in VXLAN: through the app l2fwd over af_packet (as it is, super-frames
whole, segments) and af_xdp, and through a Linux bridge.

    bench/tcp.py [--seconds S] [--rounds N]      root, or a kernel that lets users make network namespaces

The hosts are network namespaces of their own, as is what joins them; a veth pair leads to each, whose settings stay the
kernel's: super-frames and open checksums. A line for each way: gigabits a second of payload, the median of the rounds,
in which all ways have their turn, and the least and the most. The hosts share this machine's CPUs with the switch.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from macsad.control import Client

ROOT = Path(__file__).parents[1]
HOSTS = (1, 2)
WAYS = ("bridge", "af_packet", "af_packet,whole", "af_packet,segments", "af_xdp")
NETWORKS = {"TCP": "10.9.0", "TCP in VXLAN": "10.8.0"}
PORT, CHUNK = 5001, 1 << 18
WAIT_S = 20  # for a connection, and for each piece of data


def ip(*words: str, host: subprocess.Popen[bytes] | None = None) -> None:
    subprocess.run([*within(host), "ip", *words], check=True)


def within(host: subprocess.Popen[bytes] | None) -> list[str]:
    return ["nsenter", f"--net=/proc/{host.pid}/ns/net"] if host else []


def mac(number: int) -> str:
    return f"02:00:00:00:00:{number:02}"


@contextlib.contextmanager
def hosts() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two namespaces, each kept by a process that sleeps in it."""
    kept = [subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; exec sleep 10000"], stdout=subprocess.PIPE)
            for _ in HOSTS]  # fmt: skip
    try:
        for host in kept:
            assert host.stdout is not None
            host.stdout.readline()
        yield kept
    finally:
        for host in kept:
            host.kill()
            host.wait()


def connect(host: subprocess.Popen[bytes], number: int) -> None:
    """p1 to e1 and p2 to e2, with a VXLAN over e1 and e2; nobody has to ask or to learn for an address."""
    other = sum(HOSTS) - number
    ip("link", "add", f"p{number}", "type", "veth", "peer", "name", f"e{number}", "address", mac(number),
       "netns", str(host.pid))  # fmt: skip
    ip("link", "set", f"p{number}", "up")
    ends = ("local", f"10.9.0.{number}", "remote", f"10.9.0.{other}", "dstport", "4789", "dev", f"e{number}")
    ip("addr", "add", f"10.9.0.{number}/24", "dev", f"e{number}", host=host)
    ip("link", "set", f"e{number}", "up", host=host)
    ip("link", "add", "tunnel", "type", "vxlan", "id", "7", *ends, host=host)
    ip("addr", "add", f"10.8.0.{number}/24", "dev", "tunnel", host=host)
    ip("link", "set", "tunnel", "up", host=host)


@contextlib.contextmanager
def bridge() -> Iterator[None]:
    ip("link", "add", "bridge", "type", "bridge")
    for number in HOSTS:
        ip("link", "set", f"p{number}", "master", "bridge")
    ip("link", "set", "bridge", "up")
    try:
        yield
    finally:
        ip("link", "del", "bridge")


@contextlib.contextmanager
def switch(binary: Path, way: str, folder: Path) -> Iterator[None]:
    """l2fwd that knows both hosts; what goes to nobody or to all is flooded."""
    driver, comma, option = way.partition(",")
    ports = [f"--port={number - 1}={driver}:p{number}{comma}{option}" for number in HOSTS]
    command = [str(binary), *ports, f"--entries={ROOT / 'apps/l2fwd/entries.txt'}", f"--socket={folder}/socket"]
    command += ["--max-frame=65535", "--buffers=1024"] if option == "whole" else []
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        with Client.wait(folder / "socket", seconds=WAIT_S) as client:
            for number in HOSTS:
                client.command(f"table_add smac known {mac(number)} {number - 1} =>")
                client.command(f"table_add dmac forward {mac(number)} => {number - 1}")
        yield
    finally:
        process.terminate()
        process.wait()


def receive(address: str) -> None:
    """Gigabits a second of one connection, from its first byte to its last."""
    with socket.create_server((address, PORT)) as listener:
        print("ready", flush=True)
        listener.settimeout(WAIT_S)
        connection, _ = listener.accept()
        connection.settimeout(WAIT_S)
        total, buffer = 0, bytearray(CHUNK)
        begin = time.monotonic()
        while got := connection.recv_into(buffer):
            total += got
        print(total * 8 / (time.monotonic() - begin) / 1e9)


def send(address: str, seconds: float) -> None:
    data = bytes(CHUNK)
    with socket.create_connection((address, PORT), WAIT_S) as connection:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            connection.sendall(data)


def gigabits(pair: list[subprocess.Popen[bytes]], network: str, seconds: float) -> float:
    """One stream from the first host to the second."""
    me = [sys.executable, __file__]
    receiver = subprocess.Popen([*within(pair[1]), *me, "--receive", f"{network}.2"], stdout=subprocess.PIPE, text=True)
    assert receiver.stdout is not None
    receiver.stdout.readline()
    sent = [*within(pair[0]), *me, "--send", f"{network}.2", "--seconds", str(seconds)]
    subprocess.run(sent, check=True, timeout=seconds + 3 * WAIT_S)
    return float(receiver.communicate(timeout=3 * WAIT_S)[0])


def measure(binary: Path, rounds: int, seconds: float) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {(kind, way): [] for kind in NETWORKS for way in WAYS}
    with hosts() as pair, tempfile.TemporaryDirectory() as folder:
        for host, number in zip(pair, HOSTS, strict=True):
            connect(host, number)
        for _ in range(rounds):
            for way in WAYS:
                with bridge() if way == "bridge" else switch(binary, way, Path(folder)):
                    for kind, network in NETWORKS.items():
                        found[kind, way].append(gigabits(pair, network, seconds))
    return found


def report(found: dict[tuple[str, str], list[float]]) -> None:
    for (kind, way), figures in found.items():
        median, beside = statistics.median(figures), statistics.median(found[kind, "bridge"])
        print(f"{kind:13} {way:18} {median:8.3f} Gb/s ({min(figures):.3f} to {max(figures):.3f})"
              f"  {median / beside:5.2f} of the bridge")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1, help="of each stream")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--switch", type=Path, help="l2fwd, made already")
    parser.add_argument("--receive", help=argparse.SUPPRESS)
    parser.add_argument("--send", help=argparse.SUPPRESS)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.receive:
        receive(options.receive)
    elif options.send:
        send(options.send, options.seconds)
    elif options.inside:
        report(measure(options.switch, options.rounds, options.seconds))
    else:
        with tempfile.TemporaryDirectory() as folder:
            if options.switch is None:
                build = [str(Path(sys.executable).with_name("macsad")), "build", str(ROOT / "apps/l2fwd/l2fwd.p4")]
                subprocess.run([*build, "-o", folder], check=True)
                options.switch = Path(folder) / "l2fwd"
            own = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
            words = ["--inside", f"--switch={options.switch.absolute()}", f"--rounds={options.rounds}"]
            subprocess.run([*own, sys.executable, __file__, *words, f"--seconds={options.seconds}"], check=True)


if __name__ == "__main__":
    main()
