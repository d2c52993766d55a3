"""Comparisons of cast values with constants are simplified to what has the same meaning: a program is run as it is
written and as passes make it, for each byte that the comparison tells apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_p4_16_elaborate import gives, load

from transpiler.passes.pipeline import optimise
from transpiler.verifier import verify

ZERO = "(bit<1>) (h.a == 0)"
COMPARISONS = {
    "wider": ("(bit<16>) h.a", lambda a: a),
    "narrower": ("(bit<4>) h.a", lambda a: a & 15),
    "a bit": ("(bit<1>) h.a", lambda a: a & 1),
    "wider again": ("(bit<16>) (bit<4>) h.a", lambda a: a & 15),
    "a truth": (ZERO, lambda a: int(a == 0)),
    "a truth, wider": (f"(bit<8>) {ZERO}", lambda a: int(a == 0)),
    "signed": ("(int<16>) (int<8>) h.a", lambda a: a - 256 if a > 127 else a),
}


@pytest.mark.parametrize("compared", COMPARISONS)
def test_a_comparison_of_a_cast_keeps_its_meaning(compared: str, tmp_path: Path) -> None:
    text, value = COMPARISONS[compared]
    lines, cases = [], [(operator, number) for operator in ("==", "!=") for number in (0, 1)]
    for (operator, number), target in zip(cases, "cdef", strict=True):
        lines.append(f"if ({text} {operator} {number}) {{ h.{target} = 255; }}")
    written = load(tmp_path, " ".join(lines))
    simplified = optimise(written)
    verify(simplified)
    for byte in (0, 1, 2, 16, 17, 128, 255):
        flags = [0xFF if (value(byte) == number) == (operator == "==") else 0 for operator, number in cases]
        output = f"{byte:02x} 00 " + " ".join(f"{flag:02x}" for flag in flags)
        for program in (written, simplified):
            gives(program, tmp_path, output, given=f"{byte:02x} 00 00 00 00 00")
