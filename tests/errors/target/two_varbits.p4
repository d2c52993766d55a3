// No packet can be extracted to a header with two fields of variable width: told where the second one stands.
#include <core.p4>
#include <v1model.p4>

struct inner_t { bit<8> a; }
header v_t { bit<8> a; inner_t i; varbit<32> v; varbit<64> w; }
struct headers_t { v_t v; }
struct metadata_t { }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start { transition accept; }
}
control V(inout headers_t hdr, inout metadata_t meta) { apply { } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { } }
V1Switch(P(), V(), I(), I(), V(), D()) main;
