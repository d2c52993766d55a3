/* A register of v1model holds no structs. */
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> f; }
struct headers_t { h_t h; }
struct pair_t { bit<8> a; bit<16> b; }
struct metadata_t { pair_t pair; }

parser p(packet_in pkt, out headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    state start { transition accept; }
}
control ingress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    register<pair_t>(16) pairs;
    apply { pairs.read(m.pair, 0); pairs.write(1, m.pair); }
}
control egress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    apply { }
}
control check(inout headers_t h, inout metadata_t m) { apply { } }
control deparse(packet_out pkt, in headers_t h) { apply { } }
V1Switch(p(), check(), ingress(), egress(), check(), deparse()) main;
