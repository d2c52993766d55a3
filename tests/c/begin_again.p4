// Packets that are resubmitted, recirculated, cloned and replicated on their way through several stages: a way through them for
// each frame, by what `kind` says, and what has come of it in `trail`.
#include <core.p4>
#include <v1model.p4>

header order_t {
    bit<8> kind;
    bit<8> rounds;
    bit<16> trail;
    bit<32> number;
}

struct headers_t { order_t order; }

struct meta_t {
    @field_list(1, 2) bit<16> trail;
    @field_list(1) bit<8> left;
    @field_list(2) bit<8> way;
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
    counter(8, CounterType.packets_and_bytes) begun;
    counter(8, CounterType.packets) ended;
    action go(bit<8> way) {
        meta.way = meta.way + way;
    }
    action clone_early(bit<8> way) {
        meta.way = way;
        clone_preserving_field_list(CloneType.I2E, 5, 2);
    }
    action clone_late() {
        clone_preserving_field_list(CloneType.I2E, 6, 1);
    }
    action once_more() {
        if (meta.left != 0) { resubmit_preserving_field_list(1); }
    }
    action mark(bit<8> by) {
        meta.trail = meta.trail * 3 + (bit<16>) by;
        meta.lost = meta.lost + by;
    }
    action forward(bit<9> port) {
        sm.egress_spec = port;
    }
    action flood() {
        sm.mcast_grp = 1;
    }
    action refuse() {
        mark_to_drop(sm);
    }
    table kinds {
        key = { hdr.order.kind: exact; }
        actions = { go; clone_early; refuse; }
        default_action = go(1);
    }
    table middle {
        key = { meta.way: exact; }
        actions = { mark; once_more; clone_late; }
        default_action = mark(7);
    }
    table ports {
        key = { hdr.order.kind: exact; meta.way: exact; }
        actions = { forward; flood; refuse; }
        default_action = forward(1);
    }
    apply {
        begun.count((bit<32>) sm.instance_type & 7);
        if (sm.instance_type != 6) {
            meta.left = hdr.order.rounds & 3;
        } else {
            meta.left = meta.left - 1;
        }
        meta.trail = meta.trail * 5 + (bit<16>) sm.instance_type + (bit<16>) sm.packet_length;
        kinds.apply();
        if (hdr.order.kind < 8 || meta.left == 0) {
            middle.apply();
        } else if (meta.left > 2) {
            resubmit_preserving_field_list(1);
            return;
        }
        meta.trail = meta.trail + (bit<16>) meta.lost;
        ports.apply();
        if (meta.left > 1 && hdr.order.kind == 9) {
            resubmit_preserving_field_list(1);
        }
        ended.count((bit<32>) sm.instance_type & 7);
        hdr.order.trail = hdr.order.trail + meta.trail;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.order.trail = hdr.order.trail * 3 + meta.trail + (bit<16>) meta.way + (bit<16>) sm.instance_type;
        if (sm.instance_type != 1 && sm.instance_type != 2 && hdr.order.rounds & 3 != 0) {
            hdr.order.rounds = hdr.order.rounds - 1;
            if (hdr.order.kind & 1 == 1) {
                recirculate_preserving_field_list(2);
            }
            if (hdr.order.kind & 4 == 4) {
                clone_preserving_field_list(CloneType.E2E, 5, 1);
            }
        }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
