"""Which loops are known to end soon."""

from __future__ import annotations

from pathlib import Path

import pytest
import switches

from transpiler.analysis.trips import long_loops
from transpiler.passes.pipeline import optimise

PROGRAM = """\
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<32> b; int<8> c; }}
struct headers_t {{ h_t h; }}
struct meta_t {{ bool more; bit<8> sum; }}
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    state start {{ p.extract(hdr.h); {parser} transition accept; }}
}}
control V(inout headers_t hdr, inout meta_t m) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    action many() {{ for (bit<16> i in 1..2000) {{ m.sum = m.sum + (bit<8>)i; }} }}
    action few() {{ for (bit<16> i in 1..20) {{ m.sum = m.sum + (bit<8>)i; }} }}
    table t {{ key = {{ hdr.h.a: exact; }} actions = {{ few; many; }} }}
    apply {{ {ingress} hdr.h.a = m.sum; }}
}}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
control C(inout headers_t hdr, inout meta_t m) {{ apply {{ }} }}
control D(packet_out p, in headers_t hdr) {{ apply {{ p.emit(hdr.h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
ADD = "m.sum = m.sum + 1;"


def long(folder: Path, *, ingress: str = "", parser: str = "") -> int:
    """How many loops of such a program are long, as it stands and after all passes."""
    path = folder / "loops.p4"
    path.write_text(PROGRAM.format(ingress=ingress, parser=parser))
    switches.load.cache_clear()
    program = switches.load(path)
    counts = {len(long_loops(of)) for of in (program, optimise(program))}
    assert len(counts) == 1
    return counts.pop()


ENDS = [
    f"for (bit<8> i = 0; i < 10; i = i + 3) {{ {ADD} }}",
    f"for (bit<8> i = 200; i > 10; i = i - 3) {{ if (hdr.h.a == 1) continue; {ADD} if (m.sum == 9) break; }}",
    f"for (int<8> i = -100; i <= 100; i = i + 1) {{ {ADD} }}",
    f"for (bit<32> i in 3..9) {{ {ADD} }}",
    f"for (bit<8> i in 0..255) {{ {ADD} }}",
    f"for (bit<8> i = 0; i < 20; i = i + 1) {{ for (bit<8> j = 0; j < 30; j = j + 1) {{ for (bit<8> k in 1..2) {{ {ADD} }} }} }}",
    f"bit<8> i = 7; for (; i != 3; i = i + 4) {{ {ADD} }}",
    "for (bit<8> i in 1..2) { t.apply(); }",
    f"m.more = hdr.h.a == 1; for (; m.more; ) {{ {ADD} m.more = false; }}",  # nothing tells of the first round alone
    f"bit<8> i = hdr.h.a; for (; i != 3; i = 3) {{ {ADD} }}",
    f"for (bit<16> i in 1..4096) {{ {ADD} }}",
    f"for (bit<8> i in 1..64) {{ for (bit<8> j in 1..63) {{ {ADD} }} }}",  # 64 rounds, and 63 in each
]
LONG = [
    f"for (bit<8> i = 0; i < 10; i = i + hdr.h.a) {{ {ADD} }}",
    f"for (bit<32> i in 0..hdr.h.b) {{ {ADD} }}",
    f"m.more = hdr.h.a == 1; for (; m.more; ) {{ {ADD} }}",
    f"for (bit<8> i = 0; i < 10; i = i + 1) {{ if (hdr.h.a == 1) {{ i = 0; }} {ADD} }}",
    f"for (bit<8> i = 0; i <= 255; i = i + 1) {{ {ADD} }}",
    f"for (bit<8> i = 1; i != 0; i = i + 0) {{ {ADD} }}",
    f"for (bit<32> i = 0; i < 100000; i = i + 1) {{ {ADD} }}",
    f"bit<8> i = 7; if (hdr.h.b == 1) {{ i = hdr.h.a; }} for (; i != 3; i = i + 4) {{ {ADD} }}",
    f"for (bit<8> i = 0; i < 200; i = i + 1) {{ for (bit<8> j in 0..99) {{ {ADD} }} }}",
    "for (bit<8> i in 1..3) { t.apply(); }",
    f"for (bit<16> i in 1..4097) {{ {ADD} }}",
    f"for (bit<8> i in 1..64) {{ for (bit<8> j in 1..64) {{ {ADD} }} }}",
]


@pytest.mark.parametrize("ingress", ENDS)
def test_loops_that_end(tmp_path: Path, ingress: str) -> None:
    assert long(tmp_path, ingress=ingress) == 0


@pytest.mark.parametrize("ingress", LONG)
def test_loops_that_may_not(tmp_path: Path, ingress: str) -> None:
    assert long(tmp_path, ingress=ingress) == 1


def test_a_parser_state_may_loop_less(tmp_path: Path) -> None:
    """It is run as often as the parser comes to it."""
    assert long(tmp_path, parser=f"for (bit<16> i in 1..256) {{ {ADD} }}") == 0
    assert long(tmp_path, parser=f"for (bit<16> i in 1..257) {{ {ADD} }}") == 1
