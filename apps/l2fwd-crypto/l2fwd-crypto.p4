/* l2fwd-crypto: frames go to their station's port, their payload encrypted or decrypted with the station's key on the way. */
#include <core.p4>
#include <v1model.p4>
#include <macs_crypto.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;
typedef bit<128> block_t;

const bit<16> TYPE_PLAIN = 0x88b5;    // IEEE 802's types for local experiments
const bit<16> TYPE_CIPHERED = 0x88b6;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

/* The initialization vector, which the sender of a plain frame chooses anew for each, and the type of what is ciphered. */
header shield_t {
    block_t iv;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
    shield_t shield;
}

struct metadata_t {
}

parser CryptoParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_PLAIN: parse_shield;
            TYPE_CIPHERED: parse_shield;
            default: accept;
        }
    }

    state parse_shield {
        packet.extract(hdr.shield);
        transition accept;
    }
}

control CryptoVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control CryptoIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action forward(port_t port) {
        standard.egress_spec = port;
    }

    action encrypt(port_t port, block_t key) {
        standard.egress_spec = port;
        hdr.ethernet.type = TYPE_CIPHERED;
        aes_128_cbc_encrypt(key, hdr.shield.iv);
    }

    action decrypt(port_t port, block_t key) {
        standard.egress_spec = port;
        hdr.ethernet.type = TYPE_PLAIN;
        aes_128_cbc_decrypt(key, hdr.shield.iv);
    }

    /* The type is part of the key: a frame that is ciphered already is not ciphered again, and plain ones stay out. */
    table stations {
        key = {
            hdr.ethernet.dst: exact;
            hdr.ethernet.type: exact;
        }
        actions = {
            encrypt;
            decrypt;
            forward;
            drop;
        }
        default_action = drop();
        size = 1048576;
    }

    apply {
        if (standard.parser_error == error.NoError && hdr.shield.isValid()) {
            stations.apply();
        } else {
            drop();
        }
    }
}

control CryptoEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control CryptoCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control CryptoDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.shield);
    }
}

V1Switch(CryptoParser(), CryptoVerify(), CryptoIngress(), CryptoEgress(), CryptoCompute(), CryptoDeparser()) main;
