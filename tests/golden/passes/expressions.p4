// Expressions that are simpler than they look, and comparisons that their types decide.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<16> c;
    bit<32> d;
}

struct headers_t {
    data_t data;
}

struct metadata_t {
    bit<8> small;
    bit<16> wide;
    bool flag;
    int<8> level;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.data);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.data.a = hdr.data.a + 0;
        hdr.data.b = hdr.data.b * 1 | 0;
        hdr.data.c = (bit<16>)(bit<32>)hdr.data.c;
        hdr.data.d[7:0] = hdr.data.d[23:0][15:8];
        meta.wide = (hdr.data.c + 3) - 5;
        meta.small = ~~hdr.data.a & 0xff;
        meta.level = (int<8>)hdr.data.b;
        if (hdr.data.a >= 0 && hdr.data.b <= 255) {
            standard.egress_spec = 1;
        }
        if ((hdr.data.a & 0x0f) > 15 || (bit<16>)hdr.data.b > 255 || (hdr.data.c & 1) == 2) {
            standard.egress_spec = 2;
        }
        if (!!(meta.wide != 7) && !(meta.small < 9)) {
            standard.egress_spec = 3;
        }
        if (meta.level < -128 || meta.level > -1) {
            standard.egress_spec = 4;
        }
        if ((bit<1>)(meta.wide == 1 ? true : false) == 1) {
            standard.egress_spec = (bit<9>)(4w3 ++ 5w1);
        }
        hdr.data.c = hdr.data.c - hdr.data.c;
        hdr.data.d = hdr.data.d << 32;
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.data);
    }
}

V1Switch(P(), Verify(), I(), E(), Compute(), D()) main;
