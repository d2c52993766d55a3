// A group without members runs no action: what was written before the table stays, though every action would write it.
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
    action_selector(HashAlgorithm.crc16, 32w8, 32w10) ports;

    action send(bit<9> port) { sm.egress_spec = port; }

    // Large, so that its lookups end a stage.
    table ways {
        key = { hdr.order.key: exact; hdr.order.flow: selector; }
        actions = { send; }
        implementation = ports;
        default_action = send(1);
        size = 65536;
    }
    apply {
        sm.egress_spec = 1;
        ways.apply();
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
