/* Clones and further passes requested where they are not allowed. */
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<16> sum; }
struct headers_t { h_t h; }
struct meta_t { @field_list(1) bit<8> kept; }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.h); clone(CloneType.I2E, 1); transition more; }
    state more { resubmit_preserving_field_list(1); transition accept; } }
control V(inout headers_t hdr, inout meta_t meta) {
    apply { resubmit_preserving_field_list(1); verify_checksum(true, { hdr.h.a }, hdr.h.sum, HashAlgorithm.csum16); }
}
control either(inout headers_t hdr)(bool ingress) {
    action mirror() { if (ingress) { clone(CloneType.I2E, 3); } else { clone(CloneType.E2E, 3); } }
    table t { key = { hdr.h.a: exact; } actions = { mirror; } default_action = mirror; }
    apply { t.apply(); }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action mirror() { clone(CloneType.E2E, 1); clone(CloneType.I2E, 1); }
    table t { key = { hdr.h.a: exact; } actions = { mirror; NoAction; } }
    either(true) right;
    either(false) wrong;
    apply {
        if (t.apply().hit) { clone3(CloneType.E2E, 1, { meta.kept }); }
        recirculate_preserving_field_list(1);
        resubmit_preserving_field_list(1);
        right.apply(hdr);
        wrong.apply(hdr);
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action mirror() { clone_preserving_field_list(CloneType.I2E, 1, 1); }
    table t { actions = { mirror; } default_action = mirror; }
    either(false) right;
    apply {
        t.apply();
        right.apply(hdr);
        resubmit({ meta.kept });
        recirculate({ meta.kept });
        mark_to_drop(sm);
    }
}
control C(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(true, { hdr.h.a }, hdr.h.sum, HashAlgorithm.csum16);
        verify_checksum(true, { hdr.h.a }, hdr.h.sum, HashAlgorithm.csum16);
        clone(CloneType.E2E, 1);
    }
}
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); recirculate_preserving_field_list(1);
    verify_checksum(true, { hdr.h.a }, hdr.h.sum, HashAlgorithm.csum16); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
