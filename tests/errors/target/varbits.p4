/* What a varbit cannot be or do, each once; of the headers one is right. */
#include <core.p4>
#include <v1model.p4>
header shifted_t { bit<4> a; varbit<32> rest; bit<4> b; }
header behind_t { bit<8> a; bit<16> b; varbit<32> rest; bit<8> c; }
struct headers_t { behind_t h; shifted_t shifted; }
struct metadata_t { bit<8> x; bit<32> y; }

parser p(packet_in pkt, out headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    state start { pkt.extract(h.h, 32); pkt.extract(h.shifted, 8); transition accept; }
}
control ingress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    action_selector(HashAlgorithm.crc16, 16, 8) selector;
    register<bit<32>>(4) cells;
    table matched { key = { h.h.rest : exact; } actions = { NoAction; } }
    table matched_too { key = { m.x : exact; h.h.rest : optional; } actions = { NoAction; } }
    table chosen { key = { m.x : exact; h.h.rest : selector; } actions = { NoAction; } implementation = selector; }
    apply {
        matched.apply();
        matched_too.apply();
        chosen.apply();
        digest(1, { m.x, h.h.rest });
        hash(m.y, HashAlgorithm.crc32, 32w0, { m.x, h.h.rest }, 32w100);
        cells.write(0, m.y);
    }
}
control egress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) { apply { } }
control check(inout headers_t h, inout metadata_t m) { apply { } }
control deparse(packet_out pkt, in headers_t h) { apply { pkt.emit(h.h); pkt.emit(h.shifted); } }
V1Switch(p(), check(), ingress(), egress(), check(), deparse()) main;
