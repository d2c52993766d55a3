// Tables whose entries may time out, one for each way in which a hit finds its entry; `still` is without.
#include <core.p4>
#include <v1model.p4>

header h_t { bit<8> way; bit<8> key; bit<64> wide; }

struct headers_t { h_t h; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.h); transition accept; }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action_selector(HashAlgorithm.crc16, 32w40000, 32w16) profile;
    action send(bit<9> port) { sm.egress_spec = port; }
    action drop() { mark_to_drop(sm); }

    table words { // an entry is a word
        key = { hdr.h.key: exact; }
        actions = { send; drop; }
        default_action = drop();
        support_timeout = true;
        size = 256;
    }
    table hashed {
        key = { hdr.h.wide: exact; }
        actions = { send; drop; }
        default_action = drop();
        support_timeout = true;
        size = 70000;
    }
    table prefixes {
        key = { hdr.h.wide: lpm; }
        actions = { send; drop; }
        default_action = drop();
        support_timeout = true;
        size = 64;
    }
    table masks {
        key = { hdr.h.key: ternary; hdr.h.wide: range; }
        actions = { send; drop; }
        default_action = drop();
        support_timeout = true;
        size = 64;
    }
    table members {
        key = { hdr.h.key: exact; hdr.h.wide: selector; }
        actions = { send; drop; }
        default_action = drop();
        implementation = profile;
        support_timeout = true;
        size = 64;
    }
    table constants {
        key = { hdr.h.key: exact; }
        actions = { send; drop; }
        default_action = drop();
        const entries = { 1: send(1); 2: send(0); }
        support_timeout = true;
    }
    table still {
        key = { hdr.h.key: exact; }
        actions = { send; drop; }
        default_action = drop();
        support_timeout = false;
        size = 64;
    }
    apply {
        if (hdr.h.way == 0) { words.apply(); }
        else if (hdr.h.way == 1) { hashed.apply(); }
        else if (hdr.h.way == 2) { prefixes.apply(); }
        else if (hdr.h.way == 3) { masks.apply(); }
        else if (hdr.h.way == 4) { members.apply(); }
        else if (hdr.h.way == 5) { constants.apply(); }
        else { still.apply(); }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
