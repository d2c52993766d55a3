// Parser value sets: one number, a struct of them, and one whose fields match in other ways; mixed with constants in a select,
// and two sets in one.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<16> kind; bit<8> at; bit<72> wide; }
header more_t { bit<8> which; }

struct headers_t { order_t order; more_t more; }
struct meta_t { }
struct both_t {
    bit<16> kind;
    bit<72> wide;
}

struct parts_t {
    @match(ternary) bit<16> kind;
    @match(lpm) bit<8> at;
    @match(range) bit<8> last;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    value_set<bit<16>>(4) kinds;
    value_set<bit<16>>(4) others;
    value_set<both_t>(4) pairs;
    value_set<parts_t>(4) parts;
    state start {
        packet.extract(hdr.order);
        transition select(hdr.order.kind) {
            1: more;
            kinds: more;
            2: again;
            others: again;
            default: by_both;
        }
    }
    state by_both {
        transition select(hdr.order.kind, hdr.order.wide) {
            (5, 0): accept;
            pairs: again;
            (_, 0xff &&& 0xff): more;
            default: by_at;
        }
    }
    state by_at {
        transition select(hdr.order.kind, hdr.order.at, hdr.order.wide[7:0]) {
            (_, 9, _): accept;
            parts: more;
        }
    }
    state more {
        packet.extract(hdr.more);
        hdr.more.which = hdr.more.which + 1;
        transition accept;
    }
    state again {
        packet.extract(hdr.more);
        hdr.more.which = hdr.more.which + 2;
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.parser_error != error.NoError) { hdr.order.at = 0xee; }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); packet.emit(hdr.more); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
