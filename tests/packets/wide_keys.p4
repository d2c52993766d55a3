// Keys as wide as a target takes (256 bytes), and of every type: bool, enum, error, newtype, signed; of slices, sums, lookahead, run-time indices.
#include <core.p4>
#include <v1model.p4>

enum Colour { red, green, blue }
enum bit<4> Level { low = 1, high = 9 }
type bit<12> tag_t;
typedef int<8> signed_t;

header head_t { bit<8> what; bit<8> by; bit<4> level; tag_t tag; signed_t number; }
header wide_t { bit<2048> key; }
header item_t { bit<8> v; }

struct headers_t { head_t head; wide_t wide; item_t[3] items; }
struct meta_t { Colour colour; bool flag; bit<8> ahead; error problem; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.head);
        transition select(hdr.head.what) {
            1: wide;
            2: items;
            default: accept;
        }
    }
    state wide { packet.extract(hdr.wide); transition accept; }
    state items {
        meta.ahead = packet.lookahead<bit<8>>();
        packet.extract(hdr.items.next);
        packet.extract(hdr.items.next);
        packet.extract(hdr.items.next);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action by(bit<8> n) { hdr.head.by = n; }
    table wide { key = { hdr.wide.key: exact; } actions = { by; } default_action = by(0xff); }
    table wide_ternary { key = { hdr.wide.key: ternary; } actions = { by; } default_action = by(0xff); }
    table wide_lpm { key = { hdr.wide.key[2047:1000]: lpm; } actions = { by; } default_action = by(0xff); }
    table typed {
        key = { meta.colour: exact; meta.flag: exact; meta.problem: exact; hdr.head.level: exact; hdr.head.tag: exact; hdr.head.number: exact; }
        actions = { by; }
        default_action = by(0xff);
        const entries = {
            (Colour.green, true, error.NoError, Level.high, (tag_t) 0x123, -3): by(1);
            (Colour.red, false, error.PacketTooShort, Level.low, (tag_t) 0, 7): by(2);
        }
    }
    table typed_ternary {
        key = { meta.flag: ternary; hdr.head.tag: ternary; (bit<8>)hdr.head.number: range @name("number"); }
        actions = { by; }
        default_action = by(0xff);
    }
    table places {
        key = {
            hdr.items[1].v: exact @name("second");
            hdr.items[2].isValid(): exact @name("third");
            hdr.items[0].v + 1: exact @name("sum");
            hdr.items[hdr.head.by & 1].v[3:0]: ternary @name("chosen");
            meta.ahead: lpm @name("ahead");
        }
        actions = { by; }
        default_action = by(0xff);
    }
    apply {
        sm.egress_spec = 1;
        meta.problem = sm.parser_error;
        if (hdr.head.what == 1) {
            if (hdr.head.by == 0) { wide.apply(); } else if (hdr.head.by == 1) { wide_ternary.apply(); } else { wide_lpm.apply(); }
        } else if (hdr.head.what == 2) { places.apply(); }
        else if (hdr.head.what == 3) {
            meta.flag = hdr.head.by == 1;
            if (meta.flag) { meta.colour = Colour.green; }
            typed.apply();
        } else { meta.flag = hdr.head.by == 1; typed_ternary.apply(); }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
