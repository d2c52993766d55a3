// No tables: one stage, fields of odd widths, headers added and taken away, a stack, more than 64 bits.
#include <core.p4>
#include <v1model.p4>

header first_t { bit<3> kind; bit<13> length; int<8> delta; bit<96> wide; }
header item_t  { bit<7> value; bit<1> last; }
header extra_t { bit<16> sum; bit<8> left; }

struct headers_t  { extra_t extra; first_t first; item_t[4] items; }
struct metadata_t { bit<8> count; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.first);
        transition select(hdr.first.kind, hdr.first.delta) {
            (1, _): items;
            (2 &&& 6, -8s4 .. 8s3): items;
            default: accept;
        }
    }
    state items {
        packet.extract(hdr.items.next);
        meta.count = meta.count + 1;
        transition select(hdr.items.last.last) { 1: accept; 0: items; }
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = (bit<9>)meta.count;
        switch (hdr.first.kind) {
            1: { hdr.items.push_front(1); hdr.items[0].setValid(); hdr.items[0].value = 1; }
            2: { hdr.items.pop_front(1); }
            default: { return; }
        }
        hdr.first.wide = (hdr.first.wide << 7) ^ (bit<96>)hdr.first.length;
        hdr.extra.setValid();
        hdr.extra.left = hdr.first.delta < 0 ? 8w1 : (bit<8>)hdr.first.delta;
        hash(hdr.extra.sum, HashAlgorithm.crc16, 16w0, { hdr.first.kind, hdr.first.wide }, 32w0x10000);
    }
}

#include "rest.p4"
