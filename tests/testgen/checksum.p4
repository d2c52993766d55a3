#include <core.p4>
#include <v1model.p4>

/* A checksum that must be right, and a hash (which nobody can turn round) that is compared with a field. */

header h_t {
    bit<16> a;
    bit<16> b;
    bit<16> sum;
    bit<32> claimed;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    bit<32> hashed;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.h.isValid(), { hdr.h.a, hdr.h.b }, hdr.h.sum, HashAlgorithm.csum16);
    }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.checksum_error == 1) {
            mark_to_drop(standard);
        } else if (hdr.h.a == 0x1234) {
            hash(meta.hashed, HashAlgorithm.crc32, 32w0, { hdr.h.a, hdr.h.b }, 33w0x100000000);
            if (meta.hashed == hdr.h.claimed) {
                standard.egress_spec = 2;
            }
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
