// Metadata without a list that preserves them, in a program whose packets go through two pipes: they begin as zeros, whatever the
// packet before has left there.
#include <core.p4>
#include <v1model.p4>

header frame_t {
    bit<8>  what; // 3: clone, 4: give `some` a value
    bit<48> to;
    bit<8>  number;
    bit<8>  some;
}

struct headers_t { frame_t frame; }
struct meta_t { bit<8> some; }

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
        if (hdr.frame.what == 4) { meta.some = hdr.frame.number + 1; }
        if (hdr.frame.what == 3) { clone(CloneType.I2E, 5); }
        ways.apply();
        hdr.frame.some = meta.some;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply { if (sm.instance_type == 1) { hdr.frame.number = 0xcc; } }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.frame); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
