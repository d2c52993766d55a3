// What is no value where a value is wanted, and names that stand for something else than they should.
#include <core.p4>
header h_t { bit<8> a; }
struct s_t { bit<8> x; }
enum bit<8> Kind { one = 1 }
extern Cell { Cell(); bit<8> get(); }
typedef bit<8> byte_t;
const bit<8> itself = itself + 1;
enum bit<8> Early { a = 1, b = Early.a + 1, c = Early.d, d = 4 }
struct wide_t { bit<8>[300][300] cells; }
typedef tuple<s_t[300], s_t[300]>[200] many_t;
void nothing() { }
extern string told();
extern Half { Half(); abstract void f(); void g(); }
extern void take(Half half);
typedef Half half_t;
const string joined = "a" ++ told();
const bit<8> inverted = ~3;
const string text = "a" ++ ("b" ++ "c");
control sub(inout bit<8> v) { apply { v = 1; } }
parser p(packet_in packet, out h_t h, in bit<8> kind) {
    state start {
        packet.extract(h);
        transition select(h.a) { h.a: accept; default: reject; }
    }
}
control c(inout h_t h, inout h_t[2] s, in bit<8> n)(int depth, string label) {
    Cell() cell;
    bit<8> v;
    sub() inner;
    void[2] none;
    Cell[2] cells;
    action set(in bit<8> x) { v = x; }
    table t {
        key = { n : exact; t : exact; }
        actions = { set(n + 1); NoAction(); }
        default_action = NoAction;
    }
    table u {
        key = { u.apply().hit : exact; }
        actions = { NoAction; }
    }
    table none_listed {
        key = { n : exact; }
        actions = { }
        default_action = NoAction;
    }
    Missing(absent) missing;
    apply {
        Nothing unknown = {#};
        take(Half());
        v = s[depth].a;
        cell.Cel();
        v = h.setInvalid;
        v = h == { true } ? 8w1 : 2;
        v = h.a + cell;
        v = nothing();
        v = set(1);
        v = inner;
        v = t.apply();
        v = label;
        v = nothing;
        this.get();
        bit<8> fresh = fresh;
        const bit<8> again = again;
        if (t.apply().action_run == 1) { v = 1; }
        cell = cell;
        t.apply().hit = true;
        s.size = 3;
    }
}
control of_stack(inout h_t[2] s) {
    table s {
        key = { s[0].a : exact; }
        actions = { NoAction; }
    }
    apply { s.apply(); }
}
Nothing without_type() { }
control both(inout bit<8> x)(bit<8> a) { apply { x = a; } }
parser both(packet_in packet) { state start { transition accept; } }
error { Thrice }
error { Thrice }
error { Thrice }
const s_t two_values = { 1, 2 };
extern void over(in bit<8> a);
extern void over(in bit<8> a, in bit<8> b);
extern void over(in bit<8> a, in bit<8> b);
extern void see<T>(in T value);
@pure extern bit<8> pure(in bit<8> a, in bit<8> b);
void makes() { see(sub()); }
control makes_too(inout bit<8> x) {
    const bit<8> known = pure(1, 2);
    const bit<8> unknown = pure(1, x);
    action a() { see(sub()); }
    apply { a(); see(sub()); }
}
parser makes_as_well(packet_in packet) { state start { see(sub()); transition accept; } }
parser sets(packet_in packet, in bit<8> kind) {
    value_set<s_t>(4) kinds;
    state start {
        bit<8> x = kinds;
        transition accept;
    }
}
extern Needs { Needs(); abstract void call(bit<8> x); }
Needs() needs = { void call(in bit<8> x) { } };
typedef match_kind kind_t;
kind_t kind_of() { return exact; }
enum Plain { first = absent }
control applies(inout bit<8> x) {
    action set(bit<8> v) { x = v; }
    table first { key = { x : exact; } actions = { NoAction; } }
    table second {
        key = { x : exact; }
        actions = { set; }
        default_action = set(first.apply().hit ? 8w1 : 2);
    }
    apply { second.apply(); }
}
