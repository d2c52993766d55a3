// Keys, entries and results of tables (specification, 14.2): expressions as keys, entries of the program with and without
// priorities, defaults, hit, miss and action_run. `kind` chooses the table; what ran is told by `r`.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> kind; bit<8> a; bit<16> b; int<8> s; bit<8> r; }
header opt_t { bit<8> v; }
enum bit<8> Letter { A = 0x41, B = 0x42 }

struct headers_t { work_t work; opt_t opt; }
struct meta_t { bool flag; bit<8> seen; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition select(hdr.work.a[7:7]) {
            1: opt;
            0: accept;
        }
    }
    state opt {
        packet.extract(hdr.opt);
        transition accept;
    }
}

bit<8> bump(inout bit<8> x) {
    x = x + 1;
    return x;
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action set(bit<8> r) { hdr.work.r = r; }
    action add(in bit<8> base, bit<8> more) { hdr.work.r = base + more; }
    action none() { }
    table expressions {
        key = {
            hdr.work.a + 1: exact @name("next");
            hdr.work.b & 0x00ff: exact @name("low");
            hdr.work.b[15:12]: exact @name("top");
        }
        actions = { set; none; }
        default_action = none();
    }
    table validity {
        key = {
            hdr.opt.isValid(): exact @name("there");
            meta.flag: exact;
        }
        actions = { set; }
        default_action = set(0xdd);
        const entries = {
            (true, true): set(3);
            (true, false): set(2);
            (false, false): set(1);
        }
    }
    table letters {
        key = { (Letter) hdr.work.a: exact @name("letter"); hdr.work.s: ternary; }
        actions = { set; none; }
        default_action = none();
        const entries = {
            (Letter.A, -1): set(0x11);
            (Letter.A, _): set(0x12);
            (Letter.B, 0x10 &&& 0x70): set(0x13);
        }
    }
    table first_wins {
        key = { hdr.work.b: ternary; }
        actions = { set; none; }
        default_action = none();
        const entries = {
            0x1200 &&& 0xff00: set(1);
            0x1234: set(2);
            0x1000 &&& 0xf000: set(3);
            default: set(4);
        }
    }
    table priorities {
        key = { hdr.work.b: ternary; }
        actions = { set; none; }
        default_action = none();
        entries = {
            const priority = 10: 0x1200 &&& 0xff00: set(1);
            priority = 30: 0x1234: set(2);
            priority = 20: 0x1000 &&& 0xf000: set(3);
        }
    }
    table smallest_wins {
        key = { hdr.work.b: ternary; }
        actions = { set; none; }
        default_action = none();
        largest_priority_wins = false;
        entries = {
            priority = 10: 0x1200 &&& 0xff00: set(1);
            priority = 30: 0x1234: set(2);
            priority = 20: 0x1000 &&& 0xf000: set(3);
        }
    }
    table with_effects {
        key = { bump(hdr.work.a): exact @name("bumped"); hdr.work.a: exact @name("then"); }
        actions = { set; none; }
        default_action = none();
        const entries = { (1, 1): set(9); }
    }
    table ties {
        key = { hdr.work.a: ternary; }
        actions = { set; none; }
        default_action = none();
    }
    table annotated {
        key = { hdr.work.b: ternary; }
        actions = { set; none; }
        default_action = none();
        const entries = {
            0x1200 &&& 0xff00: set(1) @priority(3);
            0x1234: set(2) @priority(1);
            0x1000 &&& 0xf000: set(3) @priority(2);
        }
    }
    table twice {
        key = { hdr.work.b: ternary; }
        actions = { set; none; }
        default_action = none();
        const entries = { 7: set(1); 8: set(2); 7: set(3); }
    }
    table spans {
        key = { hdr.work.b: range; hdr.work.a: optional; }
        actions = { set; none; }
        default_action = none();
        const entries = {
            (10 .. 20, 5): set(1);
            (15 .. 30, _): set(2);
            (40, _): set(3);
            (0xfff0 .. 0xffff, _): set(4);
        }
    }
    table prefixes {
        key = { hdr.work.b: lpm; }
        actions = { set; none; }
        default_action = none();
        const entries = {
            0x1000 &&& 0xf000: set(1);
            0x1200 &&& 0xff00: set(2);
            0x1234: set(3);
            _: set(4);
        }
    }
    table without_key {
        actions = { set; none; }
        default_action = set(0x55);
    }
    table without_default {
        key = { hdr.work.a: exact; }
        actions = { set; NoAction; }
    }
    table only_default {
        key = { hdr.work.a: exact; }
        actions = { set; @defaultonly none; @tableonly add(hdr.work.a); }
        const default_action = none();
    }
    table outcome {
        key = { hdr.work.a: exact; }
        actions = { set; none; }
        default_action = none();
        const entries = { 1: set(1); 2: none(); }
    }
    apply {
        sm.egress_spec = 1;
        meta.flag = hdr.work.b == 1;
        switch (hdr.work.kind) {
            0x01: { expressions.apply(); }
            0x02: { validity.apply(); }
            0x03: { letters.apply(); }
            0x04: { first_wins.apply(); }
            0x05: { priorities.apply(); }
            0x06: { smallest_wins.apply(); }
            0x07: { spans.apply(); }
            0x08: { prefixes.apply(); }
            0x09: { without_key.apply(); }
            0x0a: { without_default.apply(); }
            0x0b: { only_default.apply(); }
            0x0c: { annotated.apply(); }
            0x0d: { twice.apply(); }
            0x0e: { with_effects.apply(); }
            0x0f: { ties.apply(); }
            0x10: { if (outcome.apply().hit) { hdr.work.r = hdr.work.r + 0x10; } else { hdr.work.r = hdr.work.r + 0x20; } }
            0x11: { if (!outcome.apply().hit) { hdr.work.r = hdr.work.r + 0x10; } }
            0x12: { if (outcome.apply().miss) { hdr.work.r = hdr.work.r + 0x10; } }
            0x13: { bool h = outcome.apply().hit; hdr.work.r = hdr.work.r + (h ? 8w0x30 : 0x40); }
            0x14: { if (without_key.apply().hit) { hdr.work.r = 1; } }
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
