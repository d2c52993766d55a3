/* ipv4fwd: IPv4 forwarding and nothing else, for routing tables as large as the Internet's.
 *
 * Longest prefix match gives the number of a next hop, and that its MAC addresses and port: a million prefixes share some
 * hundred neighbours. The header checksum is not checked, but kept as right or wrong as it came (RFC 1624).
 */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<16> next_hop_t;

const bit<16> TYPE_IPV4 = 0x0800;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

header ipv4_h {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> length;
    bit<16> id;
    bit<3> flags;
    bit<13> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    ipv4_t src;
    ipv4_t dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_h ipv4;
}

struct metadata_t {
    next_hop_t next_hop;
}

parser V4Parser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control V4Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control V4Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action via(next_hop_t next_hop) {
        meta.next_hop = next_hop;
    }

    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            via;
            drop;
        }
        default_action = drop();
        size = 1048576;
    }

    /* The neighbour's MAC address, ours on that port, the port; TTL minus 1, and what that makes of the checksum. */
    action forward(mac_t neighbour, mac_t own, port_t port) {
        hdr.ethernet.dst = neighbour;
        hdr.ethernet.src = own;
        standard.egress_spec = port;
        bit<17> sum = (bit<17>)~hdr.ipv4.checksum + 0xfeff;
        hdr.ipv4.checksum = ~(sum[15:0] + (bit<16>)sum[16:16]);
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
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
        if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) {
            switch (routes.apply().action_run) {
                via: { next_hops.apply(); }
            }
        } else {
            drop();
        }
    }
}

control V4Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control V4Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control V4Deparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(V4Parser(), V4Verify(), V4Ingress(), V4Egress(), V4Compute(), V4Deparser()) main;
