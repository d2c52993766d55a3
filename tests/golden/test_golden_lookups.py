"""The C by which lookups are noted and done again, of tables of each kernel, as text beside (`--update-golden` writes it
anew)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
