// Two tables that forward, and an access list behind them that depends on neither: `python bench/by_profile.py`.
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

struct meta_t {
    bit<16> hop;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {}
}

control Drops(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }
    action go_on() {}
    action route(bit<16> hop) {
        meta.hop = hop;
    }
    action send(bit<9> port, bit<48> dst) {
        standard.egress_spec = port;
        hdr.ethernet.dst = dst;
    }
    table routes {
        key = { hdr.ethernet.dst: exact; }
        actions = { route; drop; }
        default_action = drop();
        size = 1000000;
    }
    table hops {
        key = { meta.hop: exact; }
        actions = { send; drop; }
        default_action = drop();
        size = 65536;
    }
    table acl {
        key = { hdr.ethernet.src: ternary; }
        actions = { go_on; drop; }
        default_action = go_on();
        size = 10000;
    }
    apply {
        routes.apply();
        hops.apply();
        acl.apply();
    }
}

control Behind(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {}
}

control Compute(inout headers_t hdr, inout meta_t meta) {
    apply {}
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(P(), Verify(), Drops(), Behind(), Compute(), Deparse()) main;
