// What must be kept though little of the program reads it: values that are written behind the request that preserves them, and
// that only egress reads though clones come to it too.
#include <core.p4>
#include <v1model.p4>

header frame_t {
    bit<8>  what;      // 1: resubmit, 2: recirculate, 3: clone, 4: give `some` a value
    bit<48> to;
    bit<8>  number;
    bit<8>  late;
    bit<8>  plain;
    bit<8>  some;
}

struct headers_t { frame_t frame; }
struct meta_t { @field_list(1) bit<8> late; bit<8> plain; bit<8> some; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.frame);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action forward(bit<9> port) { sm.egress_spec = port; }
    table ways {
        key = { hdr.frame.to: exact; }
        actions = { forward; }
        default_action = forward(1);
        size = 100000;
    }
    apply {
        sm.egress_spec = 1;
        if (sm.instance_type == 4 || sm.instance_type == 6) {
            hdr.frame.late = meta.late;
            return;
        }
        if (hdr.frame.what == 4) { meta.some = hdr.frame.number + 1; }
        if (hdr.frame.what == 3) { clone_preserving_field_list(CloneType.I2E, 5, 1); }
        if (hdr.frame.what == 1) {
            resubmit_preserving_field_list(1);
            meta.late = hdr.frame.number + 2;
        }
        meta.plain = hdr.frame.number + 3;
        ways.apply();
        hdr.frame.some = meta.some;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 1) {
            hdr.frame.late = 0xcc;
        } else {
            hdr.frame.plain = meta.plain;
            if (hdr.frame.what == 2 && hdr.frame.late == 0) {
                recirculate_preserving_field_list(1);
                meta.late = hdr.frame.number + 4;
            }
        }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.frame); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
