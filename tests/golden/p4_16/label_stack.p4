// Header stacks: next, last, lastIndex, push and pop, a run-time index, a sub-parser, a value set.
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header label_t { bit<20> label; bit<3> tc; bit<1> bottom; bit<8> ttl; }
header ip_t { bit<4> version; bit<28> rest; }
struct headers_t { ethernet_t eth; label_t[3] labels; ip_t ip; }
struct metadata_t { bit<2> which; bit<32> depth; }

parser Labels(packet_in packet, inout label_t[3] labels, out bit<32> depth) {
    state start { depth = 0; transition more; }
    state more {
        packet.extract(labels.next);
        depth = labels.lastIndex + 1;
        transition select(labels.last.bottom) {
            0: more;
            1: accept;
        }
    }
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    value_set<bit<16>>(4) label_types;
    Labels() labels;
    state start {
        packet.extract(hdr.eth);
        transition select(hdr.eth.type) {
            label_types: label_stack;
            0x8847 .. 0x8848: label_stack;
            0x0800: ip;
            _: accept;
        }
    }
    state label_stack {
        labels.apply(packet, hdr.labels, meta.depth);
        transition select(packet.lookahead<bit<4>>(), meta.depth) {
            (4, _): ip;
            (6, 1 &&& 1): ip;
            default: accept;
        }
    }
    state ip { packet.extract(hdr.ip); transition accept; }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        hdr.labels[meta.which].ttl = hdr.labels[meta.which].ttl - 1;
        if (meta.depth == 3) {
            hdr.labels.pop_front(1);
        } else {
            hdr.labels.push_front(1);
            hdr.labels[0] = { 16, 0, 0, 64 };
            hdr.labels[0].label[3:0] = 7;
        }
        std.egress_spec = 1;
    }
}

#include "skeleton.p4"
