// What standard_metadata tells, the older forms of clone, resubmit and recirculate, random numbers, messages, assertions.
// `what` chooses; ingress is over when egress begins.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> what; bit<8> a; bit<16> b; bit<32> r; }

struct headers_t { work_t work; }
struct inner_t { bit<8> one; bit<8> two; }
struct meta_t { bit<8> kept; bit<8> lost; inner_t inner; bit<48> began; bit<8> seen; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        meta.began = sm.ingress_global_timestamp;
        if (sm.instance_type != 0) {
            hdr.work.r = sm.instance_type;
            hdr.work.b = meta.kept ++ meta.lost;
            hdr.work.a = meta.inner.one + meta.inner.two;
            return;
        }
        meta.kept = 0x11;
        meta.lost = 0x22;
        meta.inner = { 3, 4 };
        switch (hdr.work.what) {
            0x01: { hdr.work.r = sm.packet_length; hdr.work.b = 7w0 ++ sm.ingress_port; }
            0x02: { hdr.work.r = (bit<32>) sm.egress_rid + (bit<32>) sm.mcast_grp + (bit<32>) sm.checksum_error; hdr.work.b = 7w0 ++ sm.egress_port; }
            0x03: { clone3(CloneType.I2E, 32w7, { meta.kept }); }
            0x04: { resubmit({ meta.kept, meta.inner }); }
            0x06: { mark_to_drop(); }
            0x07: { mark_to_drop(sm); sm.egress_spec = 1; }
            0x08: { sm.egress_spec = 511; }
            0x09: {
                bit<16> n;
                random(n, 16w10, 16w13);
                hdr.work.r = n >= 10 && n <= 13 ? 32w1 : 2;
                random(hdr.work.b, 16w5, 16w5);
            }
            0x0a: { log_msg("a packet"); log_msg("of {} and {}", { hdr.work.a, hdr.work.b }); hdr.work.r = 1; }
            0x0b: { assert(hdr.work.a == 1); assume(hdr.work.a < 2); hdr.work.r = 1; }
            0x0c: { clone(CloneType.I2E, 7); }
            0x0d: { truncate(5); }
            0x0e: { sm.mcast_grp = 9; hdr.work.r = 1; }
            0x14: { hdr.work.a = meta.seen; meta.seen = 0x77; }
            0x0f: { sm.priority = 5; hdr.work.b = 13w0 ++ sm.priority; }
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 1 || sm.instance_type == 2) {
            hdr.work.r = sm.instance_type;
            hdr.work.b = meta.kept ++ meta.lost;
            return;
        }
        switch (hdr.work.what) {
            0x02: { hdr.work.b = 7w0 ++ sm.egress_port; }
            0x05: { if (sm.instance_type == 0 && hdr.work.a == 0) { recirculate({ meta.kept, meta.inner.two }); } }
            0x10: { clone3(CloneType.E2E, 32w7, { meta.lost }); }
            0x11: { hdr.work.r = sm.egress_global_timestamp >= meta.began && sm.enq_timestamp >= 0 ? 32w1 : 2; }
            0x13: { hdr.work.r = (bit<32>) sm.enq_qdepth + (bit<32>) sm.deq_qdepth + sm.deq_timedelta; }
            0x12: { hdr.work.r = sm.instance_type; mark_to_drop(sm); sm.egress_spec = 1; }
            0x0e: { hdr.work.r = sm.instance_type; hdr.work.b = sm.egress_rid; hdr.work.a = (bit<8>) sm.egress_port; }
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
