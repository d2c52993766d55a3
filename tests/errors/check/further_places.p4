// More names, types and blocks that are not what they stand for.
#include <core.p4>
extern Again<T> { Again(); void copy(Again from); }
parser endless(packet_in packet) {
    state start { transition next; }
    state next { transition start; }
    state apart { transition accept; }
}
typedef match_kind kind_t;
struct failed_t { bit<8> x; error why; }
extern bit<8> drawn();
enum bit<8> Drawn { one = drawn() }
parser P(packet_in packet);
parser final(packet_in packet) {
    state start { transition accept; }
    state reject { transition accept; }
}
parser ends(in bit<8> n) { state start { transition accept; } }
parser tuples(packet_in packet, in tuple<failed_t, bit<8>> pair) {
    state start { transition select(pair) { default: accept; } }
}
extern Generic { Generic(); abstract void call<T>(in T x); }
Generic() generic = { void call<T>(in T x) { } };
control c(inout bit<8> x, in bool b, in failed_t failed) {
    table t { key = { x : exact; x + 1 : exact @brief("one more"); 15 & x : exact; } actions = { NoAction; } }
    apply {
        x = b >> 1;
        x = x >> b;
        x = (bit<8>) failed.minSizeInBits();
        x = { t, 1 }[1];
        P.apply();
        kind_t kind;
        x = kind;
        int<8> signed = 1;
        x = x + signed;
        nowhere(a = absent, b = x);
        ends.apply(x);
        string[2] texts;
    }
}
