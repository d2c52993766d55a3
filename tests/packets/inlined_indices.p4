// Indices that are constants only where a call is inlined, out of the range of their stack or array: nothing is written, an
// invalid header or zero is read.
#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> v; }
struct headers_t { b_t h; b_t[3] s; }
struct meta_t { bit<8>[2] a; }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.h); packet.extract(hdr.s.next); packet.extract(hdr.s.next); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action a(in bit<16> i) { hdr.s[1] = hdr.s[(bit<3>)i]; hdr.s[(bit<3>)i].v = 9; hdr.h.v = meta.a[(bit<3>)i]; meta.a[(bit<3>)i] = 3; }
    action b(in bit<16> i) { hdr.s[i].v = 9; }
    apply { sm.egress_spec = 1; if (hdr.h.v == 1) a(0x7fff); else if (hdr.h.v == 2) a(0); else b(7); }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
