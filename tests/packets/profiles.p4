// Tables with an action profile or selector: members, groups, two tables that share one, a table that only selects.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> key; bit<16> flow; bit<8> result; bit<8> hit; }

struct headers_t { order_t order; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action_profile(32w16) plain;
    action_selector(HashAlgorithm.crc16, 32w8, 32w10) chosen;

    action set(bit<8> value) { hdr.order.result = value; }
    action add(bit<8> value) { hdr.order.result = hdr.order.result + value; }
    action wide(bit<72> value) { hdr.order.result = value[71:64]; }

    action own(bit<8> value, bit<8> more) { hdr.order.result = value + more; }

    table one {
        key = { hdr.order.key: exact; }
        actions = { set; add; wide; }
        implementation = plain;
        default_action = set(0xd1);
        size = 16;
    }
    table two {
        key = { hdr.order.key: ternary; }
        actions = { wide; own; set; }
        implementation = plain;
        default_action = set(0xd2);
        size = 16;
    }
    table many {
        key = { hdr.order.key: exact; hdr.order.flow: selector; hdr.order.what: selector; }
        actions = { set; add; }
        implementation = chosen;
        default_action = add(1);
        size = 16;
    }
    apply {
        sm.egress_spec = 1;
        if (hdr.order.what == 1) {
            if (one.apply().hit) { hdr.order.hit = 1; }
        } else if (hdr.order.what == 2) {
            two.apply();
        } else {
            switch (many.apply().action_run) {
                add: { hdr.order.hit = 2; }
            }
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
