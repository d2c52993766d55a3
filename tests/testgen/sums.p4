#include <core.p4>
#include <v1model.p4>

/* A table behind a condition that no value of a single field decides. */

header h_t {
    bit<32> a;
    bit<32> b;
    bit<16> key;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action send(bit<9> port) {
        standard.egress_spec = port;
    }
    table plain { key = { hdr.h.key: exact; } actions = { send; NoAction; } }
    table hidden { key = { hdr.h.key: exact; } actions = { send; NoAction; } }
    apply {
        plain.apply();
        if ((hdr.h.a ^ hdr.h.b) + 3 == 0x7e57ab1e) {
            hidden.apply();
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.h);
    }
}

V1Switch(P(), Verify(), MyIngress(), MyEgress(), Compute(), MyDeparser()) main;
