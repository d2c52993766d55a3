/* Tables of every match kind, which tests declare constant or not. */
#include <core.p4>
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers { eth_t eth; }
struct meta_t { bit<9> vrf; bit<8> klass; }
parser P(packet_in p, out headers h, inout meta_t m, inout standard_metadata_t s) { state start { p.extract(h.eth); transition accept; } }
control V(inout headers h, inout meta_t m) { apply {} }
control I(inout headers h, inout meta_t m, inout standard_metadata_t s) {
  action drop() { mark_to_drop(s); }
  action set_vrf(bit<9> v) { m.vrf = v; }
  action forward(bit<9> p) { s.egress_spec = p; }
  action classify(bit<8> k) { m.klass = k; if (k == 3) { return; } h.eth.type = 0x1234; }
  table vrf { key = { s.ingress_port: exact; } actions = { set_vrf; drop; } default_action = drop(); size = 16; }
  table klass { key = { h.eth.type: ternary; h.eth.dst: ternary; } actions = { classify; NoAction; } default_action = NoAction(); size = 16; }
  table fwd { key = { m.vrf: exact; h.eth.dst: exact; } actions = { forward; drop; NoAction; } default_action = NoAction(); size = 1024; }
  table ports { key = { h.eth.src: lpm; h.eth.type: range; } actions = { forward; classify; NoAction; } default_action = NoAction(); size = 64; }
  table late { key = { m.klass: exact; } actions = { classify; forward; NoAction; } default_action = NoAction(); size = 16; }
  apply { vrf.apply(); if (klass.apply().hit) { m.klass = 9; } else { h.eth.src = 1; } switch (late.apply().action_run) { classify: { h.eth.src = 5; } default: { } } ports.apply(); fwd.apply(); }
}
control E(inout headers h, inout meta_t m, inout standard_metadata_t s) { apply {} }
control C(inout headers h, inout meta_t m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h.eth); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
