// Stack elements that are copied, assigned and pushed: what one element holds does not touch the bytes of another.
#include <core.p4>
#include <v1model.p4>

header pair_t { bit<7> value; bit<1> bottom; }
header what_t { bit<8> what; }

struct headers_t {
    what_t    order;
    pair_t    spare;
    pair_t[3] pairs;
    what_t    blank;
    what_t[2] blanks;
}
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        packet.extract(hdr.pairs.next);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.order);
        packet.emit(hdr.pairs);
        packet.emit(hdr.blanks);
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action low(bit<1> bottom) { hdr.spare.bottom = bottom; }
    table spares {
        key = { hdr.order.what : ternary; }
        actions = { low; NoAction; }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;
        spares.apply();
        if (hdr.order.what == 2) {
            hdr.spare.setValid();
            hdr.spare.value = 5;
        }
        hdr.pairs[1] = hdr.spare;    // an invalid one, mostly
        hdr.blanks[1] = hdr.blank;   // never valid, but its copy may become so
        if (hdr.order.what == 3) { hdr.blanks[1].setValid(); }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
