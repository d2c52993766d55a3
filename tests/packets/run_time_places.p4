// Run-time indices and whole comparisons.
#include <core.p4>
#include <v1model.p4>

header head_t { bit<8> what; bit<8> i; bit<8> j; bit<8> told; }
header item_t { bit<8> v; bit<8> w; }
header a_t { bit<8> a; }
header b_t { bit<16> b; }
header_union u_t { a_t a; b_t b; }
struct pair_t { bit<8> x; bit<8> y; }
struct outer_t { pair_t p; item_t h; }

struct headers_t { head_t head; item_t[4] items; u_t u; u_t w; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.head);
        transition select(hdr.head.what) {
            8: unions;
            default: items;
        }
    }
    state items {
        packet.extract(hdr.items.next);
        packet.extract(hdr.items.next);
        packet.extract(hdr.items.next);
        transition accept;
    }
    state unions {
        transition select(hdr.head.i) { 0: u_a; 1: u_b; default: w; }
    }
    state u_a { packet.extract(hdr.u.a); transition w; }
    state u_b { packet.extract(hdr.u.b); transition w; }
    state w { transition select(hdr.head.j) { 0: w_a; 1: w_b; default: accept; } }
    state w_a { packet.extract(hdr.w.a); transition accept; }
    state w_b { packet.extract(hdr.w.b); transition accept; }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<8> i = hdr.head.i;
        bit<8> j = hdr.head.j;
        if (hdr.head.what == 0) { hdr.items[i].setInvalid(); hdr.items[j].setValid(); hdr.items[j].v = 0x77; hdr.items[j].w = i; }
        else if (hdr.head.what == 1) { hdr.items[i] = hdr.items[j]; }
        else if (hdr.head.what == 2) { hdr.items[i] = { 0x55, j }; }
        else if (hdr.head.what == 3) { hdr.items[i].v[3:0] = hdr.items[j].w[7:4]; }
        else if (hdr.head.what == 4) { if (hdr.items[i] == hdr.items[j]) { hdr.head.told = 1; } if (hdr.items[i] != hdr.items[j]) { hdr.head.told = 2; } }
        else if (hdr.head.what == 5) {
            item_t[4] copy = hdr.items;
            if (i == 1) { copy[j].v = copy[j].v + 1; }
            if (i == 2) { copy[3].setValid(); copy[3].v = 0; copy[3].w = 0; }
            hdr.head.told = copy == hdr.items ? 8w1 : 2;
        } else if (hdr.head.what == 6) {
            item_t[3] many;
            many[i].setValid();
            many[i].v = 3; many[i].w = j;
            hdr.head.told = many[i].v + many[i].w;
            hdr.items[2] = many[i];
        } else if (hdr.head.what == 7) {
            hdr.head.told = hdr.items[hdr.items[i].v & 3].v;
            hdr.items[hdr.items[j].v & 3].v = 0x99;
        } else if (hdr.head.what == 8) {
            hdr.head.told = hdr.u == hdr.w ? 8w1 : 2;
        } else if (hdr.head.what == 12) {
            int<2> n = (int<2>) i[1:0];
            hdr.head.told = hdr.items[n].v;
            hdr.items[n].w = 0x88;
        } else if (hdr.head.what == 9) {
            pair_t p = { i, j };
            pair_t q = { j, i };
            hdr.head.told = p == q ? 8w1 : 2;
            if (hdr.items[i].isValid()) { hdr.head.told[7:4] = 0xf; }
        } else if (hdr.head.what == 10) {
            hdr.items.push_front(1); hdr.items[0].setValid(); hdr.items[0] = {i, j};
        } else if (hdr.head.what == 11) {
            hdr.items.pop_front(2);
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
