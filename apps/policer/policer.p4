/* policer: a rate for each subscriber. What is beyond the committed rate is marked as worth less, what is beyond the peak
 * rate is dropped. */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<32> SUBSCRIBERS = 1 << 20;

/* Of meters: RFC 2698. */
const bit<2> YELLOW = 1;
const bit<2> RED = 2;
/* Differentiated services codepoint AF12 (RFC 2597), for what is beyond the committed rate. */
const bit<6> AF12 = 12;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

header ipv4_h {
    bit<4> version;
    bit<4> ihl;
    bit<6> dscp;
    bit<2> ecn;
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
    bit<2> colour;
}

parser PolicerParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
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

control PolicerVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags,
              hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control PolicerIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    meter(SUBSCRIBERS, MeterType.bytes) rates;
    counter(SUBSCRIBERS, CounterType.packets_and_bytes) passed;
    counter(1, CounterType.packets_and_bytes) dropped;

    action drop() {
        mark_to_drop(standard);
    }

    /* Whose packet it is, and where it goes. */
    action subscriber(bit<20> number, port_t port) {
        standard.egress_spec = port;
        rates.execute_meter((bit<32>)number, meta.colour);
        if (meta.colour != RED) {
            passed.count((bit<32>)number);
        }
    }

    table subscribers {
        key = {
            hdr.ipv4.src: exact;
        }
        actions = {
            subscriber;
            drop;
        }
        default_action = drop();
        size = 1048576;
    }

    apply {
        if (!hdr.ipv4.isValid() || standard.checksum_error == 1) {
            drop();
        } else {
            subscribers.apply();
            if (meta.colour == RED) {
                dropped.count(0);
                drop();
            } else if (meta.colour == YELLOW) {
                hdr.ipv4.dscp = AF12;
            }
        }
    }
}

control PolicerEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control PolicerCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.length, hdr.ipv4.id, hdr.ipv4.flags,
              hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control PolicerDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(PolicerParser(), PolicerVerify(), PolicerIngress(), PolicerEgress(), PolicerCompute(), PolicerDeparser()) main;
