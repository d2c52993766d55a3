#include <core.p4>
#include <v1model.p4>

/* A parser that loops over a stack: up to three labels, the last one marked. A fourth is an error of the parser. */

header label_t {
    bit<15> value;
    bit<1>  last;
}

struct headers_t {
    label_t[3] labels;
}

struct metadata_t {
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.labels.next);
        transition select(hdr.labels.last.last) {
            0: start;
            default: accept;
        }
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.parser_error == error.StackOutOfBounds) {
            standard.egress_spec = 2;
        } else if (standard.parser_error == error.PacketTooShort) {
            standard.egress_spec = 3;
        } else if (hdr.labels[2].isValid()) {
            if (hdr.labels[0].value + hdr.labels[1].value == hdr.labels[2].value) {
                standard.egress_spec = 4;
            }
            hdr.labels.pop_front(1);
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.labels);
    }
}

V1Switch(P(), Verify(), MyIngress(), MyEgress(), Compute(), MyDeparser()) main;
