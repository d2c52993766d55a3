"""Programs that the P4-16 specification allows though they look odd: the checker must not refuse them. Versions of v1model."""

from __future__ import annotations

from pathlib import Path

import pytest
from aux_frontend.p4_16.checker import check
from aux_frontend.p4_16.parser import parse

from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source

PROGRAMS = {
    "what an extern takes without a direction": """
        extern Counts { Counts(bit<32> size); void count(bit<8> index); void pairs(bit<8> a, bit<16> b); }
        extern void see(bit<8> value);
        control c(in bit<8> n, in bit<16> w) {
            Counts(16) counts;
            apply { counts.count(n); counts.pairs(b = w + 1, a = n); see(n + 1); }
        }
    """,
    "errors that are declared further down": """
        const error first = error.Later;
        bool is_later(in error e) { return e == error.Later; }
        error { Later }
    """,
    "arrays of any data in headers": """
        struct pair_t { bit<8> a; bit<8> b; }
        header rows_t { bit<8>[4] bytes; pair_t[2][3] pairs; }
        bit<8> at(in rows_t rows, in bit<2> i) { return rows.bytes[i] + rows.pairs[1][i].b; }
    """,
    "a number with a width where a constant has none": """
        const int one = 2w1;
        const int first = { 8w1, 8w2 }[0];
        extern Counts { Counts(int size); void count(int index); }
        control c(in bit<8> n) { Counts(16) counts; apply { counts.count(n); counts.count(3); } }
    """,
    "a literal for a distinct type": """
        type bit<10> Vrf;
        const Vrf first = 0;
        bool is_first(in Vrf vrf) { return vrf == 0; }
    """,
    "serializable enums as numbers": """
        enum bit<8> Left { a = 0, b = 1, c = (bit<8>) a + 5, d = b }
        enum bit<8> Right { a = 7 }
        bool same(in Left left, in Right right) { return left == right && left == 0 && right != 7; }
        Left turn(in Right right) { return (Left) right; }
        Left next() { return (Left) (Left.a + 1); }
    """,
    "names that are types elsewhere": """
        typedef bit<8> one; typedef bit<8> two; typedef bit<8> three; typedef bit<8> four; typedef bit<8> five;
        typedef bit<8> six; typedef bit<8> seven; typedef bit<8> eight;
        extern Counts { Counts(int size); void count(in bit<8> index); }
        control c(inout bit<8> one, in bit<8> two) {
            bit<8> three = two;
            const bit<8> four = 1;
            Counts(16) five;
            action six() { one = two; }
            table seven { actions = { six; } default_action = six(); }
            apply {
                one = three;
                three = four + (two);
                five.count(one);
                six();
                seven.apply();
                for (bit<8> eight in 8w1 .. 8w3) { one = (eight) - four; }
            }
        }
    """,
    "a package argument that is there by default": """
        struct none_t { }
        control nothing(inout none_t hdr, in bit<8> port) { apply { } }
        control Block<H>(inout H hdr, in bit<8> port);
        package Switch<H>(Block<H> block = nothing());
        Switch<_>() main;
    """,
    "an extern function that makes an object": """
        extern Widget { }
        extern Widget make<T>(T size);
        parser p()(Widget widget) { state start { transition accept; } }
        parser P();
        package Switch(P p);
        Switch(p(make(16w4))) main;
    """,
    "a stack moved by no place": """
        header h_t { bit<8> a; }
        control c(inout h_t[2] h) { apply { h.push_front(0); h.pop_front(0); } }
    """,
    "optional methods and parameters of an extern": """
        extern Act<T> {
            Act();
            abstract void apply(inout T value, @optional out T result);
            @optional abstract void overflow(@optional inout T value);
        }
        control c(inout bit<8> x) { Act<bit<8>>() act = { void apply(inout bit<8> value) { value = x; } }; apply { } }
    """,
    "match kinds in tuples": """
        match_kind { nearly }
        const tuple<match_kind, match_kind> kinds = { nearly, exact };
    """,
    "directed arguments written in another order of fields": """
        struct pair_t { bit<8> a; bit<8> b; }
        control c(inout bit<8> x) {
            action set(in pair_t pair) { x = pair.a; }
            table t { actions = { set({ a = 1, b = x }); } default_action = set({ b = x, a = 1 }); }
            apply { t.apply(); }
        }
    """,
    "nothing divided by anything": "bit<8> none(in bit<8> x) { return 0 / x + 8w0 % x + x / 2; }",
    "a control that is a parameter of a control": """
        control Step(inout bit<8> x);
        control one(inout bit<8> x) { apply { x = x + 1; } }
        control twice(inout bit<8> x)(Step step) { apply { step.apply(x); step.apply(x); } }
        control c(inout bit<8> x) { twice(one()) both; apply { both.apply(x); } }
    """,
    "an optional parameter of a control": """
        control inner(inout bit<8> x, @optional in bit<8> y) { apply { } }
        control c(inout bit<8> x) { apply { inner.apply(x); } }
    """,
    "blocks without the parameters that their type lets them leave out": """
        control Block<H>(inout H hdr, @optional in bit<8> port, @optional in bool last);
        control Other<H>(inout H hdr, in bit<8> port = 3);
        package Switch<H>(Block<H> block, Block<H> next, Other<H> other);
        control one(inout bit<8> hdr) { apply { } }
        control two(inout bit<8> hdr, in bit<8> port) { apply { } }
        Switch(one(), two(), one()) main;
    """,
    "amounts with a width where a constant has none": """
        header h_t { bit<8> a; }
        control c(inout h_t[4] stack, inout int<8> x) {
            apply { stack.push_front(2w1); stack.pop_front(1); x = -5; x = x >> 1; x = 8s127; }
        }
    """,
    "values that ... stands for": """
        struct pair_t { bit<8> a; bool b; }
        const bit<8> zero = ...;
        const pair_t none = ...;
        const pair_t one = { a = 1, ... };
        control c(inout bit<8> x) { pair_t pair = { 3, ... }; apply { x = zero + one.a + pair.a; x[2 - zero:zero] = 1; } }
    """,
    "a function with type parameters": """
        T first<T>(in T a, in T b) { return a; }
        extern list<T> wrap<T>(in list<T> items);
        control c(inout bit<8> x) { apply { x = first(x, 1); x = first<bit<8>>(2, x); } }
    """,
    "an instance with the name of a type": """
        typedef bit<8> cell;
        extern Cell { Cell(); void put(in bit<8> x); }
        control c(inout cell x) { Cell() cell; apply { cell.put(x); } }
    """,
    "type arguments that a typedef gives": """
        extern Cell<T> { Cell(T first); void put(in T x); }
        typedef Cell<bit<16>> Wide;
        control c(in bit<16> x) { Wide(3) cell; apply { cell.put(x); } }
    """,
    "a table that another table's key asks": """
        control c(in bit<8> x) {
            table first { key = { x : exact; } actions = { NoAction; } }
            table second { key = { first.apply().hit : exact; } actions = { NoAction; } }
            apply { second.apply(); }
        }
    """,
    "a switch on each type of value": """
        enum bit<8> Kind { one = 1 }
        enum Color { red, green }
        type bit<8> Id;
        bit<8> f(in error e, in Kind k, in Color c, in Id i, in bool b, in int<8> n) {
            switch (e) { error.NoError: { return 1; } error.NoMatch: { return 2; } }
            switch (k) { Kind.one: { return 3; } }
            switch (c) { Color.red: { return 4; } default: { } }
            switch (i) { 5: { return 5; } }
            switch (b) { true: { return 6; } false: { } }
            switch (n) { -1: 1: { return 7; } }
            return 0;
        }
    """,
    "elements that become numbers": """
        enum bit<8> Kind { one = 1 }
        control c(inout bit<8> x, in Kind[2] kinds) { apply { for (bit<8> kind in kinds) { x = x + kind; } } }
    """,
    "rows of which not all is given": """
        struct pair_t { bit<8> a; bool b; }
        const pair_t[2] rows = { { 1, ... }, { ... } };
        const list<pair_t> more = { { a = 2, ... }, { ... } };
        const tuple<pair_t, bit<8>> both = { { ... }, 3 };
    """,
    "a table without room": "control c() { table t { actions = { NoAction; } size = 0; } apply { t.apply(); } }",
    "a literal before a saturating operator": "bit<8> f(in bit<8> x) { return (1 |+| x) + (200 |-| x) + (x |+| 1); }",
    "a parameter with the name of its type": """
        struct cell { bit<8> a; }
        control c(inout cell cell, in cell other) { apply { cell = other; } }
    """,
    "an object that an extern function makes of nothing": """
        extern Widget { }
        extern Widget make();
        parser p()(Widget widget) { state start { transition accept; } }
        parser P();
        package Switch(P p);
        Switch(p(make())) main;
    """,
    "a select on a tuple": """
        parser p(packet_in packet, in tuple<bit<8>, bool> pair) {
            state start { transition select(pair) { { 1, true }: accept; { 2, false }: reject; default: start; } }
        }
    """,
    "the size of a type that is not known yet": """
        header h_t { bit<8> a; }
        bit<32> f<T>(in T x) { const bit<32> size = (bit<32>) x.minSizeInBits(); return size; }
        bit<32> g(in h_t h) { return f(h); }
    """,
    "functions of a name that call each other": """
        bit<8> f(in bit<8> a) { return a; }
        bit<8> f(in bit<8> a, in bit<8> b) { return f(a) + f(b); }
        bit<8> f(in bit<8> a, in bit<8> b, in bit<8> c) { return f(a, b) + f(c); }
    """,
    "keys with a mask on either side": """
        control c(in bit<8> x) {
            table t { key = { x & 15 : exact; 0xf0 & x : exact; x[3:0] : exact; } actions = { NoAction; } }
            apply { t.apply(); }
        }
    """,
    "a generic control that is applied with its type": """
        control g<T>(in T x) { apply { } }
        control c(in bit<16> x) { apply { g<bit<8>>.apply(3); g.apply(x); } }
    """,
    "an extern that is made for externs, and keeps one": """
        extern Cell { Cell(); bit<8> get(); }
        extern Box<T> { Box(); void keep(T kept); bit<8> count(in bit<8> n); }
        control c(inout bit<8> x) { Cell() cell; Box<Cell>() box; apply { box.keep(cell); x = box.count(x); } }
    """,
    "strings in parts": 'control c() { @name("one" ++ ".two") action a() { } apply { } }',
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_is_accepted(tmp_path: Path, text: str) -> None:
    file = tmp_path / "program.p4"
    file.write_text(f"#include <core.p4>\n{text}")
    diagnostics = Diagnostics()
    check(parse(Source(file), diagnostics), diagnostics)  # would raise Rejected
    assert [m.message for m in diagnostics.messages if m.code != "unused"] == []


@pytest.mark.parametrize("version", ["20170101", "20990101", "-20180101"])
def test_an_unknown_version_of_v1model_is_rejected(tmp_path: Path, version: str) -> None:
    file = tmp_path / "program.p4"
    file.write_text(f"#define V1MODEL_VERSION {version}\n#include <v1model.p4>\n")
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        check(parse(Source(file), diagnostics), diagnostics)
    assert "V1MODEL_VERSION must lie between" in diagnostics.render()
