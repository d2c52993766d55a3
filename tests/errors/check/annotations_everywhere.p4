// Annotations are checked wherever one can stand.
#include <core.p4>

@one[a = 1, a = 2] header h_t { @one[a = 1, a = 2] bit<8> a; }
@one[a = 1, a = 2] header_union u_t { @one[a = 1, a = 2] h_t h; }
@one[a = 1, a = 2] struct s_t { @one[a = 1, a = 2] bit<8> a; }
@one[a = 1, a = 2] enum E { x }
@one[a = 1, a = 2] enum bit<8> K { x = 1 }
@one[a = 1, a = 2] typedef bit<8> byte_t;
@one[a = 1, a = 2] type bit<8> Id;
@one[a = 1, a = 2] const bit<8> k = 1;
@one[a = 1, a = 2] extern Cell { @one[a = 1, a = 2] Cell(); @one[a = 1, a = 2] bit<8> get(@one[a = 1, a = 2] in bit<8> x); }
@one[a = 1, a = 2] extern void see(in bit<8> x);
@one[a = 1, a = 2] bit<8> id(@one[a = 1, a = 2] in bit<8> x) { return x; }
@one[a = 1, a = 2] parser P(packet_in packet);
@one[a = 1, a = 2] control C(inout bit<8> x);
@one[a = 1, a = 2] package W(P p, @one[a = 1, a = 2] C c);
@one[a = 1, a = 2] action top() { }
@one[a = 1, a = 2] parser p(packet_in packet) {
    @one[a = 1, a = 2] value_set<bit<8>>(4) vs;
    @one[a = 1, a = 2] state start { transition accept; }
}
@one[a = 1, a = 2] control c(@one[a = 1, a = 2] inout bit<8> x)(@one[a = 1, a = 2] bit<8> y) {
    @one[a = 1, a = 2] bit<8> v = 1;
    @one[a = 1, a = 2] Cell() cell;
    @one[a = 1, a = 2] action a() { @one[a = 1, a = 2] { x = v; } }
    @one[a = 1, a = 2] table t {
        key = { x : exact @one[a = 1, a = 2]; }
        actions = { @one[a = 1, a = 2] a; }
        @one[a = 1, a = 2] default_action = a;
        @one[a = 1, a = 2] size = 4;
        const entries = { 1 : a @one[a = 1, a = 2]; }
    }
    apply {
        @one[a = 1, a = 2] bit<8> w = x;
        @one[a = 1, a = 2] for (bit<8> i in 1 .. 2) { x = w + i + cell.get(1); }
        @one[a = 1, a = 2] for (bit<8> i = 0; i < 2; i = i + 1) { x = i; }
        t.apply();
    }
}
