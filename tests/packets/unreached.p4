// What no packet gets to is still there for the control plane: tables, counters, registers, value sets.
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; }
struct headers_t { h_t h; }
struct meta_t { }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    value_set<bit<8>>(4) some;
    state start { packet.extract(hdr.h); transition select(hdr.h.a) { 0 .. 255: accept; some: reject; } }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
  counter(4, CounterType.packets) never;
  direct_counter(CounterType.packets) dc;
  register<bit<8>>(4) r;
  action set(bit<8> v) { hdr.h.a = v; }
  table unreached { key = { hdr.h.a: exact; } actions = { set; NoAction; } default_action = NoAction(); counters = dc; }
  table useless { key = { hdr.h.a: exact; } actions = { NoAction; } default_action = NoAction(); }
  apply { sm.egress_spec = 1;
    if (hdr.h.a != hdr.h.a) { unreached.apply(); never.count(0); }
    useless.apply();
    bit<8> x; r.read(x, 1);
  } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
