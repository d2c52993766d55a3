/* Names that the control plane would know twice. */
#include <core.p4>
#include <v1model.p4>
struct headers_t { }
struct metadata_t { bit<8> x; }

@name(".shared") action top() { }

parser p(packet_in pkt, out headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    state start { transition accept; }
}
control twice(inout metadata_t m) {
    @name(".absolute") table t { key = { m.x : exact; } actions = { NoAction; } }
    @name(".in_both") action common() { m.x = 5; }
    @name("renamed") table u { key = { m.x : exact; } actions = { NoAction; common; } }
    @name(".counted") counter(16, CounterType.packets) seen;
    apply { t.apply(); u.apply(); seen.count(1); }
}
control ingress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    twice() first;
    twice() second;
    @name("same") action a() { m.x = 1; }
    @name("same") action b() { m.x = 2; }
    @name(".shared") action c() { m.x = 3; }
    @name("egress.t") action harmless() { m.x = 4; }
    counter(16, CounterType.packets) hits;
    @name("hits") counter(16, CounterType.packets) misses;
    table t { key = { m.x : exact; } actions = { a; b; c; top; harmless; } default_action = a; }
    @name("t") table another { key = { m.x : exact; } actions = { a; } default_action = a; }
    apply {
        first.apply(m);
        second.apply(m);
        if (t.apply().hit) { another.apply(); hits.count(1); } else { misses.count(1); }
    }
}
control egress(inout headers_t h, inout metadata_t m, inout standard_metadata_t sm) {
    @name(".ingress.t") table t { key = { m.x : exact; } actions = { NoAction; } }
    apply { t.apply(); }
}
control check(inout headers_t h, inout metadata_t m) { apply { } }
control deparse(packet_out pkt, in headers_t h) { apply { } }
V1Switch(p(), check(), ingress(), egress(), check(), deparse()) main;
