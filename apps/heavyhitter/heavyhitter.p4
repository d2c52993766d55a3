/* heavyhitter: a probe in a wire that finds flows of many packets. A count-min sketch has an estimate of each flow: the
 * smallest of its four counts, which is never too small. */
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

struct metadata_t {
    bit<32> limit;
    bit<24> one;
    bit<24> other;
}

/* What a controller is told of a flow that reaches the limit. */
struct heavy_t {
    ipv4_t src;
    ipv4_t dst;
    l4_port_t src_port;
    l4_port_t dst_port;
    bit<8> protocol;
}

parser HeavyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
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

control HeavyVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

/* A row of the sketch: counts a packet of the flow at that cell, and keeps the smallest count. */
control Row(inout bit<32> least, in bit<24> cell) {
    register<bit<32>>(CELLS) counts;

    apply {
        bit<32> count;
        counts.read(count, (bit<32>)cell);
        count = count |+| 1;
        counts.write((bit<32>)cell, count);
        if (count < least) {
            least = count;
        }
    }
}

control HeavyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(1, CounterType.packets_and_bytes) heavy;
    Row() row1;
    Row() row2;
    Row() row3;
    Row() row4;

    action drop() {
        mark_to_drop(standard);
    }

    action forward(port_t port) {
        standard.egress_spec = port;
    }

    /* The other end of each port's wire. */
    table wires {
        key = {
            standard.ingress_port: exact;
        }
        actions = {
            forward;
            drop;
        }
        default_action = drop();
        size = 512;
    }

    action limit(bit<32> packets) {
        meta.limit = packets;
    }

    /* From how many packets on a flow is heavy. */
    table limits {
        actions = {
            limit;
        }
        default_action = limit(10000);
    }

    apply {
        wires.apply();
        if (hdr.ports.isValid()) {
            limits.apply();
            /* Two hashes of the flow give a cell of each row: one + i * other (Kirsch and Mitzenmacher 2006). */
            hash(meta.one, HashAlgorithm.crc32, 24w0,
                { hdr.ipv4.src, hdr.ipv4.dst, hdr.ports.src, hdr.ports.dst, hdr.ipv4.protocol }, CELLS);
            hash(meta.other, HashAlgorithm.crc32, 24w0,
                { hdr.ports.dst, hdr.ipv4.protocol, hdr.ipv4.dst, hdr.ports.src, hdr.ipv4.src }, CELLS);
            bit<32> least = 0xffffffff;
            row1.apply(least, meta.one);
            row2.apply(least, meta.one + meta.other);
            row3.apply(least, meta.one + 2 * meta.other);
            row4.apply(least, meta.one + 3 * meta.other);
            if (least >= meta.limit) {
                heavy.count(0);
            }
            if (least == meta.limit) {
                digest<heavy_t>(1,
                    { hdr.ipv4.src, hdr.ipv4.dst, hdr.ports.src, hdr.ports.dst, hdr.ipv4.protocol });
            }
        }
    }
}

control HeavyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control HeavyCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control HeavyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(HeavyParser(), HeavyVerify(), HeavyIngress(), HeavyEgress(), HeavyCompute(), HeavyDeparser()) main;
