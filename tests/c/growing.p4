// Frames that go round and grow each time, by more in all than there is room in front of a packet.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> rounds; bit<8> number; }
header more_t { bit<800> data; }

struct headers_t { order_t order; more_t more; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply { sm.egress_spec = 1; }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.order.rounds != 0) {
            hdr.more.setValid();
            hdr.more.data = (bit<800>) hdr.order.rounds;
            hdr.order.rounds = hdr.order.rounds - 1;
            recirculate_preserving_field_list(0);
        }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); packet.emit(hdr.more); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
