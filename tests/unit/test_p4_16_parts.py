"""Parts of fields, stacks and unions that are passed, left by `exit` and returned, and controls that are applied again: programs
as in test_p4_16_elaborate, whose packet says what became of them. P4-16 spec 6.8, 8.17 to 8.20, 12.4, 12.5, 13.8, 14."""

from __future__ import annotations

from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16
from test_p4_16_elaborate import EXTRACT, PROGRAM, gives, load, rejected

from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.traverse import program_statements

TOP = """
header half_t { bit<12> v; }
header_union three_t { s_t p; w_t q; h_t r; }
header begins_t { p_t x; bit<8> xs; p_t xy; }
enum Kind { four, nine }
typedef Kind Sort;
struct box_t { s_t s; bit<8> n; }
action leave_all() { exit; }
bit<8> inc(inout bit<8> x) { x = x + 1; return x; }
bit<8> flag(in bool b) { return b ? 8w1 : 8w0; }
void in_out(in bit<8> y, out bit<8> x) { x = 0; x = y + 1; }
void out_of(in s_t[3] from, out s_t to) { to = { 9 }; to = from[0]; }
void one_beside(out s_t a, in w_t b) { a = { 1 }; if (b.isValid()) { a.v = 7; } }
bit<8> with_flag(in bool x, in bit<8> y) { return flag(x) + y; }
bit<8> fill(inout s_t s) { s = { 4 }; return 4; }
bit<8> two(in bit<8> x, in bit<8> y) { return (x << 4) + y; }
void second(out s_t[3] s) { s[1] = { 8 }; }
void none(out u_t u) { }
void boxed(out box_t b) { b.n = 7; }
void low(inout bit<4> x) { x[1:0] = 3; }
void low_out(out bit<4> x, in bit<8> y) { x = y[3:0]; x[3:3] = 1; }
void put_at(inout s_t[3] s, in bit<8> i) { s[i] = { 7 }; }
bit<8> get_at(in s_t[3] s, in bit<8> i) { return s[i].isValid() ? 8w1 : 8w0; }
void put_in(inout bit<8>[3] a, in bit<8> i) { a[i] = 9; }
bit<8> least_bytes<T>(in T x) { return (bit<8>) x.minSizeInBytes(); }
bit<8> least_bits<T>(in T x) { return (bit<8>) x.minSizeInBits(); }
bit<8> most_bytes<T>(in T x) { return (bit<8>) x.maxSizeInBytes(); }
bit<8> most_bits<T>(in T x) { return (bit<8>) x.maxSizeInBits(); }
three_t one_of(in bit<8> x) {
    three_t u; if (x == 0) { u.p = { 1 }; } else if (x == 1) { u.q = { 2 }; } else { u.r = { 3, 0, 0, 0, 0, 0 }; } return u; }
begins_t begin() { return { { 1, 2 }, 3, { 4, 5 } }; }
control Add(inout bit<8> x, in bit<8> amount) { apply { x = x + amount; } }
control Twice(inout bit<8> x) { apply { Add.apply(x, 4); } }
control Named(inout bit<8> x) { Add() add; apply { add.apply(x, 5); } }
control Added(inout bit<8> x, in bit<8> amount);
control Given(inout bit<8> x)(Added add) { apply { add.apply(x, 6); add.apply(x, 1); } }
control Local(inout bit<8> x) { s_t s; apply { if (s.isValid()) { x = 9; } s.setValid(); x = x + 1; } }
control Fresh(out s_t s, in bit<8> x) { apply { if (s.isValid()) { s = { 9 }; } else if (x > 0) { s = { x }; } } }
control Half(inout bit<4> x) { action stop(inout bit<2> y) { y = 3; exit; } apply { stop(x[1:0]); x = 0; } }
control Stop(inout bit<4> x) { action stop() { exit; } apply { x = 9; stop(); x = 0; } }
control Some(inout bit<4> x) { action stop() { exit; } apply { x = 9; if (x == 1) { stop(); } x = 5; } }
control Powers(inout bit<8> x)(bit<8> n) { apply { x = x + (1 << n) + (96 >> n); } }
control Pair(in bit<8> x, in bit<8> y, out bit<8> o) { apply { o = (x << 4) + y; } }
control Table(inout bit<4> x) { action stop() { x = 6; exit; }
    table t { actions = { stop; } default_action = stop; } apply { t.apply(); x = 0; } }
"""
LOCALS = """
bit<8> own = 1; bit<8> more = 2;
Add() add; Twice() twice; Named() named; Local() local; Fresh() fresh; Half() half; Stop() stop; Some() some; Table() table_;
Given(Add()) given; Pair() pair; Powers(3) powers;
action leaving(inout bit<4> x) { x = 7; exit; }
register<bit<8>>(4) r;
action both_ways(inout bit<8> x) { x = x + 1; h.d = h.b; }
table reads_too { actions = { both_ways(h.b); } default_action = both_ways(h.b); }
table leaves_part { actions = { leaving(h.f[3:0]); } default_action = leaving(h.f[3:0]); }
action leave_here() { h.c = 7; exit; }
table leaves { key = { h.b : exact; } actions = { leave_here; leave_all; NoAction; }
    const entries = { 1 : leave_all; 2 : leave_here; } default_action = NoAction; }
"""
CASES = [
    ("numbers without width are shifted by what a constructor is given", "powers.apply(h.a);", "14 01 02 03 04 05"),
    ("in, then out of the same", "in_out(h.c, h.c);", "00 01 03 03 04 05"),
    ("in a stack, then out of its element", "hdr.st[0] = { 4 }; out_of(hdr.st, hdr.st[1]);", "00 01 02 03 04 05 04 04"),
    (
        "an out member of a union beside another",
        "hdr.u.w = { 0x0304 }; one_beside(hdr.u.s, hdr.u.w); h.a = flag(hdr.u.w.isValid());",
        "00 01 02 03 04 05 07",
    ),
    (
        "whether a header is valid before a later argument makes it so",
        "h.a = with_flag(hdr.st[0].isValid(), fill(hdr.st[0])); h.b = with_flag(hdr.st[0].isValid(), fill(hdr.st[0]));",
        "04 05 02 03 04 05 04",
    ),
    (
        "a choice before a later argument changes what it asks",
        "h.b = two(h.a == 0 ? 8w1 : 8w2, inc(h.a)); h.c = two(h.a == 0 ? 8w1 : 8w2, inc(h.a));",
        "02 11 22 03 04 05",
    ),
    ("an out stack begins invalid", "hdr.st = { { 1 }, { 2 }, { 3 } }; second(hdr.st);", "00 01 02 03 04 05 08"),
    ("an out union begins invalid", "hdr.u.s = { 1 }; none(hdr.u); h.a = flag(hdr.u.isValid());", "00 01 02 03 04 05"),
    (
        "an out struct begins with an invalid header",
        "box_t b = { { 1 }, 2 }; boxed(b); h.a = b.n; h.b = flag(b.s.isValid());",
        "07 00 02 03 04 05",
    ),
    ("a part of a slice that is passed", "low(h.f[7:4]); low(h.e[h.b +: 4]);", "00 01 02 03 06 35"),
    (
        "the start of a slice before a later argument changes it",
        "low_out(h.f[h.b +: 4], inc(h.b)); h.c = 9;",
        "00 02 09 03 04 15",
    ),
    ("no element beyond the end", "put_at(hdr.st, 3); put_at(hdr.st, 255); put_at(hdr.st, 2);", "00 01 02 03 04 05 07"),
    ("none is valid there", "hdr.st[2] = { 1 }; h.a = get_at(hdr.st, 2) + get_at(hdr.st, 3);", "01 01 02 03 04 05 01"),
    (
        "no element of an array",
        "bit<8>[3] a = { 1, 2, 3 }; put_in(a, 3); h.a = a[0] + a[1] + a[2]; put_in(a, 2); h.b = a[2];",
        "06 09 02 03 04 05",
    ),
    ("upper bits of an array's element", "bit<8>[2] a = { 1, 2 }; a[h.b][7:4] = 5; h.a = a[1]; h.b = a[0];", "52 01 02 03 04 05"),
    ("a large array", "bit<8>[1030] a; a[1029] = 3; h.a = a[1029]; h.b = (bit<8>) (a.size >> 2);", "03 01 02 03 04 05"),
    (
        "smallest and largest sizes",
        "half_t o; h.a = (bit<8>) o.minSizeInBytes(); h.b = (bit<8>) hdr.u.minSizeInBytes(); "
        "h.c = (bit<8>) hdr.u.minSizeInBits(); h.d = (bit<8>) hdr.u.maxSizeInBits(); h.e = (bit<8>) o.maxSizeInBytes();",
        "02 01 08 10 02 05",
    ),
    (
        "smallest and largest sizes of what a call makes generic",
        "half_t o; h.a = least_bytes(o); h.b = least_bytes(hdr.u); h.c = least_bits(hdr.u); "
        "h.d = most_bits(hdr.u); h.e = most_bytes(o) + most_bytes(hdr.u); h.f = least_bits(o);",
        "02 01 08 10 04 0c",
    ),
    (
        "any member of a union",
        "three_t u; h.a = flag(u.isValid()); u = one_of(2); h.b = flag(u.isValid()); h.c = flag(one_of(1).isValid()); "
        "h.d = flag(one_of(2).isValid()); h.e = flag(one_of(0).isValid());",
        "00 01 01 01 01 05",
    ),
    (
        "a choice of unions",
        "u_t a; u_t b; a.s = { 3 }; b.w = { 4 }; u_t c = h.b == 0 ? a : b; h.a = flag(c.s.isValid()); "
        "h.c = flag(c.w.isValid()); h.d = c.w.v[7:0];",
        "00 01 01 04 04 05",
    ),
    (
        "fields that begin alike",
        "h.a = begin().x.y; h.b = begin().xs; h.c = begin().xy.x; p_t q = begin().x; h.d = q.x; begins_t b = begin(); "
        "q = b.xy; h.e = q.y + flag(begin().x == { 1, 2 });",
        "02 03 04 01 06 05",
    ),
    (
        "a member by another name of its enum",
        "Kind k = Sort.nine; h.a = flag(k == Sort.nine); h.b = flag(k == Sort.four);",
        "01 00 02 03 04 05",
    ),
    (
        "what is compared with true and false",
        "bool y = h.b == 1; bool n = h.b == 0; h.a = flag(y != true) == 0 ? 8w1 : 8w0; h.c = flag(n != true); "
        "h.d = flag(y == false) + flag(n == true); h.e = flag(n != false) + flag(y == true);",
        "01 01 01 00 01 05",
    ),
    (
        "true and false beside what is not known",
        "bool y = h.b == 1; bool n = h.b == 0; h.a = flag(y && true) + flag(n && true); h.c = flag(n || false); "
        "h.d = flag(y || false); h.e = flag(y && false) + flag(n || true);",
        "01 01 00 01 01 05",
    ),
    (
        "narrower and wide again",
        "bit<16> w = h.b ++ h.c; w = (bit<16>) (bit<8>) w; h.a = w[15:8]; h.b = w[7:0]; int<16> s = 254; "
        "s = (int<16>) (int<8>) s; h.c = ((bit<16>) s)[15:8];",
        "00 02 ff 03 04 05",
    ),
    ("the bits of a signed number", "int<8> n = (int<8>) h.a - 1; h.a = flag(n[7:0] > 5) + flag(n > 5);", "01 01 02 03 04 05"),
    ("constants, once and again", "add.apply(h.a, 3); add.apply(h.b, 4);", "03 05 02 03 04 05"),
    (
        "variables, one and another",
        "add.apply(own, 3); add.apply(more, 4); h.a = own; h.b = more;",
        "04 06 02 03 04 05",
    ),
    ("one variable, once and again", "add.apply(own, 3); add.apply(own, 4); h.a = own; h.b = more;", "08 02 02 03 04 05"),
    ("one variable as each argument", "add.apply(own, own); add.apply(own, own); h.a = own;", "04 01 02 03 04 05"),
    (
        "one variable that another argument changes",
        "pair.apply(own, h.c, own); h.a = own; pair.apply(own, h.c, own); h.b = own;",
        "12 22 02 03 04 05",
    ),
    ("nowhere, once and again", "fresh.apply(_, 3); fresh.apply(_, 4); fresh.apply(hdr.st[0], 5);", "00 01 02 03 04 05 05"),
    ("an out header begins invalid again", "fresh.apply(hdr.st[0], 5); fresh.apply(hdr.st[1], 0);", "00 01 02 03 04 05 05"),
    ("a local header begins invalid again", "local.apply(h.a); local.apply(h.b);", "01 02 02 03 04 05"),
    ("what a control applies by its type, again", "twice.apply(h.a); twice.apply(h.b);", "04 05 02 03 04 05"),
    ("what a control has, again", "named.apply(h.a); named.apply(h.b);", "05 06 02 03 04 05"),
    ("a control that is given to another", "given.apply(h.a);", "07 01 02 03 04 05"),
    ("exit copies a part out", "leaving(h.f[3:0]); h.b = 9;", "00 01 02 03 04 07"),
    ("exit copies parts out of each", "half.apply(h.f[7:4]); h.b = 9;", "00 01 02 03 04 35"),
    ("exit within what has copies", "stop.apply(h.f[7:4]); h.b = 9;", "00 01 02 03 04 95"),
    ("an exit that is not reached", "some.apply(h.f[7:4]); h.b = 9;", "00 09 02 03 04 55"),
    ("exit of a table's action within what has copies", "table_.apply(h.f[7:4]); h.b = 9;", "00 01 02 03 04 65"),
    ("return in a default", "switch (h.c) { 1: { h.a = 1; } default: { return; } } h.a = 3;", "00 01 02 03 04 05"),
    ("return in a case", "switch (h.c) { 2: { return; } default: { h.a = 1; } } h.a = 3;", "00 01 02 03 04 05"),
    (
        "break in a default",
        "for (bit<8> i in 1 .. 3) { switch (i) { 1: { h.a = 7; } default: { break; } } h.b = i; }",
        "07 01 02 03 04 05",
    ),
    (
        "an extern's argument before the next changes it",
        "hash(h.a, HashAlgorithm.identity, 8w0, { h.f }, inc(h.f) + 20);",
        "05 01 02 03 04 06",
    ),
    (
        "where an extern's result goes before an argument changes it",
        "hdr.st[0].setValid(); bit<8> i = 0; random(hdr.st[i].v, inc(i), 8w1);",
        "00 01 02 03 04 05 01",
    ),
    (
        "an extern's result that has an effect of its own, once",
        "hdr.st[0].setValid(); hash(hdr.st[inc(h.a) - 1].v, HashAlgorithm.identity, 8w0, { h.a }, 8w200);",
        "01 01 02 03 04 05 01",
    ),
    ("an exit of an action of all", "leaves.apply(); h.a = 9;", "00 01 02 03 04 05"),
    ("an exit of an action beside it", "h.b = 2; leaves.apply(); h.a = 9;", "00 02 07 03 04 05"),
    ("no exit", "h.b = 3; leaves.apply(); h.a = 9;", "09 03 02 03 04 05"),
    ("an argument of a table's action that it reads otherwise, too", "reads_too.apply();", "00 02 02 01 04 05"),
    ("exit of a table's action that is passed a part", "leaves_part.apply(); h.b = 9;", "00 01 02 03 04 07"),
    (
        "an argument that a later one changes, each time",
        "pair.apply(own, inc(own), h.c); pair.apply(own, inc(own), h.d); h.a = own;",
        "03 01 12 23 04 05",
    ),
    ("a loop variable that the body changes", "for (bit<8> i in 1 .. 3) { h.a += i; i = 3; }", "06 01 02 03 04 05"),
    (
        "what is decided already",
        "const bool on = true; if (on || inc(h.a) == 1) { h.b = 9; } if (!on && inc(h.a) == 1) { h.c = 9; }",
        "00 09 02 03 04 05",
    ),
    (
        "all parts differ",
        "p_t p = { 1, 2 }; p_t q = { 3, 4 }; h.a = flag(p != q) + flag(p == q); s_t s = { 1 }; s_t r = { 2 }; "
        "h.b = flag(s != r); q = p; h.c = flag(p != q);",
        "01 01 00 03 04 05",
    ),
    (
        "each end of a number",
        "h.a = 0xff; h.b = 0xff; h.c = 0xff; h.d = 0xff; h.e = 0xff; "
        "h.a[6:1] = 0; h.b[7:7] = 0; h.c[0:0] = 0; h.d[6:0] = 0; h.e[7:1] = 0;",
        "81 7f fe 80 01 05",
    ),
    (
        "an element whose index is its own field",
        "h_t[2] hs; hs[0] = h; hs[1] = h; hs[hs[0].a] = { 1, 7, 7, 7, 7, 7 }; h.b = hs[0].b; h.c = hs[1].b; h.d = hs[0].f;",
        "00 07 01 07 04 05",
    ),
    (
        "if what is known is so",
        "const bool on = true; if (!on) { h.a = 1; } else { h.a = 2; } if (on) { h.b = 3; } else { h.b = 4; } "
        "if (!on) { h.c = 5; }",
        "02 03 02 03 04 05",
    ),
    ("a default among labels", "switch (h.d) { 1: { h.b = 2; } 2: default: { h.a = 7; } }", "07 01 02 03 04 05"),
    ("a default alone", "switch (h.d) { default: { h.a = 7; } }", "07 01 02 03 04 05"),
    (
        "an extern's index after its result's place has changed it",
        "r.write(1, 6); hdr.st[0].setValid(); r.read(hdr.st[inc(h.a) - 1].v, (bit<32>) h.a);",
        "01 01 02 03 04 05 06",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("apply", "output"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_parts(apply: str, output: str, tmp_path: Path) -> None:
    gives(load(tmp_path, apply, TOP, LOCALS), tmp_path, output)


PARSERS = [
    (
        "the last of none rejects",
        "n = hdr.st.last.v; transition accept;",
        "if (std.parser_error == error.StackOutOfBounds) { hdr.st[0] = { 9 }; }",
        "09 00 01 02 03 04 05",
    ),
    (
        "the last of none that is not asked for",
        "bool k = n == 9 && hdr.st.last.v == 1; if (n == 1 || hdr.st.last.v == 1) { packet.extract(hdr.h); } transition accept;",
        "if (std.parser_error != error.NoError || !h.isValid()) { hdr.st[0] = { 9 }; }",
        "00 01 02 03 04 05",
    ),
    (
        "a loop that goes on in a stack",
        "for (bit<8> i in { 8w4, n }) { packet.extract(hdr.st.next); hdr.st.last.v = hdr.st.last.v + i; } transition accept;",
        "",
        "04 02 02 03 04 05",
    ),
    (
        "a list that a parser changes",
        "bit<8> all = 0; for (bit<8> i in { 8w4, n }) { skip.apply(packet, n); all = all + i; } hdr.st[0] = { all }; "
        "hdr.st[1] = { n }; transition accept;",
        "",
        "05 03 02 03 04 05",
    ),
    (
        "unions in a stack",
        "u_t[2] us; packet.extract(us.next.s); packet.extract(us.next.w); hdr.st[0] = us[0].s; hdr.u.w = us[1].w; "
        "transition accept;",
        "",
        "01 02 00 03 04 05",
    ),
    (
        "a parser behind another call",
        "if (n == 1) { packet.advance(8); skip.apply(packet, n); } hdr.st[0] = { n }; transition accept;",
        "",
        "02 02 03 04 05",
    ),
    (
        "a parser in the other branch",
        "if (n == 2) { n = 5; } else { skip.apply(packet, n); n = n + 10; } hdr.st[0] = { n }; transition accept;",
        "",
        "0c 01 02 03 04 05",
    ),
    (
        "a branch that is not there",
        "if (n == 2) { skip.apply(packet, n); } hdr.st[0] = { n }; transition accept;",
        "",
        "01 00 01 02 03 04 05",
    ),
    (
        "a sub-parser begins anew",
        "begins.apply(packet, n); begins.apply(packet, n); hdr.st[0] = { n }; transition accept;",
        "",
        "03 02 03 04 05",
    ),
    (
        "more than one result of a sub-parser",
        "bit<16> k = 0; ends.apply(packet, k[15:8], k[7:0]); hdr.u.w = { k }; transition accept;",
        "",
        "00 01 02 03 04 05",
    ),
    (
        "a sub-parser that rejects",
        "reject_.apply(packet, n); packet.advance(8); transition accept;",
        "hdr.st[0] = { 9 };",
        "09 01 02 03 04 05",
    ),
    (
        "states in another order",
        "transition other; } state last { hdr.st[0] = { n }; transition accept; } state other { n = n + 6; transition last;",
        "",
        "07 00 01 02 03 04 05",
    ),
    (
        "one part of several that is always taken",
        "packet.extract(hdr.h); transition select(hdr.h.a, hdr.h.b) { (_, 2): no; (_, 1): yes; } } "
        "state no { hdr.h.a = 9; transition accept; } state yes { hdr.h.a = 1; transition accept;",
        "",
        "01 01 02 03 04 05",
    ),
    (
        "a start that is gone back to without choice",
        "n = n + 1; m = m + 1; transition select(n) { 2: back; _: done; } } state back { transition start; } "
        "state done { hdr.st[0] = { m }; transition accept;",
        "",
        "07 00 01 02 03 04 05",
    ),
    (
        "a copy of a stack goes on where it is",
        "packet.extract(hdr.st.next); s_t[3] c = hdr.st; packet.extract(c.next); hdr.st = c; packet.extract(hdr.st.next); "
        "transition accept;",
        "",
        "00 01 02 03 04 05",
    ),
    (
        "a stack of a state begins anew",
        "s_t[2] q; packet.extract(q.next); n = n + q[0].v; m = m - 1; transition select(m) { 2: done; _: start; } } "
        "state done { hdr.st[0] = { n }; transition accept;",
        "",
        "04 03 04 05",
    ),
    (
        "a stack of a sub-parser begins anew",
        "stacked.apply(packet, n); stacked.apply(packet, n); stacked.apply(packet, n); hdr.st[0] = { n }; transition accept;",
        "",
        "01 00 01 02 03 04 05",
    ),
    (
        "one set for a part of several",
        "packet.extract(hdr.h); transition select(hdr.h.a, { hdr.h.b, hdr.h.c }, hdr.h.d) { (0, _, 4): no; (0, _, 3): yes; } } "
        "state no { hdr.h.a = 9; transition accept; } state yes { hdr.h.a = 1; transition accept;",
        "",
        "01 01 02 03 04 05",
    ),
]  # fmt: skip
SKIPPING = """
parser Stacked(packet_in packet, inout bit<8> n) { s_t[2] q;
    state start { q.next.setValid(); transition accept; } }
parser Skip(packet_in packet, inout bit<8> n) { state start { packet.advance(8); n = n + 1; transition accept; } }
parser Begins(packet_in packet, inout bit<8> n) { s_t s; bit<8> by = 1;
    state start { n = n + by; by = 7; if (s.isValid()) { n = 0x50; } packet.extract(s); transition accept; } }
parser Ends(packet_in packet, out bit<8> x, out bit<8> y) { s_t s;
    state start { packet.extract(s); x = s.v; packet.extract(s); y = s.v; transition accept; } }
parser Reject(packet_in packet, inout bit<8> n) { state start { packet.advance(8); n = 9; transition reject; } }
"""
INSTANCES = (
    "Skip() skip; Begins() begins; Ends() ends; Reject() reject_; Stacked() stacked; bit<8> n = 1; bit<8> m = 5;"
)


@pytest.mark.parametrize(
    ("states", "apply", "output"), [case[1:] for case in PARSERS], ids=[case[0] for case in PARSERS]
)
def test_parsers(states: str, apply: str, output: str, tmp_path: Path) -> None:
    parser = f"{INSTANCES} state start {{ {states} }}"
    gives(load(tmp_path, apply, SKIPPING, parser=parser), tmp_path, output)


def test_a_stack_of_which_only_the_last_index_is_asked(tmp_path: Path) -> None:
    """It is one less than that of the next element, which is the first."""
    parser = "state start { bit<32> k = hdr.st.lastIndex; hdr.st[0] = { k[7:0] }; transition accept; }"
    gives(load(tmp_path, parser=parser), tmp_path, "ff 00 01 02 03 04 05")


@pytest.mark.parametrize(
    ("parts", "refused"),
    [
        ({"control": "bit<{0}> w = 0;", "apply": "w = w + 1;"}, "bit"),
        ({"control": "int<{0}> w = 0;", "apply": "w = w + 1;"}, "int"),
        ({"top": "header big_t {{ bit<{0}> w; }}", "control": "big_t b;", "apply": "b.setValid();"}, "bit"),
        ({"top": "header big_t {{ bit<8> n; varbit<{0}> w; }}", "control": "big_t b;", "apply": "b.setValid();"}, "varbit"),
        ({"parser": "state start {{ bit<{0}> w = packet.lookahead<bit<{0}>>(); transition accept; }}"}, "bit"),
        ({"top": "type bit<{0}> wide_t;", "control": "wide_t w;", "apply": "w = (wide_t) 0;"}, "bit"),
    ],
)  # fmt: skip
def test_how_wide_a_value_may_be(parts: dict[str, str], refused: str, tmp_path: Path) -> None:
    def of(width: int) -> dict[str, str]:
        return {"top": "", "control": "", "apply": "", "parser": EXTRACT} | {
            name: text.format(width) for name, text in parts.items()
        }

    load(tmp_path, **of(65536))
    assert f"error: '{refused}<65544>' is wider than 65536 bits\n" in rejected(tmp_path, PROGRAM.format(**of(65544)))


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"apply": "list<bit<8>> l = { 1, 2 };"}, "a list cannot be kept at run time"),
        ({"apply": "h.a[3:0][h.b +: 2] = 1;"}, "a slice at a run-time index within a slice is not supported"),
        ({"apply": "tuple<bit<8>, string> t;"}, "'string' has no run-time value"),
        ({"apply": "error e; hash(e, HashAlgorithm.crc16, 8w0, { h.a }, 8w4);"},
         "the result is a number, which is not a value of error"),
        ({"apply": "hash(hdr.st, HashAlgorithm.crc16, 8w0, { h.a }, 8w4);"},
         "the result is a number, which a header or a struct cannot take"),
        ({"apply": "hash(hdr.u, HashAlgorithm.crc16, 8w0, { h.a }, 8w4);"},
         "the result is a number, which a header or a struct cannot take"),
        ({"control": '@name("x") counter(2, CounterType.bytes) c; @name("x") counter(2, CounterType.bytes) d;',
          "apply": "c.count(0); d.count(1);"}, "another object has the control-plane name 'I.x'"),
        ({"control": "s_t[50001] s;", "apply": "s[0].setValid();"}, "the program has over 50000 variables and headers"),
        ({"top": "header two_t { varbit<8> a; bit<8> m; varbit<8> b; }", "control": "two_t t;", "apply": "t.setValid();"},
         "a second varbit field in a header ('b') is not supported"),
    ],
)  # fmt: skip
def test_what_cannot_be_run(parts: dict[str, str], told: str, tmp_path: Path) -> None:
    text = PROGRAM.format(**{"top": "", "control": "", "apply": "", "parser": EXTRACT, **parts})
    assert f"error: {told}\n" in rejected(tmp_path, text)


UNOWNED = """
direct_counter(CounterType.packets) nobody; direct_meter<bit<8>>(MeterType.packets) none_;
direct_counter(CounterType.packets) hits;
bit<8> colour = 3;
action see() { nobody.count(); if (h.a == 0) { none_.read(colour); h.c = colour; } else { nobody.count(); } hits.count(); }
table t { key = { h.b : exact; } actions = { see; } default_action = see; counters = hits; }
"""


def test_direct_counters_and_meters_that_no_table_owns_do_nothing(tmp_path: Path) -> None:
    """What a meter gives is the colour from before."""
    program = load(tmp_path, "t.apply(); h.d = colour;", control=UNOWNED)
    assert [instance.name for instance in program.externs] == ["I.hits"]
    assert not any(isinstance(s, CallExtern) and s.instance != "I.hits" for s in program_statements(program))
    gives(program, tmp_path, "00 01 03 03 04 05")


def test_a_program_goes_by_its_file_without_the_last_suffix(tmp_path: Path) -> None:
    for file, name in (("a.p4", "a"), ("a.b.p4", "a.b"), ("plain", "plain")):
        (tmp_path / file).write_text(PROGRAM.format(top="", control="", apply="", parser=EXTRACT))
        assert P4_16().load(Source(tmp_path / file), Diagnostics()).name == name
