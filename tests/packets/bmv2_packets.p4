// What BMv2 does where the specification says nothing, of packets on their way: lengths, truncate, further passes, and which request wins.
#include <core.p4>
#include <v1model.p4>

header order_t { bit<8> what; bit<8> note; bit<16> sum; }
header tag_t { bit<8> kind; bit<16> value; bit<8> left; }
header extra_t { bit<32> word; }
struct headers_t { order_t order; tag_t tag; extra_t extra; }
struct meta_t {
    @field_list(1) bit<8> kept;
    @field_list(2) bit<8> other;
    bit<8> lost;
    bit<16> sum;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.order);
        transition select(hdr.order.what[7:7]) {
            1: tagged;
            default: accept;
        }
    }
    state tagged {
        packet.extract(hdr.tag);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(true, { hdr.order.what, hdr.tag.kind }, hdr.tag.value, HashAlgorithm.csum16);
    }
}

control C(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.order.what == 0x06 || hdr.order.what == 0x86, { hdr.order.what, hdr.order.note, hdr.tag.kind, hdr.tag.left },
                        hdr.order.sum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.instance_type == 4 || sm.instance_type == 6) {
            hdr.order.what = 0x20;
            hdr.order.note = (bit<8>)sm.ingress_port;
            hdr.order.sum = meta.kept ++ (meta.other + meta.lost);
            return;
        }
        meta.kept = 0x11;
        meta.other = 0x22;
        meta.lost = 0x44;
        switch (hdr.order.what) {
            0x01: { hdr.extra.setValid(); hdr.extra.word = 0xaabbccdd; }
            0x81: { hdr.tag.setInvalid(); }
            0x02: { hdr.extra.setValid(); hdr.extra.setInvalid(); hdr.extra.setInvalid(); }
            0x03: { truncate(7); truncate(6); truncate(9); }
            0x04: { truncate(6); }
            0x05: { hash(meta.sum, HashAlgorithm.csum16, 16w0, { hdr.order.note, hdr.tag.kind, hdr.order.what }, 32w65536); hdr.order.sum = meta.sum; }
            0x85: { hash(meta.sum, HashAlgorithm.csum16, 16w0, { hdr.order.note, hdr.tag.kind, hdr.order.what }, 32w65536); hdr.order.sum = meta.sum; }
            0x07: { hash(meta.sum, HashAlgorithm.csum16, 16w0, { hdr.tag.kind, hdr.tag.left }, 32w65536); hdr.order.sum = meta.sum; }
            0x08: { clone_preserving_field_list(CloneType.I2E, 9, 1); clone_preserving_field_list(CloneType.I2E, 5, 2); mark_to_drop(sm); }
            0x09: { resubmit_preserving_field_list(2); resubmit_preserving_field_list(1); sm.mcast_grp = 7; mark_to_drop(sm); }
            0x0a: { sm.mcast_grp = 7; sm.egress_spec = 511; }
            0x0b: { mark_to_drop(sm); sm.egress_spec = 2; }
            0x0c: { sm.mcast_grp = 7; truncate(5); }
            0x0d: { mark_to_drop(sm); sm.mcast_grp = 7; }
            default: { }
        }
        if (sm.checksum_error == 1) { hdr.order.note = 0xee; }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.order.what < 0x03 || hdr.order.what == 0x81) { hdr.order.note = (bit<8>)sm.packet_length; }
        if (sm.instance_type == 1) { hdr.order.note = (bit<8>)sm.ingress_port; hdr.order.sum = meta.kept ++ (meta.other + meta.lost); }
        if (sm.instance_type == 2) { hdr.order.note = (bit<8>)sm.packet_length; }
        else if (hdr.order.what == 0x0e) { hdr.extra.setValid(); hdr.extra.word = 1; clone(CloneType.E2E, 5); truncate(5); }
        else if (hdr.order.what == 0x04) { recirculate_preserving_field_list(1); recirculate_preserving_field_list(2); }
        else if (hdr.order.what == 0x0f) { recirculate_preserving_field_list(1); mark_to_drop(sm); }
        else if (hdr.order.what == 0x10) { hdr.order.note = (bit<8>)sm.egress_spec; sm.egress_spec = 2; }
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
