// Switches that C does not have: over more than 64 bits, over signed numbers, with tables inside.
#include <core.p4>
#include <v1model.p4>
header h_t { bit<128> w; int<8> s; bit<8> o; }
struct headers_t { h_t h; }
struct metadata_t { bit<8> a; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    table t { key = { hdr.h.s : exact; } actions = { NoAction; } }
    apply {
        std.egress_spec = 1;
        switch (hdr.h.w) {
            128w1: { hdr.h.o = 1; }
            128w2:
            0x80000000000000000000000000000000: { t.apply(); hdr.h.o = 2; }
            default: { hdr.h.o = 3; }
        }
        switch (hdr.h.s) { -8s1: { hdr.h.o = hdr.h.o + 16; } 8s127: { return; } }
        hdr.h.o = hdr.h.o + 32;
    }
}

control NoVerify(inout headers_t hdr, inout metadata_t meta) { apply { } }
control NoEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) { apply { } }
control NoCompute(inout headers_t hdr, inout metadata_t meta) { apply { } }
control Emit(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), NoVerify(), I(), NoEgress(), NoCompute(), Emit()) main;
