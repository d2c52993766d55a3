"""Arguments that are passed and copied back, and what is evaluated before what: programs as in test_p4_16_elaborate, whose packet
says what became of them. P4-16 spec 6.8, 8.1, 12.7, 12.8, 13.8, 14.2."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_p4_16_elaborate import gives, load

TOP = """
struct pair_t { bit<8> x; bit<8> y; }
bit<8> inc(inout bit<8> x) { x = x + 1; return x; }
bit<8> two(in bit<8> x, in bit<8> y) { return (x << 4) + y; }
bit<8> more(inout bit<8> x, in bit<8> y) { x = x + y; return x; }
void set(out bit<8> x, in bit<8> y) { x = y; }
void swap(inout bit<8> x, inout bit<8> y) { bit<8> t = x; x = y; y = t; }
void whole(out s_t s) { if (!s.isValid()) { s = { 9 }; } }
void grow(inout s_t[3] s) { s.push_front(1); s[0] = { 8 }; }
void turn(inout pair_t p) { p = { p.y, p.x }; }
bit<8> sum(in pair_t p, in bit<8> x) { return p.x + p.y + x; }
bit<8> early(inout bit<8> x) { if (x == 1) { x = 5; return 1; } x = 6; return 2; }
bit<8> find(in bit<8> x) { for (bit<8> i in 1 .. 9) { if (i == x) { return i + 10; } } return 0; }
bit<8> last_of(in s_t[3] s) { return s.lastIndex[7:0]; }
void nothing() { return; }
control Sub(in bit<8> i, inout bit<8> io, out bit<8> o) { apply { io = io + i; o = io; } }
bit<32> size_of<T>(in T x) { return (bit<32>) x.minSizeInBits() + (bit<32>) x.maxSizeInBytes(); }
bit<8> last_of_any<T>(in T[3] s) { return s.lastIndex[7:0]; }
bit<4> inc4(inout bit<4> x) { x = x + 1; return x; }
bit<4> through(inout bit<4> x) { return inc4(x); }
control Ints(inout bit<8> x, out bit<8> y)(int k, bool f) {
    const int twice = k * 2;
    bit<8>[4] a = { 7, 8, 9, 10 };
    apply {
        x = x + k;
        y = k - x;
        y = y << k;
        if (k == 2 && k < 3 && f) { y = y + (bit<8>) twice; }
        y = f ? y : 1;
        for (bit<8> i in 1 .. k) { x = x + a[k] + i; }
        x = x + (k > 5 ? 1 : (bit<8>) (-k + 3));
    }
}
control Plain(inout bit<8> x) { apply { x = x + 5; } }
control Optional(inout bit<8> x, @optional in bit<8> y) { apply { x = x + y + 1; } }
control Count(out bit<8> o) { bit<8> n = 3; apply { n = n + 1; o = n; } }
control Made(inout bit<8> x)(bit<8> by) { action add(bit<8> more) { x = x + by + more; }
    table t { actions = { add; } default_action = add(by); } apply { t.apply(); } }
"""
LOCALS = """
Sub() sub; Count() count; Made(2) made; Made(3) other; Ints(2, true) ints; Ints(3, false) others; Optional() optional;
Plain() five;
action capture(in bit<8> x) { h.b = 9; h.c = x; }
action outward(out bit<8> x) { x = 3; h.d = h.b; }
action both_ways(inout bit<8> x) { x = x + 1; h.d = h.b; }
action nested(inout bit<8> x) { capture(x); x = x + 1; }
action quit(inout bit<8> x) { if (x == 1) { return; } x = 7; }
action put(bit<8> v) { h.f = v; }
action bump() { h.c = 9; }
action usual(in bit<8> x = 3, bit<8> v = 6) { h.a = x; h.f = v; }
table usuals { key = { h.b : exact; } actions = { usual; NoAction; }
    const entries = { 1 : usual(v = 4); } default_action = NoAction; }
table bumps { actions = { bump; } default_action = bump; }
action bound(inout bit<8> x, in bit<8> y, bit<8> v) { x = x + y + v; }
"""
CASES = [
    ("what an action takes when it is not given", "usuals.apply();", "03 01 02 03 04 04"),
    ("what an action takes when it is called", "usual(v = h.d);", "03 01 02 03 04 03"),
    ("a list that a table changes", "for (bit<8> i in { h.b, h.c }) { bumps.apply(); h.a += i; }", "03 01 09 03 04 05"),
    (
        "a list that a control changes",
        "for (bit<8> i in { h.b, h.c }) { five.apply(h.c); h.a += i; }",
        "03 01 0c 03 04 05",
    ),
    (
        "inout before a table that changes it",
        "h.a = more(h.c, bumps.apply().hit ? 8w1 : 8w2); h.b = two(h.c, bumps.apply().miss ? h.c : 8w0);",
        "04 49 09 03 04 05",
    ),
    (
        "in, changed by the action",
        "capture(h.b);",
        "00 09 01 03 04 05",
    ),
    (
        "out, read otherwise",
        "outward(h.b);",
        "00 03 02 01 04 05",
    ),
    (
        "inout, read otherwise",
        "both_ways(h.b);",
        "00 02 02 01 04 05",
    ),
    (
        "inout, read by an action that it calls",
        "nested(h.b);",
        "00 02 01 03 04 05",
    ),
    (
        "two inout",
        "swap(h.a, h.f); swap(h.b, h.b);",
        "05 01 02 03 04 00",
    ),
    (
        "an action that returns early",
        "quit(h.b); quit(h.c);",
        "00 01 07 03 04 05",
    ),
    (
        "out header",
        "hdr.st[0] = { 1 }; whole(hdr.st[0]); whole(_);",
        "00 01 02 03 04 05 09",
    ),
    (
        "inout stack",
        "hdr.st[0] = { 1 }; grow(hdr.st);",
        "00 01 02 03 04 05 08 01",
    ),
    (
        "inout struct",
        "pair_t p = { h.b, h.c }; turn(p); h.a = p.x; h.b = p.y;",
        "02 01 02 03 04 05",
    ),
    (
        "struct from a list",
        "h.a = sum({ h.b, h.c }, 1) + sum({ y = 1, x = h.b }, h.b);",
        "07 01 02 03 04 05",
    ),
    (
        "out by an index that a later argument changes",
        "hdr.st[0].setValid(); bit<8> i = 0; set(hdr.st[i].v, inc(i));",
        "00 01 02 03 04 05 01",
    ),
    (
        "inout by an index",
        "hdr.st = { { 3 }, { 4 }, {#} }; bit<8> i = h.b; swap(hdr.st[i].v, hdr.st[i - 1].v);",
        "00 01 02 03 04 05 04 03",
    ),
    (
        "inout array elements",
        "bit<8>[2] a = { 3, 4 }; swap(a[h.b], a[h.a]); h.c = a[0]; h.d = a[1];",
        "00 01 04 03 04 05",
    ),
    (
        "returns",
        "h.a = early(h.b); h.d = early(h.c); nothing();",
        "01 05 06 02 04 05",
    ),
    (
        "return from a loop",
        "h.a = find(h.d); h.b = find(h.a); h.c = find(9); h.d = find(10);",
        "0d 00 13 00 04 05",
    ),
    (
        "sums from left to right",
        "h.a = inc(h.b) + inc(h.b) * h.b;",
        "0b 03 02 03 04 05",
    ),
    (
        "read before a choice with effects",
        "h.a = h.b + (inc(h.b) == 2 ? h.b : h.c);",
        "03 02 02 03 04 05",
    ),
    (
        "condition of a choice",
        "h.a = inc(h.b) == 2 ? 8w7 : inc(h.c);",
        "07 02 02 03 04 05",
    ),
    (
        "as far as is needed",
        "if (inc(h.b) == 2 || inc(h.c) == 3) { h.a = 1; } if (inc(h.b) == 2 && inc(h.c) == 3) { h.a = 2; }",
        "01 03 02 03 04 05",
    ),
    (
        "lists",
        "meta.p = { h.b, inc(h.b) }; h.a = meta.p.x; h.c = meta.p.y;",
        "01 02 02 03 04 05",
    ),
    (
        "structures as written",
        "meta.p = { y = inc(h.b), x = h.b }; h.a = meta.p.x; h.c = meta.p.y;",
        "02 02 02 03 04 05",
    ),
    (
        "names as written",
        "h.a = two(y = inc(h.b), x = h.b); h.c = two(x = h.b, y = inc(h.b));",
        "22 03 23 03 04 05",
    ),
    (
        "an operator's target",
        "h.b += inc(h.b);",
        "00 03 02 03 04 05",
    ),
    (
        "the start of a slice",
        "h.f[inc(h.b) +: 2] = 3; h.d = 6w0 ++ h.f[inc(h.b) +: 2];",
        "00 03 02 01 04 0d",
    ),
    (
        "an index of a method",
        "hdr.st[inc(h.a)].setValid(); hdr.st[1].v = 6; if (hdr.st[inc(h.a) - 1].isValid()) { h.f = 9; }",
        "02 01 02 03 04 09 06",
    ),
    (
        "a subject",
        "switch (inc(h.b)) { 1: { h.a = 1; } 2: { h.a = inc(h.b); } }",
        "03 03 02 03 04 05",
    ),
    (
        "bounds",
        "for (bit<8> i in inc(h.a) .. inc(h.c)) { h.d += i; }",
        "01 01 03 09 04 05",
    ),
    (
        "a key before a later one",
        "",
        "00 02 02 03 04 07",
    ),
    (
        "control",
        "sub.apply(h.b, h.c, h.d);",
        "00 01 03 03 04 05",
    ),
    (
        "control, in and inout alike",
        "sub.apply(h.b, h.b, h.d);",
        "00 02 02 02 04 05",
    ),
    (
        "control, in and out alike",
        "sub.apply(h.b, h.c, h.b);",
        "00 03 03 03 04 05",
    ),
    (
        "control, applied with other names",
        "sub.apply(h.a, h.b, h.c); sub.apply(h.c, h.e, h.f);",
        "00 01 01 03 05 05",
    ),
    (
        "control, values and parts",
        "pair_t p = { 1, 2 }; sub.apply(h.b + 1, p.x, p.y); h.a = p.x; h.b = p.y;",
        "03 03 02 03 04 05",
    ),
    (
        "control, nowhere",
        "sub.apply(3, h.b, _);",
        "00 04 02 03 04 05",
    ),
    (
        "control, variables of its own",
        "count.apply(h.a); count.apply(h.b);",
        "04 04 02 03 04 05",
    ),
    (
        "control, made with a number",
        "made.apply(h.a); other.apply(h.b);",
        "04 07 02 03 04 05",
    ),
    (
        "numbers that only an instance knows",
        "ints.apply(h.a, h.b); others.apply(h.c, h.d);",
        "18 04 29 01 04 05",
    ),
    (
        "a control by its type",
        "Plain.apply(h.a); Plain.apply(h.b); optional.apply(h.c); optional.apply(h.d, 1);",
        "05 06 03 05 04 05",
    ),
    (
        "sizes of what a call makes generic",
        "h.a = size_of(h)[7:0]; h.b = size_of(hdr.u)[7:0]; h.c = size_of(hdr.st)[7:0];",
        "36 0a 1b 03 04 05",
    ),
    (
        "a function that is one return, with a part",
        "h.a = 4w0 ++ through(h.f[7:4]); h.b = 4w0 ++ through(h.f[3:0]);",
        "01 06 02 03 04 16",
    ),
    (
        "an assertion that holds",
        "bool holds = static_assert(true); if (holds && static_assert(1 < 2)) { h.a = 1; }",
        "01 01 02 03 04 05",
    ),
    (
        "unions in a stack",
        "u_t[2] us; us[0].s = { 5 }; us.push_front(1); h.a = us[1].s.v; if (!us[0].isValid()) { h.b = 9; "
        "}us.pop_front(1); h.c = us[0].s.v; if (!us[1].isValid()) { h.d = 9; }",
        "05 09 05 09 04 05",
    ),
    (
        "pushes beyond the end",
        "hdr.st = { { 1 }, { 2 }, { 3 } }; hdr.st.push_front(4); if (!hdr.st[2].isValid()) { h.a = 1; } "
        "hdr.st = { { 1 }, { 2 }, { 3 } }; hdr.st.pop_front(4); if (!hdr.st[0].isValid()) { h.b = 2; } "
        "hdr.st[0] = { 4 }; hdr.st.push_front(0);",
        "01 02 02 03 04 05 04",
    ),
    (
        "two steps",
        "hdr.st = { { 1 }, { 2 }, { 3 } }; hdr.st.pop_front(2); hdr.st.push_front(1);",
        "00 01 02 03 04 05 03",
    ),
]
KEYS = """table t { key = { h.b : exact; inc(h.b) : exact @name("k"); 8w3 : exact @name("c"); } actions = { put; NoAction; }
    const entries = { (1, 2, 3) : put(7); } default_action = NoAction; }"""


@pytest.mark.parametrize(("apply", "output"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_passing(apply: str, output: str, tmp_path: Path) -> None:
    gives(load(tmp_path, apply or "t.apply();", TOP, LOCALS + ("" if apply else KEYS)), tmp_path, output)


PARSERS = [
    (
        "a parser by its type",
        "Skip.apply(packet, n); Skip.apply(packet, n); hdr.st[0] = { n }; transition accept;",
        "",
        "03 02 03 04 05",
    ),
    (
        "only one way to go",
        "const bit<8> k = 7; n = k; transition select(n) { default: more; } } "
        "state more { hdr.st[0] = { n }; transition select(n) { _: accept; }",
        "",
        "07 00 01 02 03 04 05",
    ),
    (
        "nothing is looked at",
        "bit<0> none = packet.lookahead<bit<0>>(); hdr.st[0] = { 3 }; transition accept;",
        "",
        "03 00 01 02 03 04 05",
    ),
    (
        "where the next element of any stack is",
        "packet.extract(hdr.st.next); packet.extract(hdr.st.next); transition accept;",
        "hdr.st[0].v = last_of_any(hdr.st);",
        "01 01 02 03 04 05",
    ),
    (
        "no way to go",
        "packet.extract(hdr.h); } state never { transition accept;",
        "if (std.parser_error == error.NoError) { h.a = 9; }",
        "09 01 02 03 04 05",
    ),
    (
        "where a stack's next element is",
        "packet.extract(hdr.st.next); packet.extract(hdr.st.next); transition accept;",
        "bit<8> k = last_of(hdr.st); hdr.st.push_front(1); h = { k, last_of(hdr.st), 0, 0, 0, 0 }; "
        "hdr.st.push_front(2); h.c = last_of(hdr.st);hdr.st.pop_front(2); h.d = last_of(hdr.st); hdr.st.pop_front(3); "
        "h.e = last_of(hdr.st);",
        "01 02 02 00 ff 00 02 03 04 05",
    ),
    (
        "lookahead of a struct",
        "pair_t p = packet.lookahead<pair_t>(); hdr.st[0] = { p.x }; hdr.st[1] = { p.y }; transition accept;",
        "",
        "00 01 00 01 02 03 04 05",
    ),
    (
        "lookahead of all that has a width",
        "L l = packet.lookahead<L>(); "
        "hdr.h = { l.a[7:0], l.s[1].v, 4w0 ++ l.t[1], 4w0 ++ l.n, (l.b ? 8w1 : 8w0), 5w0 ++ l.q }; transition accept;",
        "",
        "01 03 04 05 00 00 00 01 02 03 04 05",
    ),
    (
        "lookahead of a stack",
        "s_t[2] two_of = packet.lookahead<s_t[2]>(); hdr.st[0] = two_of[1]; transition accept;",
        "",
        "01 00 01 02 03 04 05",
    ),
    (
        "a header that is skipped",
        "packet.extract<h_t>(_); transition accept;",
        "hdr.st[0] = { 1 };",
        "01",
    ),
    (
        "a union",
        "hdr.u.s = { 1 }; packet.extract(hdr.u.w); transition accept;",
        "if (!hdr.u.s.isValid()) { hdr.st[0] = { 3 }; }",
        "00 01 03 02 03 04 05",
    ),
    (
        "sets of a select",
        "packet.extract(hdr.h); transition select(hdr.h.a, hdr.h.b) { (0, 2 .. 9): no; (0 &&& 1, 2 &&& 2): no; "
        "(1, _): no; (_, 1): yes; } } state no { hdr.h.a = 9; transition accept; } state yes { hdr.h.a = 1; "
        "transition accept;",
        "",
        "01 01 02 03 04 05",
    ),
    (
        "a struct against lists",
        "packet.extract(hdr.h); pair_t p = { hdr.h.b, hdr.h.c }; "
        "transition select(p.x, { p.y, hdr.h.d }, hdr.h.e) { (1, { 2, 4 }, _): no; (1, { 2, 3 }, 4): yes; } } "
        "state no { hdr.h.a = 9; transition accept; } state yes { hdr.h.a = 1; transition accept;",
        "",
        "01 01 02 03 04 05",
    ),
    (
        "what is declared is set once",
        "bit<8> k = n; packet.extract(hdr.st.next); n = n + 1; hdr.st.last.v = n + k; "
        "transition select(n) { 3: accept; _: start; }",
        "",
        "03 05 02 03 04 05",
    ),
    (
        "a part of an integer",
        "packet.extract(hdr.h); transition select(hdr.h.b[0:0], hdr.h.f == 5, hdr.h.isValid()) { (1, true, true): yes; "
        "} } state yes { hdr.h.a = 1; transition accept;",
        "",
        "01 01 02 03 04 05",
    ),
]
LOOKED_AT = """
parser Skip(packet_in packet, inout bit<8> n) { state start { packet.advance(8); n = n + 1; transition accept; } }
struct L { bit<16> a; s_t[2] s; tuple<bit<4>, bit<4>> t; bit<3> q; bool b; bit<0> none; bit<4> n; }
"""


@pytest.mark.parametrize(
    ("states", "apply", "output"), [case[1:] for case in PARSERS], ids=[case[0] for case in PARSERS]
)
def test_parsers(states: str, apply: str, output: str, tmp_path: Path) -> None:
    given = "00 01 02 03 04 05"
    parser = f"bit<8> n = 1; state start {{ {states} }}"
    gives(load(tmp_path, apply, TOP + LOOKED_AT, parser=parser), tmp_path, output, given=given)
