/* One register in ingress and in egress, where egress is a pipe of its own: a packet is through both before the next. */
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
}

register<bit<16>>(1) seen;

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control MyVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        seen.read(hdr.ethernet.type, 0);
        standard.egress_spec = 1;
        if (hdr.ethernet.dst == 0xffffffffffff) {
            standard.mcast_grp = 1;
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        bit<16> count;
        seen.read(count, 0);
        seen.write(0, count + 1);
    }
}

control MyCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
