// Tables of every match kind, each matched on fields of its own, whose actions leave a trace in the frame: what each
// table kernel that can hold one is tried with.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<4> tag;
    bit<12> vlan;
    bit<48> mac;
    bit<32> ip;
    bit<16> port;
    bit<8> flags;
    bit<8> ttl;
    bit<32> trace;
}

struct headers { h_t h; }
struct meta_t { }

parser P(packet_in b, out headers hdr, inout meta_t m, inout standard_metadata_t s) {
    state start { b.extract(hdr.h); transition accept; }
}

control V(inout headers hdr, inout meta_t m) { apply { } }

control I(inout headers hdr, inout meta_t m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets) hits;

    action note(bit<4> by) { hdr.h.trace = hdr.h.trace << 4 | (bit<32>)by; }
    action swap(bit<16> port) { hdr.h.port = port; hdr.h.trace = ~hdr.h.trace; }
    action count(bit<4> by) { hits.count(); hdr.h.trace = hdr.h.trace << 4 | (bit<32>)by; }

    table small { key = { hdr.h.tag: exact; } actions = { note; NoAction; } size = 16; }
    table vlan { key = { hdr.h.vlan: exact; hdr.h.tag: exact; } actions = { note; swap; NoAction; } size = 64; }
    table mac { key = { hdr.h.mac: exact; } actions = { note; NoAction; } size = 64; }
    table counted { key = { hdr.h.flags: exact; } actions = { count; NoAction; } size = 64; counters = hits; }
    table flag { key = { hdr.h.flags: lpm; } actions = { note; NoAction; } size = 32; }
    table route { key = { hdr.h.ip: lpm; } actions = { note; swap; NoAction; } size = 64; }
    table vrf { key = { hdr.h.tag: exact; hdr.h.mac: lpm; } actions = { note; NoAction; } size = 64; }
    table acl {
        key = { hdr.h.ip: ternary; hdr.h.ttl: optional; hdr.h.vlan: exact; }
        actions = { note; NoAction; }
        size = 64;
    }
    table ports { key = { hdr.h.ttl: range; hdr.h.flags: ternary; } actions = { note; NoAction; } size = 64; }

    // their entries never change
    direct_counter(CounterType.packets) seen;
    action see(bit<4> by) { seen.count(); hdr.h.trace = hdr.h.trace << 4 | (bit<32>)by; }

    table kinds {
        key = { hdr.h.tag: exact; hdr.h.ttl: exact; }
        actions = { see; NoAction; }
        counters = seen;
        const entries = { (0, 0): see(1); (1, 255): see(2); (15, 127): see(3); (0, 254): NoAction(); (0, 255): see(4); }
    }
    table prefixes {
        key = { hdr.h.tag: exact; hdr.h.ip: lpm; }
        actions = { note; swap; NoAction; }
        const entries = {
            (0, 0x80000000 &&& 0x80000000): note(1);
            (0, 0 &&& 0xffff0000): swap(7);
            (0, 0 &&& 0x80000000): note(2);
            (0, 0xffffffff): note(3);
            (15, _): note(4);
        }
    }
    table rules {
        key = { hdr.h.ttl: range; hdr.h.flags: ternary; hdr.h.port: optional; }
        actions = { note; NoAction; }
        default_action = note(9);
        const entries = {
            (0 .. 1, _, 0): note(1);
            (127 .. 127, 0x80 &&& 0x80, _): note(2);
            (100 .. 255, 0 &&& 0x0f, _): note(3);
            (_, 0xff, _): note(4);
            (2 .. 255, _, 1): NoAction();
        }
    }
    table nothing {
        key = { hdr.h.tag: exact; }
        actions = { note; NoAction; }
        const entries = { }
    }

    apply {
        s.egress_spec = 1;
        if (small.apply().hit) { hdr.h.ttl = hdr.h.ttl - 1; }
        vlan.apply();
        mac.apply();
        counted.apply();
        flag.apply();
        route.apply();
        vrf.apply();
        acl.apply();
        ports.apply();
        kinds.apply();
        prefixes.apply();
        if (rules.apply().hit) { hdr.h.port = hdr.h.port + 1; }
        nothing.apply();
    }
}

control E(inout headers hdr, inout meta_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers hdr, inout meta_t m) { apply { } }
control D(packet_out b, in headers hdr) { apply { b.emit(hdr.h); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
