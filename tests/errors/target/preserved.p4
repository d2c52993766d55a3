/* What a packet keeps for its next pass: the lengths of varbits are not among it, whatever they are fields of. */
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; }
header v_t { bit<8> a; varbit<32> v; }
struct headers_t { h_t h; v_t v; }
struct meta_t { @field_list(1) bit<8> x; @field_list(1) h_t kept; @field_list(1) v_t long; @field_list(2) h_t[2] many; }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) { state start { p.extract(hdr.h); p.extract(hdr.v, 32); transition accept; } }
control V(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    apply { m.kept = hdr.h; m.long = hdr.v; m.many[0] = hdr.h; resubmit_preserving_field_list(1); if (m.x == 1) { resubmit_preserving_field_list(2); } }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) { apply { hdr.h = m.kept; hdr.v = m.long; } }
control C(inout headers_t hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
