// Programs that look at the queues of ports: what egress is told, and priorities.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> port;
    bit<8> priority;
    bit<16> number;
    bit<32> before; // enq_qdepth
    bit<32> behind; // deq_qdepth
    bit<32> waited; // deq_timedelta
    bit<32> entered; // egress_global_timestamp - enq_timestamp
    bit<8> queue;
    bit<8> group;
    bit<8> again;
}

struct headers_t { h_t h; }
struct meta_t { @field_list(1) bit<8> kept; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.h); transition accept; }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = (bit<9>) hdr.h.port;
        sm.priority = (bit<3>) hdr.h.priority;
        sm.mcast_grp = (bit<16>) hdr.h.group;
        if (hdr.h.queue == 9) { clone(CloneType.I2E, 5); }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.h.before = (bit<32>) sm.enq_qdepth;
        hdr.h.behind = (bit<32>) sm.deq_qdepth;
        hdr.h.waited = sm.deq_timedelta;
        hdr.h.entered = (bit<32>) sm.egress_global_timestamp - sm.enq_timestamp;
        hdr.h.queue = (bit<8>) sm.priority;
        if (hdr.h.again != 0) {
            hdr.h.again = hdr.h.again - 1;
            meta.kept = hdr.h.again;
            recirculate_preserving_field_list(1);
        }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
