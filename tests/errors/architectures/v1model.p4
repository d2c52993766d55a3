/* What v1model does not have, and who owns direct objects. */
#include <core.p4>
#include <v1model.p4>
header odd_t { bit<8> a; bit<5> b; }
header whole_t { bit<4> a; varbit<32> v; bit<4> b; }
header odd_too_t { bit<9> a; }
header_union either_t { whole_t w; odd_too_t odd; }
struct inner_t { either_t either; }
struct headers_t { whole_t w; odd_t[2] odd; inner_t inner; }
struct metadata_t { bit<8> x; bit<2> colour; }

parser p(packet_in pkt, out headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    state start { transition accept; }
}
control ingress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    direct_counter(CounterType.packets) counts;
    direct_meter<bit<2>>(MeterType.bytes) metered;
    direct_meter<bit<2>>(MeterType.bytes) nobody;
    direct_meter<bit<2>>(MeterType.bytes) unread;
    action use() { metered.read(m.colour); }
    table idle {
        key = { m.x : exact; }
        actions = { NoAction; }
        meters = unread;
    }
    action lost() { nobody.read(m.colour); }
    table owner {
        key = { m.x : exact; }
        actions = { use; lost; NoAction; }
        meters = metered;
        counters = counts;
    }
    table prefixes {
        key = { m.x : lpm; m.colour : lpm; sm.ingress_port : exact; }
        actions = { use; NoAction; }
        counters = counts;
        meters = counts;
        implementation = metered;
    }
    apply {
        owner.apply();
        idle.apply();
        prefixes.apply();
        metered.read(m.colour);
    }
}
control egress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) { apply { } }
control check(inout headers_t h, inout metadata_t m) { apply { } }
control deparse(packet_out pkt, in headers_t h) { apply { } }
V1Switch(p(), check(), ingress(), egress(), check(), deparse()) main;
