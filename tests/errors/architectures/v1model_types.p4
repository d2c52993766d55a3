/* The headers of V1Switch are a struct. */
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; }
struct metadata_t { }
parser p(packet_in pkt, out h_t h, inout metadata_t m, inout standard_metadata_t sm) {
    state start { transition accept; }
}
control pipe(inout h_t h, inout metadata_t m, inout standard_metadata_t sm) { apply { } }
control check(inout h_t h, inout metadata_t m) { apply { } }
control deparse(packet_out pkt, in h_t h) { apply { } }
V1Switch(p(), check(), pipe(), pipe(), check(), deparse()) main;
