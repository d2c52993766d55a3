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
    apply {
        v = s[depth].a;
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
