/* A loop whose step is a field: a packet with 0 there never leaves it. */
#include <core.p4>
#include <v1model.p4>

header step_t {
    bit<8> width;
    bit<128> key; // of a table that keeps entries for readers
}

struct headers_t {
    step_t step;
}

struct metadata_t {
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.step);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action forward(bit<9> port) {
        standard.egress_spec = port;
    }
    table steps {
        key = {
            hdr.step.key: exact;
        }
        actions = {
            forward;
        }
        default_action = forward(1);
    }
    apply {
        for (bit<8> at = 0; at < 10; at = at + hdr.step.width) {
            steps.apply();
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control C(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.step);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
