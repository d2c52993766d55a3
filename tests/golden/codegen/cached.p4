// So many lookups by the same fields that a cache of decisions stands in front of them; behind it is computation alone.
#include <core.p4>
#include <v1model.p4>

header a_t { bit<8> kind; bit<8> key; bit<8> mark; bit<8> rest; }
header b_t { bit<4> x; bit<4> y; bit<16> z; }

struct headers_t  { a_t a; b_t b; b_t c; }
struct metadata_t { bit<8> m; bit<8> parsed; bool seen; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.a);
        meta.parsed = hdr.a.rest;
        transition select(hdr.a.kind) { 1: second; 2: third; default: accept; }
    }
    state second { packet.extract(hdr.b); transition third; }
    state third { packet.extract(hdr.c); transition accept; }
}

control V(inout headers_t hdr, inout metadata_t meta) { apply { } }

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(16, CounterType.packets) seen;
    direct_counter(CounterType.bytes) hits;
    register<bit<8>>(4) held;
    action put(bit<9> to, bit<8> mark) { std.egress_spec = to; hdr.a.mark = mark; hdr.b.x = 1; }
    action meet(bit<8> m) { meta.m = m; seen.count((bit<32>) m); }
    action drop() { mark_to_drop(std); }
    table t0 { key = { hdr.a.key: exact; } actions = { put; meet; drop; } default_action = drop(); size = 1 << 16; }
    table t1 { key = { hdr.a.key: ternary; meta.m: ternary; } actions = { put; meet; NoAction; } counters = hits; size = 1 << 16; }
    table t2 { key = { hdr.c.z: lpm; } actions = { put; meet; NoAction; } size = 1 << 16; }
    table t3 { key = { hdr.a.kind: exact; } actions = { put; NoAction; } size = 1 << 16; }
    table t4 { key = { hdr.a.key: exact; hdr.b.y: exact; } actions = { meet; NoAction; } size = 1 << 16; }
    table t5 { key = { std.ingress_port: exact; } actions = { put; NoAction; } size = 1 << 16; }
    table t6 { key = { hdr.a.key: range; } actions = { put; NoAction; } size = 1 << 16; }
    table t7 { key = { meta.parsed: exact; } actions = { meet; NoAction; } size = 1 << 16; }
    table t8 { key = { hdr.c.isValid(): exact; hdr.a.key: exact; } actions = { put; drop; NoAction; } size = 1 << 16; }
    apply {
        bit<8> before;
        held.read(before, 1);
        if (t0.apply().hit) { t1.apply(); } else { meta.seen = true; }
        t2.apply();
        switch (t3.apply().action_run) { put: { t4.apply(); } default: { hdr.c.y = 9; } }
        if (hdr.a.kind == 2) { t5.apply(); }
        t6.apply();
        t7.apply();
        assert(meta.m != 200);
        t8.apply();
        if (meta.seen) { hdr.a.rest = before; }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.a.mark == 3 || meta.parsed == 4) { hdr.c.z = hdr.c.z + 1; }
        if (std.egress_port == std.ingress_port) { mark_to_drop(std); }
    }
}

control C(inout headers_t hdr, inout metadata_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.a); packet.emit(hdr.b); packet.emit(hdr.c); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
