/* Loops that a packet never leaves, wherever there may be some; all packets are cloned at ingress, most ask for more. */
#include <core.p4>
#include <v1model.p4>

header step_t {
    bit<8> where;
    bit<8> width;
}

struct headers_t {
    step_t step;
}

struct metadata_t {
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.step);
        bit<8> width = 1;
        if (hdr.step.where == 1) {
            width = hdr.step.width;
        }
        for (bit<8> at = 0; at < 10; at = at + width) {
        }
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action turn(bit<8> end) {
        for (bit<8> at = 0; at < end; at = at + hdr.step.width) {
        }
    }
    table turns {
        key = {
            hdr.step.where: exact;
        }
        actions = {
            turn;
        }
        const default_action = turn(0);
        const entries = {
            2 : turn(10);
        }
    }
    apply {
        standard.egress_spec = 1;
        clone(CloneType.I2E, 1);
        if (hdr.step.where == 2) {
            resubmit_preserving_field_list(0);
        }
        turns.apply();
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.step.where > 2) {
            recirculate_preserving_field_list(0);
        }
        for (bit<8> at = 0; hdr.step.where == 3 && at < 10; at = at + hdr.step.width) {
        }
    }
}

control C(inout headers_t hdr, inout metadata_t meta) {
    apply {
        for (bit<8> at = 0; hdr.step.where == 4 && at < 10; at = at + hdr.step.width) {
        }
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        for (bit<8> at = 0; hdr.step.where == 5 && at < 10; at = at + hdr.step.width) {
        }
        packet.emit(hdr.step);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
