// Headers that go out more than once, with fields that are written, where they are received and where they were not.
#include <core.p4>
#include <v1model.p4>

header kind_t { bit<8> what; }
header pair_t { bit<4> x; bit<12> y; bit<8> z; }
header data_t { bit<16> a; bit<16> b; }

struct headers_t {
    kind_t kind;
    pair_t one;
    data_t two;
}
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.kind);
        packet.extract(hdr.one);
        packet.extract(hdr.two);
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (hdr.kind.what[0:0] == 1) { hdr.one.y = hdr.one.y + 1; }
        if (hdr.kind.what[1:1] == 1) { hdr.two.b = hdr.two.a + 7; }
        if (hdr.kind.what[2:2] == 1) { hdr.one.setInvalid(); }
        if (hdr.kind.what[3:3] == 1) { hdr.two.setInvalid(); }
        if (hdr.kind.what[4:4] == 1) { hdr.kind.setInvalid(); }
        if (hdr.kind.what[5:5] == 1) { hdr.one.x = 5; }
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.kind);
        packet.emit(hdr.one);
        packet.emit(hdr.two);
        packet.emit(hdr.one);
        packet.emit(hdr.two);
    }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
