// Meters mark packets also where nobody reads the colour, or where it would go behind the end of a stack. Direct counters and
// meters that no table owns do nothing.
#include <core.p4>
#include <v1model.p4>
header b_t { bit<8> v; bit<32> r; }
struct headers_t { b_t h; b_t[2] s; }
struct meta_t { }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    meter(2, MeterType.packets) m;
    direct_counter(CounterType.packets) uncounted;
    direct_meter<bit<2>>(MeterType.packets) unowned;
    action unmarked() {
        uncounted.count();
        bit<2> colour = 3;
        unowned.read(colour);
        hdr.h.r[31:30] = colour;
    }
    table t {
        key = { hdr.h.v : exact; }
        actions = { unmarked; NoAction; }
        const entries = { 2 : unmarked(); }
    }
    apply {
        sm.egress_spec = 1;
        bit<8> ignored;
        bit<32> at = hdr.h.r;
        random(at, 7, 7);
        m.execute_meter(0, ignored);
        m.execute_meter(1, hdr.s[hdr.h.r].v);
        m.execute_meter(0, hdr.h.v);
        m.execute_meter(1, at);
        hdr.h.r = at;
        t.apply();
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
