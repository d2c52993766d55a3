// Digests: several in one pass, of fields that change afterwards, from both pipes.
#include <core.p4>
#include <v1model.p4>

header note_t { bit<8> what; bit<8> n; }
struct headers_t { note_t note; }
struct meta_t { }
struct first_t { bit<8> n; }
struct second_t { bit<8> n; bit<8> of; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.note);
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        digest<first_t>(1, { hdr.note.n });
        hdr.note.n = hdr.note.n + 1;
        digest<second_t>(1, { hdr.note.n, 1 });
        hdr.note.n = hdr.note.n + 1;
        digest<second_t>(1, { hdr.note.n, 2 });
        hdr.note.n = 0x99;
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply { digest<first_t>(1, { hdr.note.n }); }
}
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
