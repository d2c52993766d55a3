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
    }
}

control E(inout headers hdr, inout meta_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers hdr, inout meta_t m) { apply { } }
control D(packet_out b, in headers hdr) { apply { b.emit(hdr.h); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
