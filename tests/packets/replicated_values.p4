// What only copies to a multicast group read is kept for them, though no packet to one port needs it.
#include <core.p4>
#include <v1model.p4>

header frame_t { bit<48> to; bit<48> by; bit<8> before; bit<8> between; bit<8> rid; }

struct headers_t { frame_t frame; }
struct meta_t { bit<8> before; bit<8> between; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.frame);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action forward() { }
    action flood(bit<16> group, bit<8> between) { sm.mcast_grp = group; meta.between = between; }
    table ways {
        key = { hdr.frame.to: exact; }
        actions = { forward; flood; }
        default_action = forward();
        size = 100000;
    }
    action count(bit<8> by) { meta.between = meta.between + by; }
    table counts {
        key = { hdr.frame.by: exact; }
        actions = { count; NoAction; }
        default_action = NoAction();
        size = 100000;
    }
    apply {
        sm.egress_spec = 1; // of what is not flooded it is known in egress
        meta.before = hdr.frame.before + 1;
        ways.apply();
        counts.apply();
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.egress_port != 1) {
            hdr.frame.before = meta.before;
            hdr.frame.between = meta.between;
            hdr.frame.rid = (bit<8>) sm.egress_rid;
        }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.frame); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
