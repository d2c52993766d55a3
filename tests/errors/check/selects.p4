// States and what they select on, the labels of a case, value sets.
#include <core.p4>

header h_t { bit<8> a; bit<16> b; }
struct pair_t { bit<8> x; bit<16> y; }
struct nest_t { pair_t p; bit<8> z; }
enum bit<8> Kind { one = 1 }
enum Color { red }
type bit<8> Id;
extern bit<8> f(in bit<8> x);
const bit<8> known = 3;
parser p(packet_in packet, inout h_t h, in bit<8> n, in bool b, in Kind k, in Color c, in Id i, in error e, in pair_t s, in int<8> t) {
    value_set<bit<8>>(4) bytes;
    value_set<pair_t>(4) pairs;
    value_set<nest_t>(4) nested;
    value_set<tuple<bit<8>, bit<16>>>(4) tuples;
    value_set<Kind>(4) kinds;
    state start { transition select(n) { 1: accept; bytes: reject; pairs: accept; kinds: accept; known: more; f(n): accept; 1 + 1: twos; true: accept; _: accept; 3: never; default: accept; } }
    state more { transition select(h.a, h.b) { (1, 2): accept; pairs: accept; tuples: accept; bytes: accept; (bytes, _): accept; (1 &&& 2, 3 .. 4): accept; 1: accept; (1, 2, 3): accept; (f(1), 2): accept; (_, _): accept; } }
    state twos { transition select(b, k, c) { (true, Kind.one, Color.red): three; (false, 1, _): four; (_, kinds, _): five; _: accept; } }
    state three { transition select(i, e) { (3, error.NoError): six; default: nowhere; } }
    state four { transition select(s) { { 1, 2 }: accept; default: seven; } }
    state five { transition select(h) { default: eight; } }
    state six { transition select(3) { default: eight; } }
    state seven { transition select(t, packet.lookahead<bit<8>>()) { (-1, 1): accept; (1 .. 2, 2 .. 1): accept; default: eight; } }
    state eight { transition select(h.a, h.b, n) { (1, _, _): nine; pairs: accept; nested: accept; default: eight; } }
    state nine { transition select(k) { bytes: accept; kinds: accept; pairs: accept; } }
    state never { transition reject; }
    state never { transition accept; }
    state accept { transition reject; }
    state bytes { transition accept; }
}
parser q(packet_in packet) { state begin { transition accept; } }
parser r(packet_in packet, in bit<8> n) {
    state start { transition select(n) { 1: start; default: again; } }
    state again { transition start; }
}
parser ends(packet_in packet, in bit<8> n) { state start { transition select(n) { 1: start; } } }
parser leaves(packet_in packet, in bit<8> n) { state start { transition select(n) { 1: accept; _: start; } } }
parser stops(packet_in packet) { state start { } }
parser unused(packet_in packet) { state start { transition accept; } state other { transition more; } state more { transition other; } }
