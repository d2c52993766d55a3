/* ipv6fwd: IPv6 forwarding and nothing else, for large routing tables.
 *
 * Longest prefix match gives the number of a next hop, and that its MAC addresses and port.
 */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<128> ipv6_t;
typedef bit<9> port_t;
typedef bit<16> next_hop_t;

const bit<16> TYPE_IPV6 = 0x86dd;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

header ipv6_h {
    bit<4> version;
    bit<8> traffic_class;
    bit<20> flow_label;
    bit<16> length;
    bit<8> next_header;
    bit<8> hop_limit;
    ipv6_t src;
    ipv6_t dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv6_h ipv6;
}

struct metadata_t {
    next_hop_t next_hop;
}

parser V6Parser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV6: ipv6;
            default: accept;
        }
    }

    state ipv6 {
        packet.extract(hdr.ipv6);
        transition accept;
    }
}

control V6Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control V6Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action via(next_hop_t next_hop) {
        meta.next_hop = next_hop;
    }

    table routes {
        key = {
            hdr.ipv6.dst: lpm;
        }
        actions = {
            via;
            drop;
        }
        default_action = drop();
        size = 1048576;
    }

    /* The neighbour's MAC address, ours on that port, the port; hop limit minus 1. */
    action forward(mac_t neighbour, mac_t own, port_t port) {
        hdr.ethernet.dst = neighbour;
        hdr.ethernet.src = own;
        standard.egress_spec = port;
        hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
    }

    table next_hops {
        key = {
            meta.next_hop: exact;
        }
        actions = {
            forward;
            drop;
        }
        default_action = drop();
        size = 65536;
    }

    apply {
        if (hdr.ipv6.isValid() && hdr.ipv6.hop_limit > 1) {
            switch (routes.apply().action_run) {
                via: { next_hops.apply(); }
            }
        } else {
            drop();
        }
    }
}

control V6Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control V6Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control V6Deparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv6);
    }
}

V1Switch(V6Parser(), V6Verify(), V6Ingress(), V6Egress(), V6Compute(), V6Deparser()) main;
