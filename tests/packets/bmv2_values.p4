// Where macsad gives values that BMv2 does not give: headers that are not there, bounds the wrong way round, failed assertions.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> note; }
header tag_t { bit<8> kind; bit<8> value; }
struct headers_t { order_t order; tag_t tag; tag_t[2] many; }
struct meta_t { bit<32> drawn; bit<2> colour; bit<8> stored; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        transition select(hdr.order.what) {
            0x80 &&& 0x80: tagged;
            0x40 &&& 0x40: several;
            default: accept;
        }
    }
    state tagged {
        packet.extract(hdr.tag);
        transition accept;
    }
    state several {
        packet.extract(hdr.many.next);
        transition select(hdr.many.last.kind) {
            0: accept;
            default: several;
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<8>>(4) cells;
    counter(4, CounterType.packets) counts;
    meter(4, MeterType.packets) meters;
    action note(bit<8> value) { hdr.order.note = value; }
    table kinds {
        key = { hdr.tag.kind: exact; }
        actions = { note; }
        const default_action = note(0xff);
        const entries = {
            0 : note(0x10);
            5 : note(0x15);
        }
    }
    apply {
        sm.egress_spec = 1;
        switch (hdr.order.what) {
            0x01: { kinds.apply(); }
            0x02: { hdr.order.note = hdr.tag.value; }
            0x82: { hdr.tag.setInvalid(); hdr.order.note = hdr.tag.value; }
            0x83: { hdr.tag.setInvalid(); hdr.tag.setValid(); }
            0x84: { hdr.tag.setInvalid(); kinds.apply(); }
            0x05: { meta.drawn = 7; random(meta.drawn, 32w9, 32w4); hdr.order.note = (bit<8>)meta.drawn; }
            0x06: { assert(hdr.order.note == 1); assume(hdr.order.note == 2); hdr.order.note = 3; }
            0x07: { meta.stored = 7; cells.read(meta.stored, 32w4); cells.write(32w9, 8w1); counts.count(32w4); hdr.order.note = meta.stored; }
            0x08: { meta.colour = 3; meters.execute_meter(32w4, meta.colour); hdr.order.note = (bit<8>)meta.colour; }
            default: { }
        }
        if (sm.parser_error == error.StackOutOfBounds) { hdr.order.note = 0xee; }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
