"""Damaged programs: a frontend says what is wrong with them; it does not raise, and it comes to an end."""

from __future__ import annotations

import re
import time
from pathlib import Path
from random import Random

from macsad.frontends import frontend_for
from transpiler.diagnostics import Diagnostics, NotRun, Rejected
from transpiler.frontend import Source
from transpiler.verifier import verify

SLOW_SECONDS = 20.0
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


def garbled(text: bytes, random: Random) -> bytes:
    """Text whose bytes are changed: bits turned over, parts lost, repeated very often, or of other bytes."""
    found = bytearray(text)
    for _ in range(random.choice((1, 1, 3))):
        at = random.randrange(len(found) + 1)
        end = min(len(found), at + random.randint(1, 12))
        match random.choice(("bit", "lose", "repeat", "random", "cut")):
            case "bit" if at < len(found):
                found[at] ^= 1 << random.randrange(8)
            case "lose":
                del found[at:end]
            case "repeat":
                found[at:at] = found[at:end] * random.choice((2, 50, 1000))
            case "random":
                found[at:end] = random.randbytes(end - at)
            case "cut":
                del found[at:]
    return bytes(found)


def survives(text: str | bytes, file: Path) -> str:
    """What is wrong with how a text is received; empty when it is accepted or refused with a message."""
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    diagnostics, began = Diagnostics(), time.process_time()
    try:
        source = Source(file, (), ())
        verify(frontend_for(file, None).load(source, diagnostics))
    except NotRun as rejected:
        return "" if str(rejected) else "not run, without a word"
    except Rejected:
        if not diagnostics.messages:
            return "rejected without a word"
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    took = time.process_time() - began
    return f"took {took:.0f} seconds" if took > SLOW_SECONDS else ""
