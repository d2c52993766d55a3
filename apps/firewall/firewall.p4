/* firewall: TCP and UDP come in from outside only where a packet from inside has opened the way. A Bloom filter has the
 * connections that are open. */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<16> l4_port_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> TCP = 6;
const bit<8> UDP = 17;

const bit<32> CELLS = 1 << 24;

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

/* TCP and UDP begin alike. */
header ports_h {
    l4_port_t src;
    l4_port_t dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_h ipv4;
    ports_h ports;
}

enum bit<8> Side {
    NONE = 0,
    INSIDE = 1,
    OUTSIDE = 2
}

struct metadata_t {
    Side side;
    /* Of a connection, as packets from inside have it. */
    ipv4_t src;
    ipv4_t dst;
    l4_port_t src_port;
    l4_port_t dst_port;
    bit<24> one;
    bit<24> other;
}

parser FirewallParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    /* No ports in fragments but the first; options would be between. */
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.fragment, hdr.ipv4.protocol) {
            (5, 0, TCP): ports;
            (5, 0, UDP): ports;
            default: accept;
        }
    }

    state ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control FirewallVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control FirewallIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<1>>(CELLS) opened1;
    register<bit<1>>(CELLS) opened2;
    counter(1, CounterType.packets_and_bytes) refused;

    action drop() {
        mark_to_drop(standard);
    }

    /* Which side of the wall a port is on, and the port on the other side. */
    action side(Side which, port_t port) {
        meta.side = which;
        standard.egress_spec = port;
    }

    table sides {
        key = {
            standard.ingress_port: exact;
        }
        actions = {
            side;
            drop;
        }
        default_action = drop();
        size = 512;
    }

    apply {
        sides.apply();
        if (hdr.ports.isValid()) {
            if (meta.side == Side.INSIDE) {
                meta.src = hdr.ipv4.src;
                meta.dst = hdr.ipv4.dst;
                meta.src_port = hdr.ports.src;
                meta.dst_port = hdr.ports.dst;
            } else {
                meta.src = hdr.ipv4.dst;
                meta.dst = hdr.ipv4.src;
                meta.src_port = hdr.ports.dst;
                meta.dst_port = hdr.ports.src;
            }
            hash(meta.one, HashAlgorithm.crc32, 24w0,
                { meta.src, meta.dst, meta.src_port, meta.dst_port, hdr.ipv4.protocol }, CELLS);
            hash(meta.other, HashAlgorithm.crc32, 24w0,
                { meta.dst_port, hdr.ipv4.protocol, meta.dst, meta.src_port, meta.src }, CELLS);
            if (meta.side == Side.INSIDE) {
                opened1.write((bit<32>)meta.one, 1);
                opened2.write((bit<32>)meta.other, 1);
            } else if (meta.side == Side.OUTSIDE) {
                bit<1> first;
                bit<1> second;
                opened1.read(first, (bit<32>)meta.one);
                opened2.read(second, (bit<32>)meta.other);
                if (first == 0 || second == 0) {
                    refused.count(0);
                    drop();
                }
            }
        } else if (hdr.ipv4.isValid() && meta.side == Side.OUTSIDE) {
            refused.count(0);
            drop();
        }
    }
}

control FirewallEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control FirewallCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control FirewallDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(FirewallParser(), FirewallVerify(), FirewallIngress(), FirewallEgress(), FirewallCompute(), FirewallDeparser()) main;
