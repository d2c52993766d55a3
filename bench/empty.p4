/* empty: every frame goes out of port 1 as it is. What is left is the switch itself: the floor of any program. */
#include <core.p4>
#include <v1model.p4>

struct headers_t {
}

struct metadata_t {
}

parser EmptyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        transition accept;
    }
}

control EmptyVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control EmptyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
    }
}

control EmptyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control EmptyCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control EmptyDeparser(packet_out packet, in headers_t hdr) {
    apply {
    }
}

V1Switch(EmptyParser(), EmptyVerify(), EmptyIngress(), EmptyEgress(), EmptyCompute(), EmptyDeparser()) main;
