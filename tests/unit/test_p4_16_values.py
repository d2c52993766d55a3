"""Values that are copied, compared, converted and taken apart: programs as in test_p4_16_elaborate, whose packet says what became
of them. P4-16 spec 8.11 to 8.20, 12.1 to 12.3."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_p4_16_elaborate import gives, load

TOP = """
const bit<8> kept = 7;
enum Color { red, green, blue }
enum bit<8> Kind { none = 0, four = 4, nine = 9 }
enum bit<8> Late { one = 1, two = 2 }
type bit<8> Id;
struct pair_t { bit<8> x; bit<8> y; }
header nested_t { pair_t p; bit<8>[2] b; bit<8> z; }
header odd_t { bit<0> nothing; bit<8> v; }
struct stacked_t { s_t[3] s; bit<8> n; }
struct mixed_t { bool b; Color c; error e; Kind k; s_t s; bit<8> v;
    tuple<bit<8>, bool> t; u_t u; s_t[2] st; int<8> i; Id id; Late l; }
struct empty_t { }
struct inner_t { pair_t p; s_t s; }
bit<8> inc(inout bit<8> x) { x = x + 1; return x; }
pair_t pair_of(in bit<8> x, in bit<8> y) { return { x, y }; }
nested_t nested_of(in bit<8> x) { return { { x, x + 1 }, { x + 2, x + 3 }, x + 4 }; }
stacked_t stack_of(in bit<8> x) { return { { { x }, { x + 1 }, { x + 2 } }, x }; }
s_t header_of(in bit<8> x) { s_t s; if (x > 1) { s = { x }; } return s; }
u_t union_of(in bit<8> x) { u_t u; if (x > 1) { u.s = { x }; } else { u.w = { 0x0102 }; } return u; }
tuple<bit<8>, bit<8>> tuple_of(in bit<8> x) { return { x, x + 1 }; }
bit<8>[3] array_of(in bit<8> x) { return { x, x + 1, x + 2 }; }
T last<T>(in T a, in T b) { T c = a; c = b; return c; }
bit<8> flag(in bool b) { return b ? 8w1 : 8w0; }
"""
CASES = [
    (
        "names of the top level",
        "bit<8> kept = 1; h.a = .kept; { bit<8> inner = .kept + kept; h.b = inner; } h.c = (.Id) kept == 1 ? .inc(h.c) : 0;",
        "07 08 03 03 04 05",
    ),
    (
        "a type of the top level",
        "bit<8> Late = 9; h.a = (bit<8>) .Late.two + Late;",
        "0b 01 02 03 04 05",
    ),
    (
        "struct",
        "pair_t a = { 3, 4 }; pair_t b = a; a.x = 9; h.a = b.x; h.b = b.y;",
        "03 04 02 03 04 05",
    ),
    (
        "struct from its own parts",
        "pair_t a = { 3, 4 }; a = { a.y, a.x }; h.a = a.x; h.b = a.y;",
        "04 03 02 03 04 05",
    ),
    (
        "parts in place",
        "pair_t a = { 3, 4 }; a = { a.x, a.x }; h.a = a.x; h.b = a.y;",
        "03 03 02 03 04 05",
    ),
    (
        "struct in a struct",
        "inner_t a = { { 3, 4 }, { 5 } }; inner_t b = a; a.p.x = 9; h.a = b.p.x; h.b = b.s.v;",
        "03 05 02 03 04 05",
    ),
    (
        "struct with an invalid header",
        "inner_t a; a.p = { 3, 4 }; inner_t b = { { 1, 1 }, { 1 } }; b = a; h.a = flag(b.s.isValid());",
        "00 01 02 03 04 05",
    ),
    (
        "struct by a list of lists",
        "inner_t a = { { h.b, h.c }, { h.d } }; h.a = a.p.y + a.s.v;",
        "05 01 02 03 04 05",
    ),
    (
        "header of one that is invalid",
        "s_t a; s_t b = { 1 }; b = a; h.a = flag(b.isValid());",
        "00 01 02 03 04 05",
    ),
    (
        "header that a function makes",
        "s_t a = header_of(5); s_t b = header_of(0); h.a = a.v; h.b = flag(b.isValid());",
        "05 00 02 03 04 05",
    ),
    (
        "a header onto itself",
        "s_t a = { 5 }; a = a; h.a = a.v;",
        "05 01 02 03 04 05",
    ),
    (
        "header with a struct and an array",
        "nested_t n = { { 1, 2 }, { 3, 4 }, 5 }; n.p = { n.p.y, n.p.x }; n.b[h.b] = 9; h.a = n.p.x; h.b = n.p.y; "
        "h.c = n.b[0]; h.d = n.b[1]; h.e = n.z;",
        "02 01 03 09 05 05",
    ),
    (
        "header with a field of no bits",
        "odd_t o = { 0, 7 }; bit<0> z = o.nothing; o.nothing = z; h.a = o.v; h.b = (bit<8>) (bit<8>) (z ++ h.c);",
        "07 02 02 03 04 05",
    ),
    (
        "union",
        "hdr.u = union_of(7); h.a = hdr.u.s.v; h.b = flag(hdr.u.w.isValid()); hdr.u.s.setInvalid();",
        "07 00 02 03 04 05",
    ),
    (
        "union whose other member was valid",
        "hdr.u.w = { 0x0304 }; hdr.u = union_of(7); h.a = flag(hdr.u.w.isValid()); hdr.u = union_of(0); "
        "h.b = flag(hdr.u.s.isValid());",
        "00 00 02 03 04 05 01 02",
    ),
    (
        "union member by an invalid header",
        "hdr.u.w = { 0x0304 }; s_t a; hdr.u.s = a; h.a = flag(hdr.u.isValid());",
        "00 01 02 03 04 05",
    ),
    (
        "union member by its own field",
        "hdr.u.s = { 4 }; hdr.u.s = { hdr.u.s.v + 1 }; h.a = hdr.u.s.v; hdr.u.s.setInvalid();",
        "05 01 02 03 04 05",
    ),
    (
        "union member by the other's field",
        "hdr.u.w = { 0x0304 }; hdr.u.s = { hdr.u.w.v[7:0] }; h.a = hdr.u.s.v; h.b = flag(hdr.u.w.isValid()); "
        "hdr.u.s.setInvalid();",
        "04 00 02 03 04 05",
    ),
    (
        "union from itself",
        "hdr.u.s = { 4 }; hdr.u = hdr.u;",
        "00 01 02 03 04 05 04",
    ),
    (
        "union made invalid",
        "hdr.u.s = { 4 }; u_t x = {#}; hdr.u = x; h.a = flag(hdr.u.isValid());",
        "00 01 02 03 04 05",
    ),
    (
        "stack",
        "hdr.st = { { 1 }, {#}, { 3 } }; s_t[3] c = hdr.st; hdr.st = { {#}, {#}, {#} }; h.a = c[0].v; "
        "h.b = flag(c[1].isValid()); h.c = c[2].v;",
        "01 00 03 03 04 05",
    ),
    (
        "stack from its own elements",
        "hdr.st = { { 1 }, { 2 }, { 3 } }; hdr.st = { hdr.st[2], hdr.st[0], hdr.st[1] };",
        "00 01 02 03 04 05 03 01 02",
    ),
    (
        "stack from itself",
        "hdr.st = { { 1 }, {#}, { 3 } }; hdr.st = hdr.st;",
        "00 01 02 03 04 05 01 03",
    ),
    (
        "stack with defaults",
        "hdr.st = { { 1 }, ... };",
        "00 01 02 03 04 05 01",
    ),
    (
        "generic copies",
        "h.a = last(h.b, h.c); pair_t p = last({ 1, 2 }, pair_of(3, 4)); h.b = p.y; "
        "h.c = last(h, { 9, 8, 7, 6, 5, 4 }).b;",
        "02 04 08 03 04 05",
    ),
    (
        "tuple",
        "tuple<bit<8>, bit<8>> t = { h.b, h.c }; t = { t[1], t[0] }; h.a = t[0]; h.b = t[1];",
        "02 01 02 03 04 05",
    ),
    (
        "array",
        "bit<8>[3] a = { 1, 2, 3 }; bit<8>[3] b = a; a[0] = 9; h.a = b[0]; b = { b[2], b[1], b[0] }; h.b = b[0]; "
        "h.c = b[h.c];",
        "01 03 01 03 04 05",
    ),
    (
        "field of a result",
        "h.a = pair_of(3, 4).y; h.b = nested_of(5).p.y; h.c = nested_of(5).b[1]; h.d = nested_of(5).z;",
        "04 06 08 09 04 05",
    ),
    (
        "element of a result",
        "h.a = tuple_of(3)[1]; h.b = array_of(3)[h.c]; h.c = stack_of(3).s[2].v; h.d = stack_of(h.a).s[h.b - 4].v;",
        "04 05 05 05 04 05",
    ),
    (
        "element of a result beyond its end",
        "h.a = array_of(3)[h.f];",
        "05 01 02 03 04 05",
    ),
    (
        "stack of a result, twice",
        "h.a = stack_of(3).s[h.b].v; h.b = stack_of(5).s[h.b].v;",
        "04 06 02 03 04 05",
    ),
    (
        "member of a union of a result",
        "h.a = union_of(7).s.v; h.b = flag(union_of(7).w.isValid()); h.c = flag(union_of(0).isValid());",
        "07 00 01 03 04 05",
    ),
    (
        "validity of a result",
        "h.a = flag(header_of(5).isValid()); h.b = flag(header_of(0).isValid());",
        "01 00 02 03 04 05",
    ),
    (
        "slice of a result",
        "h.a = 4w0 ++ pair_of(0x35, 1).x[7:4]; h.b = 4w0 ++ pair_of(0x35, 1).x[h.b +: 4];",
        "03 0a 02 03 04 05",
    ),
    (
        "element of a list",
        "h.a = { h.b, h.c }[1]; h.b = ((tuple<bit<8>, bit<8>>) { 7, 8 })[0];",
        "02 07 02 03 04 05",
    ),
    (
        "structs",
        "pair_t a = { 1, 2 }; pair_t b = { 1, 2 }; h.a = flag(a == b); b.y = 3; h.b = flag(a == b); "
        "h.c = flag(a != b); h.d = flag(a == { 1, 2 });",
        "01 00 01 01 04 05",
    ),
    (
        "headers",
        "s_t a = { 1 }; s_t b; h.a = flag(a == b); b = { 1 }; h.b = flag(a == b); b.v = 2; h.c = flag(a == b); "
        "h.d = flag(b == { 2 });",
        "00 01 00 01 04 05",
    ),
    (
        "a header and none",
        "s_t a; h.a = flag(a == {#}); a = { 1 }; h.b = flag(a == {#}); h.c = flag({#} != a);",
        "01 00 01 03 04 05",
    ),
    (
        "unions",
        "u_t a; u_t b; h.a = flag(a == b); a.s = { 1 }; h.b = flag(a == b); b.s = { 1 }; h.c = flag(a == b); "
        "b.w = { 1 }; h.d = flag(a == b);",
        "01 00 01 00 04 05",
    ),
    (
        "stacks",
        "s_t[2] a; s_t[2] b; h.a = flag(a == b); a[1] = { 1 }; h.b = flag(a == b); b[1] = { 1 }; h.c = flag(a == b); "
        "b[0] = { 1 }; h.d = flag(a != b);",
        "01 00 01 01 04 05",
    ),
    (
        "tuples and arrays",
        "bit<8>[2] a = { 1, 2 }; h.a = flag(tuple_of(1) == { 1, 2 }); h.b = flag(tuple_of(1) == { 1, 3 }); "
        "h.c = flag(a == { 1, 2 }); a[h.b] = 3; h.d = flag(a == { 1, 2 });",
        "01 00 01 00 04 05",
    ),
    (
        "enums",
        "Color c = Color.green; h.a = flag(c == Color.green); h.b = flag(c == Color.blue); Kind k = Kind.four; "
        "h.c = flag(k == 4); h.d = flag(k != Kind.nine);",
        "01 00 01 01 04 05",
    ),
    (
        "nothing with nothing",
        "empty_t a = {}; empty_t b = {}; h.a = flag(a == b);",
        "01 01 02 03 04 05",
    ),
    (
        "defaults",
        "mixed_t m = ...; h.a = flag(!m.b && m.c == Color.red && m.e == error.NoError && m.k == Kind.none && "
        "m.v == 0 && m.t[0] == 0 && !m.t[1]);h.b = flag(!m.s.isValid() && !m.u.isValid() && !m.st[1].isValid()); "
        "h.c = flag(m.i == 0 && m.id == 0 && m.l == (Late) 0);",
        "01 01 01 03 04 05",
    ),
    (
        "some defaults",
        "mixed_t m = { v = 3, b = true, ... }; h.a = m.v; h.b = flag(m.b && m.c == Color.red); pair_t p = { 7, ... }; "
        "h.c = p.x; h.d = p.y;",
        "03 01 07 00 04 05",
    ),
    (
        "defaults in a header",
        "s_t s = ...; h.a = flag(s.isValid()); nested_t n = { p = ..., z = 3, ... }; h.b = flag(n.isValid()); "
        "h.c = n.z; h.d = n.b[1];",
        "00 01 03 00 04 05",
    ),
    (
        "a list of one",
        "bit<8> x = { 7 }[0]; h.a = x; meta.p = (p_t) { 3, 4 }; h.b = meta.p.y; s_t s = (s_t) { v = 6 }; h.c = s.v;",
        "07 04 06 03 04 05",
    ),
    (
        "distinct types and enums",
        "Id i = (Id) h.f; h.a = (bit<8>) i; Kind k = (Kind) (h.e + 5); h.b = flag(k == Kind.nine); "
        "Late l = (Late) (bit<8>) Kind.four; h.c = (bit<8>) l;",
        "05 01 04 03 04 05",
    ),
    (
        "bool and sign",
        "h.a = (bit<8>) (int<8>) (bit<8>) 0xfe; int<16> w = (int<16>) (int<8>) (h.a); h.b = ((bit<16>) w)[15:8]; "
        "h.c = 7w0 ++ (bit<1>) (h.d == 3);",
        "fe ff 01 03 04 05",
    ),
    (
        "of structs",
        "pair_t a = { 3, 4 }; pair_t b = h.a == 0 ? a : { 5, 6 }; h.a = b.x; b = h.a == 0 ? a : { 5, 6 }; h.b = b.x;",
        "03 05 02 03 04 05",
    ),
    (
        "of headers",
        "s_t a = { 3 }; s_t b; s_t c = h.a == 0 ? a : b; h.a = flag(c.isValid()); c = h.a == 0 ? a : b; "
        "h.b = flag(c.isValid());",
        "01 00 02 03 04 05",
    ),
    (
        "of tuples",
        "tuple<bit<8>, bit<8>> t = h.b == 0 ? tuple_of(3) : { h.e, h.f }; h.a = t[0]; h.b = t[1];",
        "04 05 02 03 04 05",
    ),
    (
        "of stacks",
        "s_t[2] a; s_t[2] b; a[0] = { 3 }; b[1] = { 4 }; s_t[2] c = h.b == 0 ? a : b; h.a = flag(c[0].isValid()); "
        "h.b = c[1].v;",
        "00 04 02 03 04 05",
    ),
    (
        "of enums",
        "Color c = h.a == 0 ? Color.blue : Color.green; h.a = flag(c == Color.blue); "
        "error e = h.a == 0 ? error.NoError : error.NoMatch; h.b = flag(e == error.NoMatch);",
        "01 01 02 03 04 05",
    ),
    (
        "signed slices",
        "int<8> n = -86; h.a = 4w0 ++ n[h.c +: 4]; n[h.c +: 4] = 5; h.b = (bit<8>) n; n[1:0] = 0; h.c = (bit<8>) n; "
        "h.d = 4w0 ++ n[7:4];",
        "0a 96 94 09 04 05",
    ),
    (
        "slices over the end",
        "h.f = 0xff; h.a = 4w0 ++ h.f[h.e + 2 +: 4]; h.f[h.e + 2 +: 4] = 0; h.b = 4w0 ++ h.f[h.f +: 4];",
        "03 00 02 03 04 3f",
    ),
    (
        "a slice of a slice",
        "h.f = 0xb5; h.e = 6w0 ++ h.f[7:4][h.b +: 2]; h.d[3:0][3:3] = 1;",
        "00 01 02 0b 01 b5",
    ),
]


@pytest.mark.parametrize(("apply", "output"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_values(apply: str, output: str, tmp_path: Path) -> None:
    gives(load(tmp_path, apply, TOP), tmp_path, output)
