#include <core.p4>
enum Color { red, green }
enum bit<1> Bit { zero = 0, one = 1 }
header h_t { bit<8> a; int<8> i; }
struct pair_t<T> { T first; T second; }
extern Reg<T> { Reg(bit<32> n); T read(in bit<32> i); void write(in bit<32> i, in T v); }
extern void sink<T>(in T value);
extern T pick<T>(in T a, in T b);
extern T made<T>();
extern void optionally<T>(in bit<8> x, @optional in T value);
extern void defaulted<T>(in bit<8> x, in T value = 8w1);
parser states(packet_in p, out h_t h) {
    state start {
        p.extract(h);
        if (h.a == 1) { return; }
        transition accept;
    }
}
control calls(inout h_t h) {
    Reg<bit<8>>(4) r;
    action a() { }
    table t { key = { h.a : exact; } actions = { a; } }
    apply {
        bit<8> x = pick(made(), h.a);
        x = made();
        sink(made());
        x = pick(8w1, 9w1);
        sink(unknown);
        x = pick(unknown, made());
        optionally(1);
        defaulted(1);
        defaulted(1, h);
        sink(5);
        sink({ 1, 2 });
        sink(h);
        sink(r);
        sink(t);
        x = h.a << -1;
        x = h.a >> 8s1;
        x = r.read();
        r.write(1);
        r.write(1, 9w1);
        r = r;
        x = x == 1 ? 8w1 : 9w1;
        x = (bool) x ? 8w1 : 8w2;
        x[8:0] = 1;
        x[0:1] = 1;
        x = x[h.a:0];
        pair_t<bit<8>> p = { 1, 2, 3 };
        p = { first = 1 };
        pair_t q = { 1, 2 };
        switch (t.apply().action_run) { b: { } a: { } a: { } }
        switch (x) { 1: { } 1: { } default: { } 2: { } }
        switch (h) { }
        h_t[2] stack;
        tuple<bit<8>, bit<8>> pairs = { 1, 2 };
        stack[Color.red] = h;
        stack[Bit.one] = h;
        stack[true] = h;
        stack[2] = h;
        stack[-1] = h;
        stack[9w1] = h;
        x[Color.red:0] = 1;
        x = pairs[2];
        x = pairs[h.a];
        x = h[0];
        x = stack.size;
        x = h.none;
        x = Color.blue;
        x = stack.last.a + stack.lastIndex;
        stack.push_front(h.a);
        stack.pop_front(0);
        h.setValid(1);
        t.apply(1);
        x = t.apply().hits;
    }
}
