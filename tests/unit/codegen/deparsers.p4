// What may happen to headers before they are deparsed, by the bits of the first two bytes of the frame.
#include <core.p4>
#include <v1model.p4>

header kind_t  { bit<16> what; }
header pair_t  { bit<4> x; bit<12> y; }
header item_t  { bit<8> next; bit<8> value; }
header big_t   { bit<1024> content; }
header opt_t   { bit<8> bits; varbit<32> data; bit<8> after; }

struct headers_t {
    kind_t    kind;
    pair_t    a;
    pair_t    b;
    item_t[3] items;
    opt_t     option;
    big_t     big;
    big_t     bigger;
    pair_t    fresh;
}
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.kind);
        packet.extract(hdr.a);
        packet.extract(hdr.b);
        packet.extract(hdr.items.next);
        packet.extract(hdr.items.next);
        packet.extract(hdr.option, (bit<32>)packet.lookahead<bit<8>>());
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<16> what = hdr.kind.what;
        if (what[0:0] == 1) hdr.a.setInvalid();
        if (what[1:1] == 1) hdr.b = hdr.a;
        if (what[2:2] == 1) { hdr.fresh.setValid(); hdr.fresh.x = 7; }
        if (what[3:3] == 1) hdr.items.push_front(1);
        if (what[4:4] == 1) hdr.items.pop_front(1);
        if (what[5:5] == 1) { hdr.big.setValid(); hdr.bigger.setValid(); hdr.bigger.content[7:0] = 0x5a; }
        if (what[6:6] == 1) hdr.option.setInvalid();
        if (what[7:7] == 1) hdr.items[hdr.items[0].next] = hdr.items[1];
        if (what[8:8] == 1) { hdr.a.setInvalid(); hdr.b.setInvalid(); hdr.items.pop_front(3); hdr.option.setInvalid(); hdr.kind.setInvalid(); }
        if (what[9:9] == 1) hdr.option.after = 0xee;
        if (what[10:10] == 1) { hdr.b.setValid(); hdr.b.y = hdr.b.y + 1; }
        if (what[11:11] == 1) hdr.items[2].setValid();
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.fresh);
        packet.emit(hdr.kind);
        if (hdr.kind.what[12:12] == 1) { packet.emit(hdr.b); }
        packet.emit(hdr.a);
        packet.emit(hdr.items);
        packet.emit(hdr.b);
        packet.emit(hdr.big);
        if (hdr.kind.what[13:13] == 1) { packet.emit(hdr.a); packet.emit(hdr.a); }
        packet.emit(hdr.option);
        packet.emit(hdr.bigger);
    }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
