"""What `-v` tells of a program, whole: kernels, state, stages, and why tables have none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hlir_builder import AT, Builder, any_, apply, binary, const, emit, extract, select, state

from transpiler.codegen.generate import decide, notes_of
from transpiler.configuration import BEST
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.expressions import ValueSetRef
from transpiler.hlir.program import MatchKind, Program, ValueSet
from transpiler.hlir.statements import While
from transpiler.hlir.types import Bits
from transpiler.targets.find import builtin
from transpiler.targets.footprint import NOTHING

WORDS = "exact_packed (exact 48 bits; key and data fit one word)"
FAR = f"{WORDS}\n    1,048,576 entries take about 30 MiB, 30 bytes each; lookups read 16 MiB, on huge pages"
FEW = "ternary_cells (ternary 16 bits; masks and ranges in at most 65536 entries)"
SET = (
    "exact_index (exact 16 bits; so short a key indexes an array of entries; not exact_direct: its entries are words of 64 bits: "
    "members of a value set have no actions)"
)


def program() -> Program:
    """Two large tables in a loop, a small one, one that is metered and counted, one without a key; a value set and registers."""
    b = Builder()
    b.header("h", "h_t", a=16, b=48)
    b.variable("m.i", 8)
    for name, size, width in (("bits", 9, 1), ("far", 1 << 18, 64), ("near", 1 << 17, 64)):
        b.extern(name, "register", size=size, width=width)
    b.extern("seen", "counter", size=1 << 17, unit="bytes")
    b.extern("pace", "direct_meter", unit="packets", automatic=1)
    b.extern("hits", "direct_counter", unit="packets", automatic=1)
    b.extern("told", "digest")
    b.value_sets.append(ValueSet("vs", (Bits(16),), (MatchKind.EXACT,), 4, AT))
    for name in ("z", "a"):
        b.table(name, [("h.b", "exact")], [], size=1 << 20)
    b.table("keyless", [], [])
    b.table("small", [("h.a", "ternary")], [], size=8)
    b.table("metered", [("h.b", "exact")], [], size=64, direct=["pace", "hits"])
    more = b.set("m.i", binary("+", b.get("m.i"), const(1, 8)))
    rounds = While(binary("<", b.get("m.i"), const(3, 8)), (apply("z"), apply("a"), more), AT)
    start = state("start", [extract("h")], select(b.get("h.a"), (ValueSetRef("vs", AT), "accept"), (any_(), "accept")))
    return b.build([start], [rounds, apply("keyless"), apply("small")], [apply("metered")], [emit("h")])


@pytest.mark.parametrize("silent", [False, True])
def test_what_is_told(silent: bool) -> None:
    """Where kernels do not say what lookups read, nothing of their memory is told, and tables have stages of their own."""
    kernels = builtin().kernels
    if silent:
        kernels = tuple(k if k.name == "exact_packed" else replace(k, memory=NOTHING) for k in kernels)
    made = program()
    decided = decide(made, replace(builtin(), kernels=kernels), Diagnostics(), BEST)
    small = FEW if silent else f"{FEW}\n    8 entries take about 62 KiB, 7,964 bytes each; lookups read 3,104 bytes"
    members = SET if silent else f"{SET}\n    4 entries take about 256 KiB, 65,548 bytes each; lookups read 256 KiB"
    own = ["table small: a stage of its own, as its kernel has no `memory` figures"]
    assert list(notes_of(made, decided, BEST)) == [
        f"table z: {FAR}",
        f"table a: {FAR}",
        "table keyless: no key: its default action",
        f"table small: {small}",
        f"table metered: {WORDS}\n    64 entries take about 2,944 bytes, 46 bytes each; lookups read 1,024 bytes",
        f"value set vs: {members}",
        "register bits: 9 cells of 1 byte take 9 bytes",
        "register far: 262,144 cells of 8 bytes take 2,048 KiB, on huge pages",
        "register near: 131,072 cells of 8 bytes take 1,024 KiB",
        "counter seen: 131,072 cells of 16 bytes take 2,048 KiB, for each worker, on huge pages",
        "direct meter pace: 65 cells of 64 bytes take 4,160 bytes",
        "direct counter hits: 65 cells of 16 bytes take 1,040 bytes, for each worker",
        "ingress: 2 stages" if silent else "ingress: 1 stage",
        *([] if silent else ["table small: no stage, it stays in the cache"]),
        "table metered: no stage, it stays in the cache",
        *(own if silent else []),
        "table a: no stage, to keep packet order",
        "table z: no stage, to keep packet order",
    ]
    use = replace(BEST.use, small_tables=False)
    assert own[0] not in notes_of(made, decided, replace(BEST, use=use)), "all tables have stages then"
