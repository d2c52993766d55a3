"""How a switch ends, on each kind of port: run by test_ends.py, in a network namespace of its own where it has interfaces.

    ends.py PLATFORM KIND BINARY FOLDER

It runs under endless traffic and is killed (SIGKILL); the next one starts at once, with the same ports, and is told to
end (SIGTERM): what it had received has been sent, as the far ends saw it, and all its counters add up.
"""

from __future__ import annotations

import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import wires  # noqa: E402
from cells import ROWS, Row, environment_of  # noqa: E402
from switch_harness import read_pcap, write_pcap  # noqa: E402

from macsad.bench.contestants import end_with_parent  # noqa: E402
from macsad.control import Client  # noqa: E402
from macsad.protocol import ControlError  # noqa: E402

FRAME = b"\x02" * 12 + b"\x88\xb5" + bytes(46)
PACKET_STATISTICS = 6
START_S, END_S, TRAFFIC_S = 30.0, 20.0, 0.1

# Ports with input that never ends. Of those of cells.py, what is not here has it anyway.
ENDLESS = {
    "linux pcap": ("pcap:{file},loops=0", "pcap:,{file}"),
    "linux mem": ("mem:{file},loop", "null:"),
    "dpdk net_pcap": ("dpdk:net_pcap{n},rx_pcap={file},infinite_rx=1", "dpdk:net_pcap{n},tx_pcap={file}"),
    "odp linux": ("pcap:in={file}:loops=0", "pcap:out={file}"),
}
MORE = (
    Row("dpdk", "net_null", "files", "dpdk:net_null{n}", "dpdk:net_null{n},no-rx=1"),
    Row("dpdk", "net_af_xdp", "wires", "dpdk:net_af_xdp{n},iface={interface}", "dpdk:net_af_xdp{n},iface={interface}"),
)
DEVICES = ("net_pcap0,rx_pcap={file},infinite_rx=1", "net_pcap1,tx_pcap={file}")  # of libodp-dpdk


def rows() -> dict[str, Row]:
    """All kinds of ports, with endless input."""
    found = {str(row): row for row in (*ROWS, *MORE)}
    return found | {name: replace(found[name], first=first, others=others) for name, (first, others) in ENDLESS.items()}


class Counter:
    """How many frames an interface has received, or the kernel has sent by it, as a packet socket sees it."""

    def __init__(self, interface: str) -> None:
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(wires.ALL))
        self._socket.bind((interface, wires.ALL))
        self.now()

    def now(self) -> int:
        """Since the last call; frames that the socket had no room for are among them."""
        return int(struct.unpack("II", self._socket.getsockopt(wires.SOL_PACKET, PACKET_STATISTICS, 8))[0])


@contextmanager
def traffic(interface: str) -> Iterator[None]:
    """Frames into an interface, until the context or the interface ends."""
    over = threading.Event()

    def send() -> None:
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
            try:
                sender.bind((interface, 0))
                while not over.is_set():
                    sender.send(FRAME)
                    time.sleep(0.0001)
            except OSError:
                return  # the switch has made the interface, and has ended

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class Switch:
    """One that runs, from its start to its end."""

    def __init__(self, row: Row, binary: Path, folder: Path) -> None:
        files = [folder / "in.pcap", folder / "out.pcap"]
        listening = folder / "socket"
        ports = [f"--port={n}={row.port(n, file)}" for n, file in enumerate(files)]
        command = [str(binary), *ports, "--max-frame", "1518", "--socket", str(listening)]
        environment = environment_of(row)
        if row.odp == "libodp-dpdk":
            devices = [f"--vdev {device.format(file=file)}" for device, file in zip(DEVICES, files, strict=True)]
            words = ["--no-pci --no-huge --no-shconf -m 1024", *devices]
            environment["ODP_PLATFORM_PARAMS"] = " ".join(words)
        self.row, self.out = row, files[1]
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            preexec_fn=end_with_parent,
        )
        self._listening = listening

    def receives(self) -> None:
        """Wait until it has received something."""
        end = time.monotonic() + START_S
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with Client.wait(self._listening, 0.2) as client:
                    if client.stats()["received"] > 0:
                        return
            except (ControlError, OSError):
                continue
        self._process.kill()
        sys.exit(f"{self.row} does not start, or receives nothing: {''.join(self._process.communicate())[-1000:]}")

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def forget(self) -> None:
        """libodp keeps its memory in files, which stay when it is killed."""
        for folder in (Path("/dev/hugepages"), Path("/dev/shm")):
            for file in folder.glob(f"*/odp-{self._process.pid}-*"):
                file.unlink()

    def end(self) -> tuple[int, int]:
        """Tell it to end; how many frames it has received, and how many it has sent."""
        self._process.send_signal(signal.SIGTERM)
        told, said = self._process.communicate(timeout=END_S)
        sums = re.search(r"^received (\d+) \+ copies 0 = sent (\d+) \+ dropped (\d+)", told, re.MULTILINE)
        assert self._process.returncode == 0 and sums, f"exit {self._process.returncode}: {told}{said}"
        received, sent, dropped = map(int, sums.groups())
        assert received == sent + dropped and sent > 0, told
        return received, sent


def main(row: Row, binary: Path, folder: Path) -> None:
    write_pcap(folder / "in.pcap", [FRAME] * 32)
    with ExitStack() as stack:
        far = stack.enter_context(wires.veths(2)) if row.feed == "wires" else ["macs0", "macs1"]
        killed = Switch(row, binary, folder)
        with through(row, far):
            killed.receives()
            time.sleep(TRAFFIC_S)
            killed.kill()
        switch = Switch(row, binary, folder)
        with through(row, far) as counter:
            switch.receives()
            time.sleep(TRAFFIC_S)
            received, sent = switch.end()
            seen = counter.now() if counter else sent
    killed.forget()
    if row.others.endswith("{file}") or row.odp:
        seen = len(read_pcap(switch.out))
    assert seen == sent, f"{sent} frames were sent, {seen} arrived"
    print(f"{row}: {received} received, {sent} sent, {seen} arrived")


@contextmanager
def through(row: Row, far: list[str]) -> Iterator[Counter | None]:
    """Traffic for a switch that has interfaces, and what counts frames at the far end; taps are the switch's own."""
    if row.feed == "files":
        yield None
        return
    if row.feed == "taps":
        end = time.monotonic() + START_S
        while not set(far) <= {name for _, name in socket.if_nameindex()} and time.monotonic() < end:
            time.sleep(0.01)
        wires.taps(2)
    counter = Counter(far[1])
    with traffic(far[0]):
        yield counter


if __name__ == "__main__":
    main(rows()[f"{sys.argv[1]} {sys.argv[2]}"], Path(sys.argv[3]), Path(sys.argv[4]))
