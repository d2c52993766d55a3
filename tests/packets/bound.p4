// One action, bound to another field by each table: the control plane calls all of its copies by the one name.
#include <core.p4>
#include <v1model.p4>

header pair_t { bit<8> key; bit<8> left; bit<8> right; }

struct headers_t { pair_t pair; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.pair);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.pair); } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action put(out bit<8> where, bit<8> value) { where = value; }
    table lefts { key = { hdr.pair.key : exact; } actions = { put(hdr.pair.left); NoAction; } default_action = NoAction(); }
    table rights { key = { hdr.pair.key : exact; } actions = { put(hdr.pair.right); NoAction; } default_action = NoAction(); }
    apply {
        lefts.apply();
        rights.apply();
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
