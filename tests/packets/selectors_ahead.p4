// Selectors whose tables' lookups end stages: what a member is chosen by is gathered when lookups start. Fields that do
// not fill bytes, two lookups that start together, and one that has to wait for what the one before it writes.
#include <core.p4>
#include <v1model.p4>

header order_t {
    bit<8> key;
    bit<3> one;
    bit<5> two;
    bit<16> flow;
    bit<8> first;
    bit<8> second;
    bit<8> third;
}

struct headers_t { order_t order; }
struct meta_t { bit<8> mixed; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action_selector(HashAlgorithm.crc16, 32w16, 32w16) a;
    action_selector(HashAlgorithm.crc32, 32w16, 32w14) b;
    action_selector(HashAlgorithm.csum16, 32w16, 32w16) c;

    action first(bit<8> value) { hdr.order.first = value; meta.mixed = value + 1; hdr.order.flow = 0; }
    action second(bit<8> value) { hdr.order.second = value; }
    action third(bit<8> value) { hdr.order.third = value; }

    table one {
        key = { hdr.order.key: exact; hdr.order.one: selector; hdr.order.flow: selector; hdr.order.two: selector; }
        actions = { first; NoAction; }
        implementation = a;
        size = 65536;
    }
    table two {
        key = { hdr.order.key: exact; hdr.order.two: selector; hdr.order.one: selector; }
        actions = { second; NoAction; }
        implementation = b;
        size = 65536;
    }
    table three {
        key = { hdr.order.key: exact; meta.mixed: selector; hdr.order.flow: selector; hdr.order.second: selector; }
        actions = { third; NoAction; }
        implementation = c;
        size = 65536;
    }
    apply {
        sm.egress_spec = 1;
        one.apply();
        two.apply();
        three.apply();
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
