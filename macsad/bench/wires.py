"""Interfaces to measure packet I/O on, in network namespaces of our own: veth pairs or taps, with frames sent into one of
them from another CPU and counted where they come out."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from macsad.bench.contestants import BenchError, Contestant, Probe, worker_cpus
from macsad.bench.samples import Sample

CLONE_NEWNET = 0x40000000
MTU = 1600  # room for the longest frame of Ethernet with its tag
SETTLE_S, PATIENCE_S, FLOWING = 0.01, 2.0, 256


@contextmanager
def own_network() -> Iterator[None]:
    """A network namespace for what this thread starts meanwhile: groups of packet sockets are numbered by namespace, and DPDK
    takes numbers for them that another program may have too. With the last process in it, however that ends, its interfaces
    are gone. Raises: BenchError."""
    if shutil.which("ip") is None:
        raise BenchError("'ip' is not installed (Debian: apt install iproute2)")
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open() as before:
        if libc.unshare(CLONE_NEWNET):
            why = os.strerror(ctypes.get_errno())
            raise BenchError(f"interfaces take root, and a kernel that lets it have a network namespace: {why}")
        try:
            with contextlib.suppress(OSError):  # a kernel without IPv6 has no word to say either
                Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")
            yield
        finally:
            libc.setns(before.fileno(), CLONE_NEWNET)


def ip(*words: str) -> None:
    """Raises: BenchError."""
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"ip {' '.join(words)}: {done.stderr.strip()}")


@dataclass(frozen=True)
class Wires:
    """Where frames come in, and where they go out, in a network namespace of their own. Of a veth pair the other ends are those
    that frames are sent to and counted at; of a tap, which the program makes, it is the interface itself."""

    taps: bool
    source: str = "in0"
    sink: str = "out0"

    @property
    def _sender(self) -> str:
        return self.source if self.taps else "from0"

    @property
    def _receiver(self) -> str:
        return self.sink if self.taps else "to0"

    def make(self) -> None:
        """Before a program is started on veth pairs, after one that makes taps. Raises: BenchError."""
        for name, other in ((self.source, self._sender), (self.sink, self._receiver)):
            if not self.taps:
                ip("link", "add", name, "type", "veth", "peer", "name", other)
            for end in {name, other}:
                ip("link", "set", end, "mtu", str(MTU), "up")

    def sending(self, frames: Path) -> list[str]:
        """Arguments of bench/loop.c, to send the frames of a file over and over."""
        return [f"mem:{frames},loop", f"af_packet:{self._sender}", "4096", "2048"]

    def crossing(self, frames: Path, control: Path) -> list[str]:
        """Arguments of bench/crossing.c, to send the frames of a file at random times, and to time those that come out."""
        return [str(frames), str(control), self._sender, self._receiver]

    def counts(self, inside: int) -> Crossed:
        """So far, as a process of the namespace sees it. The kernel counts frames that it could not hand over as dropped by the
        sender."""
        lines = Path(f"/proc/{inside}/net/dev").read_text().splitlines()[2:]
        columns = {name.strip(): values.split() for name, _, values in (line.partition(":") for line in lines)}
        sent, dropped = (int(columns[self._sender][column]) for column in (9, 11))
        return Crossed(time.monotonic(), sent + dropped, int(columns[self._receiver][1]))


@dataclass(frozen=True)
class Crossed:
    """Frames sent to a program, and those of them that came out of it, in so many seconds."""

    seconds: float
    sent: int
    arrived: int

    def since(self, before: Crossed) -> Crossed:
        return Crossed(self.seconds - before.seconds, self.sent - before.sent, self.arrived - before.arrived)


def sending_cpu() -> int:
    """Not the one that is measured. Raises: BenchError."""
    others = set(os.sched_getaffinity(0)) - set(worker_cpus(1))
    if not others:
        raise BenchError("interfaces take a second CPU, for what sends")
    return min(others)


class Wired:
    """A contestant with interfaces, and what sends to it: both run when it is measured. `crossed`: of each measurement."""

    def __init__(self, contestant: Contestant, wires: Wires, sender: Probe) -> None:
        self._contestant, self._wires, self._sender = contestant, wires, sender
        self.crossed: list[Crossed] = []

    def measure(self, what: str, number: int, other: int, seconds: float) -> Sample:
        """Raises: BenchError, SampleError."""
        self._sender.resume()
        self._await_frames()
        before = self._counts()
        sample = self._contestant.measure(what, number, other, seconds)
        self.crossed.append(self._counts().since(before))
        self._sender.pause()
        return sample

    def _counts(self) -> Crossed:
        return self._wires.counts(self._sender.pid)

    def _await_frames(self) -> None:
        """Until they flow, which takes a moment where others want the sender's CPU."""
        begin, end = self._counts().sent, time.monotonic() + PATIENCE_S
        while self._counts().sent < begin + FLOWING and time.monotonic() < end:
            time.sleep(SETTLE_S)

    def close(self) -> None:
        self._sender.kill()
        self._contestant.close()
