// Packets that ingress drops: their clones, and they themselves where they are resubmitted, keep what ingress wrote last.
#include <core.p4>
#include <v1model.p4>

header h_t { bit<8> what; bit<8> value; }
struct headers { h_t h; }
struct metadata { @field_list(1) bit<8> kept; bit<8> lost; }

parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.h); transition accept; }
}
control V(inout headers hdr, inout metadata meta) { apply {} }
control C(inout headers hdr, inout metadata meta) { apply {} }
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 6) { // resubmitted
            hdr.h.value = meta.kept + meta.lost;
            sm.egress_spec = 1;
        } else {
            if (hdr.h.what == 1) { clone_preserving_field_list(CloneType.I2E, 5, 1); }
            else if (hdr.h.what == 2) { resubmit_preserving_field_list(1); }
            meta.kept = hdr.h.value + 1;
            meta.lost = 7;
            mark_to_drop(sm);
        }
    }
}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    apply { if (sm.instance_type == 1) { hdr.h.value = meta.kept + meta.lost; } }
}
control D(packet_out packet, in headers hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
