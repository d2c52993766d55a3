#include <core.p4>
#include <v1model.p4>

/* A hash of two values is one of two numbers: 0 and 0xc0c1. No packet takes the branch in line 32. */

header h_t {
    bit<8> kind;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    bit<16> r;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hash(meta.r, HashAlgorithm.crc16, 16w0, { hdr.h.kind & 1 }, 32w65536);
        if (meta.r == 0x1234) {
            standard.egress_spec = 1;
        }
        if (meta.r == 0xc0c1) {
            standard.egress_spec = 2;
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.h);
    }
}

V1Switch(P(), Verify(), MyIngress(), MyEgress(), Compute(), MyDeparser()) main;
