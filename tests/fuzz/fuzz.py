"""Fuzzes for a while: random programs, each examined; what fails is made smaller and written down. Or one of the doors
through which bytes from outside come in (doors.py, texts.py).

python tests/fuzz/fuzz.py [--minutes N] [--seed N] [--count N] [--kind KIND] [--size N] [--into FOLDER]

The seed says everything: which kind of program, how large, with which packets, how it is compiled.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import doors
import large
import makers
import p4_14
import pipelined
import predicted
import program
import psa
import report
import texts
from built_once import FOLDER
from damage import damaged, survives
from layout import Node, render
from oracle import DEFAULT, Failure, build_of, examine
from shrink import shrink

SHRINK_SECONDS = 120.0
DAMAGED = 10  # variants of one program
KINDS = ("p4-16", "p4-16", "psa", "pipelined", "p4-14", "predicted", "psa", "damaged", "large")
Found = tuple[tuple[Node, ...], Failure]


def main() -> int:
    asked = _arguments()
    if asked.kind in (*doors.DOORS, *texts.TEXTS):
        return _door(asked)
    deadline = time.monotonic() + 60 * asked.minutes
    failures = done = 0
    seed = asked.seed if asked.seed is not None else int(time.time())
    print(f"from seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="macsad-fuzz-") as scratch:
        while done < asked.count and time.monotonic() < deadline:
            kind = asked.kind or KINDS[seed % len(KINDS)]
            size = asked.size if asked.size is not None else seed % 4
            failures += _one(kind, seed, size, Path(scratch), asked.into, asked.shrink)
            seed, done = seed + 1, done + 1
            if done % 20 == 0:
                print(f"{done} programs", flush=True)
    print(f"{done} programs, up to seed {seed - 1}: {failures} failed")
    return 1 if failures else 0


def _door(asked: argparse.Namespace) -> int:
    """Fuzz a door. Returns 1 if an input was received badly."""
    seed = asked.seed if asked.seed is not None else int(time.time())
    folder, seconds = asked.into / asked.kind, int(60 * asked.minutes)
    print(f"{asked.kind}, from seed {seed}, for {seconds} s; inputs are in {folder}", flush=True)
    with tempfile.TemporaryDirectory(prefix="macsad-fuzz-") as built:
        os.environ[FOLDER] = built
        if asked.kind in doors.DOORS and (why := doors.missing()):
            print(f"error: {why}")
            return 1
        run = doors.run if asked.kind in doors.DOORS else texts.run
        outcome = run(asked.kind, seconds, folder, seed % (1 << 31))
    print(
        f"{outcome.executions} inputs, {outcome.coverage} edges covered"
        if outcome.coverage
        else f"{outcome.executions} inputs"
    )
    if outcome.wrong:
        print(f"{outcome.wrong}\nsee {outcome.input}")
    return 1 if outcome.wrong else 0


def _one(kind: str, seed: int, size: int, scratch: Path, into: Path, seconds: float) -> int:
    """Examine the program of a seed. Returns 1 if it failed."""
    if kind == "damaged":
        return _damaged(seed, size, into)
    found = _predicted(seed, size, scratch) if kind == "predicted" else _made(kind, seed, size, scratch, seconds)
    if found is None:
        return 0
    report.write(into / f"{kind}-{seed}-{size}", *found)
    print(f"seed {seed}: see {into / f'{kind}-{seed}-{size}'}", flush=True)
    return 1


def _made(kind: str, seed: int, size: int, scratch: Path, seconds: float) -> Found | None:
    """Of a program that only the executions tell the meaning of."""
    makers: dict[str, Callable[[int, int], tuple[Node, ...]]]
    makers = {
        "p4-16": program.make,
        "psa": psa.make,
        "p4-14": p4_14.make,
        "pipelined": pipelined.make,
        "large": large.make,
    }
    nodes = makers[kind](seed, size)
    failure = examine(render(nodes), scratch / "whole", seed, build=DEFAULT if kind == "pipelined" else None)
    if failure is None:
        return None
    _say(kind, seed, size, failure)
    return shrink(nodes, failure, scratch / "smaller", seconds)


def _predicted(seed: int, size: int, scratch: Path) -> Found | None:
    made = makers.Maker(seed, size).make()
    failure = predicted.examine(made, scratch / "predicted", seed, build_of(seed))
    if failure is None:
        return None
    _say("predicted", seed, size, failure)
    made, failure = predicted.smallest(made, failure, scratch / "predicted", seed)
    return made.nodes(), failure


def _damaged(seed: int, size: int, into: Path) -> int:
    """Variants of a program that the frontend must receive well."""
    random = Random(seed)
    text = render(program.make(seed, size) if random.random() < 0.7 else p4_14.make(seed, size))
    into.mkdir(parents=True, exist_ok=True)
    file = into / f"damaged-{seed}.p4"
    for _ in range(DAMAGED):
        if wrong := survives(damaged(text, random), file):
            print(f"seed {seed}, damaged: {wrong[:300]}: see {file}", flush=True)
            return 1
    file.unlink()
    return 0


def _say(kind: str, seed: int, size: int, failure: Failure) -> None:
    said = f"{failure.step} {failure.batch or ''} {failure.build}: {failure.message[:300]}"
    print(f"seed {seed}, {kind}, size {size}: {said}", flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Random P4 programs through the whole compiler")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, help="of the first program; by default another one every time")
    parser.add_argument(
        "--kind", choices=sorted({*KINDS, *doors.DOORS, *texts.TEXTS}), help="by default all kinds of programs in turn"
    )
    parser.add_argument("--size", type=int, choices=range(5), help="by default 0 to 3 in turn")
    parser.add_argument("--shrink", type=float, default=SHRINK_SECONDS, help="seconds for making a failure smaller")
    parser.add_argument("--into", type=Path, default=Path("build/fuzz"), help="where failures are written")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
