// What commands are given values for: keys of every kind and odd widths, parameters, registers, counters, meters, members.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<65> wide;
    bit<64> word;
    bit<12> net;
    bit<13> mask;
    bit<33> maybe;
    bit<10> low;
    bit<1> flag;
    bit<2> rest;
}

struct headers_t { h_t h; }
struct meta_t { @field_list(1) bit<8> kept; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    value_set<bit<13>>(3) marks;
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.mask) {
            marks: marked;
            default: accept;
        }
    }
    state marked {
        meta.kept = 1;
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<64>>(4) words;
    register<bit<65>>(3) wides;
    register<bit<63>>(2) mids;
    register<bit<1>>(2) flags;
    register<bit<2048>>(1) longest;   // the last that is shown as a decimal number
    register<bit<16384>>(2100) broad; // more than an answer has room for
    register<bit<8>>(1) twin;
    counter(5, CounterType.packets_and_bytes) seen;
    direct_counter(CounterType.packets_and_bytes) hits;
    direct_meter<bit<2>>(MeterType.packets) pace;
    meter(3, MeterType.bytes) flow;
    action_selector(HashAlgorithm.crc16, 32w4, 32w10) chosen;
    action_profile(2) few;

    action drop() { mark_to_drop(sm); }
    action send(bit<9> port) { sm.egress_spec = port; hits.count(); }
    action all(bit<65> a, bit<64> b, bit<33> c, bit<16> d, bit<8> e, bit<1> f) {
        wides.write(0, a);
        words.write(0, b);
        words.write(1, (bit<64>) c);
        words.write(2, d ++ 40w0 ++ e);
        flags.write(0, f);
        mids.write(0, (bit<63>) c);
    }
    action go(bit<9> port) { sm.egress_spec = port; }
    action nothing() { }

    table exact_keys {
        key = { hdr.h.wide: exact; hdr.h.word: exact; hdr.h.flag: exact; }
        actions = { send; @defaultonly drop; }
        default_action = drop();
        counters = hits;
        size = 8;
    }
    table prefixes {
        key = { hdr.h.flag: exact; hdr.h.net: lpm; }
        actions = { go; all; @tableonly nothing; drop; }
        default_action = drop();
        size = 8;
    }
    table masks {
        key = { hdr.h.mask: ternary; hdr.h.maybe: optional; hdr.h.low: range; }
        actions = { go; drop; }
        default_action = drop();
        size = 8;
    }
    table maybes {
        key = { hdr.h.maybe: optional; }
        actions = { go; nothing; }
        default_action = nothing();
        size = 4;
    }
    table paced {
        key = { hdr.h.flag: exact; }
        actions = { nothing; }
        meters = pace;
        size = 4;
    }
    table choices {
        key = { hdr.h.mask: ternary; hdr.h.word: selector; }
        actions = { go; drop; }
        implementation = chosen;
        size = 4;
    }
    table pinned {
        key = { hdr.h.rest: exact; }
        actions = { go; @defaultonly nothing; }
        const default_action = nothing();
        implementation = few;
        size = 4;
    }
    table fixed {
        key = { hdr.h.mask: ternary; }
        actions = { nothing; drop; }
        const entries = { 0x0100 &&& 0x1f00: nothing(); 0x0001 &&& 0x0001: nothing(); }
    }
    table first { // entries that the program begins with, and that commands may change
        key = { hdr.h.mask: ternary; hdr.h.low: range; hdr.h.maybe: optional; }
        actions = { go; nothing; }
        entries = {
            (0x0100 &&& 0x1f00, _, _): go(3);
            (0x0001 &&& 0x1fff, 3 .. 7, 5): go(4);
            (_, 9, _): go(5);
        }
        size = 4;
    }
    apply {
        bit<2> colour;
        flow.execute_meter(1, colour);
        if (colour == 2) { seen.count(1); }
        seen.count(0);
        if (meta.kept == 1) { seen.count(2); }
        if (!exact_keys.apply().hit) {
            if (!prefixes.apply().hit) {
                if (!masks.apply().hit && !maybes.apply().hit) { choices.apply(); }
            }
        }
        paced.apply();
        if (hdr.h.rest == 3) { pinned.apply(); }
        fixed.apply();
        if (hdr.h.rest == 2) { first.apply(); }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<8>>(1) twin;
    apply { }
}
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
