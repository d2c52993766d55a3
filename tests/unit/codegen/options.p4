// A header with options that nothing changes and nothing can move: their length is not read, what stands before them is stored.
// The only entry of the table in egress matches everything: its key is not read.
#include <core.p4>
#include <v1model.p4>

header packet_t { bit<4> words; bit<4> kind; bit<8> ttl; varbit<120> options; }

struct headers_t { packet_t packet; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.packet, (bit<32>)packet.lookahead<bit<4>>() << 3);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action lower() { hdr.packet.ttl = hdr.packet.ttl - 1; }
    table all {
        key = { sm.egress_port: ternary; }
        actions = { lower; NoAction; }
        const entries = { _: lower(); }
    }
    apply { all.apply(); }
}

control D(packet_out packet, in headers_t hdr) {
    apply { packet.emit(hdr.packet); }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
