"""Programs of others over DPDK, measured beside a switch on devices like its own.

Any program of DPDK's that forwards from port 0: its packets are asked for over DPDK's telemetry socket, its time is the
CPU time of its busiest thread. Nothing of the program needs to be changed.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shlex
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macsad.bench.contestants import ANSWER_S, SETTLE_S, START_S, BenchError, Process, worker_cpus
from macsad.bench.feeds import Feed
from macsad.bench.samples import Sample

_numbers = itertools.count()
HINTS = {"dpdk-testpmd": " (Debian: apt install dpdk-dev)"}
MBUF, SPARE_MIB = 1024, 128  # bytes of DPDK's memory with each packet of a pool, and for all else
PROCESS_CLOCK = 2  # of any process: its number's complement, three bits of kind; see clock_getcpuclockid(3)


@dataclass(frozen=True)
class Peer:
    """A name to show, and a command line in which {eal} stands for DPDK's own arguments with one lcore, {eal2} for those with a
    main lcore and one that works, {buffers} for the packets of the pool, {frames} for the file with the frames."""

    name: str
    command: str


class Beside:
    """A peer that runs. `measure` counts the packets that it received."""

    def __init__(self, peer: Peer, feed: Feed, frames: Path, folder: Path) -> None:
        """Start it and wait until it forwards. Raises: BenchError with what it said last when it does not."""
        prefix = f"macsad-{os.getpid()}-{next(_numbers)}"
        self._runtime = _runtime_folder() / prefix
        command = words(peer.command, feed, frames, prefix)
        if shutil.which(command[0]) is None:
            raise BenchError(f"{peer.name}: there is no program {command[0]}{HINTS.get(Path(command[0]).name, '')}")
        self._name = peer.name
        self._own = Process(command, folder / "log", stdin=subprocess.PIPE)
        try:
            self._telemetry = self._connect()
        except BaseException:  # nothing else would end it
            self.close()
            raise
        self._own.pause()

    def _connect(self) -> socket.socket:
        end = time.monotonic() + START_S
        while time.monotonic() < end and self._own.process.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                self._telemetry = _telemetry(self._runtime / "dpdk_telemetry.v2")
                if self.packets()[1]:  # some empty their devices first
                    return self._telemetry
            time.sleep(0.05)
        raise self._own.failure(f"{self._name} does not start")

    def packets(self) -> tuple[int, int]:
        """That it has received and sent so far. Raises: OSError, ValueError."""
        asked = [self._ask(f"/ethdev/stats,{port}") for port in self._ask("/ethdev/list")]
        stats = [one for one in asked if one is not None]  # a port that is not started has none
        return sum(one["ipackets"] for one in stats), sum(one["opackets"] for one in stats)

    def _ask(self, what: str) -> Any:
        self._telemetry.send(what.encode())
        return json.loads(self._telemetry.recv(1 << 16))[what.partition(",")[0]]

    def measure(self, what: str, number: int, other: int, seconds: float) -> Sample:
        """Raises: BenchError, SampleError."""
        self._own.resume()
        try:
            time.sleep(SETTLE_S)
            sample = self._sample(_times(self._own.process.pid), self.packets()[0], seconds)
        except (OSError, ValueError) as error:
            raise self._own.failure(f"{self._name} has ended while it was measured ({error})") from error
        self._own.pause()
        return sample

    def _sample(self, before: _Times, begin: int, seconds: float) -> Sample:
        """After so many seconds; later where its CPU time is less than half of them. Raises: OSError, ValueError, SampleError."""
        end = time.monotonic() + seconds + ANSWER_S
        while True:
            time.sleep(seconds)
            after, packets = _times(self._own.process.pid), self.packets()[0] - begin
            used = after.busiest_since(before)
            if (used >= seconds * 1e9 / 2 and packets > 0) or time.monotonic() > end:
                return Sample(packets, used, after.wall_ns - before.wall_ns, 0)

    def pause(self) -> None:
        self._own.pause()

    def resume(self) -> None:
        self._own.resume()

    def dropped(self) -> float:
        """The share of the received frames that it has not sent so far."""
        self._own.resume()
        received, sent = self.packets()
        self._own.pause()
        return max(0.0, 1 - sent / max(1, received))

    def close(self) -> None:
        self._own.close()
        shutil.rmtree(self._runtime, ignore_errors=True)


def words(command: str, feed: Feed, frames: Path, prefix: str) -> list[str]:
    """The command line with what stands in braces filled in."""
    cpu = worker_cpus(1)[-1]
    devices = [word for device in feed.devices for word in ("--vdev", device)]
    eal = [*_memory(feed), "--no-pci", "--file-prefix", prefix, *devices, "--lcores"]
    groups = {"{eal}": [*eal, f"0@{cpu}"], "{eal2}": [*eal, f"0@{cpu},1@{cpu}"]}
    found = [part for word in shlex.split(command) for part in groups.get(word, [word])]
    return [word.replace("{buffers}", str(feed.buffers)).replace("{frames}", str(frames)) for word in found]


def _memory(feed: Feed) -> list[str]:
    """DPDK's arguments for memory: huge pages, or small ones where none is free, as the switch then has."""
    if _free_huge_pages():
        return ["--in-memory"]
    return ["--no-huge", "-m", str(SPARE_MIB + (feed.buffers * (feed.max_frame + MBUF) >> 20))]


def _free_huge_pages() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("HugePages_Free:"))


def _runtime_folder() -> Path:
    """Where DPDK has its sockets."""
    return Path("/var/run" if os.getuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/tmp")) / "dpdk"


def _telemetry(path: Path) -> socket.socket:
    """A connection to it, after its greeting. Raises: OSError."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    made.settimeout(ANSWER_S)
    try:
        made.connect(str(path))
        made.recv(1 << 16)
    except OSError:
        made.close()
        raise
    return made


@dataclass(frozen=True)
class _Times:
    """CPU time of a process and of each of its threads so far: the former is exact, the latter as old as the scheduler's
    last tick."""

    wall_ns: int
    cpu_ns: int
    threads: dict[str, int]

    def busiest_since(self, before: _Times) -> int:
        each = [now - before.threads.get(thread, 0) for thread, now in self.threads.items()]
        return self.cpu_ns - before.cpu_ns - (sum(each) - max(each))


def _times(pid: int) -> _Times:
    """Raises: OSError."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    threads = {task.name: int((task / "schedstat").read_text().split()[0]) for task in tasks}
    return _Times(time.monotonic_ns(), time.clock_gettime_ns(~pid << 3 | PROCESS_CLOCK), threads)
