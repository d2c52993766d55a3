"""Programs that are measured: switches, and the small C programs in bench/. Only the one whose turn it is runs."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from macsad.bench.samples import Sample, SampleError, between, from_line
from macsad.control import Client
from macsad.protocol import ControlError

SETTLE_S = 0.02  # after it was stopped, or set to other bursts: caches and branch predictors
START_S = 600.0
ANSWER_S = 60.0
END_S = 5.0
LAST_LINES = 5  # of a log, in a message
PR_SET_PDEATHSIG = 1


class BenchError(Exception):
    """Something cannot be measured here; the message says why."""


class Contestant(Protocol):
    """Something that can be measured."""

    def measure(self, what: str, number: int, other: int, seconds: float) -> Sample: ...

    def close(self) -> None: ...


def worker_cpus(workers: int) -> list[int]:
    """The CPUs to measure on: the last ones, as the first has the system's own work."""
    usable = sorted(os.sched_getaffinity(0))
    return usable[-workers:] if workers <= len(usable) else usable


def end_with_parent() -> None:
    """In a child, before it becomes a program: whoever started it is killed, so is it, even where it is stopped."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Process:
    """A child process that is stopped between its turns, and killed at the end. What it says goes to the log, unless `pipes`,
    arguments of Popen, have it otherwise."""

    def __init__(self, command: list[str], log: Path, **pipes: Any) -> None:
        with log.open("wb") as errors:
            options = {"stdout": errors, "stderr": errors, "preexec_fn": end_with_parent, **pipes}
            self.process = subprocess.Popen(command, **options)
        self._log = log

    def failure(self, what: str) -> BenchError:
        """With what it said last: the reason stands above what came of it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        said = self._log.read_text(errors="replace").strip().splitlines()[-LAST_LINES:]
        return BenchError(f"{what}: {'; '.join(said) or 'no reason given'}")

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class Switch:
    """A compiled switch that receives for ever. `measure("", B, b, …)` counts packets."""

    def __init__(self, binary: Path, feed: list[str], entries: Path | None, folder: Path, workers: int = 1) -> None:
        """Start it, with the options of a feed, and wait until its tables are filled. Raises: BenchError."""
        socket = folder / "socket"
        cpus = worker_cpus(workers)
        command = [str(binary), "--socket", str(socket), "--busy", "--workers", str(workers)]
        command += ["--cpus", ",".join(map(str, cpus)), *feed]
        command += ["--entries", str(entries)] if entries else []
        self._own = Process(command, folder / "log", stdout=subprocess.DEVNULL)
        try:
            self._client = self._connect(socket)
            self.tables: list[dict[str, Any]] = self._client.describe()["tables"]
        except BaseException:  # nothing else would end it
            self._own.close()
            raise
        self._own.pause()

    def _connect(self, socket: Path) -> Client:
        end = time.monotonic() + START_S
        while time.monotonic() < end and self._own.process.poll() is None:
            with contextlib.suppress(ControlError, OSError):
                return Client.wait(socket, seconds=0.5, timeout=ANSWER_S)
        raise self._own.failure("the switch does not start")

    def measure(self, what: str, number: int, other: int, seconds: float) -> Sample:
        """Packets at burst `number` and sub-batch `other`. Raises: BenchError, SampleError."""
        self._own.resume()
        try:
            self._client.set_batch(number, other)
            before = self._after(self._client.stats(), SETTLE_S)
            sample = between(before, self._after(before, seconds))
        except (ControlError, OSError) as error:
            raise self._own.failure(f"the switch has ended while it was measured ({error})") from error
        self._own.pause()
        return sample

    def set_batch(self, burst: int, sub_batch: int) -> None:
        """While it runs. Raises: BenchError."""
        try:
            self._client.set_batch(burst, sub_batch)
        except (ControlError, OSError) as error:
            raise self._own.failure(f"the switch has ended while it was measured ({error})") from error

    def _after(self, before: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Statistics after so many seconds; later where the workers had less than half of that time on their CPUs."""
        enough = before["cpu_ns"] + seconds * 1e9 * before["workers"] / 2
        end = time.monotonic() + seconds + ANSWER_S
        while True:
            time.sleep(seconds)
            now = self._client.stats()
            if (now["cpu_ns"] >= enough and now["received"] > before["received"]) or time.monotonic() > end:
                return now

    def pause(self) -> None:
        self._own.pause()

    def resume(self) -> None:
        self._own.resume()

    def stats(self) -> dict[str, Any]:
        """Its statistics so far: docs/control.md."""
        self._own.resume()
        stats = self._client.stats()
        self._own.pause()
        return stats

    def stages(self) -> list[dict[str, Any]]:
        """The stage clocks of its workers so far. They rest meanwhile: a burst is in all of the clocks, or in none.
        Raises: BenchError."""
        self._own.resume()
        try:
            self._client.hold(True)
            clocks = self._client.stages()
            with contextlib.suppress(ControlError):  # after a second they go on by themselves
                self._client.hold(False)
        except (ControlError, OSError) as error:
            raise self._own.failure(f"the stage clocks cannot be read ({error})") from error
        self._own.pause()
        return clocks

    def dropped(self) -> float:
        """The share of the received frames that were dropped so far."""
        stats = self.stats()
        return float(stats["dropped"]) / max(1, int(stats["received"]))

    @property
    def huge_bytes(self) -> int:
        """Its memory on huge pages that were set aside."""
        lines = Path(f"/proc/{self._own.process.pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if "_Hugetlb:" in line)

    def close(self) -> None:
        self._client.close()
        self._own.close()


class Probe:
    """A program of bench/ that measures when a line asks it to: see bench/probe.h."""

    def __init__(
        self, command: list[str], folder: Path, cpu: int | None = None, environment: dict[str, str] | None = None
    ) -> None:
        """Start it, on the CPU that is measured unless another is given. Raises: BenchError with what it said when it cannot."""
        pinned = ["taskset", "-c", str(worker_cpus(1)[-1] if cpu is None else cpu), *command]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
        self._own = Process(pinned, folder / "log", **pipes)
        if self._line(START_S).strip() != "ready":
            error = self._own.failure(f"{Path(command[0]).name} does not start")
            self._own.close()
            raise error

    def _line(self, seconds: float) -> str:
        assert self._own.process.stdout is not None
        ready, _, _ = select.select([self._own.process.stdout], [], [], seconds)
        return str(self._own.process.stdout.readline()) if ready else ""

    def measure(self, what: str, number: int, other: int, seconds: float) -> Sample:
        """What it does under that name. Raises: BenchError, SampleError."""
        self.begin(what, number, seconds)
        line = self._line(seconds + ANSWER_S)
        if not line:
            raise self._own.failure(f"the measuring program does not answer to '{what}'")
        return from_line(line)

    def begin(self, what: str, number: int, seconds: float) -> None:
        """Have it do that for so long, and do not wait. Raises: BenchError."""
        assert self._own.process.stdin is not None
        try:
            self._own.process.stdin.write(f"{what} {max(1, round(seconds * 1000))} {number}\n")
            self._own.process.stdin.flush()
        except BrokenPipeError:
            raise self._own.failure("the measuring program has ended") from None

    @property
    def pid(self) -> int:
        return self._own.process.pid

    def pause(self) -> None:
        self._own.pause()

    def resume(self) -> None:
        self._own.resume()

    def kill(self) -> None:
        self._own.close()

    def close(self) -> None:
        """Have it end by itself, as an installed ODP leaves its memory behind where it is killed."""
        if self._own.process.stdin is not None:
            with contextlib.suppress(BrokenPipeError, subprocess.TimeoutExpired):
                self._own.process.stdin.close()
                self._own.process.wait(END_S)
        self._own.close()


class Closing:
    """Contestants that are ended together, whatever happens."""

    def __init__(self) -> None:
        self._all: list[Contestant] = []

    def __enter__(self) -> Closing:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for contestant in self._all:
            contestant.close()

    def add(self, contestants: Iterable[Contestant]) -> None:
        self._all += contestants


__all__ = [
    "BenchError",
    "Closing",
    "Contestant",
    "Probe",
    "Process",
    "SampleError",
    "Switch",
    "end_with_parent",
    "worker_cpus",
]
