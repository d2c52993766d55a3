// Hash algorithms, over fields that end at bytes and over fields that do not. `algorithm` chooses.
#include <core.p4>
#include <v1model.p4>

header work_t {
    bit<8>  algorithm;
    bit<4>  a;
    bit<12> b;
    bit<24> c;
    bit<32> r;
}

struct headers_t { work_t work; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<32> r = 0xeeeeeeee;
        bit<16> half = 0;
        bit<33> all = 1 << 32;
        switch (hdr.work.algorithm) {
            0x01: { hash(r, HashAlgorithm.crc32, 32w0, { hdr.work.a, hdr.work.b, hdr.work.c }, all); }
            0x02: { hash(r, HashAlgorithm.crc16, 32w0, { hdr.work.a, hdr.work.b, hdr.work.c }, all); }
            0x03: { hash(r, HashAlgorithm.csum16, 32w0, { hdr.work.a, hdr.work.b, hdr.work.c, 8w0 }, all); }
            0x04: { hash(r, HashAlgorithm.xor16, 32w0, { hdr.work.a, hdr.work.b, hdr.work.c, 8w0 }, all); }
            0x05: { hash(r, HashAlgorithm.identity, 32w0, { hdr.work.a, hdr.work.b }, all); }
            0x06: { hash(r, HashAlgorithm.crc32_custom, 32w0, { hdr.work.a, hdr.work.b, hdr.work.c }, all); }
            0x07: { hash(r, HashAlgorithm.crc16_custom, 32w0, { hdr.work.a, hdr.work.b, hdr.work.c }, all); }
            0x11: { hash(half, HashAlgorithm.crc16, 16w0x100, { hdr.work.a, hdr.work.b, hdr.work.c }, 16w10); r = 16w0 ++ half; }
            0x12: { hash(half, HashAlgorithm.crc16, 16w0x100, { hdr.work.a, hdr.work.b, hdr.work.c }, 16w0); r = 16w0 ++ half; }
            0x13: { hash(half, HashAlgorithm.crc16, 16w0x100, { hdr.work.a, hdr.work.b, hdr.work.c }, 16w1); r = 16w0 ++ half; }
            0x14: {
                hash(r, HashAlgorithm.random, 32w5, { hdr.work.a }, 32w3);
                r = r >= 5 && r <= 7 ? 32w1 : 0;
            }
        }
        hdr.work.r = r;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
