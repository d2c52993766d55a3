// Headers and stacks (specification, 8.18 and 8.19): validity, copies, comparison, sizes, push and pop, indexes. `op` chooses.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> op; bit<8> at; bit<8> r; }
header pair_t { bit<8> x; bit<8> y; }
struct rest_t { pair_t last; }

struct headers_t {
    work_t    work;
    pair_t[3] pairs;
    pair_t    spare;
    rest_t    rest;
}
struct meta_t { pair_t copy; pair_t[3] all; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition select(hdr.work.at[7:4]) {
            0: accept;
            1: one;
            2: two;
            3: three;
        }
    }
    state three {
        packet.extract(hdr.pairs.next);
        transition two;
    }
    state two {
        packet.extract(hdr.pairs.next);
        transition one;
    }
    state one {
        packet.extract(hdr.pairs.next);
        hdr.work.r = (bit<8>) hdr.pairs.lastIndex;
        hdr.pairs.last.y = hdr.pairs.last.y + 1;
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<4> at = hdr.work.at[3:0];
        switch (hdr.work.op) {
            1: { hdr.work.r = hdr.pairs[0].isValid() ? 8w1 : 2; }
            2: { hdr.pairs[0].setInvalid(); }
            3: { hdr.spare.setValid(); hdr.spare.x = 1; hdr.spare.y = 2; }
            4: { hdr.spare = hdr.pairs[1]; }
            5: {
                meta.copy = hdr.pairs[0];
                hdr.pairs[0].x = 0xee;
                if (meta.copy == hdr.pairs[0]) { hdr.work.r = 1; } else { hdr.work.r = 2; }
                hdr.pairs[0] = meta.copy;
            }
            6: {
                hdr.work.r = 0;
                if (hdr.pairs[0] == hdr.pairs[1]) { hdr.work.r = 1; }
                if (hdr.pairs[1] != hdr.pairs[2]) { hdr.work.r = hdr.work.r + 2; }
            }
            7: { hdr.pairs.push_front(1); hdr.pairs[0].setValid(); hdr.pairs[0].x = 0xaa; hdr.pairs[0].y = 0xbb; }
            8: { hdr.pairs.push_front(1); }
            9: { hdr.pairs.pop_front(1); }
            10: { hdr.pairs.push_front(5); }
            11: { hdr.pairs.pop_front(3); }
            12: { hdr.pairs[at].x = hdr.pairs[at].x + 1; }
            13: { hdr.pairs[at].setValid(); hdr.pairs[at].x = 0x77; hdr.pairs[at].y = at ++ at; }
            14: { hdr.pairs[at].setInvalid(); }
            15: { hdr.work.r = (bit<8>) hdr.pairs.size; }
            16: { hdr.work.r = (bit<8>) (hdr.pairs[0].minSizeInBits() + hdr.work.minSizeInBytes()); }
            17: {
                meta.all = hdr.pairs;
                hdr.work.r = meta.all == hdr.pairs ? 8w1 : 0;
                meta.all[2] = { 9, 9 };
                if (meta.all != hdr.pairs) { hdr.work.r = hdr.work.r + 2; }
                hdr.pairs = meta.all;
            }
            18: { hdr.pairs[1] = hdr.spare; }
            19: { hdr.pairs[0] = {#}; }
            20: { hdr.rest.last = { x = 5, y = hdr.work.at }; }
            21: { hdr.pairs = { { 1, 2 }, {#}, { 5, 6 } }; }
            22: { hdr.pairs[at] = hdr.pairs[0]; }
            23: { pair_t local; hdr.work.r = local.isValid() ? 8w1 : 0; local.setValid(); local = hdr.pairs[at]; hdr.spare = local; }
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
