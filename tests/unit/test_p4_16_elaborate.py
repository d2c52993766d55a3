"""Elaboration keeps the meaning of P4-16: small programs are run by the interpreter and must change the packet as P4 says.

Each program has a header h of six bytes a … f, gets `00 01 02 03 04 05`, and sends h to port 0.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from aux_frontend.p4_16.elaborate.unit import MAX_CALL_DEPTH
from aux_frontend.p4_16.frontend import P4_16

from macsad import simulate
from transpiler.diagnostics import Diagnostics, NotRun, Rejected
from transpiler.frontend import Source
from transpiler.hlir.expressions import VariableRef
from transpiler.hlir.program import Program
from transpiler.hlir.statements import CallExtern, Leave
from transpiler.hlir.traverse import program_statements
from transpiler.verifier import verify

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<8> b; bit<8> c; bit<8> d; bit<8> e; bit<8> f; }}
header s_t {{ bit<8> v; }}
header w_t {{ bit<16> v; }}
header_union u_t {{ s_t s; w_t w; }}
struct p_t {{ bit<8> x; bit<8> y; }}
struct H {{ h_t h; u_t u; s_t[3] st; }}
struct M {{ bit<8> m; p_t p; h_t copy; }}
{top}
parser P(packet_in packet, out H hdr, inout M meta, inout standard_metadata_t std) {{
    {parser}
}}
control V(inout H hdr, inout M meta) {{ apply {{ }} }}
#define h hdr.h
control I(inout H hdr, inout M meta, inout standard_metadata_t std) {{
    {control}
    apply {{ {apply} }}
}}
#undef h
control Leave(inout H hdr, inout M meta, inout standard_metadata_t std) {{ apply {{ }} }}
control D(packet_out packet, in H hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(P(), V(), I(), Leave(), V(), D()) main;
"""
EXTRACT = "state start { packet.extract(hdr.h); transition accept; }"
INPUT = "00 01 02 03 04 05"


def load(tmp_path: Path, apply: str = "", top: str = "", control: str = "", parser: str = EXTRACT) -> Program:
    file = tmp_path / "t.p4"
    file.write_text(PROGRAM.format(top=top, control=control, apply=apply, parser=parser))
    diagnostics = Diagnostics()
    try:
        program = P4_16().load(Source(file), diagnostics)
    except Rejected:
        pytest.fail(diagnostics.render())
    verify(program)
    return program


def gives(program: Program, tmp_path: Path, output: str, commands: str = "", given: str = INPUT) -> None:
    stf = tmp_path / "t.stf"
    stf.write_text(f"{commands}\npacket 0 {given}\nexpect 0 {output} $\n")
    out = io.StringIO()
    assert simulate.run(program, stf, out=out) == 0, out.getvalue()


CONTROLS = [
    # evaluation order and copies (spec 6.8, 8.1)
    ("operands from left to right", "h.b = inc(h.a) + h.a; h.c = h.a + inc(h.a);", "02 02 03 03 04 05"),
    ("short circuit and", "if (h.a == 1 && inc(h.a) == 1) { h.b = 9; }", "00 01 02 03 04 05"),
    ("short circuit or", "if (h.a == 1 || inc(h.a) == 1) { h.b = 9; }", "01 09 02 03 04 05"),
    ("only the chosen branch", "h.b = h.a == 0 ? inc(h.c) : inc(h.d);", "00 03 03 03 04 05"),
    (
        "neither branch but the chosen",
        "h.b = h.a == 0 ? h.c : inc(h.d); h.c = h.a == 0 ? inc(h.e) : h.f;",
        "00 02 05 03 05 05",
    ),
    ("index before value", "hdr.st[0].setValid(); bit<8> i = 0; hdr.st[i].v = inc(i);", "00 01 02 03 04 05 01"),
    ("swap by a list", "meta.p = { h.a, h.b }; meta.p = { meta.p.y, meta.p.x }; h.c = meta.p.x;", "00 01 01 03 04 05"),
    ("swap a header", "h = { h.b, h.a, h.d, h.c, h.f, h.e };", "01 00 03 02 05 04"),
    ("rotate a header", "h = { h.f, h.b, h.a, h.d, h.e, h.c };", "05 01 00 03 04 02"),
    (
        "rotate a structure",
        "q_t q = { h.d, h.b, h.c }; q = { q.z, q.y, q.x }; h.a = q.x; h.b = q.z;",
        "02 03 02 03 04 05",
    ),
    (
        "an argument before a later one changes it",
        "h.c = two(h.a, inc(h.a)); h.d = two(inc(h.b), h.b);",
        "01 02 01 22 04 05",
    ),
    (
        "what is returned is from before the copies out",
        "h.c = was(h.b, h.b); h.d = was(h.d, h.d);",
        "00 09 01 03 04 05",
    ),
    ("an inout argument before a later one changes it", "h.c = add(h.a, inc(h.a));", "01 01 01 03 04 05"),
    (
        "an inout argument before one that changes it by way of an element",
        "hdr.st[0] = { 1 }; bit<8> i = 0; h.c = add(hdr.st[0].v, inc(hdr.st[i].v)); hdr.st[0].setInvalid();",
        "00 01 03 03 04 05",
    ),
    ("inout of one thing twice", "both(h.b, h.b);", "00 0b 02 03 04 05"),
    ("out and in of one thing", "out_in(h.c, h.c);", "00 01 03 03 04 05"),
    ("out argument ignored", "h.a = 7; out_in(_, h.c);", "07 01 02 03 04 05"),
    ("named and default arguments", "h.a = opt(y = h.b); h.b = opt(y = 1, x = 2);", "06 03 02 03 04 05"),
    ("early return", "h.a = clip(h.d); h.b = clip(1);", "02 01 02 03 04 05"),
    ("generic function", "h.a = first({ h.c, h.d }, h.e);", "02 01 02 03 04 05"),
    ("action with a captured name", "touch(h.a);", "09 09 02 03 04 05"),
    ("exit copies out", "leaving(h.a); h.b = 9;", "07 01 02 03 04 05"),
    ("exit within a nested control", "nested.apply(h.a); h.b = 9;", "08 01 02 03 04 05"),
    ("return within a nested control", "nested.apply(h.c); h.b = 9;", "00 09 03 03 04 05"),
    ("a control applied twice", "twice.apply(h.a); twice.apply(h.b);", "01 02 02 03 04 05"),
    ("a control applied twice to one name", "same.apply(hdr, h.c); same.apply(hdr, h.b);", "00 09 02 03 04 05"),
    (
        "a control applied twice to overlapping names",
        "over.apply(h.a, hdr); over.apply(h.b, hdr);",
        "01 02 02 03 04 05",
    ),
    (
        "a control applied twice, to one name for two parameters",
        "one = 1; other = 2; pair.apply(one, one); h.a = one; pair.apply(other, one); h.b = one; h.c = other;"
        "riap.apply(one, one); h.d = one; riap.apply(one, other); h.e = one; h.f = other;",
        "02 03 0c 04 0e 0d",
    ),
    ("direct application", "Adder.apply(h.a, 4); Adder.apply(h.b, 5);", "04 06 02 03 04 05"),
    (
        "controls within one that is applied twice",
        "around.apply(h.a, 1); around.apply(h.b, 2);",
        "35 37 02 03 04 05",
    ),
    (
        "a variable has storage of its own, also within a block where another one has its name",
        "u_t[2] k; s_t[2] n; s_t i; p_t p = { 1, 2 }; k[1].s = { 7 }; n[1] = { 8 }; i = { 9 };"
        "{ u_t[2] k; s_t[2] n; s_t i; p_t p = { 3, 4 }; k[1].s = { 1 }; n[1] = { 2 }; i = { 3 }; h.f = k[1].s.v + n[1].v + p.y; }"
        "{ s_t[2] k; u_t n; k[1] = { 4 }; n.s = { 5 }; h.e = k[1].v + n.s.v; }"
        "h.a = k[1].s.v; h.b = n[1].v; h.c = i.v; h.d = p.x;",
        "07 08 09 01 09 07",
    ),
    # statements after one that leaves (spec 12.4, 12.5)
    ("nothing after an exit", "h.b = 7; exit; h.b = 9; inc(h.c);", "00 07 02 03 04 05"),
    ("nothing after a block that returns", "{ h.b = 7; return; } h.b = 9; inc(h.c);", "00 07 02 03 04 05"),
    # expressions (spec 8)
    ("wrap and saturate", "h.a = h.a - 1; h.b = h.b |-| 5; h.c = 250 |+| h.d + 200;", "ff 00 c5 03 04 05"),
    (
        "signed shift and comparison",
        "int<8> n = -6; h.a = (bit<8>) (n >> 1); if (n < 2) { h.b = 1; } else { h.b = 0; }",
        "fd 01 02 03 04 05",
    ),
    ("shift beyond the width", "h.b = h.b << h.f << 5; h.c = h.c >> 9;", "00 00 00 03 04 05"),
    (
        "concatenation and slices",
        "bit<16> w = h.b ++ h.c; h.a = w[11:4]; w[11:4] = 0xab; h.b = w[15:8]; h.c = w[7:0];",
        "10 0a b2 03 04 05",
    ),
    (
        "slices by their width",
        "h.f = 0xfd; h.d = 0xff; h.b = 0xff; bit<8> n = h.c;"
        "h.a = 5w0 ++ h.f[1 +: 3]; h.d[2 +: 4] = 1; h.b[n +: 3] = 1; h.e = 4w0 ++ h.f[n +: 4];",
        "06 e7 02 c7 0f fd",
    ),
    ("slices above one bit", "h.f[4:1] = 0; h.a = 6w0 ++ h.d[7:1][1:0]; h.e[6:1] += 1;", "01 01 02 03 06 01"),
    (
        "the slice of all bits has no sign",
        "int<8> n = -1; if (n[7:0] > 100) { h.b = 9; } bit<16> w = (bit<16>) n[7:0]; h.c = w[15:8]; h.d = w[7:0];",
        "00 09 00 ff 04 05",
    ),
    ("slices as arguments", "h.a = inc8(h.d[7:0]); both4(h.c[5:2], h.f[4:1]);", "04 01 16 03 04 19"),
    ("shift beyond eight bits", "h.c = h.c >> 256; h.d = h.d << 257; h.f <<= 258;", "00 01 00 00 04 00"),
    (
        "concatenation has the sign of its left",
        "int<8> n = (int<8>) h.a - 1; if (n ++ h.b < 0) { h.b = 9; } if (h.f ++ n < 9) { h.c = 9; }",
        "00 09 02 03 04 05",
    ),
    (
        "a comparison with a sign and without",
        "int<8> n = (int<8>) h.a - 1; if (n < 1) { h.b = 9; } if ((bit<8>) n < 1) { h.c = 9; }",
        "00 09 02 03 04 05",
    ),
    ("division and remainder", "h.a = 17 / 5; h.b = 17 % 5; h.c = (3 - 17 / 2) * -1;", "03 02 05 03 04 05"),
    ("slice of a slice", "h.f[7:4][3:2] = 3;", "00 01 02 03 04 c5"),
    ("casts", "h.a = (bit<8>) (int<8>) -1; bool t = (bool) h.b[0:0]; h.c = t ? 8w7 : 8w0;", "ff 01 07 03 04 05"),
    (
        "the left of an operator assignment is read before its right changes it",
        "h.a += inc(h.a); h.c -= inc(h.c); h.f[3:0] ^= low(h.f); h.d |= h.d;",
        "01 01 ff 03 04 03",
    ),
    (
        "the place of an operator assignment is from before its right",
        "bit<8>[2] x = { 3, 5 }; bit<8> i = 0; x[i] += inc(i); h.a = x[0]; h.b = x[1]; h.c = i;",
        "04 05 01 03 04 05",
    ),
    (
        "a number without width takes that of the other alternative",
        "bit<16> w = h.b == 1 ? 300 : h.b ++ h.c; h.a = w[15:8]; w = h.b == 2 ? 300 : w - 1; h.b = w[7:0];"
        "tuple<bit<16>, bit<16>> t = h.c == 2 ? { 515, h.c ++ h.d } : { h.c ++ h.d, 771 }; h.e = t[0][15:8]; h.f = t[1][15:8];"
        "t = h.c == 2 ? { h.d ++ h.c, 515 } : { 771, h.d ++ h.c }; h.d = t[0][15:8]; h.c = t[1][7:0];",
        "01 2b 03 03 02 02",
    ),
    (
        "comparison with an initializer on either side",
        "if ({ 0, 0 } == meta.p) { h.a = 9; } if ({ 0, 1 } != meta.p) { h.b = 9; } if ({ y = 0, x = 0 } == meta.p) { h.c = 9; }"
        "meta.p = { 1, 2 }; if (meta.p == { 1, 2 }) { h.d = 9; } if ({ y = 1, x = 2 } == meta.p) { h.e = 9; }"
        "tuple<bit<8>, bit<8>> t = { 2, 9 }; if ({ 2, 9 } == t) { h.f = 9; }",
        "09 09 09 09 04 09",
    ),
    ("operator assignments", "h.a += 5; h.b <<= 3; h.c |= 0x40; h.f |-|= 9; h.e[3:0] ^= 0xf;", "05 08 42 03 0b 00"),
    (
        "constants",
        "const bit<8> k = 3 * 7; h.a = k; h.b = (bit<8>) (-1 & 0x3f); h.c = BIG[71:64];",
        "15 3f 12 03 04 05",
    ),
    ("serializable enum", "h.a = E.Two; if (h.b == (bit<8>) E.One) { h.b = (bit<8>) E.Two + 1; }", "02 03 02 03 04 05"),
    (
        "tuples",
        "tuple<bit<8>, bit<8>> t = { h.c, 9 }; h.a = t[1]; h.b = t[0]; if (t == { 2, 9 }) { h.c = 0; }",
        "09 02 00 03 04 05",
    ),
    (
        "structures by name and defaults",
        "p_t p = { y = 4, ... }; h.a = p.x; h.b = p.y; meta.p = (p_t) { x = 1, y = 2 }; h.c = meta.p.y;",
        "00 04 02 03 04 05",
    ),
    # headers, unions, stacks (spec 8.18 to 8.20)
    (
        "comparison of headers",
        "meta.copy = h; if (meta.copy == h) { h.a = 1; } if (meta.copy != h) { h.b = 2; }",
        "01 02 02 03 04 05",
    ),
    (
        "invalid headers are equal",
        "s_t x; s_t y; if (x == y) { h.a = 1; } x.setValid(); if (x == y) { h.b = 9; }",
        "01 01 02 03 04 05",
    ),
    (
        "invalid initializer",
        "meta.copy = h; meta.copy = {#}; if (!meta.copy.isValid()) { h.a = 1; }",
        "01 01 02 03 04 05",
    ),
    (
        "union keeps one member",
        "hdr.u.s = { 8 }; hdr.u.w = { 0x0102 }; if (hdr.u.s.isValid()) { h.a = 1; }",
        "00 01 02 03 04 05 01 02",
    ),
    (
        "union becomes invalid",
        "hdr.u.s = { 8 }; hdr.u.w.setInvalid(); if (!hdr.u.isValid()) { h.a = 1; }",
        "01 01 02 03 04 05",
    ),
    (
        "push and pop",
        "hdr.st[0] = { 1 }; hdr.st[1] = { 2 }; hdr.st.push_front(1); hdr.st[0] = { 9 };"
        "hdr.st.push_front(1); hdr.st.pop_front(2);",
        "00 01 02 03 04 05 01",
    ),
    ("run-time index", "hdr.st[h.b] = { 7 }; hdr.st[h.b].v = hdr.st[h.b].v + h.b;", "00 01 02 03 04 05 08"),
    ("stack from a list", "hdr.st = { { 1 }, { 2 }, {#} };", "00 01 02 03 04 05 01 02"),
    (
        "local header starts invalid each time",
        "for (bit<8> i = 0; i < 2; i += 1) { s_t x; if (x.isValid()) { h.a = 9; } x.setValid(); }",
        "00 01 02 03 04 05",
    ),
    ("array", "bit<8>[3] a = { 1, 2, 3 }; a[h.b] = 7; h.a = a[h.b] + a[h.c] + a[0];", "0b 01 02 03 04 05"),
    ("array of structures", "p_t[2] a; a[h.b].x = 6; a[0] = { 1, 2 }; h.a = a[h.b].x + a[h.a].y;", "08 01 02 03 04 05"),
    (
        "array of structures, swapped",
        "p_t[2] a; a[0] = { 1, 2 }; a[h.b] = { 3, 4 }; a[h.b] = { a[h.b].y, a[h.b].x }; h.c = a[1].x; h.d = a[1].y;",
        "00 01 04 03 04 05",
    ),
    (
        "an index that is narrower than its array",
        "bit<8>[3] a = { 1, 2, 3 }; bit<1> i = h.a[0:0]; a[i] = 9; h.c = a[2]; h.d = a[i]; h.e = a[i + 1];",
        "00 01 03 09 02 05",
    ),
    (
        "run-time index out of range",
        "bit<8>[3] a = { 1, 2, 3 }; a[h.d] = 9; a[h.f] = 9; h.a = a[0] + a[1] + a[2]; hdr.st[h.e] = { 7 };",
        "06 01 02 03 04 05",
    ),
    (
        "sizes",
        "bit<8>[5] a; h.d = (bit<8>) a.size;"
        "h.a = (bit<8>) hdr.st.size; h.b = (bit<8>) h.minSizeInBytes(); h.c = (bit<8>) hdr.u.maxSizeInBytes();",
        "03 06 02 05 04 05",
    ),
    ("array of arrays", "bit<8>[2][2] a; a[1][h.b] = 9; a[h.b][0][3:0] = 5; h.a = a[h.b][h.b];", "09 01 02 03 04 05"),
    # statements (spec 12)
    (
        "for with break and continue",
        "for (bit<8> i = 0; i < 10; i += 1) { if (i == 2) { continue; } if (i == 5) { break; } h.a += i; }",
        "08 01 02 03 04 05",
    ),
    ("for in a range up to the largest number", "for (bit<8> i in 250 .. 255) { h.a += 1; }", "06 01 02 03 04 05"),
    (
        "for in a range of one",
        "for (bit<8> i in h.b .. h.b) { h.a += i; } for (int<8> i in -2 .. -2) { h.c += 1; }",
        "01 01 03 03 04 05",
    ),
    (
        "for in a range that its body changes",
        "for (bit<8> i in h.b .. h.d) { h.d = 9; h.b = 2; h.a += i; }",
        "06 02 02 09 04 05",
    ),
    (
        "for in a list that its body changes",
        "for (bit<8> i in { h.b, h.c }) { h.c = 9; h.a += i; }",
        "03 01 09 03 04 05",
    ),
    (
        "for in a list that a function changes",
        "for (bit<8> i in { h.b, h.c }) { inc(h.c); h.a += i; }",
        "03 01 04 03 04 05",
    ),
    (
        "for in a list that an action changes",
        "for (bit<8> i in { h.c, h.b }) { touch(h.d); h.a += i; }",
        "03 09 02 09 04 05",
    ),
    (
        "for in a stack that its body shifts",
        "hdr.st[0] = { 5 }; hdr.st[1] = { 6 };"
        "for (s_t s in hdr.st) { if (s.isValid()) { h.a += s.v; } hdr.st.pop_front(1); }",
        "0b 01 02 03 04 05",
    ),
    (
        "for with effects in its steps",
        "for (bit<8> i = inc(h.a); i < inc(h.b); i += 2) { h.c += i; }",
        "01 03 03 03 04 05",
    ),
    (
        "nested loops",
        "for (bit<8> i in 1 .. 3) { for (bit<8> j in 1 .. i) {"
        " if (j == 2) { break; } if (i == 3) { continue; } h.a += 1; } h.b += 1; }",
        "02 04 02 03 04 05",
    ),
    ("for in an empty range", "for (bit<8> i in h.c .. h.b) { h.a += 1; }", "00 01 02 03 04 05"),
    ("for in a list", "for (bit<8> i in { 3, 4, 8w5 }) { if (i == 4) { continue; } h.a += i; }", "08 01 02 03 04 05"),
    (
        "for in a stack",
        "hdr.st[0] = { 5 }; hdr.st[1] = { 6 }; for (s_t s in hdr.st) { if (s.isValid()) { h.a += s.v; } } hdr.st.pop_front(3);",
        "0b 01 02 03 04 05",
    ),
    (
        "switch falls through labels only",
        "switch (h.c) { 1: 2: { h.a = 1; } 3: { h.a = 2; } default: { h.a = 3; } }",
        "01 01 02 03 04 05",
    ),
    ("switch default", "switch (h.c) { 1: { h.a = 1; } default: { h.a = 3; } }", "03 01 02 03 04 05"),
    ("return leaves the control", "if (h.b == 1) { return; } h.a = 1;", "00 01 02 03 04 05"),
    ("assignment after a return in a branch", "if (h.b == 0) { return; } h.a = 1;", "01 01 02 03 04 05"),
]
TOP = """
const bit<72> BIG = 72w0x12 << 64;
enum bit<8> E { One = 1, Two = 2 }
bit<8> inc(inout bit<8> x) { x = x + 1; return x; }
struct q_t { bit<8> x; bit<8> y; bit<8> z; }
bit<4> low(inout bit<8> x) { x = x + 1; return x[3:0]; }
bit<8> two(in bit<8> x, in bit<8> y) { return (x << 4) + y; }
bit<8> was(inout bit<8> x, in bit<8> y) { x = 9; return y; }
bit<8> inc8(in bit<8> x) { return x + 1; }
void both4(inout bit<4> x, out bit<4> y) { x = x + 5; y = 12; }
bit<8> add(inout bit<8> x, in bit<8> y) { x = x + y; return x; }
void both(inout bit<8> x, inout bit<8> y) { x = 5; y = y + 10; }
void out_in(out bit<8> x, in bit<8> y) { x = 0; x = y + 1; }
bit<8> opt(in bit<8> x = 5, in bit<8> y) { return x + y; }
bit<8> clip(in bit<8> x) { if (x > 2) { return 2; } return x; }
bit<8> first<T>(in p_t p, in T other) { T unused = other; return p.x; }
control Inner(inout bit<8> x) {
    action stop() { exit; }
    apply { x = x + 1; if (x == 3) { return; } x = 8; stop(); x = 9; }
}
control Adder(inout bit<8> x, in bit<8> amount) {
    action add(bit<8> more) { x = x + amount + more; }
    table t { actions = { add; } default_action = add(0); }
    apply { t.apply(); }
}
control Same(inout H hdr, in bit<8> v) {
    action put(bit<8> w) { hdr.h.b = hdr.h.b + v + w; }
    table t { actions = { put; } default_action = put(1); }
    apply { t.apply(); }
}
control Over(out bit<8> x, in H hdr) {
    action put() { x = 0; x = hdr.h.a + hdr.h.b; }
    table t { actions = { put; } default_action = put; }
    apply { t.apply(); }
}
control Pair(inout bit<8> x, inout bit<8> y) {
    action both() { y = y + 1; x = x + 10; }
    table t { actions = { both; } default_action = both; }
    apply { t.apply(); }
}
control Around(inout bit<8> x, in bit<8> y) {
    Adder() adder;
    apply { adder.apply(x, 4); Adder.apply(x, y); { Adder.apply(x, 0x30); } Adder.apply(x, y - y); }
}
control One(inout bit<8> x) {
    action add() { x = x + 1; }
    table t { actions = { add; } default_action = add; }
    apply { t.apply(); }
}
"""
LOCALS = """
bit<8> one;
bit<8> other;
Inner() nested;
One() twice;
Same() same;
Over() over;
Around() around;
Pair() pair;
Pair() riap;
action touch(inout bit<8> x) { x = 9; h.b = x; }
action leaving(inout bit<8> x) { x = 7; exit; }
"""


@pytest.mark.parametrize(("apply", "output"), [c[1:] for c in CONTROLS], ids=[c[0] for c in CONTROLS])
def test_control(apply: str, output: str, tmp_path: Path) -> None:
    gives(load(tmp_path, apply, TOP, LOCALS), tmp_path, output)


@pytest.mark.parametrize(
    ("apply", "leaves"),
    [
        ("h.b = 1; return;", 0), ("h.b = 1; exit;", 0), ("{ h.b = 1; { return; } }", 0),
        ("if (h.a == 1) { h.b = 1; return; } else { h.b = 2; return; }", 0), ("if (h.a == 1) { return; }", 0),
        ("switch (h.a) { 1: { h.b = 1; return; } 2: { h.b = 2; return; } default: { h.b = 3; return; } }", 0),
        ("switch (h.a) { 1: { h.b = 1; } default: { if (h.b == 2) { h.b = 3; return; } } }", 0),
        ("if (h.a == 1) { h.b = 1; return; } h.b = 2; return;", 1), ("h.b = 1; if (h.a == 1) { exit; } else { return; } ", 0),
        ("switch (h.a) { 1: { h.b = 1; } default: { if (h.b == 2) { return; } h.b = 4; } }", 1),
    ],
)  # fmt: skip
def test_what_leaves_a_control_at_its_end_is_no_statement(apply: str, leaves: int, tmp_path: Path) -> None:
    assert sum(isinstance(s, Leave) for s in program_statements(load(tmp_path, apply))) == leaves


PARSER_CASES = [
    (
        "state start { h_t n = packet.lookahead<h_t>(); packet.extract(hdr.h); hdr.h.a = n.c; transition accept; }",
        "02 01 02 03 04 05",
    ),
    ("state start { packet.advance(16); packet.extract(hdr.u.w); transition accept; }", "02 03 04 05"),
    (
        """state start { packet.extract(hdr.st.next); packet.extract(hdr.st.next);
          hdr.st.last.v = 9; hdr.st[0].v = (bit<8>) hdr.st.lastIndex; transition accept; }""",
        "01 09 02 03 04 05",
    ),
    (
        """Sub() sub; bit<8> n = 3;
        state start { sub.apply(packet, hdr.st[0], n); hdr.st[0].v = n; transition accept; }""",
        "04 01 02 03 04 05",
    ),
    (  # states may stand in any order
        """Last() sub; bit<8> n = 3;
        state done { hdr.st[0].setValid(); hdr.st[0].v = n; transition accept; }
        state start { sub.apply(packet, n); transition done; }""",
        "05 01 02 03 04 05",
    ),
    (
        """Sub() sub; bit<16> n = 0x03ff;
        state start { sub.apply(packet, hdr.st[0], n[15:8]); hdr.st[0].v = n[15:8] + n[7:0]; transition accept; }""",
        "03 01 02 03 04 05",
    ),
    (
        """Sub() sub; bit<8> n = 3;
        state start { if (n == 3) { sub.apply(packet, hdr.st[0], n); } else { packet.advance(8); }
                      transition select(hdr.st[0].v) { 0: accept; } }""",
        "00 01 02 03 04 05",
    ),
    (
        """bit<8> n = 3;
        state start { n = n - 1; transition select(n) { 0: done; default: start; } }
        state done { packet.extract(hdr.st.next); hdr.st.last.v = n + 7; transition accept; }""",
        "07 01 02 03 04 05",
    ),
    (
        """state start { packet.extract(hdr.h); transition select(hdr.h.a, hdr.h.f) {
            (0, 1): reject; (0 &&& 0xf0, 4 .. 6): good; (_, _): reject; } }
        state good { hdr.h.a = 1; transition accept; }""",
        "01 01 02 03 04 05",
    ),
    (
        """state start { p_t key = { 0, 5 }; packet.extract(hdr.h);
            transition select({ hdr.h.a, hdr.h.f }) { { 0, 5 }: good; _: reject; } }
        state good { hdr.h.a = 1; transition accept; }""",
        "01 01 02 03 04 05",
    ),
]
SUB = """
parser Sub(packet_in packet, out s_t s, inout bit<8> n) {
    state start { packet.extract(s); n = n + 1; transition select(s.v) { 0: accept; default: reject; } }
}
parser Last(packet_in packet, inout bit<8> n) {
    state other { n = n + 1; transition accept; }
    state start { packet.advance(8); n = n + 1; transition other; }
}
"""


@pytest.mark.parametrize(("parser", "output"), PARSER_CASES, ids=range(len(PARSER_CASES)))
def test_parser(parser: str, output: str, tmp_path: Path) -> None:
    gives(load(tmp_path, parser=parser, top=SUB), tmp_path, output)


@pytest.mark.parametrize(
    ("loop", "output"),
    [
        ("for (bit<8> i = 0; i < 4; i += 2) { TAKE(i); }", "03 02 03 04 05"),
        ("for (bit<8> i in 2 .. 4) { TAKE(i); }", "0c 03 04 05"),
        ("for (bit<8> i in 254 .. 255) { TAKE(i); }", "fe 02 03 04 05"),
        ("for (bit<8> i in 3 .. 2) { TAKE(i); }", "00 00 01 02 03 04 05"),
        ("for (bit<8> i in { 3, 4 }) { TAKE(i); }", "08 02 03 04 05"),
        ("for (bit<8> i in { 3, 4 }) { slow.apply(n); }", "14 00 01 02 03 04 05"),
        (
            "for (bit<8> i in 1 .. 3) { if (i == 2) { continue; } TAKE(i); }",
            "05 02 03 04 05",
        ),
        (
            "for (bit<8> i in 1 .. 3) { TAKE(i); { if (i != 2) { continue; } } n += 0x10; }",
            "19 03 04 05",
        ),
        (
            "for (bit<8> i in 0 .. 9) { TAKE(i); if (i < 1) { n += 0x10; } else { break; } n += 0x20; }",
            "32 02 03 04 05",
        ),
        (
            "for (bit<8> j in 1 .. 2) { for (bit<8> i in 1 .. 9) { TAKE(i); if (i == j) { break; } } n += 0x10; }",
            "27 03 04 05",
        ),
    ],
)
def test_loops_of_parsers_that_apply_parsers(loop: str, output: str, tmp_path: Path) -> None:
    """`byte` takes a byte v, and adds it and what it is given to n; `slow` has a loop of its own, and adds 10."""
    byte = """
    #define TAKE(i) byte.apply(packet, hdr.st[0], n, i)
    parser Byte(packet_in packet, out s_t s, inout bit<8> n, in bit<8> by) {
        state start { packet.extract(s); n = n + s.v + by; transition accept; } }
    parser Slow(inout bit<8> n) {
        state start {
            for (bit<8> k in 1 .. 5) { if (k == 3) { break; } n = n + 1; }
            n = n + 8;
            transition accept;
        }
    }"""
    states = f"""Byte() byte; Slow() slow; bit<8> n = 0; state start {{ {loop}
        hdr.st[0].setValid(); hdr.st[0].v = n; transition accept; }}"""
    gives(load(tmp_path, parser=states, top=byte), tmp_path, output)


def test_a_full_stack_rejects_with_an_error(tmp_path: Path) -> None:
    states = "state start { packet.extract(hdr.st.next); transition select(hdr.st.last.v) { 9: accept; _: start; } }"
    check = "if (std.parser_error == error.StackOutOfBounds) { hdr.st[0].v = 0xee; }"
    gives(load(tmp_path, check, parser=states), tmp_path, "ee 01 02 03 04 05")


def test_metadata_may_be_set_where_checksums_are_computed(tmp_path: Path) -> None:
    text = PROGRAM.replace("V(), D()", "C(), D()").format(top="", control="", apply="meta.m = 7;", parser=EXTRACT)
    compute = "control C(inout H hdr, inout M meta) { apply { meta.m = meta.m + 1; hdr.h.a = meta.m; } }\nV1Switch("
    file = tmp_path / "t.p4"
    file.write_text(text.replace("V1Switch(", compute))
    gives(P4_16().load(Source(file), Diagnostics()), tmp_path, "08 01 02 03 04 05")


# --- tables ----------------------------------------------------------------------------------------------------------

TABLE = """
action set(bit<8> v) {{ h.f = v; }}
action bound(inout bit<8> x, in bit<8> y, bit<8> v) {{ x = x + y + v; }}
action leave(bit<8> v) {{ h.f = v; exit; }}
table t {{
    key = {{ {key} }}
    actions = {{ set; bound(h.a, h.b); leave; NoAction; }}
    default_action = {default};
    {more}
}}
"""
TABLES = [
    # a P4 table, the apply block, the output
    (("h.b: exact;", "set(9)", "const entries = { 1: set(7); }"), "t.apply();", "00 01 02 03 04 07"),
    (("h.b: exact;", "set(9)", "const entries = { 2: set(7); }"), "t.apply();", "00 01 02 03 04 09"),
    (("h.b: exact;", "bound(h.a, h.b, 4)", ""), "t.apply();", "05 01 02 03 04 05"),
    (("h.b: exact;", "leave(6)", ""), "t.apply(); h.a = 1;", "00 01 02 03 04 06"),
    (
        ("h.b: ternary;", "set(9)", "const entries = { 0 &&& 0xf0: set(1); 1: set(2); }"),
        "t.apply();",
        "00 01 02 03 04 01",
    ),
    (
        ("h.b: ternary;", "set(9)", "entries = { priority = 1: 0 &&& 0xf0: set(1); priority = 2: 1: set(2); }"),
        "t.apply();",
        "00 01 02 03 04 02",
    ),
    (
        (
            "h.b: ternary;",
            "set(9)",
            "largest_priority_wins = false; entries = { priority = 1: 0 &&& 0xf0: set(1); priority = 2: 1: set(2); }",
        ),
        "t.apply();",
        "00 01 02 03 04 01",
    ),
    (
        (
            "h.b: ternary;",
            "set(9)",
            "priority_delta = 10; entries = { priority = 25: 2: set(3); 0 &&& 0xf0: set(1); priority = 16: 1: set(2); }",
        ),
        "t.apply();",
        "00 01 02 03 04 02",
    ),
    (
        (
            "h.b: ternary;",
            "set(9)",
            "largest_priority_wins = false; priority_delta = 10; "
            "entries = { priority = 5: 2: set(3); 0 &&& 0xf0: set(1); priority = 14: 1: set(2); }",
        ),
        "t.apply();",
        "00 01 02 03 04 02",
    ),
    (
        ("h.b: exact;", "set(9)", "const entries = { 1: set(7); }"),
        "if (t.apply().hit) { h.a = 1; }",
        "01 01 02 03 04 07",
    ),
    (("h.b: exact;", "set(9)", ""), "if (t.apply().miss) { h.a = 1; }", "01 01 02 03 04 09"),
    (
        ("h.b: exact;", "set(9)", "const entries = { 1: leave(7); }"),
        "switch (t.apply().action_run) { set: { h.a = 1; } leave: { h.a = 2; } }",
        "00 01 02 03 04 07",
    ),
    (
        ("h.b: exact;", "set(9)", ""),
        "switch (t.apply().action_run) { leave: set: { h.a = 1; } default: { h.a = 2; } }",
        "01 01 02 03 04 09",
    ),
    (('inc(h.a): exact @name("k");', "set(9)", "const entries = { 1: set(7); }"), "t.apply();", "01 01 02 03 04 07"),
    (
        ("h.b: range; h.c: optional; h.d: lpm;", "set(9)", "const entries = { (0 .. 3, _, 2 &&& 0xfe): set(7); }"),
        "t.apply();",
        "00 01 02 03 04 07",
    ),
    (
        ("h.b: lpm;", "set(9)", "const entries = { 1: set(7); 1 &&& 0xff: set(8); }"),
        "t.apply();",
        "00 01 02 03 04 07",
    ),
]


@pytest.mark.parametrize(("table", "apply", "output"), TABLES, ids=range(len(TABLES)))
def test_table(table: tuple[str, str, str], apply: str, output: str, tmp_path: Path) -> None:
    key, default, more = table
    control = TABLE.format(key=key, default=default, more=more)
    gives(load(tmp_path, apply, TOP, control), tmp_path, output)


@pytest.mark.parametrize(
    ("key", "entries", "kept"),
    [
        ("h.b: lpm;", "0x10 &&& 0xf0: set(7); 0x1f &&& 0xf0: set(8); _: set(1); 0 &&& 0: set(2);", [7, 1]),
        ("h.b: range;", "0 .. 3: set(7); 3: set(8); 3 .. 3: set(9);", [7, 8]),
        ("h.b: ternary; h.c: ternary;", "(1, _): set(7); (_, 1): set(8);", [7, 8]),
    ],
)
def test_an_entry_with_the_key_of_another_is_left_out(key: str, entries: str, kept: list[int], tmp_path: Path) -> None:
    control = TABLE.format(key=key, default="set(9)", more=f"const entries = {{ {entries} }}")
    table = load(tmp_path, "t.apply();", TOP, control).tables[0]
    assert [entry.call.arguments[0].value for entry in table.entries] == kept


def test_names_of_the_control_plane(tmp_path: Path) -> None:
    control = """
    @name(".absolute") action act() { }
    @name("routes") table t {
        key = { h.a: exact; h.b: exact @name("second"); h.c[3:0]: exact; }
        actions = { NoAction; act; }
    }
    register<bit<8>>(4) r;
    """
    program = load(tmp_path, "t.apply();", "", control)
    (table,) = program.tables
    assert table.name == "I.routes"
    assert [key.name for key in table.keys] == ["hdr.h.a", "second", "hdr.h.c[3:0]"]
    assert [use.action for use in table.actions] == ["NoAction", "absolute"]
    assert [e.name for e in program.externs] == ["I.r"]


@pytest.mark.parametrize("between", range(5))
@pytest.mark.parametrize("kind", ["list", "structure", "in arguments", "arguments of an extern", "key"])
def test_what_is_before_a_call_has_the_value_from_before_it(kind: str, between: int, tmp_path: Path) -> None:
    """However many others are between them: `h.f` is 5 until `inc(h.f)` makes it 6."""
    names = [f"m{number}" for number in range(between)]
    values = ["h.f", *(f"8w{number}" for number in range(between)), "inc(h.f)"]
    fields = " ".join(f"bit<8> {name};" for name in ("first", *names, "last"))
    top = f"bit<8> inc(inout bit<8> x) {{ x = x + 1; return x; }} struct many_t {{ {fields} }}"
    given, control = ", ".join(values), ""
    match kind:
        case "list":
            apply = f"many_t s; s = {{ {given} }}; h.a = s.first; h.b = s.last;"
        case "structure":
            named = ", ".join(
                f"{name} = {value}" for name, value in zip(("first", *names, "last"), values, strict=True)
            )
            apply = f"many_t s = {{ {named} }}; h.a = s.first; h.b = s.last;"
        case "in arguments":
            parameters = ", ".join(f"in bit<8> {name}" for name in ("first", *names, "last"))
            top += f" bit<16> ends({parameters}) {{ return first ++ last; }}"
            apply = f"bit<16> both = ends({given}); h.a = both[15:8]; h.b = both[7:0];"
        case "arguments of an extern":
            apply = f"hash(h.a, HashAlgorithm.crc16, h.f, {{ {', '.join(['8w0', *values[1:-1]])} }}, inc(h.f) - 5); h.b = h.f;"
        case _:
            keys = " ".join(f'{value}: exact @name("k{number}");' for number, value in enumerate(values))
            matched = ", ".join(("5", *(str(number) for number in range(between)), "6"))
            control = "action hit() { h.a = 5; h.b = 6; } " + (
                f"table t {{ key = {{ {keys} }} actions = {{ hit; NoAction; }} const default_action = NoAction;"
                f" const entries = {{ ({matched}): hit(); }} }}"
            )
            apply = "t.apply();"
    gives(load(tmp_path, apply, top, control), tmp_path, "05 06 02 03 04 06")


@pytest.mark.parametrize(("given", "room"), [("", 1024), ("size = 0;", 1024), ("size = 1;", 2), ("size = 7;", 7)])
def test_a_table_has_room_for_the_entries_that_it_brings(given: str, room: int, tmp_path: Path) -> None:
    key = "bit<8> x = 1; table t { key = { x : exact; } actions = { NoAction; }"
    program = load(tmp_path, "t.apply();", control=f"{key} {given} entries = {{ 1 : NoAction(); 2 : NoAction(); }} }}")
    assert program.tables[0].size == room


@pytest.mark.parametrize(
    ("kind", "given", "count"),
    [("const", "", 1025), ("", "", 1025), ("const", "size = 0;", 1025), ("", "size = 7;", 1025)],
)
def test_a_table_has_room_for_more_entries_than_are_usual(kind: str, given: str, count: int, tmp_path: Path) -> None:
    """Also where no size is asked for: none of its own entries is left out."""
    entries = " ".join(f"{number} : NoAction();" for number in range(count))
    table = f"bit<16> x = 1; table t {{ key = {{ x : exact; }} actions = {{ NoAction; }} {given}"
    (made,) = load(tmp_path, "t.apply();", control=f"{table} {kind} entries = {{ {entries} }} }}").tables
    assert (made.size, len(made.entries)) == (count, count)


# --- what cannot be run ----------------------------------------------------------------------------------------------


def rejected(tmp_path: Path, text: str) -> str:
    file = tmp_path / "t.p4"
    file.write_text(text)
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        P4_16().load(Source(file), diagnostics)
    return diagnostics.render()


def test_a_program_without_main_can_be_checked_not_loaded(tmp_path: Path) -> None:
    text = "#include <core.p4>\nconst bit<8> x = 1;\n"
    (tmp_path / "t.p4").write_text(text)
    with pytest.raises(NotRun, match="no 'main' to run"):
        P4_16().load(Source(tmp_path / "t.p4"), Diagnostics())
    P4_16().check(Source(tmp_path / "t.p4"), Diagnostics())


def test_another_package_is_named(tmp_path: Path) -> None:
    text = "control C();\npackage Other(C c);\ncontrol c() { apply { } }\nOther(c()) main;\n"
    (tmp_path / "t.p4").write_text(text)
    with pytest.raises(NotRun, match="programs for the package 'Other' can be checked but not run") as why:
        P4_16().load(Source(tmp_path / "t.p4"), Diagnostics())
    assert (why.value.span.line, why.value.span.column) == (4, 12)


def test_a_package_is_known_by_its_blocks_too(tmp_path: Path) -> None:
    """A program may bring an architecture of its own whose package is called as one that is run."""
    text = "control C();\npackage V1Switch(C vr);\ncontrol c() { apply { } }\nV1Switch(c()) main;\n"
    (tmp_path / "t.p4").write_text(text)
    with pytest.raises(NotRun, match="programs for the package 'V1Switch' can be checked but not run"):
        P4_16().load(Source(tmp_path / "t.p4"), Diagnostics())


def test_an_unknown_extern_is_located(tmp_path: Path) -> None:
    top = "extern Box { Box(); void put(in bit<8> x); }"
    text = PROGRAM.format(top=top, control="Box() box;", apply="box.put(1);", parser=EXTRACT)
    message = rejected(tmp_path, text)
    assert "the extern 'Box' is not supported on v1model" in message


def test_an_object_with_a_method_of_its_own_is_located(tmp_path: Path) -> None:
    top = "extern Box { Box(); abstract bit<8> twice(in bit<8> x); bit<8> put(in bit<8> x); }"
    box = "Box() box = { bit<8> twice(in bit<8> x) { return x << 1; } };"
    text = PROGRAM.format(top=top, control=box, apply="h.a = box.put(1);", parser=EXTRACT)
    line = 1 + text[: text.index(box)].count("\n")
    message = "error: extern objects with abstract methods are not supported here"
    assert f"t.p4:{line}:11: {message}\n" in rejected(tmp_path, text)


@pytest.mark.parametrize(
    "method", ["void truncate(in bit<32> length)", "void aes_128_cbc_encrypt(in bit<128> key, in bit<128> iv)"]
)
def test_a_method_is_not_a_function_of_its_name(tmp_path: Path, method: str) -> None:
    top = f"extern Box {{ Box(); {method}; }}"
    call = "box.truncate(1);" if "truncate" in method else "box.aes_128_cbc_encrypt(1, 2);"
    text = PROGRAM.format(top=top, control="Box() box;", apply=call, parser=EXTRACT)
    assert "the extern 'Box' is not supported on v1model" in rejected(tmp_path, text)


def test_each_state_tells_what_is_wrong_in_it(tmp_path: Path) -> None:
    states = """state start { transition select(unknown(1)) { 1: next; } }
        state next { bit<8> x = unknown(2); transition select(unknown(3)) { 1: accept; default: start; } }"""
    text = PROGRAM.format(top="extern bit<8> unknown(in bit<8> x);", control="", apply="", parser=states)
    assert rejected(tmp_path, text).count("the extern function 'unknown' is not supported") == 3


@pytest.mark.parametrize(
    ("parameters", "known"),
    [
        ("in bit<128> key, in bit<128> iv", True),
        ("bit<128> key, bit<128> iv", True),
        ("inout bit<128> key, in bit<128> iv", False),
        ("in bit<128> key, out bit<128> iv", False),
        ("in bit<128> iv, in bit<128> key", False),
        ("in bit<128> key", False),
    ],
)
def test_an_extern_function_is_known_by_its_parameters(tmp_path: Path, parameters: str, known: bool) -> None:
    top = f"extern void aes_128_cbc_encrypt({parameters});"
    before, call = "bit<128> k = 1; bit<128> i = 2;", f"aes_128_cbc_encrypt({'k, i' if ',' in parameters else 'k'});"
    call = call if "in" in parameters else "aes_128_cbc_encrypt(1, 2);"
    if known:
        load(tmp_path, call, top, before)
        return
    text = PROGRAM.format(top=top, control=before, apply=call, parser=EXTRACT)
    assert "the extern function 'aes_128_cbc_encrypt' is not supported" in rejected(tmp_path, text)


@pytest.mark.parametrize("target", ["h", "why"])
def test_a_hash_is_a_number(tmp_path: Path, target: str) -> None:
    apply = f"error why; hash({target}, HashAlgorithm.crc16, 8w0, {{ h.a }}, 8w4);"
    text = PROGRAM.format(top="", control="", apply=apply, parser=EXTRACT)
    assert "the result is a number" in rejected(tmp_path, text)


@pytest.mark.parametrize(
    ("call", "output"),
    [
        ("random(h.a, 8w7, 8w7);", "07 01 02 03 04 05"),
        ("random(h.f[7:4], 4w5, 4w5);", "00 01 02 03 04 55"),
        ("int<8> k; random(k, -8s2, -8s2); h.a = (bit<8>) k;", "fe 01 02 03 04 05"),
        ("hdr.st[0].setValid(); bit<8> k = h.a; random(hdr.st[k].v, h.f, 8w5);", "00 01 02 03 04 05 05"),
    ],
    ids=["field", "part of a field", "signed", "element of a stack"],
)
def test_a_random_number_is_assigned_as_any_value_is(call: str, output: str, tmp_path: Path) -> None:
    gives(load(tmp_path, call), tmp_path, output)


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        ("m.execute_meter((bit<32>) inc(i), hdr.st[i].v);", "09 00"),
        ("r.read(hdr.st[i].v, (bit<32>) inc(i));", "00 09"),
        ("r.write((bit<32>) inc(i), hdr.st[i].v); r.read(hdr.st[0].v, 1);", "07 07"),
        ("r.write(value = inc(i), index = (bit<32>) i); r.read(hdr.st[0].v, 1);", "01 07"),
    ],
)
def test_arguments_of_methods_are_evaluated_from_left_to_right(call: str, changed: str, tmp_path: Path) -> None:
    """Where a result goes, too (P4-16 spec 6.8)."""
    top = "bit<8> inc(inout bit<8> x) { x = x + 1; return x; }"
    second = "7" if "write" in call else "9"
    apply = f"hdr.st[0] = {{ 9 }}; hdr.st[1] = {{ {second} }}; bit<8> i = 0; {call}"
    control = "meter(4, MeterType.packets) m; register<bit<8>>(4) r;"
    gives(load(tmp_path, apply, top, control), tmp_path, f"{INPUT} {changed}")


@pytest.mark.parametrize(("value", "output"), [(6, "09 01 02 03 04 05"), (7, "07 01 02 03 04 05")])
def test_of_a_hash_a_bool_has_the_last_bit(value: int, output: str, tmp_path: Path) -> None:
    """As any number that does not fit: it is truncated."""
    call = f"bool k; hash(k, HashAlgorithm.identity, 8w0, {{ 8w{value} }}, 8w255); h.a = k ? 8w7 : 8w9;"
    gives(load(tmp_path, call), tmp_path, output)


@pytest.mark.parametrize(
    ("target", "output"),
    [("h.f[7:4]", "00 01 02 03 04 b5"), ("h.f[3:0]", "00 01 02 03 04 0b"), ("h.f", "00 01 02 03 04 ab")],
)
def test_of_a_hash_a_slice_has_the_last_bits(target: str, output: str, tmp_path: Path) -> None:
    call = f"hash({target}, HashAlgorithm.identity, 8w0, {{ 8w0xab }}, 9w256);"
    gives(load(tmp_path, call), tmp_path, output)


def test_inlining_has_a_limit(tmp_path: Path) -> None:
    functions = ["void f0(inout bit<8> x) { x = x + 1; x = x ^ 3; }"]
    functions += [f"void f{i}(inout bit<8> x) {{ f{i - 1}(x); f{i - 1}(x); }}" for i in range(1, 40)]
    text = PROGRAM.format(top="\n".join(functions), control="", apply="f39(h.a);", parser=EXTRACT)
    assert "too large after inlining" in rejected(tmp_path, text)


def test_languages_are_told_apart() -> None:
    frontend = P4_16()
    p4_14 = "header_type h_t { fields { a : 8; } }\nheader h_t h;\nparser start { extract(h); return ingress; }\n"
    p4_16 = (
        "#include <core.p4>\nheader h_t { bit<8> a; }\nparser P(packet_in b) { state start { transition accept; } }\n"
    )
    assert frontend.recognises(Path("x.p4"), p4_14) < 0.1
    assert frontend.recognises(Path("x.p4"), p4_16) > 0.9
    assert frontend.recognises(Path("x.p4"), "// header_type in a comment\n" + p4_16) > 0.9


OTHER = "action a() {{ }} table t {{ key = {{ h.a : {kind}; }} actions = {{ a; }} {more} }}"


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"apply": "HashAlgorithm a = HashAlgorithm.crc16; hash(h.a, a, 8w0, { h.b }, 8w4);"},
         "error: the hash algorithm must be known at compile time"),
        ({"apply": "CloneType k = CloneType.I2E; clone(k, 5);"}, "error: the kind of clone must be known at compile time"),
        ({"control": "register<h_t>(4) r;"},
         "error: a register holds numbers or bools, not header 'h_t'; fields can have a register each"),
        ({"control": "counter(-1, CounterType.bytes) c;"}, "error: 'size' of counter is 4294967295, not in 0..2147483647"),
        ({"control": "counter(0, CounterType.bytes) c;", "apply": "c.count(0);"},
         "warning: 'I.c' has no elements: nothing can be kept in it [-Wempty]"),
        ({"control": OTHER.format(kind="strange", more=""), "top": "match_kind { strange }", "apply": "t.apply();"},
         "error: the match kind 'strange' is not supported"),
        ({"control": OTHER.format(kind="exact", more="strange = 5;"), "apply": "t.apply();"},
         "warning: table property 'strange' means nothing on v1model [-Wproperty]"),
        ({"control": OTHER.format(kind="ternary", more="const entries = { 1 &&& 3: a(); 1 &&& 3: a(); }"), "apply": "t.apply();"},
         "warning: this entry is never hit: another has the same key [-Wunreachable]"),
        ({"apply": "hash(hdr, HashAlgorithm.crc16, 8w0, { h.b }, 8w4);"},
         "error: the result is a number, which a header or a struct cannot take"),
    ],
)  # fmt: skip
def test_what_v1model_refuses_and_warns_of(parts: dict[str, str], told: str, tmp_path: Path) -> None:
    text = PROGRAM.format(**{"top": "", "control": "", "apply": "", "parser": EXTRACT, **parts})
    file = tmp_path / "t.p4"
    file.write_text(text)
    diagnostics = Diagnostics()
    if told.startswith("warning"):
        P4_16().load(Source(file), diagnostics)
    else:
        with pytest.raises(Rejected):
            P4_16().load(Source(file), diagnostics)
    lines = [line.partition(": ")[2] for line in diagnostics.render().splitlines() if line.startswith(str(tmp_path))]
    assert told in lines, lines


@pytest.mark.parametrize(
    ("apply", "known"),
    [
        ("first();", {"calc_0": 16}), ("first(); first();", {"calc_0": 16}), ("first(); second();", {"calc_0": 16, "calc_1": 32}),
        ("second(); first(); second();", {"calc_0": 32, "calc_1": 16}), ("third();", {}),
        ("both();", {"calc_0": 16, "calc_1": 16}),
    ],
)  # fmt: skip
def test_calculations_are_numbered_by_their_places(apply: str, known: dict[str, int], tmp_path: Path) -> None:
    """As BMv2 numbers them: a call that stands in an action is one, wherever the action is called."""
    control = """
        action first() { hash(h.a, HashAlgorithm.crc16_custom, 8w0, { h.b }, 8w255); }
        action second() { hash(h.a, HashAlgorithm.crc32_custom, 8w0, { h.b }, 8w255); }
        action third() { hash(h.a, HashAlgorithm.crc32, 8w0, { h.b }, 8w255); }
        #define CRC16(x) hash(x, HashAlgorithm.crc16_custom, 8w0, { x }, 8w255)
        action both() { CRC16(h.a); CRC16(h.b); }"""
    externs = load(tmp_path, apply, control=control).externs
    assert {one.name: one.attribute("width") for one in externs if one.kind == "custom_crc"} == known


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("support_timeout = true;", [("support_timeout", "true")]), ("support_timeout = false;", [("support_timeout", "false")]),
        ("idle_timeout = true;", [("support_timeout", "true")]), ("size = 16; largest_priority_wins = false;", []),
        ("priority_delta = 2;", []), ("strange = 1;", []),
    ],
)  # fmt: skip
def test_properties_of_tables_that_v1model_knows(more: str, told: list[tuple[str, str]], tmp_path: Path) -> None:
    control = f"table t {{ key = {{ h.a: ternary; }} actions = {{ NoAction; }} {more} }}"
    file = tmp_path / "t.p4"
    file.write_text(PROGRAM.format(top="", control=control, apply="t.apply();", parser=EXTRACT))
    diagnostics = Diagnostics()
    program = P4_16().load(Source(file), diagnostics)
    assert [(a.name, a.body) for a in program.table["I.t"].annotations] == told
    nothing = [m.message for m in diagnostics.messages if "means nothing" in m.message]
    assert nothing == (["table property 'strange' means nothing on v1model"] if "strange" in more else [])


@pytest.mark.parametrize(
    ("lists", "kept"),
    [
        ("3", True), ("1, 3", True), ("3, 3", True), ("8w3, 4", True), ("0x3", True), ("THREE", True), ("List.three", True),
        ("List.other, THREE", True), ("4", False), ("List.other", False), ("1, 2", False),
    ],
)  # fmt: skip
def test_a_field_is_kept_in_all_of_its_lists(lists: str, kept: bool, tmp_path: Path) -> None:
    top = "const bit<8> THREE = 3; enum bit<8> List { three = 3, other = 5 }"
    text = PROGRAM.format(top="", control="", apply="resubmit_preserving_field_list(3);", parser=EXTRACT)
    text = text.replace("struct M { bit<8> m;", f"{top} struct M {{ @field_list({lists}) bit<8> m;")
    file = tmp_path / "t.p4"
    file.write_text(text)
    (call,) = [s for s in program_statements(P4_16().load(Source(file), Diagnostics())) if isinstance(s, CallExtern)]
    assert [place.name for place in call.fields if isinstance(place, VariableRef)] == ["meta.m"] * kept


@pytest.mark.parametrize(
    ("lists", "told"),
    [("1, nothing", "'nothing' is not the number of a field list"), ("12x", "'12x' is not the number of a field list")],
)
def test_field_lists_have_numbers(lists: str, told: str, tmp_path: Path) -> None:
    text = PROGRAM.format(top="", control="", apply="", parser=EXTRACT)
    assert f"error: {told}\n" in rejected(tmp_path, text.replace("struct M { ", f"struct M {{ @field_list({lists}) "))


FUNCTIONS = (
    "void f0(inout bit<8> x) {{ x = x + 1; }}", "void f{0}(inout bit<8> x) {{ f{1}(x); }}",
    {"apply": "f{1}(h.a);"},
)  # fmt: skip
BLOCKS = (
    "control c0(inout bit<8> x) {{ apply {{ x = x + 1; }} }}",
    "control c{0}(inout bit<8> x) {{ c{1}() k; apply {{ k.apply(x); }} }}",
    {"control": "c{1}() k;", "apply": "k.apply(h.a);"},
)
PARSERS = (
    "parser p0(packet_in q) {{ state start {{ transition accept; }} }}",
    "parser p{0}(packet_in q) {{ p{1}() k; state start {{ k.apply(q); transition accept; }} }}",
    {"parser": "p{1}() k; state start {{ packet.extract(hdr.h); k.apply(packet); transition accept; }}"},
)


@pytest.mark.parametrize(
    ("nested", "told"),
    [
        (FUNCTIONS, "calls are nested deeper than 64"), (BLOCKS, "calls are nested deeper than 64"),
        (PARSERS, "parsers are nested deeper than 64"),
    ],
    ids=["functions", "controls", "parsers"],
)  # fmt: skip
def test_how_deep_calls_are_nested(nested: tuple[str, str, dict[str, str]], told: str, tmp_path: Path) -> None:
    """The pipe itself counts as one."""
    first, other, use = nested

    def parts(count: int) -> dict[str, str]:
        top = "\n".join([first.format(), *(other.format(number, number - 1) for number in range(1, count))])
        return {"top": top} | {name: text.format(count, count - 1) for name, text in use.items()}

    load(tmp_path, **parts(MAX_CALL_DEPTH - 1))
    text = PROGRAM.format(**{"control": "", "apply": "", "parser": EXTRACT, **parts(MAX_CALL_DEPTH)})
    assert f"error: {told}\n" in rejected(tmp_path, text) and MAX_CALL_DEPTH == 64
