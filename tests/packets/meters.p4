// Meters by index and of a table's entries. Rates of zero leave what the buckets hold: colours do not depend on time.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> at; bit<8> colour; }

struct headers_t { order_t order; }
struct meta_t { bit<8> colour; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    meter(4, MeterType.packets) by_packets;
    meter(4, MeterType.bytes) by_bytes;
    direct_meter<bit<8>>(MeterType.packets) of_entry;
    direct_meter<bit<8>>(MeterType.packets) silent;

    action marked() { of_entry.read(meta.colour); }
    action twice() {
        bit<8> first;
        of_entry.read(first);
        of_entry.read(meta.colour);
        meta.colour = meta.colour + first;
    }
    action slices() { of_entry.read(meta.colour[7:0]); }
    action plain() { meta.colour = 0x70; }
    table marks {
        key = { hdr.order.at: exact; }
        actions = { marked; twice; slices; plain; }
        default_action = marked();
        meters = of_entry;
        size = 16;
    }
    table quiet {
        key = { hdr.order.at: exact; }
        actions = { plain; NoAction; }
        default_action = NoAction();
        meters = silent;
        size = 16;
    }
    apply {
        sm.egress_spec = 1;
        meta.colour = 9;
        if (hdr.order.what == 1) {
            bit<32> colour;
            by_packets.execute_meter((bit<32>) hdr.order.at, colour);
            meta.colour = (bit<8>) colour;
        } else if (hdr.order.what == 2) {
            by_bytes.execute_meter((bit<32>) hdr.order.at, meta.colour);
        } else if (hdr.order.what == 3) {
            marks.apply();
        } else if (hdr.order.what == 4) {
            marks.apply();
            hdr.order.at = hdr.order.at + 3;
            meta.colour = 9;
            marks.apply();
        } else {
            quiet.apply();
        }
        hdr.order.colour = meta.colour;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
