"""The C by which lookups are noted and done again, of tables of each kernel, as text beside (`--update-golden` writes it
anew)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from macsad.bench import lookups
from macsad.compilation import Request
from macsad.kernel_contract import declarations
from macsad.kernel_subjects import kernels_to_test, shapes, subjects
from macsad.resources import share
from transpiler.hlir.program import MatchKind
from transpiler.targets.target import Kernel

FILE = Path(__file__).parent / "figures" / "lookups.txt"


def test_kernels_as_they_are_tested(golden: Callable[[Path, str], None]) -> None:
    """By `macsad test-kernel`: the C that calls them, and the shapes of their keys: bytes, those in front, those of a range."""
    found = kernels_to_test(Request(share("apps") / "l3fwd" / "l3fwd.p4").target.kernels)
    few = Kernel("few", frozenset({MatchKind.RANGE, MatchKind.LPM}), max_bits=40, min_bits=12, max_entries=16)
    keys = [f"{one.name}: {', '.join(map(str, map(tuple, shapes(one))))}" for one in (*found, few)]
    golden(FILE.with_name("kernels.txt"), "\n".join((*keys, "", subjects((*found, few)))))


def test_what_generated_c_uses_of_kernels(golden: Callable[[Path, str], None]) -> None:
    """As a target's own kernels are looked at: what there has to be, and a line of C that is right where it is."""
    kernels = Request(share("apps") / "l3fwd" / "l3fwd.p4").target.kernels
    texts = [
        f"{name}\n    {line}" for kernel in kernels if not kernel.kept_by for name, line in declarations(kernel).items()
    ]
    golden(FILE.with_name("declarations.txt"), "\n".join((*texts, "")))


def test_lookups_of_each_kernel(golden: Callable[[Path, str], None]) -> None:
    """Short keys and, where arrays of keys are no longer than so, longer ones."""
    kernels = Request(share("apps") / "l3fwd" / "l3fwd.p4").target.kernels
    short = [
        lookups._Subject(f"I.{kernel.name}", kernel, 6, (40, 19) if kernel.words else None)
        for kernel in kernels if not kernel.kept_by
    ]  # fmt: skip
    long = [lookups._Subject(f"I.long_{one.kernel.name}", one.kernel, 77, None) for one in short if not one.word]
    texts = []
    for these in (tuple(short), tuple(long), tuple(short[:1]), ()):
        texts += [lookups.header(these), lookups.repeated(these)]
    golden(FILE, "\n----\n".join(texts))


@pytest.mark.parametrize(
    ("more", "word", "line"),
    [
        ({}, None, "LOOKUPS_CURSORS(look_up_5, k, 6, 0, LOOKUPS_NO_STEP)"),
        ({"steps": 2}, None, "LOOKUPS_CURSORS(look_up_5, k, 6, 2, macs_k_step)"),
        ({"steps": 2}, (40, 19), "LOOKUPS_WORD_CURSORS(look_up_5, k, 40, 19, 2, macs_k_step)"),
        ({"steps": 2, "bulk": True}, (40, 19), "LOOKUPS_WORDS(look_up_5, k, 40, 19)"),
        ({"bulk": True, "bulk_key_bytes": 16, "steps": 1}, None,
         "LOOKUPS_ROWS(look_up_5, k, 6, LOOKUPS_NO_STEP, LOOKUPS_NO_STEP)"),
        ({"bulk": True, "bulk_key_bytes": 16, "parts": True}, None,
         "LOOKUPS_ROWS(look_up_5, k, 6, macs_k_bulk_step, macs_k_bulk_finish)"),
        ({"bulk": True, "bulk_key_bytes": 5, "steps": 1}, None, "LOOKUPS_CURSORS(look_up_5, k, 6, 1, macs_k_step)"),
    ],
)  # fmt: skip
def test_how_a_kernel_is_called_again(more: dict[str, Any], word: tuple[int, int] | None, line: str) -> None:
    """In steps, or by an array of keys where they are no longer than it takes."""
    kernel = Kernel("k", frozenset({MatchKind.EXACT}), words=word is not None, **more)
    assert lookups._function(5, lookups._Subject("I.t", kernel, 6, word)) == line
