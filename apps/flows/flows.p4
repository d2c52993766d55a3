/* flows: a probe in a wire. It keeps a record of each flow of TCP and UDP that passes: packets, bytes, the first and the
 * last time, as NetFlow and IPFIX do. */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<16> l4_port_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> TCP = 6;
const bit<8> UDP = 17;

const bit<32> CELLS = 1 << 20;
/* In microseconds: a flow that was silent for so long gives its cell to another. */
const bit<48> IDLE = 15000000;

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

/* Both addresses, both ports, the protocol. */
typedef bit<104> flow_t;

struct metadata_t {
    flow_t flow;
    bit<20> cell;
}

/* The record of a flow whose cell another one has taken. */
struct record_t {
    flow_t flow;
    bit<32> packets;
    bit<64> bytes;
    bit<48> first;
    bit<48> last;
}

parser FlowsParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
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

control FlowsVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control FlowsIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<flow_t>(CELLS) flow_of;
    register<bit<32>>(CELLS) packets;
    register<bit<64>>(CELLS) bytes;
    register<bit<48>>(CELLS) first;
    register<bit<48>>(CELLS) last;
    counter(1, CounterType.packets_and_bytes) unrecorded;

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

    apply {
        wires.apply();
        if (hdr.ports.isValid()) {
            meta.flow = hdr.ipv4.src ++ hdr.ipv4.dst ++ hdr.ports.src ++ hdr.ports.dst ++ hdr.ipv4.protocol;
            hash(meta.cell, HashAlgorithm.crc32, 20w0, { meta.flow }, CELLS);

            flow_t owner;
            bit<32> sum_packets;
            bit<64> sum_bytes;
            bit<48> begin;
            bit<48> end;
            flow_of.read(owner, (bit<32>)meta.cell);
            packets.read(sum_packets, (bit<32>)meta.cell);
            bytes.read(sum_bytes, (bit<32>)meta.cell);
            first.read(begin, (bit<32>)meta.cell);
            last.read(end, (bit<32>)meta.cell);

            bit<48> now = standard.ingress_global_timestamp;
            if (owner != meta.flow && owner != 0 && now - end < IDLE) {
                unrecorded.count(0);
            } else {
                if (owner != meta.flow) {
                    if (owner != 0) {
                        digest<record_t>(1, { owner, sum_packets, sum_bytes, begin, end });
                    }
                    flow_of.write((bit<32>)meta.cell, meta.flow);
                    first.write((bit<32>)meta.cell, now);
                    sum_packets = 0;
                    sum_bytes = 0;
                }
                packets.write((bit<32>)meta.cell, sum_packets + 1);
                bytes.write((bit<32>)meta.cell, sum_bytes + (bit<64>)standard.packet_length);
                last.write((bit<32>)meta.cell, now);
            }
        }
    }
}

control FlowsEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control FlowsCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control FlowsDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(FlowsParser(), FlowsVerify(), FlowsIngress(), FlowsEgress(), FlowsCompute(), FlowsDeparser()) main;
