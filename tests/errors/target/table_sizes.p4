#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> x; }
struct headers_t { h_t h; }
struct meta_t { }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    value_set<bit<32>>(2147483648) wider;
    state start { packet.extract(hdr.h); transition select(hdr.h.x) { wider: reject; default: accept; } }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action to(bit<9> port) { sm.egress_spec = port; }
    table wraps { key = { hdr.h.x : exact; } actions = { to; } size = 4294967296; }
    table huge { key = { hdr.h.x : exact; } actions = { to; } size = 9223372036854775808; }
    table negative { key = { hdr.h.x : exact; } actions = { to; } size = -1; }
    table widest_table { key = { hdr.h.x : exact; } actions = { to; } size = 2147483647; }
    apply { wraps.apply(); huge.apply(); negative.apply(); widest_table.apply(); }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
