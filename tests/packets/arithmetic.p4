// Arithmetic on fields of odd widths: the operation is chosen by the packet.
#include <core.p4>
#include <v1model.p4>

header sum_t {
    bit<5>  op;
    bit<11> a;
    bit<11> b;
    bit<11> result;
    bit<2>  pad;
}

header wide_t { bit<128> x; bit<128> y; }

struct headers_t { sum_t sum; wide_t wide; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.sum);
        transition select(hdr.sum.op) {
            31 : wide;
            default : accept;
        }
    }
    state wide {
        packet.extract(hdr.wide);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        bit<11> a = hdr.sum.a;
        bit<11> b = hdr.sum.b;
        bit<11> r = 0;
        switch (hdr.sum.op) {
            0 : { r = a + b; }
            1 : { r = a - b; }
            2 : { r = a |+| b; }
            3 : { r = a |-| b; }
            4 : { r = (bit<11>) ((int<11>) a |+| (int<11>) b); }
            5 : { r = (bit<11>) ((int<11>) a |-| (int<11>) b); }
            6 : { r = a * b; }
            7 : { r = a << (bit<4>) b[3:0]; }
            8 : { r = a >> (bit<4>) b[3:0]; }
            9 : { r = (bit<11>) ((int<11>) a >> (bit<4>) b[3:0]); }
            10 : { r = a[4:0] ++ b[5:0]; }
            11 : { if ((int<11>) a < (int<11>) b) { r = 1; } else { r = 2; } }
            12 : { r = (bit<11>) (int<11>) (int<6>) a[5:0]; }
            13 : { r = ~a ^ b; }
            14 : { r = -a; }
            15 : { r[7:3] = a[4:0]; }
            31 : {
                if (hdr.wide.isValid()) {
                    hdr.wide.x = hdr.wide.x + hdr.wide.y;
                    hdr.wide.y = hdr.wide.x << 65;
                }
            }
        }
        hdr.sum.result = r;
        sm.egress_spec = 1;
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.sum);
        packet.emit(hdr.wide);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
