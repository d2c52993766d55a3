// The further passes of a packet: multicast, clones of both kinds, resubmit, recirculate, truncate, drops.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> note; }

struct headers_t { order_t order; }
struct meta_t {
    @field_list(1) bit<8> kept;
    @field_list(1) bit<8> unread;
    bit<8> lost;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.instance_type == 4 || sm.instance_type == 6) {   // recirculated, resubmitted
            hdr.order.what = 0;
            hdr.order.note = meta.kept + meta.lost + (bit<8>) sm.instance_type;
            return;
        }
        meta.kept = 0x50;
        meta.lost = 0x20;
        if (hdr.order.what == 1) { sm.mcast_grp = 7; }
        else if (hdr.order.what == 2) {
            clone_preserving_field_list(CloneType.I2E, 5, 1);
            hdr.order.note = 0xaa;
        } else if (hdr.order.what == 4) {
            hdr.order.note = 0xaa;
            resubmit_preserving_field_list(1);
        } else if (hdr.order.what == 6) { mark_to_drop(sm); }
        else if (hdr.order.what == 7) {
            sm.mcast_grp = 7;
            mark_to_drop(sm);
        } else if (hdr.order.what == 8) { truncate(3); }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 5) { hdr.order.note = (bit<8>) sm.egress_rid; }
        else if (sm.instance_type == 1 || sm.instance_type == 2) {
            hdr.order.note = hdr.order.note + meta.kept + meta.lost + (bit<8>) sm.instance_type;
        } else if (hdr.order.what == 3) {
            hdr.order.note = 0x03;
            clone_preserving_field_list(CloneType.E2E, 5, 1);
        } else if (hdr.order.what == 5) {
            hdr.order.note = 0xbb;
            recirculate_preserving_field_list(1);
        } else if (hdr.order.what == 9) { mark_to_drop(sm); }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
