// Parsing: loops over a stack, lookahead, varbit options, select with masks and ranges, errors that ingress sees.
#include <core.p4>
#include <v1model.p4>

header tag_t { bit<4> version; bit<4> length; bit<8> next; }
header option_t { varbit<120> data; }
header label_t { bit<7> value; bit<1> bottom; }
header report_t { bit<8> error_code; }

struct headers_t {
    report_t report;
    tag_t    tag;
    option_t option;
    label_t[3] labels;
}
struct meta_t { bit<8> peeked; }

error { BadVersion }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.tag);
        verify(hdr.tag.version < 10, error.BadVersion);
        transition select(hdr.tag.length) {
            0 : next;
            default : options;
        }
    }
    state options {
        packet.extract(hdr.option, (bit<32>) hdr.tag.length << 3);
        transition next;
    }
    state next {
        transition select(hdr.tag.next) {
            1 : labels;
            0x10 &&& 0xf0 : peek;
            0x80 .. 0x8f : skip;
            0 : accept;
        }
    }
    state labels {
        packet.extract(hdr.labels.next);
        transition select(hdr.labels.last.bottom) {
            1 : accept;
            0 : labels;
        }
    }
    state peek {
        meta.peeked = packet.lookahead<bit<8>>();
        transition accept;
    }
    state skip {
        packet.advance(16);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.report.setValid();
        hdr.report.error_code = meta.peeked;
        sm.egress_spec = 1;
        if (sm.parser_error == error.PacketTooShort) { hdr.report.error_code = 0xe1; }
        else if (sm.parser_error == error.NoMatch) { hdr.report.error_code = 0xe2; }
        else if (sm.parser_error == error.StackOutOfBounds) { hdr.report.error_code = 0xe3; }
        else if (sm.parser_error == error.BadVersion) { hdr.report.error_code = 0xe4; }
        if (hdr.labels[1].isValid()) { hdr.labels.pop_front(1); }
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.report);
        packet.emit(hdr.tag);
        packet.emit(hdr.option);
        packet.emit(hdr.labels);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
