// Packets go round as often as they say.
#include <core.p4>
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
header hop_t { bit<8> rounds; bit<8> seen; }
struct H { eth_t eth; hop_t hop; }
struct M { @field_list(1) bit<8> passes; }
parser P(packet_in p, out H hdr, inout M meta, inout standard_metadata_t sm) {
    state start { p.extract(hdr.eth); transition select(hdr.eth.type) { 0x88b5: hop; default: accept; } }
    state hop { p.extract(hdr.hop); transition accept; }
}
control V(inout H hdr, inout M meta) { apply {} }
control C(inout H hdr, inout M meta) { apply {} }
control I(inout H hdr, inout M meta, inout standard_metadata_t sm) {
    action to(bit<9> port) { sm.egress_spec = port; }
    action drop() { mark_to_drop(sm); }
    action learned() {}
    table stations { key = { hdr.eth.src: exact; } actions = { learned; NoAction; } size = 100000; default_action = NoAction(); }
    table ports { key = { hdr.eth.dst: exact; } actions = { to; drop; } size = 100000; default_action = drop(); }
    apply { stations.apply(); ports.apply(); }
}
control E(inout H hdr, inout M meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.hop.isValid() && hdr.hop.rounds != 0) {
            hdr.hop.rounds = hdr.hop.rounds - 1;
            hdr.hop.seen = hdr.hop.seen + 1;
            recirculate_preserving_field_list(1);
        }
    }
}
control D(packet_out p, in H hdr) { apply { p.emit(hdr.eth); p.emit(hdr.hop); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
