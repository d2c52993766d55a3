// Every kind of node and of edge: states with many cases and a loop, tables that wait for each other for all reasons, arms
// that meet, ways out, long texts.
#include <core.p4>
#include <v1model.p4>

header tag_t { bit<8> kind; bit<8> a; bit<8> b; bit<8> c; bit<8> d; bit<8> e; }
struct headers_t { tag_t first; tag_t[3] tags; tag_t last; }
struct meta_t { bit<8> next; bit<8> mark; bit<8> seen; bool far; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    value_set<bit<8>>(4) chosen;
    state start {
        packet.extract(hdr.first);
        transition select(hdr.first.kind, hdr.first.a) {
            (1, 2): tags;
            (3, _): tags;
            (4 &&& 0xfc, 1 .. 9): tags;
            (0x10, _): tags;
            (0x11, _): tags;
            (0x12, _): tags;
            (0x13, _): tags;
            (0x14, 7): last;
            (chosen, _): last;
            (0xff, _): reject;
        }
    }
    state tags {
        packet.extract(hdr.tags.next);
        meta.mark = (hdr.tags.last.a ^ hdr.tags.last.b) + (hdr.tags.last.c ^ hdr.tags.last.d);
        transition select(hdr.tags.last.kind) {
            0: accept;
            1 .. 7: tags;
            default: last;
        }
    }
    state last {
        packet.extract(hdr.last);
        transition accept;
    }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<8>>(4) seen;
    action a0() { meta.next = 0; }
    action a1() { meta.next = 1; }
    action a2() { meta.next = 2; }
    action a3() { meta.next = 3; }
    action a4() { meta.next = 4; }
    action a5() { meta.next = 5; }
    action a6() { meta.next = 6; }
    action a7() { meta.next = 7; }
    action a8() { meta.next = 8; }
    action drop() { mark_to_drop(sm); }
    action via(bit<9> port) { sm.egress_spec = port; hdr.first.b = meta.next; }
    action rest() { hdr.first.a = 1; hdr.first.b = 2; hdr.first.c = 3; hdr.first.d = 4; hdr.first.e = 5; }
    action mix() { hdr.last.a = hdr.first.a + hdr.first.b + hdr.first.c + hdr.first.d + hdr.first.e; }
    action note() { seen.write(0, meta.next); }
    action noted() { seen.read(meta.seen, 0); }
    table choose {
        key = { hdr.first.kind: exact; hdr.first.isValid(): exact; }
        actions = { a0; a1; a2; a3; a4; a5; a6; a7; a8; }
        default_action = a8();
    }
    table go {
        key = { meta.next: ternary; }
        actions = { via; drop; note; }
        default_action = drop();
    }
    table again {
        key = { hdr.first.b: exact; meta.next: exact; }
        actions = { via; noted; NoAction; }
    }
    table all {
        key = { hdr.last.kind: lpm; }
        actions = { rest; NoAction; }
    }
    table mixed {
        key = { hdr.last.kind: exact; }
        actions = { mix; NoAction; }
    }
    apply {
        if (hdr.first.isValid() && hdr.first.a != 0x7f && (hdr.first.b == 1 || hdr.first.c > hdr.first.d)) {
            choose.apply();
            meta.far = go.apply().hit;
            switch (again.apply().action_run) {
                via: { meta.mark = 1; }
                noted: { }
                default: { meta.mark = 2; exit; }
            }
            if (meta.far) { all.apply(); } else { hdr.first.a = meta.seen; }
            mixed.apply();
        } else if (!hdr.first.isValid()) {
            drop();
            return;
        }
        for (bit<8> i = 0; i < 3; i = i + 1) {
            if (hdr.tags[0].kind == i) { break; }
            meta.mark = meta.mark + i;
        }
        sm.mcast_grp = (bit<16>) meta.mark;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    table out_port {
        key = { sm.egress_port: exact; }
        actions = { NoAction; }
    }
    apply { if (sm.egress_rid == 0) { out_port.apply(); } }
}
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
