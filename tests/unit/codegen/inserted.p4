// Headers that are added and removed, of which none is copied, by the bits of the first byte of the frame.
#include <core.p4>
#include <v1model.p4>

header kind_t  { bit<8> what; }
header pair_t  { bit<4> x; bit<12> y; }
header wide_t  { bit<128> content; bit<8> left; }
header opt_t   { bit<8> before; varbit<32> data; bit<8> after; }

struct headers_t {
    kind_t kind;
    pair_t a;
    wide_t tunnel;
    opt_t  option;
    pair_t b;
    pair_t last;
}
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.kind);
        packet.extract(hdr.a);
        packet.extract(hdr.option, 16);
        packet.extract(hdr.b);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<8> what = hdr.kind.what;
        if (what[0:0] == 1) { hdr.tunnel.setValid(); hdr.tunnel.left = what; }
        if (what[1:1] == 1) { hdr.a.setInvalid(); }
        if (what[2:2] == 1) { hdr.b.setInvalid(); }
        if (what[3:3] == 1) { hdr.last.setValid(); hdr.last.x = 7; }
        if (what[4:4] == 1) { hdr.option.setInvalid(); }
        if (what[5:5] == 1) { hdr.option.after = 0xee; hdr.b.x = 3; }
        if (what[6:6] == 1) { hdr.a.y = hdr.b.y; }
        if (what[7:7] == 1) { hdr.kind.setInvalid(); }
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.kind);
        packet.emit(hdr.a);
        packet.emit(hdr.tunnel);
        packet.emit(hdr.option);
        packet.emit(hdr.b);
        packet.emit(hdr.last);
    }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
