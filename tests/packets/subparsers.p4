// Sub-parsers: in a loop, nested, with several parameters and results, with errors.
#include <core.p4>
#include <v1model.p4>

error { TooMany }
header head_t { bit<8> what; bit<8> n; bit<8> sum; bit<8> err; }
header item_t { bit<8> v; }

struct headers_t { head_t head; item_t[6] items; }
struct meta_t { bit<8> sum; bit<8> count; bit<8> last; }

parser One(packet_in packet, in bit<8> limit, inout bit<8> sum, out item_t item, out bit<8> twice) {
    state start {
        packet.extract(item);
        verify(item.v <= limit, error.TooMany);
        sum = sum + item.v;
        twice = item.v * 2;
        transition select(item.v) { 0: zero; default: accept; }
    }
    state zero { sum = sum + 100; transition accept; }
}

parser Two(packet_in packet, inout headers_t hdr, inout meta_t meta) {
    One() one;
    state start {
        bit<8> t;
        bit<8> limit = 50;
        one.apply(packet, limit, meta.sum, hdr.items[4], t);
        meta.last = t;
        one.apply(packet, limit, meta.sum, hdr.items[5], t);
        meta.last = meta.last + t;
        transition accept;
    }
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    One() one;
    Two() two;
    bit<8> doubled;
    state start {
        packet.extract(hdr.head);
        transition select(hdr.head.what) {
            0: loop;
            1: nested;
            2: twice;
            3: each;
            4: range;
            default: accept;
        }
    }
    state loop {
        bit<8> total = 0;
        for (bit<8> i = 0; i < hdr.head.n; i = i + 1) {
            item_t item;
            one.apply(packet, 40, meta.sum, item, doubled);
            hdr.items[i] = item;
            if (doubled == 12) { break; }
            if (doubled == 14) { continue; }
            total = total + doubled;
        }
        meta.last = total;
        transition accept;
    }
    state each {
        for (bit<8> limit in (list<bit<8>>) {9, 5, 7}) {
            one.apply(packet, limit, meta.sum, hdr.items[meta.count], doubled);
            meta.count = meta.count + 1;
            if (hdr.head.n == meta.count) {
                if (doubled != 8) { break; }
                meta.last = meta.last + 1;
            }
        }
        transition accept;
    }
    state range {
        for (bit<8> i in 2 .. 4) {
            for (bit<8> j in 1 .. i) {
                if (j == 3) { continue; }
                if (i == 4) { break; }
                one.apply(packet, 90, meta.sum, hdr.items[meta.count], doubled);
                meta.count = meta.count + 1;
            }
            meta.last = meta.last + i;
        }
        transition accept;
    }
    state nested { two.apply(packet, hdr, meta); transition accept; }
    state twice { two.apply(packet, hdr, meta); transition nested; }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        hdr.head.n = meta.last;
        hdr.head.sum = meta.sum;
        if (sm.parser_error == error.TooMany) { hdr.head.err = 1; }
        if (sm.parser_error == error.PacketTooShort) { hdr.head.err = 2; }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
