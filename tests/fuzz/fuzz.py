"""Fuzzes for a while: random programs, each examined; what fails is made smaller and written down.

python tests/fuzz/fuzz.py [--minutes N] [--seed N] [--count N] [--size N] [--into FOLDER]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import program
import report
from layout import render
from oracle import examine
from shrink import shrink

SHRINK_SECONDS = 120.0


def main() -> int:
    asked = _arguments()
    deadline = time.monotonic() + 60 * asked.minutes
    failures = done = 0
    seed = asked.seed if asked.seed is not None else int(time.time())
    with tempfile.TemporaryDirectory(prefix="macsad-fuzz-") as scratch:
        while done < asked.count and time.monotonic() < deadline:
            size = asked.size if asked.size is not None else seed % 4
            failures += _one(seed, size, Path(scratch), asked.into, asked.shrink)
            seed, done = seed + 1, done + 1
            if done % 20 == 0:
                print(f"{done} programs", flush=True)
    print(f"{done} programs, up to seed {seed - 1}: {failures} failed")
    return 1 if failures else 0


def _one(seed: int, size: int, scratch: Path, into: Path, seconds: float) -> int:
    """Examine the program of a seed. Returns 1 if it failed."""
    nodes = program.make(seed, size)
    failure = examine(render(nodes), scratch / "whole", seed)
    if failure is None:
        return 0
    print(f"seed {seed}, size {size}: {failure.step} {failure.batch or ''}: {failure.message[:300]}", flush=True)
    nodes, failure = shrink(nodes, failure, scratch / "smaller", seconds)
    report.write(into / f"{seed}-{size}", nodes, failure)
    print(f"seed {seed}: see {into / f'{seed}-{size}'}", flush=True)
    return 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Random P4 programs through the whole compiler")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, help="of the first program; by default another one every time")
    parser.add_argument("--size", type=int, choices=range(5), help="by default 0 to 3 in turn")
    parser.add_argument("--shrink", type=float, default=SHRINK_SECONDS, help="seconds for making a failure smaller")
    parser.add_argument("--into", type=Path, default=Path("build/fuzz"), help="where failures are written")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
