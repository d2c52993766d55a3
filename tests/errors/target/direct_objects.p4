/* Objects of tables that are elements of an array: a table's own has a name. */
#include <core.p4>
#include <v1model.p4>
struct headers_t { }
struct metadata_t { bit<8> x; bit<2> colour; }

parser p(packet_in pkt, out headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    state start { transition accept; }
}
control ingress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    direct_meter<bit<2>>(MeterType.bytes) meters[2];
    direct_counter(CounterType.packets) counts[2];
    table t {
        key = { m.x : exact; }
        actions = { NoAction; }
        meters = meters[1];
        counters = counts[0];
    }
    apply { t.apply(); }
}
control egress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) { apply { } }
control check(inout headers_t h, inout metadata_t m) { apply { } }
control deparse(packet_out pkt, in headers_t h) { apply { } }
V1Switch(p(), check(), ingress(), egress(), check(), deparse()) main;
