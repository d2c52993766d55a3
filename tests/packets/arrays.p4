// Arrays of data, also in headers, and what converts without being asked: `op` chooses.
#include <core.p4>
#include <v1model.p4>

struct pair_t { bit<8> x; bit<8> y; }
header work_t { bit<4> op; bit<2> i; bit<2> j; bit<8> r; bit<8>[4] bytes; pair_t[2] pairs; }
struct headers_t { work_t work; }
struct meta_t { bit<8>[4] kept; pair_t[2][3] grid; }

enum bit<8> Left { a = 1, b = (bit<8>) a + 4, c = b }
enum bit<8> Right { a = 5 }
type bit<8> Tag;
const Tag first = 7;
const int shift = 2w3;

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

bit<8> sum(in bit<8>[4] values) {
    bit<8> total = 0;
    for (bit<8> value in values) { total = total + value; }
    return total;
}

bit<8> once(inout bit<8> calls) {
    calls = calls + 1;
    return calls;
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<2> i = hdr.work.i;
        bit<2> j = hdr.work.j;
        switch (hdr.work.op) {
            0x0: { hdr.work.r = hdr.work.bytes[i]; }
            0x1: { hdr.work.bytes[i] = hdr.work.bytes[j]; }
            0x2: { hdr.work.pairs[i[0:0]].y = hdr.work.pairs[j[0:0]].x; }
            0x3: { hdr.work.pairs[0] = hdr.work.pairs[1]; }
            0x4: { meta.kept = hdr.work.bytes; meta.kept[j] = 0; hdr.work.bytes = meta.kept; }
            0x5: { hdr.work.r = hdr.work.bytes == { 1, 2, 3, 4 } ? 8w1 : 2; }
            0x6: { hdr.work.r = sum(hdr.work.bytes); }
            0x7: { meta.grid[i] = hdr.work.pairs; hdr.work.r = meta.grid[j][1].y; }
            0x8: { hdr.work.bytes[i] += 3; hdr.work.bytes[i][3:0] = 0xf; }
            0x9: { hdr.work.r = Left.b == Right.a && (Left) 8w5 == Left.c && Left.a == 1 ? 8w1 : 2; }
            0xa: { Tag tag = (Tag) hdr.work.bytes[0]; hdr.work.r = tag == first || tag == 8 ? 8w1 : 2; }
            0xb: { hdr.work.r = 0 / once(hdr.work.bytes[0]) + hdr.work.bytes[1] / 3 + hdr.work.bytes[2] % 7; }
            0xc: { hdr.work.r = 1 << shift; }
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.work); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
