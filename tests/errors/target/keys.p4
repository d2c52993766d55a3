/* Keys: as many bytes as there can be and one more, ranges of signed numbers; profiles with tables of other actions. */
#include <core.p4>
#include <v1model.p4>
header wide_t { bit<1024> a; bit<1024> b; bit<8> c; }
struct headers_t { wide_t h; }
struct metadata_t { int<8> i; bit<8> x; }

parser p(packet_in pkt, out headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    state start { pkt.extract(h.h); m.i = (int<8>)h.h.c; m.x = h.h.c; transition accept; }
}
control ingress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    action_profile(16) shared;
    action one() { m.x = 1; }
    action two() { m.x = 2; }
    table signed { key = { m.i : range; } actions = { NoAction; } }
    table longest { key = { h.h.a : exact; h.h.b : exact; } actions = { NoAction; } }
    table longer { key = { h.h.a : exact; h.h.b : exact; h.h.c : exact; } actions = { NoAction; } }
    table first { key = { m.x : exact; } actions = { one; two; NoAction; } implementation = shared; }
    table second { key = { m.x : exact; } actions = { two; NoAction; } implementation = shared; }
    apply {
        signed.apply();
        longest.apply();
        longer.apply();
        first.apply();
        switch (second.apply().action_run) { two: { m.x = 3; } }
    }
}
control egress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) { apply { } }
control check(inout headers_t h, inout metadata_t m) { apply { } }
control deparse(packet_out pkt, in headers_t h) { apply { pkt.emit(h.h); } }
V1Switch(p(), check(), ingress(), egress(), check(), deparse()) main;
