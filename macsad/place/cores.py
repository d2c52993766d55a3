"""How much of its cores this process gets: others may use them, too."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

SECONDS = 0.2


def had(cpus: Sequence[int], seconds: float = SECONDS) -> float:
    """The share of the time of these CPUs that a process on each of them gets, on average, while all of them compute."""
    children = [_spinning(cpu, seconds) for cpu in cpus]
    shares = [_share(*child) for child in children]
    return min(1.0, sum(shares) / len(shares))


def _spinning(cpu: int, seconds: float) -> tuple[int, int]:
    """A child that computes on a CPU for so long: its number, and where it tells the CPU time that it got, in ns."""
    reading, writing = os.pipe()
    if (child := os.fork()) != 0:
        os.close(writing)
        return child, reading
    told = b"0"
    try:
        os.sched_setaffinity(0, {cpu})
        begin, used = time.monotonic(), time.process_time_ns()
        while time.monotonic() - begin < seconds:
            pass
        spent = time.monotonic() - begin
        told = str((time.process_time_ns() - used) / 1e9 / spent).encode()
    finally:
        os.write(writing, told)
        os._exit(0)


def _share(child: int, reading: int) -> float:
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return float(told)
