/* l3fwd6: an IPv6 router. Longest prefix match on the destination, next hop's MAC address, hop limit. */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<128> ipv6_t;
typedef bit<9> port_t;

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
}

parser L3Parser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
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

control L3Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control L3Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(512, CounterType.packets_and_bytes) sent;

    action drop() {
        mark_to_drop(standard);
    }

    /* Send to a neighbour: its MAC address, ours on that port, the port. */
    action next_hop(mac_t neighbour, mac_t own, port_t port) {
        hdr.ethernet.dst = neighbour;
        hdr.ethernet.src = own;
        hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
        standard.egress_spec = port;
        sent.count((bit<32>)port);
    }

    table routes {
        key = {
            hdr.ipv6.dst: lpm;
        }
        actions = {
            next_hop;
            drop;
        }
        default_action = drop();
        size = 1048576;
    }

    apply {
        if (!hdr.ipv6.isValid() || hdr.ipv6.version != 6 || hdr.ipv6.hop_limit <= 1) {
            drop();
        } else {
            routes.apply();
        }
    }
}

control L3Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control L3Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control L3Deparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv6);
    }
}

V1Switch(L3Parser(), L3Verify(), L3Ingress(), L3Egress(), L3Compute(), L3Deparser()) main;
