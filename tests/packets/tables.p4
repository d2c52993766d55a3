// Every match kind, alone and together: what wins is told by the port and by the byte `by`.
#include <core.p4>
#include <v1model.p4>

header key_t {
    bit<8>  kind;
    bit<8>  by;
    bit<16> a;
    bit<32> b;
}

struct headers_t { key_t key; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.key);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.key); } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action drop() { mark_to_drop(sm); }
    action send(bit<9> port, bit<8> by) {
        sm.egress_spec = port;
        hdr.key.by = by;
    }
    table exact_one { key = { hdr.key.a : exact; } actions = { send; drop; } default_action = drop(); }
    table exact_two { key = { hdr.key.a : exact; hdr.key.b : exact; } actions = { send; drop; } default_action = drop(); }
    table longest { key = { hdr.key.b : lpm; } actions = { send; drop; } default_action = drop(); }
    table exact_longest { key = { hdr.key.a : exact; hdr.key.b : lpm; } actions = { send; drop; } default_action = drop(); }
    table masks { key = { hdr.key.a : ternary; hdr.key.b : ternary; } actions = { send; drop; } default_action = drop(); }
    table spans { key = { hdr.key.a : range; hdr.key.b : ternary; } actions = { send; drop; } default_action = drop(); }
    table perhaps { key = { hdr.key.a : optional; } actions = { send; drop; } default_action = drop(); }
    table fixed {
        key = { hdr.key.a : ternary; }
        actions = { send; drop; }
        const default_action = drop();
        const entries = {
            0x1000 &&& 0xf000 : send(1, 0x51);
            0x1200 &&& 0xff00 : send(2, 0x52);
            0x2200 : send(3, 0x53);
        }
    }
    apply {
        if (hdr.key.kind == 0) { exact_one.apply(); }
        else if (hdr.key.kind == 1) { exact_two.apply(); }
        else if (hdr.key.kind == 2) { longest.apply(); }
        else if (hdr.key.kind == 3) { exact_longest.apply(); }
        else if (hdr.key.kind == 4) { masks.apply(); }
        else if (hdr.key.kind == 5) { spans.apply(); }
        else if (hdr.key.kind == 6) { perhaps.apply(); }
        else { fixed.apply(); }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
