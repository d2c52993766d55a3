/* Tables that never change: one that stays empty, one whose entries run one of its actions, and others that must stay as they are. */
#include <core.p4>
#include <v1model.p4>

header h_t { bit<8> a; bit<8> b; }
struct headers { h_t h; }
struct meta { bit<8> x; }

parser P(packet_in p, out headers hdr, inout meta m, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers hdr, inout meta m) { apply { } }
control U(inout headers hdr, inout meta m) { apply { } }
control E(inout headers hdr, inout meta m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr.h); } }

control I(inout headers hdr, inout meta m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets) hits;
    action set(bit<8> v) {
        if (v == hdr.h.b) {
            return;
        }
        hdr.h.a = v;
    }
    action port(bit<9> p) { s.egress_spec = p; }
    action counted() { hits.count(); }
    table empty { key = { hdr.h.a: exact; } actions = { set; port; } const default_action = set(7); const entries = { } }
    table some { key = { hdr.h.a: exact; } actions = { set; port; NoAction; } const default_action = NoAction(); const entries = { 1: port(2); } }
    /* these stay: the default action may change; what it has run is asked; its default action counts */
    table open { key = { hdr.h.a: exact; } actions = { set; port; } default_action = set(7); const entries = { } }
    table told { key = { hdr.h.a: exact; } actions = { set; port; NoAction; } const default_action = NoAction(); const entries = { 1: port(2); } }
    table counts { key = { hdr.h.a: exact; } actions = { counted; } const default_action = counted(); const entries = { } counters = hits; }
    apply {
        s.egress_spec = 1;
        if (!empty.apply().hit) { hdr.h.b = 3; }
        some.apply();
        open.apply();
        switch (told.apply().action_run) { port: { hdr.h.b = 4; } default: { } }
        counts.apply();
    }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
