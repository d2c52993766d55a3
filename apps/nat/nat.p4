/* nat: source NAT for IPv4. Hosts inside share public addresses; each of their TCP or UDP ports (or ICMP echo
 * identifiers) has a public address and port of its own. */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<16> l4_port_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> ICMP = 1;
const bit<8> TCP = 6;
const bit<8> UDP = 17;
const bit<8> ECHO_REPLY = 0;
const bit<8> ECHO_REQUEST = 8;

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

header tcp_h {
    l4_port_t src;
    l4_port_t dst;
    bit<32> sequence;
    bit<32> acknowledgement;
    bit<16> offset_and_flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

header udp_h {
    l4_port_t src;
    l4_port_t dst;
    bit<16> length;
    bit<16> checksum;
}

header icmp_h {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
}

/* Requests and replies: the identifier takes the place of a port. */
header echo_h {
    bit<16> id;
    bit<16> sequence;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_h ipv4;
    tcp_h tcp;
    udp_h udp;
    icmp_h icmp;
    echo_h echo;
}

enum bit<8> Side {
    NONE = 0,
    INSIDE = 1,
    OUTSIDE = 2
}

struct metadata_t {
    Side side;
    l4_port_t src_port;
    l4_port_t dst_port;
    bool translated;
    /* What is translated, for the checksums. */
    ipv4_t old_address;
    ipv4_t new_address;
    l4_port_t old_port;
    l4_port_t new_port;
}

/* What a controller is told of traffic from inside that has no entry. */
struct flow_t {
    ipv4_t src;
    l4_port_t src_port;
    bit<8> protocol;
}

parser NatParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
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
            (5, 0, TCP): tcp;
            (5, 0, UDP): udp;
            (5, 0, ICMP): icmp;
            default: accept;
        }
    }

    state tcp {
        packet.extract(hdr.tcp);
        meta.src_port = hdr.tcp.src;
        meta.dst_port = hdr.tcp.dst;
        transition accept;
    }

    state udp {
        packet.extract(hdr.udp);
        meta.src_port = hdr.udp.src;
        meta.dst_port = hdr.udp.dst;
        transition accept;
    }

    state icmp {
        packet.extract(hdr.icmp);
        transition select(hdr.icmp.type) {
            ECHO_REQUEST: echo;
            ECHO_REPLY: echo;
            default: accept;
        }
    }

    state echo {
        packet.extract(hdr.echo);
        meta.src_port = hdr.echo.id;
        meta.dst_port = hdr.echo.id;
        transition accept;
    }
}

control NatVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags,
              hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

/* A checksum after the data that it covers has changed, without looking at the rest (RFC 1624, equation 3). */
bit<16> adjusted(in bit<16> checksum, in ipv4_t old_address, in ipv4_t new_address,
                 in l4_port_t old_port, in l4_port_t new_port) {
    bit<32> sum = (bit<32>)(~checksum);
    sum = sum + (bit<32>)(~old_address[31:16]) + (bit<32>)(~old_address[15:0]) + (bit<32>)(~old_port);
    sum = sum + (bit<32>)new_address[31:16] + (bit<32>)new_address[15:0] + (bit<32>)new_port;
    sum = (sum >> 16) + (sum & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    return ~sum[15:0];
}

control NatIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    direct_counter(CounterType.packets_and_bytes) sent_out;
    direct_counter(CounterType.packets_and_bytes) sent_in;
    counter(1, CounterType.packets) untranslatable;

    action drop() {
        mark_to_drop(standard);
    }

    action side(Side which) {
        meta.side = which;
    }

    /* Which ports of the switch are inside, which outside. */
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

    action unknown_flow() {
        digest<flow_t>(1, { hdr.ipv4.src, meta.src_port, hdr.ipv4.protocol });
        mark_to_drop(standard);
    }

    action to_public(ipv4_t address, l4_port_t l4_port) {
        meta.old_address = hdr.ipv4.src;
        meta.old_port = meta.src_port;
        meta.new_address = address;
        meta.new_port = l4_port;
        meta.translated = true;
        hdr.ipv4.src = address;
        meta.src_port = l4_port;
        sent_out.count();
    }

    table outgoing {
        key = {
            hdr.ipv4.src: exact;
            meta.src_port: exact;
            hdr.ipv4.protocol: exact;
        }
        actions = {
            to_public;
            unknown_flow;
        }
        default_action = unknown_flow();
        counters = sent_out;
        size = 65536;
    }

    action to_private(ipv4_t address, l4_port_t l4_port) {
        meta.old_address = hdr.ipv4.dst;
        meta.old_port = meta.dst_port;
        meta.new_address = address;
        meta.new_port = l4_port;
        meta.translated = true;
        hdr.ipv4.dst = address;
        meta.dst_port = l4_port;
        sent_in.count();
    }

    table incoming {
        key = {
            hdr.ipv4.dst: exact;
            meta.dst_port: exact;
            hdr.ipv4.protocol: exact;
        }
        actions = {
            to_private;
            drop;
        }
        default_action = drop();
        counters = sent_in;
        size = 65536;
    }

    /* Send to a neighbour: its MAC address, ours on that port, the port. */
    action next_hop(mac_t neighbour, mac_t own, port_t port) {
        hdr.ethernet.dst = neighbour;
        hdr.ethernet.src = own;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        standard.egress_spec = port;
    }

    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            next_hop;
            drop;
        }
        default_action = drop();
        size = 1024;
    }

    /* Ports and their checksums: those of TCP and UDP cover the addresses too, that of ICMP does not. */
    action rewrite_tcp() {
        hdr.tcp.src = meta.src_port;
        hdr.tcp.dst = meta.dst_port;
        hdr.tcp.checksum =
            adjusted(hdr.tcp.checksum, meta.old_address, meta.new_address, meta.old_port, meta.new_port);
    }

    action rewrite_udp() {
        hdr.udp.src = meta.src_port;
        hdr.udp.dst = meta.dst_port;
    }

    action rewrite_udp_checksum() {
        hdr.udp.checksum =
            adjusted(hdr.udp.checksum, meta.old_address, meta.new_address, meta.old_port, meta.new_port);
    }

    action rewrite_echo() {
        hdr.echo.id = meta.new_port;
        hdr.icmp.checksum = adjusted(hdr.icmp.checksum, 0, 0, meta.old_port, meta.new_port);
    }

    apply {
        if (!hdr.ipv4.isValid() || hdr.ipv4.ttl <= 1 || standard.checksum_error == 1) {
            drop();
        } else if (!hdr.tcp.isValid() && !hdr.udp.isValid() && !hdr.echo.isValid()) {
            untranslatable.count(0);
            drop();
        } else {
            sides.apply();
            if (meta.side == Side.INSIDE) {
                outgoing.apply();
            } else if (meta.side == Side.OUTSIDE) {
                incoming.apply();
            }
        }

        if (meta.translated) {
            if (hdr.tcp.isValid()) {
                rewrite_tcp();
            } else if (hdr.udp.isValid()) {
                rewrite_udp();
                /* Zero means that there is none; a sum that comes out as zero is sent as its twin, all ones. */
                if (hdr.udp.checksum != 0) {
                    rewrite_udp_checksum();
                    if (hdr.udp.checksum == 0) {
                        hdr.udp.checksum = 0xffff;
                    }
                }
            } else {
                rewrite_echo();
            }
            routes.apply();
        }
    }
}

control NatEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control NatCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags,
              hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control NatDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
        packet.emit(hdr.udp);
        packet.emit(hdr.icmp);
        packet.emit(hdr.echo);
    }
}

V1Switch(NatParser(), NatVerify(), NatIngress(), NatEgress(), NatCompute(), NatDeparser()) main;
