// What BMv2 does where the specification says nothing, of clones and of what goes with packets on their way.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> a; bit<8> b; bit<8> c; }
header rest_t { bit<16> rest; }
struct headers_t { order_t order; rest_t rest; }
struct meta_t {
    @field_list(1) bit<8> kept;
    bit<8> other;
    bit<8> parsed;
}

bit<8> next(inout bit<8> x) {
    x = x + 1;
    return x;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        meta.parsed = 0x55;
        transition select(hdr.order.what[7:7]) {
            1: more;
            default: accept;
        }
    }
    state more {
        packet.extract(hdr.rest);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply { verify_checksum(hdr.order.what[6:0] == 5, { hdr.order.a }, hdr.order.b ++ hdr.order.c, HashAlgorithm.csum16); }
}
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(8, CounterType.bytes) lengths;
    apply {
        sm.egress_spec = 1;
        meta.kept = 0x10;
        meta.other = 4;
        if (sm.instance_type != 0) {
            hdr.order.a = (bit<8>)(bit<1>)(sm.ingress_global_timestamp != 0);
            lengths.count(2);
            return;
        }
        switch (hdr.order.what) {
            0x01: { clone3(data = { meta.kept, meta.other }, session = (bit<32>)next(meta.other), type = CloneType.I2E); }
            0x02: { clone3(session = (bit<32>)next(meta.other), data = { meta.kept, meta.other }, type = CloneType.I2E); }
            0x03: { clone_preserving_field_list(index = 1, session = (bit<32>)next(meta.other), type = CloneType.I2E); }
            0x04: { clone(session = (bit<32>)meta.other + (bit<32>)(bit<8>)next(meta.other), type = CloneType.I2E); }
            0x05: { hdr.order.a = (bit<8>)sm.checksum_error; clone(CloneType.I2E, 5); }
            0x06: { clone(CloneType.I2E, 77); }
            0x07: { resubmit_preserving_field_list(1); }
            0x09: { sm.priority = 3; }
            0x0a: { lengths.count(1); }
            0x0b: { clone(CloneType.I2E, 0x8005); }
            0x85: { hdr.order.a = (bit<8>)(bit<1>)(sm.parser_error == error.PacketTooShort); hdr.order.b = (bit<8>)sm.checksum_error; }
            0x84: { hdr.order.a = (bit<8>)(bit<1>)(sm.parser_error == error.PacketTooShort); clone(CloneType.I2E, 5); }
            default: { }
        }
        meta.kept = meta.kept + 0x22;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(8, CounterType.bytes) lengths;
    apply {
        if (hdr.order.what == 0x85) { return; }
        if (sm.instance_type == 1) {
            hdr.order.a = meta.kept;
            hdr.order.b = meta.other;
            if (hdr.order.what >= 0x84 || hdr.order.what == 0x05) {
                hdr.order.a = (bit<8>)(bit<1>)(sm.parser_error == error.NoError) + (bit<8>)sm.checksum_error;
                hdr.order.b = meta.parsed;
                hdr.order.c = (bit<8>)(bit<1>)(sm.ingress_global_timestamp != 0);
            }
        }
        if (hdr.order.what == 0x08 && hdr.order.a == 0) { recirculate_preserving_field_list(1); hdr.rest.setValid(); hdr.rest.rest = 0; }
        if (hdr.order.what == 0x0a) { hdr.rest.setValid(); lengths.count(1); }
        if (hdr.order.what == 0x0c) {
            if (sm.instance_type == 0) {
                sm.mcast_grp = 9;
                sm.checksum_error = 1;
                clone(CloneType.E2E, 5);
            } else {
                hdr.order.a = (bit<8>)sm.instance_type;
                hdr.order.b = (bit<8>)sm.mcast_grp + (bit<8>)sm.checksum_error;
            }
        }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
