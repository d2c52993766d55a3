// What standard_metadata tells in egress, also where ingress has written something else there; nothing else here looks at
// the time. `what` chooses.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> what; bit<32> r; }

struct headers_t { work_t work; }
struct meta_t { bit<48> parsed; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        meta.parsed = sm.ingress_global_timestamp;
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        sm.egress_port = 7;
        sm.egress_rid = 7;
        sm.enq_timestamp = 0;
        sm.enq_qdepth = 7;
        sm.deq_timedelta = 7;
        sm.deq_qdepth = 7;
        sm.egress_global_timestamp = 0;
        if (hdr.work.what == 8) { sm.mcast_grp = 1; }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        bit<48> now = sm.egress_global_timestamp;
        switch (hdr.work.what) {
            0: { hdr.work.r = meta.parsed != 0 && meta.parsed == sm.ingress_global_timestamp ? 32w1 : 2; }
            1: { hdr.work.r = now != 0 && now >= meta.parsed ? 32w1 : 2; }
            2: { hdr.work.r = sm.enq_timestamp != 0 && sm.enq_timestamp == (bit<32>) now ? 32w1 : 2; }
            3: { hdr.work.r = sm.deq_timedelta; }
            4: { hdr.work.r = 13w0 ++ sm.enq_qdepth; }
            5: { hdr.work.r = 13w0 ++ sm.deq_qdepth; }
            6:
            8: { hdr.work.r = 16w0 ++ sm.egress_rid; }
            7: { hdr.work.r = 23w0 ++ sm.egress_port; }
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
