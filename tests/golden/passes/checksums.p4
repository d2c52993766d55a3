/* Checksums that are verified and updated: over the same fields, of which few change; over others; with the payload. */
#include <core.p4>
#include <v1model.p4>

header head_t {
    bit<4> version;
    bit<12> flags;
    bit<16> length;
    bit<8> ttl;
    bit<8> next;
    bit<16> checksum;
    bit<32> from;
    bit<32> to;
}

header body_t {
    bit<16> kind;
    bit<16> checksum;
    bit<16> mark;
}

struct headers_t {
    head_t head;
    body_t body;
}

struct metadata_t {
    bit<1> bad;
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.head);
        transition select(hdr.head.next) {
            1: body;
            default: accept;
        }
    }
    state body {
        packet.extract(hdr.body);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.head.isValid(),
            { hdr.head.version, hdr.head.flags, hdr.head.length, hdr.head.ttl, hdr.head.next, hdr.head.from, hdr.head.to },
            hdr.head.checksum, HashAlgorithm.csum16);
        verify_checksum_with_payload(hdr.body.isValid(), { hdr.body.kind, hdr.body.mark, hdr.head.to },
            hdr.body.checksum, HashAlgorithm.csum16);
    }
}

control Forward(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.head.ttl = hdr.head.ttl - 1;
        hdr.head.flags[3:0] = 0xf;
        hdr.body.mark = hdr.body.mark |+| 1;
        meta.bad = standard.checksum_error;
        hdr.head.version = (bit<4>)meta.bad; // the packet tells whether it came with a wrong checksum
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control Set(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.head.isValid(),
            { hdr.head.version, hdr.head.flags, hdr.head.length, hdr.head.ttl, hdr.head.next, hdr.head.from, hdr.head.to },
            hdr.head.checksum, HashAlgorithm.csum16);
        update_checksum_with_payload(hdr.body.isValid(), { hdr.body.kind, hdr.body.mark, hdr.head.to },
            hdr.body.checksum, HashAlgorithm.csum16);
    }
}

control Write(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Read(), Check(), Forward(), Out(), Set(), Write()) main;
