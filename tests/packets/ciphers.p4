/* Payloads ciphered on the way out: what the cipher takes, and what sees the payload as it was. */
#include <core.p4>
#include <v1model.p4>
#include <macs_crypto.p4>

const bit<128> KEY = 0x000102030405060708090a0b0c0d0e0f;
const bit<128> OTHER_KEY = 0x0f0e0d0c0b0a09080706050403020100;

header op_t {
    bit<8> op;
    bit<8> port;
}

header more_t {
    bit<24> bytes;
}

struct headers_t {
    more_t more;
    op_t op;
}

struct metadata_t {
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.op);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    bit<128> iv = (bit<128>) hdr.op.port;

    action encrypt(bit<128> key) {
        aes_128_cbc_encrypt(key, iv);
    }

    action decrypt(bit<128> key) {
        aes_128_cbc_decrypt(key, iv);
    }

    apply {
        standard.egress_spec = (bit<9>) hdr.op.port;
        if (hdr.op.op == 1) {
            encrypt(KEY);
        } else if (hdr.op.op == 2) {
            decrypt(KEY);
        } else if (hdr.op.op == 3) { // the last request counts
            decrypt(OTHER_KEY);
            encrypt(KEY);
        } else if (hdr.op.op == 4) {
            encrypt(KEY);
            standard.mcast_grp = 1;
        } else if (hdr.op.op == 5) {
            encrypt(KEY);
            truncate(18);
        } else if (hdr.op.op == 6) {
            encrypt(KEY);
            truncate(1);
        } else if (hdr.op.op == 7) {
            encrypt(KEY);
            clone(CloneType.I2E, 1);
        } else if (hdr.op.op == 8) { // and once more when it comes back
            encrypt(KEY);
        } else if (hdr.op.op == 9) {
            hdr.more.setValid();
            hdr.more.bytes = 0x010203;
            encrypt(KEY);
        } else if (hdr.op.op == 10) {
            hdr.op.setInvalid();
            encrypt(KEY);
        } else if (hdr.op.op == 11) {
            if (standard.instance_type != 6) {
                encrypt(KEY);
                resubmit_preserving_field_list(0);
            }
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.op.op == 8) {
            hdr.op.op = 1;
            recirculate_preserving_field_list(0);
        } else if (hdr.op.op == 7 && standard.instance_type == 0) {
            clone(CloneType.E2E, 2);
        } else if (hdr.op.op == 12) {
            aes_128_cbc_encrypt(KEY, (bit<128>) hdr.op.port);
        }
    }
}

control C(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (hdr.op.op == 13) {
            aes_128_cbc_encrypt(KEY, 0);
        }
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.more);
        packet.emit(hdr.op);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
