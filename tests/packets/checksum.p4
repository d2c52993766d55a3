// Checksums where v1model has them: verified before ingress, updated before the deparser; with a condition, and over the
// payload. The first byte says what is done; ingress notes whether a checksum was wrong.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> what; bit<8> note; bit<16> sum; }
header data_t { bit<16> x; bit<16> y; }
header long_t { bit<32> crc; }

struct headers_t { work_t work; data_t data; long_t long; }
struct meta_t { bool done; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        packet.extract(hdr.data);
        transition select(hdr.work.what) {
            5: long;
            default: accept;
        }
    }
    state long {
        packet.extract(hdr.long);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(hdr.work.what == 1, { hdr.data.x, hdr.data.y }, hdr.work.sum, HashAlgorithm.csum16);
        verify_checksum_with_payload(hdr.work.what == 2, { hdr.data.x, hdr.data.y }, hdr.work.sum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        hdr.work.note = (bit<8>) sm.checksum_error;
        if (hdr.work.what > 2) { hdr.data.x = hdr.data.x + 1; }
        if (hdr.work.what == 6) { hdr.data.setInvalid(); }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.work.what == 3) { hdr.data.y = hdr.data.y + 1; }
    }
}

control C(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.work.what == 3, { hdr.data.x, hdr.data.y }, hdr.work.sum, HashAlgorithm.csum16);
        update_checksum_with_payload(hdr.work.what == 4, { hdr.data.x, hdr.data.y }, hdr.work.sum, HashAlgorithm.csum16);
        update_checksum(hdr.long.isValid(), { hdr.data }, hdr.long.crc, HashAlgorithm.crc32);
        update_checksum(hdr.work.what == 6 && hdr.data.isValid(), { hdr.data }, hdr.work.sum, HashAlgorithm.csum16);
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
