// Registers whose cells belong to workers: their indexes are functions of the frame alone, on each way through the parser.
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header vlan_t { bit<3> priority; bit<1> drop; bit<12> id; bit<16> type; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> tos; bit<16> length;
    bit<16> id; bit<3> flags; bit<13> fragment;
    bit<8> ttl; bit<8> protocol; bit<16> checksum;
    bit<32> src; bit<32> dst;
}
header ports_t { bit<16> src; bit<16> dst; }

struct headers_t { ethernet_t ethernet; vlan_t vlan; ipv4_t ipv4; ports_t ports; }
struct meta_t { bit<20> cell; bit<32> seen; bit<96> sum; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x8100: vlan;
            0x0800: ipv4;
            default: accept;
        }
    }
    state vlan {
        packet.extract(hdr.vlan);
        transition select(hdr.vlan.type) {
            0x0800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.fragment, hdr.ipv4.protocol) {
            (5, 0, 6 &&& 0xee): ports;
            (5, 0, 17): ports;
            default: accept;
        }
    }
    state ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<32>>(1 << 20) packets;
    counter(1, CounterType.packets) through;

    apply {
        sm.egress_spec = 9;
        through.count(0);
        if (hdr.ipv4.isValid()) {
            hash(meta.cell, HashAlgorithm.crc32, 20w0,
                 { hdr.ipv4.src, hdr.ipv4.dst, hdr.ports.src, hdr.ports.dst, hdr.ipv4.protocol }, 32w1 << 20);
        } else {
            meta.cell = (bit<20>)(hdr.ethernet.dst ^ hdr.ethernet.src) + 4;
        }
        packets.read(meta.seen, (bit<32>)meta.cell);
        packets.write((bit<32>)meta.cell, meta.seen + 1);
        hdr.ethernet.src = (bit<48>)meta.seen; // what packets only add to is not sharded
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<96>>(1 << 20) wide;

    apply {
        wide.read(meta.sum, (bit<32>)meta.cell);
        wide.write((bit<32>)meta.cell, meta.sum + 96w0x4000000000000001);
    }
}

control C(inout headers_t hdr, inout meta_t meta) { apply { } }

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
