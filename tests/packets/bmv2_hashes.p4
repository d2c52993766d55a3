// Hashes and checksums over many headers, each of which may be invalid: its fields are left out, whatever their widths.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<1> a; bit<1> b; bit<1> c; bit<1> d; bit<1> v; bit<3> what; }
header nibble_t { bit<4> x; bit<4> rest; }
header byte_t { bit<8> y; }
header uneven_t { bit<4> rest; bit<12> z; }
header word_t { bit<16> w; }
header long_t { bit<8> size; varbit<24> v; }
header result_t { bit<64> value; }
struct headers_t { order_t order; nibble_t a; byte_t b; uneven_t c; word_t d; long_t v; result_t result; byte_t[2] items; }
struct meta_t { bit<64> sum; bit<16> short; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.order); transition select(hdr.order.a) { 1: a; default: after_a; } }
    state a { packet.extract(hdr.a); transition after_a; }
    state after_a { transition select(hdr.order.b) { 1: b; default: after_b; } }
    state b { packet.extract(hdr.b); transition after_b; }
    state after_b { transition select(hdr.order.c) { 1: c; default: after_c; } }
    state c { packet.extract(hdr.c); transition after_c; }
    state after_c { transition select(hdr.order.d) { 1: d; default: after_d; } }
    state d { packet.extract(hdr.d); transition after_d; }
    state after_d { transition select(hdr.order.v) { 1: v; default: after_v; } }
    state v { packet.extract(hdr.v, (bit<32>)(packet.lookahead<bit<8>>() << 3)); transition after_v; }
    state after_v { transition select(hdr.order.what) { 4: item; default: accept; } }
    state item { packet.extract(hdr.items.next); transition accept; }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(hdr.order.what == 3, { hdr.order, hdr.a, hdr.b.y, hdr.c, hdr.v }, hdr.d.w, HashAlgorithm.csum16);
    }
}

control C(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.order.what == 2, { hdr.order, hdr.a, hdr.b.y, hdr.c, hdr.v }, hdr.d.w, HashAlgorithm.csum16);
        update_checksum_with_payload(hdr.order.what == 5, { hdr.b.y, hdr.a.x, hdr.c.z, hdr.v.v }, hdr.d.w, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<1> i = hdr.order.a;
        switch (hdr.order.what) {
            0: {
                hash(meta.sum, HashAlgorithm.identity, 64w0, { hdr.order, hdr.a.x, hdr.c.z, hdr.b.y, 4w0xe, hdr.d.w, hdr.v.v }, 64w0xffff_ffff_ffff_ffff);
                hdr.result = { meta.sum };
            }
            1: {
                hash(meta.short, HashAlgorithm.csum16, 16w0, { hdr.a.x, hdr.b, hdr.a.rest, hdr.c.z, hdr.d }, 32w0x10000);
                hdr.result = { (bit<64>)meta.short };
            }
            3: { hdr.result = { (bit<64>)sm.checksum_error }; }
            4: {
                hash(meta.sum, HashAlgorithm.identity, 64w0, { 8w7, hdr.items[i].y, hdr.b, hdr.c, hdr.d }, 64w0xffff_ffff_ffff_ffff);
                hdr.result = { meta.sum };
            }
            default: { }
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.order);
        packet.emit(hdr.a);
        packet.emit(hdr.b);
        packet.emit(hdr.c);
        packet.emit(hdr.d);
        packet.emit(hdr.v);
        packet.emit(hdr.result);
        packet.emit(hdr.items);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
