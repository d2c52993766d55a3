// PNA: packets that are mirrored and recirculated, with two tables on their way.
#include <core.p4>
#include <pna.p4>

header h_t { bit<8> key; bit<8> rounds; bit<8> hop; }
struct headers { h_t h; }
struct metadata { bit<8> hop; }

parser P(packet_in p, out headers hdr, inout metadata meta, in pna_main_parser_input_metadata_t istd) {
    state start { p.extract(hdr.h); transition accept; }
}
control Pre(in headers hdr, inout metadata meta, in pna_pre_input_metadata_t istd, inout pna_pre_output_metadata_t ostd) { apply {} }
control Main(inout headers hdr, inout metadata meta, in pna_main_input_metadata_t istd, inout pna_main_output_metadata_t ostd) {
    action next(bit<8> hop) { meta.hop = hop; }
    action mirrored(bit<8> hop) { meta.hop = hop; mirror_packet((MirrorSlotId_t) 0, (MirrorSessionId_t) 3); }
    action to(PortId_t port) { send_to_port(port); hdr.h.hop = meta.hop; }
    action again() { hdr.h.rounds = hdr.h.rounds + 1; hdr.h.key = hdr.h.key + 1; recirculate(); }
    action drop() { drop_packet(); }
    table stations { key = { hdr.h.key: exact; } actions = { next; mirrored; NoAction; } default_action = NoAction(); }
    table hops { key = { meta.hop: exact; } actions = { to; again; drop; } default_action = drop(); }
    apply { stations.apply(); hops.apply(); }
}
control D(packet_out p, in headers hdr, in metadata meta, in pna_main_output_metadata_t ostd) { apply { p.emit(hdr.h); } }
PNA_NIC(P(), Pre(), Main(), D()) main;
