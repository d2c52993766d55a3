// A header comes in front of one that the program only carries: that one is neither moved nor written.
#include <core.p4>
#include <v1model.p4>

header tag_t { bit<8> value; }
header body_t { bit<8> first; bit<8> second; }

struct headers_t { tag_t tag; body_t body; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.tag);
        packet.extract(hdr.body);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (hdr.tag.value == 1) {
            hdr.tag.setInvalid();
        } else {
            hdr.tag.setValid();
            hdr.tag.value = 7;
        }
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.tag);
        packet.emit(hdr.body);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
