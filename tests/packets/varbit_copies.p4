// Varbits that are copied: in headers, structs and variables, compared, hashed; some headers have theirs assigned, others as received.
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> what; bit<8> n; bit<16> r; }
header v_t { bit<8> t; varbit<64> v; }
struct headers_t { h_t h; v_t a; v_t b; v_t c; }
struct rec_t { bit<8> x; varbit<64> v; }
struct meta_t { rec_t rec; }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.h); packet.extract(hdr.a, (bit<32>) hdr.h.n * 8); packet.extract(hdr.b, 16); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
  apply { sm.egress_spec = 1;
    if (hdr.h.what == 0) { hdr.c = hdr.a; hdr.a.setInvalid(); }
    else if (hdr.h.what == 1) { hdr.b.v = hdr.a.v; }
    else if (hdr.h.what == 2) { if (hdr.a.v == hdr.b.v) { hdr.h.r = 1; } else { hdr.h.r = 2; } }
    else if (hdr.h.what == 3) { meta.rec.v = hdr.a.v; hdr.b.v = meta.rec.v; if (meta.rec.v != hdr.a.v) { hdr.h.r = 0xdead; } }
    else if (hdr.h.what == 4) { hash(hdr.h.r, HashAlgorithm.csum16, 16w0, { hdr.h.what, hdr.a.v, hdr.b.t, hdr.b.v }, 32w65536); }
    else if (hdr.h.what == 5) { rec_t r = { 3, hdr.a.v }; meta.rec = r; hdr.b.v = meta.rec.v; if (meta.rec == r) { hdr.h.r = 1; } }
    else if (hdr.h.what == 6) { if (hdr.a == hdr.b) { hdr.h.r = 1; } }
    else if (hdr.h.what == 7) { v_t t = hdr.a; hdr.b = t; varbit<64> w = hdr.a.v; hdr.a.v = w; }
  } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
