/* A header has one varbit field: with a second one no packet can be extracted to it. */
#include <core.p4>
#include <v1model.p4>
header two_t { bit<8> a; varbit<32> first; varbit<64> second; varbit<8> third; }
struct headers_t { two_t two; }
struct metadata_t { }
parser p(packet_in pkt, out headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    state start { transition accept; }
}
control ingress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) { apply { h.two.setValid(); } }
control egress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) { apply { } }
control check(inout headers_t h, inout metadata_t m) { apply { } }
control deparse(packet_out pkt, in headers_t h) { apply { pkt.emit(h.two); } }
V1Switch(p(), check(), ingress(), egress(), check(), deparse()) main;
