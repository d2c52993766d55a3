// Passes of one packet that wait at the same time, and go on in the order in which they wait; how many passes a packet makes.
// No state in it that would have packets go through one by one anyway.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> who; }

struct headers_t { order_t order; }
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
    counter(1, CounterType.packets) passes;
    apply {
        sm.egress_spec = 1;
        if (hdr.order.what == 1) {
            passes.count(0);
        } else if (hdr.order.who == 0xcc) {         // the clone, when it comes round: once more by resubmitting it
            if (sm.instance_type == 6) { hdr.order.who = 0xc0; }
            else { resubmit_preserving_field_list(0); }
        } else if (hdr.order.who == 0xab) {         // what it is a clone of, when it comes round again
            hdr.order.who = 0xa0;
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.order.what == 1) {                  // for ever
            recirculate_preserving_field_list(0);
        } else if (hdr.order.who == 0) {            // a clone, and both go round
            hdr.order.who = 0xaa;
            clone_preserving_field_list(CloneType.E2E, 4, 0);
            recirculate_preserving_field_list(0);
        } else if (sm.instance_type == 2) {
            hdr.order.who = 0xcc;
            recirculate_preserving_field_list(0);
        } else if (hdr.order.who == 0xaa) {
            hdr.order.who = 0xab;
            recirculate_preserving_field_list(0);
        }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
