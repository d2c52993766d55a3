// Tables behind a multicast group and a clone session, and one that nothing reaches.
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
    @field_list(1)
    bit<16> reason;
    bit<1>  never;
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
    action drop() { mark_to_drop(standard); }
    action flood(bit<16> group) { standard.mcast_grp = group; }
    action watch(bit<16> reason) {
        meta.reason = reason;
        clone_preserving_field_list(CloneType.I2E, 7, 1);
    }
    table floods {
        key = { hdr.ethernet.dst: exact; }
        actions = { flood; drop; }
        default_action = drop();
        size = 4096;
    }
    table watched {
        key = { hdr.ethernet.src: exact; }
        actions = { watch; NoAction; }
        size = 4096;
    }
    table dead {
        key = { hdr.ethernet.type: exact; }
        actions = { drop; NoAction; }
    }
    apply {
        floods.apply();
        watched.apply();
        if (meta.never == 1) {
            dead.apply();
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action source(bit<48> mac) { hdr.ethernet.src = mac; }
    action reason_is(bit<16> type) { hdr.ethernet.type = type; }
    table copies {
        key = { standard.egress_rid: exact; }
        actions = { source; NoAction; }
    }
    table clones {
        key = { meta.reason: exact; }
        actions = { reason_is; NoAction; }
        size = 4096;
    }
    apply {
        if (standard.instance_type == 1) {
            clones.apply();
        } else if (standard.egress_rid != 0) {
            copies.apply();
        }
    }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply { packet.emit(hdr.ethernet); }
}

V1Switch(MyParser(), NoCheck(), MyIngress(), MyEgress(), NoCheck(), MyDeparser()) main;
