"""The frames that a parser takes: how long they are, which bits lead along each way, where headers are."""

from __future__ import annotations

from pathlib import Path

import pytest

from macsad import compilation
from macsad.compilation import Request
from transpiler.hlir.program import Program
from transpiler.traffic.parser_paths import ENTRIES, Shape, shapes

PROGRAM = """#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<8> b; }}
header v_t {{ bit<8> n; varbit<64> v; }}
struct headers_t {{ h_t h; h_t g; v_t v; h_t[3] s; }}
struct meta_t {{ bit<8> m; }}
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {{
    value_set<bit<8>>(4) members;
    bit<8> k;
    {states}
}}
control V(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in headers_t h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), I(), V(), D()) main;
"""


def found(folder: Path, states: str) -> tuple[Program, tuple[Shape, ...]]:
    path = folder / "p.p4"
    path.write_text(PROGRAM.format(states=states))
    program = compilation.load(Request(path, warnings=("no-all",)))
    return program, shapes(program)


def frame(shape: Shape) -> str:
    """Its bits in fours; dots for those that may be anything."""
    bits = "".join(str(shape.fixed.get(bit, ".")) for bit in range(shape.bits))
    return " ".join(bits[at : at + 4] for at in range(0, len(bits), 4))


def frames(folder: Path, states: str) -> list[str]:
    return [frame(shape) for shape in found(folder, states)[1]]


def test_cases_fix_their_bits_and_avoid_those_before(tmp_path: Path) -> None:
    """The first of the masked case is taken by the one before, and so is zero of the default; members are asked for nobody."""
    cases = "0: accept; 2..5: accept; 0x40: reject; 0x40 &&& 0xF0: accept; members: accept; default: accept;"
    assert frames(tmp_path, f"state start {{ p.extract(h.h); transition select(h.h.a) {{ {cases} }} }}") == [
        "0000 0000 .... ....", "0000 0010 .... ....", "0100 1111 .... ....", "1111 1111 .... ....",
    ]  # fmt: skip


def test_what_all_cases_before_take_has_no_way(tmp_path: Path) -> None:
    for cases, first in (
        ("0 &&& 0x80: accept; 0x80 &&& 0x80: reject; default: accept;", "0... .... .... ...."),
        ("0..127: accept; 128..255: reject; default: accept;", "0000 0000 .... ...."),
    ):
        made = frames(tmp_path, f"state start {{ p.extract(h.h); transition select(h.h.a) {{ {cases} }} }}")
        assert made == [first]


def test_pairs_of_subjects(tmp_path: Path) -> None:
    """Of a pair that a case before has, one of both is another."""
    cases = "(1, 2): accept; (1, _): accept; (_, 2): accept;"
    made = frames(tmp_path, f"state start {{ p.extract(h.h); transition select(h.h.a, h.h.b) {{ {cases} }} }}")
    assert made == ["0000 0001 0000 0010", "0000 0001 0000 0000", "0000 0000 0000 0010"]


def test_what_is_looked_at_has_to_be_there(tmp_path: Path) -> None:
    look = "state start { p.extract(h.h); k = p.lookahead<bit<8>>(); transition select(k) { 9: accept; 8: more; } }"
    more = "state more { p.extract(h.g); transition accept; }"
    program, (shape, longer) = found(tmp_path, f"{look} {more}")
    assert (
        frame(shape) == ".... .... .... .... 0000 1001" and frame(longer) == ".... .... .... .... 0000 1000 .... ...."
    )
    (of_g,) = [name for name in longer.headers if name not in shape.headers]
    assert longer.headers[of_g] == 16 and longer.field(program, of_g, "b") == range(24, 32)
    with pytest.raises(KeyError):
        shape.field(program, of_g, "b")


def test_bits_that_are_skipped_are_there(tmp_path: Path) -> None:
    assert frames(tmp_path, "state start { p.advance(8); p.extract(h.h); p.advance(4); transition accept; }") == [
        ".... .... .... .... .... .... ...."
    ]
    assert not frames(tmp_path, "state start { p.extract(h.h); p.advance((bit<32>)h.h.a); transition accept; }")


def test_what_is_assigned_is_known(tmp_path: Path) -> None:
    """Of a branch whose condition is known the arm that is taken, and of a block all; what never holds ends a way."""
    for condition, length in (("k == 5", 16), ("k == 6", 8)):
        body = f"k = 5; if ({condition}) {{ {{ p.advance(8); }} p.advance(8); }} else {{ p.advance(8); }}"
        assert frames(tmp_path, f"state start {{ {body} transition accept; }}") == [" ".join(["...."] * (length // 4))]
    for condition, ways in (("k == 5", 1), ("k == 6", 0), ("h.h.a == 6", 1)):
        body = f"k = 5; p.extract(h.h); verify({condition}, error.NoMatch);"
        assert len(frames(tmp_path, f"state start {{ {body} transition accept; }}")) == ways
    known = "k = 5; transition select(k) { 4: accept; 5: other; }"
    assert frames(tmp_path, f"state start {{ {known} }} state other {{ p.advance(4); transition accept; }}") == ["...."]


def test_varbits_are_empty(tmp_path: Path) -> None:
    body = "p.extract(h.v, 32w0); transition accept;"
    assert frames(tmp_path, f"state start {{ {body} }}") == [".... ...."]
    body = "k = p.lookahead<bit<8>>(); p.extract(h.v, (bit<32>)k); p.extract(h.h); transition accept;"
    assert frames(tmp_path, f"state start {{ {body} }}") == ["0000 0000 .... .... .... ...."]


def test_loops_are_followed_for_a_while_and_stacks_to_their_end(tmp_path: Path) -> None:
    loop = "state start {{ {} transition select(k) {{ 0: accept; default: start; }} }}"
    many = frames(tmp_path, loop.format("k = p.lookahead<bit<8>>(); p.advance(8);"))
    assert [len(one.split()) for one in many] == [2 * turn for turn in range(1, ENTRIES + 1)]
    assert many[1] == "1111 1111 0000 0000" or many[1].endswith("0000 0000")
    few = frames(tmp_path, loop.format("p.extract(h.s.next); k = h.s.last.a;"))
    assert [len(one.split()) for one in few] == [4, 8, 12]
