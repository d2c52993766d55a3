// Nothing is emitted: what was parsed is gone, the payload goes on. Comparisons of complements with constants, complements of
// comparisons.
#include <core.p4>
#include <v1model.p4>

header byte_t { bit<8> value; }

struct headers_t { byte_t first; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.first);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (0 >= ~hdr.first.value) { sm.egress_spec = 2; }
        if (2 >= ~(bit<64>) hdr.first.value || 2 >= ~(bit<32>) hdr.first.value) { sm.egress_spec = 4; }
        if ((hdr.first.value ^ 0xff) >= 0xff || 8w0xff - hdr.first.value >= 0xff) { sm.egress_spec = 5; }
        if (~hdr.first.value[4:0] == 5w0x1e) { sm.egress_spec = 3; }
        if (~(bit<7>)(bit<1>)(hdr.first.value == 4) == 0x7e) { sm.egress_spec = 6; }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
