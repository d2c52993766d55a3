/* router: what a real one does. Ethernet, one VLAN tag, IPv4 and IPv6; an access list for each family, longest prefix match, groups
 * of next hops among which flows are spread, MAC and VLAN rewrite, TTL and checksum, counters.
 */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<128> ipv6_t;
typedef bit<16> l4_port_t;
typedef bit<12> vlan_t;
typedef bit<9> port_t;
typedef bit<16> group_t;

const bit<16> TYPE_VLAN = 0x8100;
const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_IPV6 = 0x86dd;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const vlan_t UNTAGGED = 0;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

header vlan_h {
    bit<3> priority;
    bit<1> drop_eligible;
    vlan_t id;
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

/* What TCP and UDP begin with. */
header l4_t {
    l4_port_t src;
    l4_port_t dst;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_h vlan;
    ipv4_h ipv4;
    ipv6_h ipv6;
    l4_t l4;
}

struct metadata_t {
    bit<16> type;
    bit<8> protocol;
    l4_port_t l4_src;
    l4_port_t l4_dst;
    bool denied;
    group_t group;
}

parser RouterParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_VLAN: vlan;
            TYPE_IPV4: ipv4;
            TYPE_IPV6: ipv6;
            default: accept;
        }
    }

    state vlan {
        packet.extract(hdr.vlan);
        transition select(hdr.vlan.type) {
            TYPE_IPV4: ipv4;
            TYPE_IPV6: ipv6;
            default: accept;
        }
    }

    /* Options and later fragments have no ports where they would be looked for. */
    state ipv4 {
        packet.extract(hdr.ipv4);
        meta.type = TYPE_IPV4;
        meta.protocol = hdr.ipv4.protocol;
        transition select(hdr.ipv4.ihl, hdr.ipv4.fragment, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_TCP): l4;
            (5, 0, PROTOCOL_UDP): l4;
            default: accept;
        }
    }

    state ipv6 {
        packet.extract(hdr.ipv6);
        meta.type = TYPE_IPV6;
        meta.protocol = hdr.ipv6.next_header;
        transition select(hdr.ipv6.next_header) {
            PROTOCOL_TCP: l4;
            PROTOCOL_UDP: l4;
            default: accept;
        }
    }

    state l4 {
        packet.extract(hdr.l4);
        meta.l4_src = hdr.l4.src;
        meta.l4_dst = hdr.l4.dst;
        transition accept;
    }
}

control RouterVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        /* Options are not parsed: what is behind them is checked by who receives it. */
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags,
              hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control RouterIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc16, 4096, 16) neighbours;
    direct_counter(CounterType.packets) matched4;
    direct_counter(CounterType.packets) matched6;
    counter(512, CounterType.packets_and_bytes) received;

    action drop() {
        mark_to_drop(standard);
    }

    /* TTL minus 1, and what that makes of the checksum, whatever else it covers (RFC 1624). */
    action age4() {
        bit<17> sum = (bit<17>)~hdr.ipv4.checksum + 0xfeff;
        hdr.ipv4.checksum = ~(sum[15:0] + (bit<16>)sum[16:16]);
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    action permit() {
    }

    action deny() {
        meta.denied = true;
    }

    table acl4 {
        key = {
            hdr.ipv4.src: ternary;
            hdr.ipv4.dst: ternary;
            meta.protocol: ternary;
            meta.l4_src: ternary;
            meta.l4_dst: ternary;
        }
        actions = {
            permit;
            deny;
        }
        default_action = permit();
        counters = matched4;
        size = 4096;
    }

    table acl6 {
        key = {
            hdr.ipv6.src: ternary;
            hdr.ipv6.dst: ternary;
            meta.protocol: ternary;
            meta.l4_src: ternary;
            meta.l4_dst: ternary;
        }
        actions = {
            permit;
            deny;
        }
        default_action = permit();
        counters = matched6;
        size = 4096;
    }

    action via(group_t group) {
        meta.group = group;
    }

    table routes4 {
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

    table routes6 {
        key = {
            hdr.ipv6.dst: lpm;
        }
        actions = {
            via;
            drop;
        }
        default_action = drop();
        size = 262144;
    }

    /* To one neighbour: its MAC address, ours on that port, the VLAN there or UNTAGGED, the port. */
    action forward(mac_t neighbour, mac_t own, vlan_t vlan, port_t port) {
        hdr.ethernet.dst = neighbour;
        hdr.ethernet.src = own;
        standard.egress_spec = port;
        if (vlan == UNTAGGED) {
            hdr.vlan.setInvalid();
            hdr.ethernet.type = meta.type;
        } else {
            hdr.vlan.setValid();
            hdr.vlan = { 0, 0, vlan, meta.type };
            hdr.ethernet.type = TYPE_VLAN;
        }
    }

    /* Packets of a flow go one way: the hash is of what does not change within it. */
    table next_hops {
        key = {
            meta.group: exact;
            hdr.ipv4.src: selector;
            hdr.ipv4.dst: selector;
            hdr.ipv6.src: selector;
            hdr.ipv6.dst: selector;
            meta.protocol: selector;
            meta.l4_src: selector;
            meta.l4_dst: selector;
        }
        actions = {
            forward;
            drop;
        }
        implementation = neighbours;
        default_action = drop();
        size = 4096;
    }

    apply {
        received.count((bit<32>)standard.ingress_port);
        bool routed = false;
        if (standard.parser_error != error.NoError) {
            drop();
        } else if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1 && standard.checksum_error == 0) {
            acl4.apply();
            if (!meta.denied) {
                routed = routes4.apply().hit;
                age4();
            }
        } else if (hdr.ipv6.isValid() && hdr.ipv6.hop_limit > 1) {
            acl6.apply();
            if (!meta.denied) {
                routed = routes6.apply().hit;
                hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
            }
        }
        if (routed) {
            next_hops.apply();
        } else {
            drop();
        }
    }
}

control RouterEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(512, CounterType.packets_and_bytes) sent;

    apply {
        sent.count((bit<32>)standard.egress_port);
    }
}

control RouterCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.l4);
    }
}

V1Switch(RouterParser(), RouterVerify(), RouterIngress(), RouterEgress(), RouterCompute(), RouterDeparser()) main;
