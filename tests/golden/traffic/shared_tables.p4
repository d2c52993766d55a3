// Kinds of frames that share tables: one misses what another hits, keys follow one of them, what is denied, single frames.
#include <core.p4>
#include <v1model.p4>
header kind_t { bit<8> kind; }
header one_t { bit<32> a; bit<32> b; }
header two_t { bit<32> c; bit<16> d; }
struct H { kind_t k; one_t one; two_t two; }
struct M { bit<32> address; bit<8> group; bit<16> hash; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.k); transition select(h.k.kind) { 1: one; 2: two; 3: accept; } }
    state one { p.extract(h.one); transition accept; }
    state two { p.extract(h.two); transition accept; }
}
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action go(bit<9> port) { s.egress_spec = port; }
    action group(bit<8> number) { m.group = number; }
    action deny() { mark_to_drop(s); }
    table ones { key = { h.one.b : ternary; } actions = { go; NoAction; } default_action = NoAction(); size = 64; }
    table twos { key = { h.two.c : exact; } actions = { go; NoAction; } default_action = NoAction(); size = 64; }
    table groups { key = { m.address : exact; } actions = { group; NoAction; } default_action = NoAction(); size = 64; }
    table ends { key = { m.group : exact; h.k.kind : exact; } actions = { go; NoAction; } default_action = NoAction(); size = 64; }
    table rules { key = { h.two.d : ternary; h.two.c : ternary; } actions = { deny; NoAction; } default_action = NoAction(); }
    table hashed { key = { m.hash : exact; h.two.d : exact; } actions = { go; NoAction; } default_action = NoAction(); size = 16; }
    apply {
        s.egress_spec = 1;
        if (h.one.isValid()) {
            m.address = h.one.a;
            ones.apply();
        } else {
            m.address = 7;
            twos.apply();
        }
        groups.apply();
        ends.apply();
        if (h.two.isValid()) {
            hash(m.hash, HashAlgorithm.crc16, 16w0, { h.two.c, h.two.d }, 32w65536);
            hashed.apply();
            rules.apply();
        }
    }
}
control V(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
