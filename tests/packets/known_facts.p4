// What is known on the ways to a lookup and behind it: headers that are valid together, packets that are dropped and not
// dropped after all, headers that one arm removes.
#include <core.p4>
#include <v1model.p4>

header first_t { bit<8> kind; bit<8> a; }
header second_t { bit<8> x; bit<8> y; }
struct headers_t { first_t first; second_t second; }
struct meta_t { bit<8> next; bool marked; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.first);
        transition select(hdr.first.kind) {
            0: accept;
            default: second;
        }
    }
    state second {
        packet.extract(hdr.second);
        transition accept;
    }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action drop() { mark_to_drop(sm); }
    action via(bit<8> next) { meta.next = next; }
    action to(bit<9> port, bit<8> a) { sm.egress_spec = port; hdr.first.a = a; hdr.second.y = hdr.second.y + 1; }
    action strip() { sm.egress_spec = 1; hdr.second.setInvalid(); }
    table one {
        key = { hdr.second.x: exact; }
        actions = { via; drop; strip; }
        default_action = drop();
        size = 100000;
    }
    table two {
        key = { meta.next: exact; }
        actions = { to; drop; }
        default_action = drop();
        size = 100000;
    }
    apply {
        if (hdr.second.isValid() && hdr.first.kind != 9) {
            switch (one.apply().action_run) {
                via: {
                    two.apply();
                    if (hdr.first.isValid() && hdr.first.kind == 7) {
                        sm.egress_spec = 1;
                        meta.marked = true;
                    }
                }
                strip: {
                    if (hdr.second.isValid()) { sm.egress_spec = 0x1ff; }
                }
            }
            if (meta.marked) { hdr.first.a = 0xee; }
        } else if (hdr.first.isValid()) {
            drop();
            if (hdr.first.kind == 9) {
                sm.egress_spec = 1;
                if (!hdr.second.isValid()) { hdr.first.a = 0xdd; }
            }
        }
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.egress_spec == 0x1ff || hdr.first.kind == 8) { mark_to_drop(sm); }
    }
}
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.first);
        packet.emit(hdr.second);
    }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
