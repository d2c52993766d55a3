/* ndn: named-data forwarding. Interests go by the name of what is wanted, not by an address.
 *
 * An Interest is an NDN packet (TLV, NDN Packet Format 0.3) on Ethernet whose name is one component of 32 bytes: a URL,
 * filled up with zeros. The whole name is the key of an exact match, so that millions of names cost a hash and a bucket.
 */
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;
typedef bit<256> name_t;

const bit<16> TYPE_NDN = 0x8624;

const bit<8> TLV_INTEREST = 0x05;
const bit<8> TLV_NAME = 0x07;
const bit<8> TLV_COMPONENT = 0x08;
const bit<8> NAME_BYTES = 32;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

/* Type and length of the packet, of its name, and of the name's only component. Lengths above 252 take more bytes in NDN:
 * longer Interests are not for this program. */
header ndn_t {
    bit<8> packet_type;
    bit<8> packet_length;
    bit<8> name_type;
    bit<8> name_length;
    bit<8> component_type;
    bit<8> component_length;
}

header url_t {
    name_t name;
}

struct headers_t {
    ethernet_t ethernet;
    ndn_t ndn;
    url_t url;
}

struct metadata_t {
}

parser NdnParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_NDN: ndn;
            default: accept;
        }
    }

    state ndn {
        packet.extract(hdr.ndn);
        transition select(hdr.ndn.packet_type, hdr.ndn.name_type, hdr.ndn.name_length,
                          hdr.ndn.component_type, hdr.ndn.component_length) {
            (TLV_INTEREST, TLV_NAME, NAME_BYTES + 2, TLV_COMPONENT, NAME_BYTES): url;
            default: accept;
        }
    }

    state url {
        packet.extract(hdr.url);
        transition accept;
    }
}

control NdnVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control NdnIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(1, CounterType.packets) unknown;

    action drop() {
        mark_to_drop(standard);
    }

    action not_found() {
        unknown.count(0);
        mark_to_drop(standard);
    }

    /* Towards who has it: the neighbour's MAC address, the port. */
    action forward(mac_t neighbour, port_t port) {
        hdr.ethernet.dst = neighbour;
        standard.egress_spec = port;
    }

    table names {
        key = {
            hdr.url.name: exact;
        }
        actions = {
            forward;
            drop;
            not_found;
        }
        default_action = not_found();
        size = 4194304;
    }

    apply {
        if (hdr.url.isValid()) {
            names.apply();
        } else {
            drop();
        }
    }
}

control NdnEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control NdnCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
    }
}

control NdnDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ndn);
        packet.emit(hdr.url);
    }
}

V1Switch(NdnParser(), NdnVerify(), NdnIngress(), NdnEgress(), NdnCompute(), NdnDeparser()) main;
