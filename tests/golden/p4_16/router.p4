#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_addr_t;
const bit<16> TYPE_IPV4 = 0x800;

header ethernet_t {
    mac_t   dst;
    mac_t   src;
    bit<16> type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<8>  tos;
    bit<16> length;
    bit<16> id;
    bit<3>  flags;
    bit<13> offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    ipv4_addr_t src;
    ipv4_addr_t dst;
}

struct headers_t {
    ethernet_t eth;
    ipv4_t     ipv4;
}

struct metadata_t {
    bit<16> nexthop;
    bool    routed;
}

error { NotVersion4 }

parser RouterParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.eth);
        transition select(hdr.eth.type) {
            TYPE_IPV4: ipv4;
            0x8100 &&& 0xEFFF: reject;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4, error.NotVersion4);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags,
              hdr.ipv4.offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control Routing(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets_and_bytes) routes_hit;

    action drop() {
        mark_to_drop(std);
        exit;
    }
    action route(bit<16> nexthop) {
        meta.nexthop = nexthop;
        meta.routed = true;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }
    action forward(mac_t dst, bit<9> port) {
        hdr.eth.src = hdr.eth.dst;
        hdr.eth.dst = dst;
        std.egress_spec = port;
    }

    table routes {
        key = { hdr.ipv4.dst: lpm; }
        actions = { route; drop; }
        default_action = drop();
        size = 4096;
        counters = routes_hit;
    }
    table nexthops {
        key = { meta.nexthop: exact @name("nexthop"); }
        actions = { forward; @defaultonly drop; }
        const default_action = drop;
        const entries = {
            1: forward(0x020000000001, 1);
            2: forward(0x020000000002, 2);
        }
    }

    apply {
        if (hdr.ipv4.isValid() && std.checksum_error == 0) {
            if (hdr.ipv4.ttl <= 1) {
                drop();
            }
            if (routes.apply().hit) {
                nexthops.apply();
            }
        }
    }
}

control Leaving(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags,
              hdr.ipv4.offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(RouterParser(), Verify(), Routing(), Leaving(), Compute(), RouterDeparser()) main;
