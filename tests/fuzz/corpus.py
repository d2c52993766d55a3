"""Any P4 program through the whole compiler: does the compiled switch do what the interpreter does?

python tests/fuzz/corpus.py PATH... [--scenarios N] [--seed N] [--sanitize] [--compiler CC] [--into FOLDER]

A PATH is a program, a folder (its .p4 files) or a file that names programs, one a line. Each program is read, optimised,
compiled and run with random entries and frames, as the random programs are (oracle.py). A line each says what came of it:
`same`, `refused` (a diagnostic: the first message) or `failed`; what fails is written to FOLDER/NAME. Each program has a
process of its own, which ends after a while, so that none spoils the run.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import report
from hypothesis.internal.conjecture import engine
from oracle import Failure, Subject

from transpiler.frontend import Source
from transpiler.hlir.program import Architecture
from transpiler.toolchain import toolchain

BATCHES = ((1, 1), (32, 8), (256, 256))
SECONDS = 240  # for one program
MEMORY_BYTES = 4 << 30
CHOICES = 1 << 20  # that a scenario may take: hypothesis allows 8,192, and a program with 100 tables takes more
RUN_HERE = (Architecture.V1MODEL, Architecture.PSA)


@dataclass(frozen=True, slots=True)
class Asked:
    """How to examine the programs; see `_arguments`."""

    scenarios: int
    seed: int
    sanitize: bool
    compiler: str | None
    include: tuple[Path, ...]
    into: Path

    @property
    def tools(self) -> toolchain.Toolchain:
        if self.sanitize:
            return toolchain.find(compiler=self.compiler, optimise="-O0", sanitize=("address", "undefined"))
        return toolchain.find(compiler=self.compiler)


def main() -> int:
    paths, asked = _arguments()
    count: Counter[str] = Counter()
    for path in dict.fromkeys(program for given in paths for program in _programs(given)):
        began = time.monotonic()
        verdict, words = _apart(path, asked)
        count[verdict] += 1
        print(f"{verdict:8}{time.monotonic() - began:6.1f} s  {words or path}", flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(count.items())))
    return 1 if count["failed"] else 0


def _programs(given: Path) -> Iterator[Path]:
    """The programs that an argument stands for."""
    if given.is_dir():
        yield from sorted(given.glob("*.p4"))
    elif given.suffix == ".p4":
        yield given
    else:
        yield from map(Path, given.read_text().split())


def _apart(path: Path, asked: Asked) -> tuple[str, str]:
    """The verdict of a process of its own."""
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.Process(target=lambda: there.send(_limited(path, asked)))
    child.start()
    there.close()
    try:
        verdict: tuple[str, str] = (
            here.recv() if here.poll(SECONDS) else ("failed", f"{path}: no end after {SECONDS} s")
        )
    except EOFError:
        verdict = "failed", f"{path}: its process ended"
    child.kill()
    child.join()
    return verdict


def _limited(path: Path, asked: Asked) -> tuple[str, str]:
    sys.setrecursionlimit(50_000)
    engine.BUFFER_SIZE = CHOICES
    if not asked.sanitize:  # whose shadow memory is larger than that
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    with tempfile.TemporaryDirectory(prefix="macsad-corpus-") as scratch:
        return _examine(path, asked, Path(scratch))


def _examine(path: Path, asked: Asked, scratch: Path) -> tuple[str, str]:
    """The verdict on a program, in a few words; files about a failure."""
    subject = Subject(scratch, Source(path, asked.include, ()))
    try:
        failure = _first_failure(subject, asked)
    except Exception as error:
        failure = Failure("harness", f"raised {type(error).__name__}: {error}")
    if failure is None:
        return "same", ""
    words = next((line for line in failure.message.splitlines() if "error: " in line), failure.message.split("\n")[0])
    if failure.step in ("frontend", "target") and "error: " in words:
        return "refused", words
    report.note(asked.into / path.stem, subject, failure)
    return "failed", f"{path}: {failure.step}: {words}"


def _first_failure(subject: Subject, asked: Asked) -> Failure | None:
    if failure := subject.read() or subject.compile(tools=asked.tools):
        return failure
    if subject.plain.architecture not in RUN_HERE:
        return None
    for scenario in subject.draw(asked.seed, asked.scenarios):
        if failure := subject.passes_differ(scenario) or subject.switch_differs(scenario, BATCHES):
            return failure
    return None


def _arguments() -> tuple[list[Path], Asked]:
    parser = argparse.ArgumentParser(description="P4 programs through the whole compiler, with random packets")
    parser.add_argument("paths", nargs="+", type=Path, help="programs, folders of programs, or lists of programs")
    parser.add_argument("--scenarios", type=int, default=4, help="for each program")
    parser.add_argument("--seed", type=int, default=0, help="of the scenarios")
    parser.add_argument("--sanitize", action="store_true", help="with AddressSanitizer and UndefinedBehaviorSanitizer")
    parser.add_argument("--compiler", help="the C compiler; by default gcc")
    parser.add_argument("-I", dest="include", type=Path, action="append", default=[], help="folder of included files")
    parser.add_argument("--into", type=Path, default=Path("build/corpus"), help="where failures are written")
    given = parser.parse_args()
    asked = Asked(given.scenarios, given.seed, given.sanitize, given.compiler, tuple(given.include), given.into)
    return given.paths, asked


if __name__ == "__main__":
    sys.exit(main())
