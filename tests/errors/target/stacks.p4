/* Elements of a stack that are chosen at run time: assigned and read they may be, emitted and preserved they may not. */
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct headers_t { h_t[4] s; }
struct metadata_t { bit<8> x; bit<2> i; }

parser p(packet_in pkt, out headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    state start { pkt.extract(h.s.next); pkt.extract(h.s.next); m.i = h.s[0].a[1:0]; transition accept; }
}
control ingress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    apply { h.s[m.i].b = h.s[m.i].a + 1; h.s[m.i].setValid(); }
}
control egress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) { apply { } }
control check(inout headers_t h, inout metadata_t m) { apply { } }
control deparse(packet_out pkt, in headers_t h) { apply { pkt.emit(h.s[0]); pkt.emit(h.s[h.s[0].a]); } }
V1Switch(p(), check(), ingress(), egress(), check(), deparse()) main;
