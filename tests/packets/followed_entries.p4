// Tables whose entries lead to what need not be in the cache: members of a profile, groups of a selector, direct meters.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<32> key; bit<16> flow; bit<8> result; bit<8> hit; }

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
    action_profile(32w2048) plain;
    action_selector(HashAlgorithm.crc32, 32w2048, 32w16) chosen;
    direct_meter<bit<8>>(MeterType.packets) of_words;
    direct_meter<bit<8>>(MeterType.packets) of_masks;
    direct_counter(CounterType.packets) counted;

    action set(bit<8> value) { hdr.order.result = value; }
    action add(bit<8> value) { hdr.order.result = hdr.order.result + value; }
    action wide(bit<600> value) { hdr.order.result = value[7:0]; }
    action mark_word(bit<8> value) { of_words.read(meta.colour); hdr.order.result = hdr.order.result + value; }
    action mark_mask() { of_masks.read(meta.colour); }

    table named {
        key = { hdr.order.key: lpm; }
        actions = { set; add; wide; }
        implementation = plain;
        default_action = set(0xd1);
        size = 4096;
    }
    table named_too {
        key = { hdr.order.flow: lpm; }
        actions = { set; add; wide; }
        implementation = plain;
        default_action = set(0xd3);
        size = 4096;
    }
    table selected {
        key = { hdr.order.key: exact; hdr.order.flow: selector; hdr.order.what: selector; }
        actions = { set; add; }
        implementation = chosen;
        counters = counted;
        default_action = add(1);
        size = 4096;
    }
    table metered {
        key = { hdr.order.key: exact; }
        actions = { mark_word; @defaultonly NoAction; }
        meters = of_words;
        default_action = NoAction;
        size = 4096;
    }
    table masked {
        key = { hdr.order.key: ternary; hdr.order.flow: range; }
        actions = { mark_mask; @defaultonly NoAction; }
        meters = of_masks;
        default_action = NoAction;
        size = 4096;
    }
    apply {
        sm.egress_spec = 1;
        meta.colour = 7;
        if (hdr.order.what == 1) {
            if (named.apply().hit) { hdr.order.hit = 1; }
        } else if (hdr.order.what == 2) {
            switch (selected.apply().action_run) {
                add: { hdr.order.hit = 2; }
            }
        } else if (hdr.order.what == 3) {
            // both wait in one stage: what the one leads to is a member, the other a cell
            named_too.apply();
            metered.apply();
            hdr.order.hit = meta.colour;
        } else {
            masked.apply();
            hdr.order.hit = meta.colour;
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.order); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
