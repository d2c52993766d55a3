/* balancer: a service has one address for many servers. All packets of a flow go to the same server. Servers answer the
 * client themselves, from the address of the service: only MAC addresses change (direct server return). */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<16> l4_port_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> TCP = 6;
const bit<8> UDP = 17;

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

struct metadata_t {
}

parser BalancerParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
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

control BalancerVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags,
              hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control BalancerIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc32, 65536, 16) servers;
    direct_counter(CounterType.packets_and_bytes) asked;

    action drop() {
        mark_to_drop(standard);
    }

    /* Send to a server: its MAC address, ours on that port, the port. */
    action server(mac_t neighbour, mac_t own, port_t port) {
        hdr.ethernet.dst = neighbour;
        hdr.ethernet.src = own;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        standard.egress_spec = port;
    }

    table services {
        key = {
            hdr.ipv4.dst: exact;
            hdr.ports.dst: exact;
            hdr.ipv4.protocol: exact;
            hdr.ipv4.src: selector;
            hdr.ports.src: selector;
            hdr.ipv4.dst: selector;
            hdr.ports.dst: selector;
            hdr.ipv4.protocol: selector;
        }
        actions = {
            server;
            drop;
        }
        default_action = drop();
        implementation = servers;
        counters = asked;
        size = 65536;
    }

    apply {
        if (!hdr.ports.isValid() || hdr.ipv4.ttl <= 1 || standard.checksum_error == 1) {
            drop();
        } else {
            services.apply();
        }
    }
}

control BalancerEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control BalancerCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags,
              hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control BalancerDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(BalancerParser(), BalancerVerify(), BalancerIngress(), BalancerEgress(), BalancerCompute(), BalancerDeparser()) main;
