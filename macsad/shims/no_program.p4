/* What a switch runs that has no program yet: it drops all packets. */
#include <core.p4>
#include <v1model.p4>

struct headers_t { }
struct meta_t { }

parser Nothing(packet_in packet, out headers_t headers, inout meta_t meta, inout standard_metadata_t standard) {
    state start { transition accept; }
}
control Verify(inout headers_t headers, inout meta_t meta) { apply { } }
control Drop(inout headers_t headers, inout meta_t meta, inout standard_metadata_t standard) {
    apply { mark_to_drop(standard); }
}
control Leave(inout headers_t headers, inout meta_t meta, inout standard_metadata_t standard) { apply { } }
control Update(inout headers_t headers, inout meta_t meta) { apply { } }
control Emit(packet_out packet, in headers_t headers) { apply { } }
V1Switch(Nothing(), Verify(), Drop(), Leave(), Update(), Emit()) main;
