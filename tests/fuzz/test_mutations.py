"""The frontends survive damaged programs: messages, no traceback, no hang."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from random import Random

import program
import pytest
from aux_frontend.p4_14.frontend import P4_14
from aux_frontend.p4_16.frontend import P4_16
from layout import render

from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Frontend, Source

TESTS = Path(__file__).parents[1]
COUNT = int(os.environ.get("MACSAD_FUZZ_MUTATIONS", "10"))
SLOW_SECONDS = 20.0
P4_14_PROGRAMS = sorted(TESTS.parent.glob("apps/*/*_14.p4"))
ODD = (
    "",
    "0",
    "-1",
    "8w255",
    "1 << 40",
    "error",
    "{",
    "}",
    "(",
    ")",
    ";",
    "...",
    "bit<0>",
    "bit<100000>",
    "varbit<8>",
    "this",
    "\0",
    "é",
)


def damaged(text: str, random: Random) -> str:
    """A program with a few words changed, lost, doubled or exchanged."""
    words = re.findall(r"\w+|\s+|[^\w\s]", text)
    for _ in range(random.choice((1, 1, 2, 5))):
        at, other = random.randrange(len(words)), random.randrange(len(words))
        match random.choice(("drop", "double", "exchange", "odd", "copy", "cut")):
            case "drop":
                words[at] = ""
            case "double":
                words.insert(at, words[at])
            case "exchange":
                words[at], words[other] = words[other], words[at]
            case "odd":
                words[at] = random.choice(ODD)
            case "copy":
                words[at] = words[other]
            case "cut":
                del words[at : at + random.randint(1, 8)]
    return "".join(words)


def survives(frontend: Frontend, text: str, file: Path) -> None:
    file.write_text(text)
    diagnostics, began = Diagnostics(), time.monotonic()
    try:
        frontend.load(Source(file, (), ()), diagnostics)
    except Rejected:
        assert diagnostics.messages, "rejected without a word"
    assert time.monotonic() - began < SLOW_SECONDS


@pytest.mark.parametrize("seed", range(3))
def test_damaged_p4_16(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = render(program.make(seed, seed % 4))
    for _ in range(COUNT):
        survives(P4_16(), damaged(text, random), tmp_path / "program.p4")


@pytest.mark.parametrize("path", P4_14_PROGRAMS, ids=[p.stem for p in P4_14_PROGRAMS])
def test_damaged_p4_14(path: Path, tmp_path: Path) -> None:
    random = Random(path.stem)
    for _ in range(COUNT):
        survives(P4_14(), damaged(path.read_text(), random), tmp_path / "program.p4")
