// The type of the port that frames come in at leads to one table, or to two others: no entry for that port leads to all of them.
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
    bit<2>  type;
    bit<16> area;
}

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control NoCheck(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action typed(bit<2> type) { meta.type = type; }
    action forward(bit<9> port) { standard.egress_spec = port; }
    action within(bit<16> area) { meta.area = area; }
    table types {
        key = { standard.ingress_port: exact; }
        actions = { typed; NoAction; }
        size = 64;
    }
    table areas {
        key = { standard.ingress_port: exact; }
        actions = { within; NoAction; }
        size = 64;
    }
    table trunk {
        key = { hdr.ethernet.dst: exact; }
        actions = { forward; NoAction; }
        size = 64;
    }
    table hosts {
        key = { hdr.ethernet.dst: exact; }
        actions = { forward; NoAction; }
        size = 64;
    }
    table groups {
        key = { hdr.ethernet.src: exact; }
        actions = { within; NoAction; }
        size = 64;
    }
    table unused {
        key = { hdr.ethernet.src: exact; }
        actions = { within; NoAction; }
        size = 64;
    }
    apply {
        types.apply();
        areas.apply();
        if (meta.type == 1) {
            trunk.apply();
        } else if (meta.type == 3) {
            groups.apply();
            hosts.apply();
        }
        if (meta.area == 0x1234) {
            hdr.ethernet.type = meta.area;
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(MyParser(), NoCheck(), MyIngress(), MyEgress(), NoCheck(), MyDeparser()) main;
